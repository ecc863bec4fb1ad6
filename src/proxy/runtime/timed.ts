/** Times work for the operator's numbers. Without a sink there is no clock and no wrapper. */

import type { HistogramName } from '../config/metrics.js';
import type { MetricLabels } from '../config/options.js';
import type { Settings } from '../config/read-options.js';
import type { Ledger } from '../ledger/ledger.js';

/**
 * Runs work, and tells how long it took and how it ended.
 * @param toOutcome the label `outcome` of what was thrown; default: `failed`
 */
export type Time = <T>(
  name: HistogramName,
  labels: MetricLabels,
  work: () => Promise<T>,
  toOutcome?: (thrown: unknown) => string,
) => Promise<T>;

/** Times nothing. */
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

type Operation = (...args: unknown[]) => Promise<unknown>;

/** The same ledger, each operation of which is timed. */
export function withTimes(ledger: Ledger, time: Time): Ledger {
  if (time === untimed) return ledger;
  const timed = Object.entries(ledger).map(([operation, value]: [string, unknown]) => {
    if (typeof value !== 'function') return [operation, value];
    const run = value as Operation;
    const work: Operation = (...args) =>
      time('pix_ledger_seconds', { operation }, () => run(...args));
    return [operation, work];
  });
  return Object.fromEntries(timed) as Ledger;
}
