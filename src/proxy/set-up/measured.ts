/** How long work takes, for the operator's numbers. Where no sink takes them, nothing is measured or wrapped. */

import { withEach } from '../store/each-operation.js';
import type { HistogramName } from './metrics.js';
import type { MetricLabels } from './options/options.js';
import type { Settings } from './options/read-options.js';

/**
 * Runs work, and tells the sink how long it took and how it ended.
 * @param toOutcome makes the label `outcome` of an error; default: `failed`
 */
export type Time = <T>(
  name: HistogramName,
  labels: MetricLabels,
  work: () => Promise<T>,
  toOutcome?: (thrown: unknown) => string,
) => Promise<T>;

/** Runs work without measuring it. */
export const untimed: Time = (_name, _labels, work) => work();

export function createTime({ metrics, now }: Pick<Settings, 'metrics' | 'now'>): Time {
  if (!metrics) return untimed;
  return async (name, labels, work, toOutcome = () => 'failed') => {
    const startedAtMs = now();
    const tell = (outcome: string) => {
      // A wall clock may be set back.
      const seconds = Math.max(0, now() - startedAtMs) / 1_000;
      metrics.observe(name, seconds, { ...labels, outcome });
    };
    try {
      const result = await work();
      tell('ok');
      return result;
    } catch (thrown) {
      tell(toOutcome(thrown));
      throw thrown;
    }
  };
}

/** Wraps each operation of a store, so that its duration is told to the sink. */
export function withTimes<T extends object>(store: T, time: Time): T {
  if (time === untimed) return store;
  return withEach(store, (operation, run) => time('pix_ledger_seconds', { operation }, run));
}
