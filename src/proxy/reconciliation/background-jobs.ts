/**
 * What the proxy does although nobody asks: deliveries, look-ups of closed pages, forgetting, and the minute's numbers.
 *
 * Owns how often. There is one only where somebody hears of it: with a ledger, or with a hook.
 */

import type { Outbox } from '../outbox/outbox.js';
import { errorNameOf } from '../config/log.js';
import type { Log } from '../config/log.js';
import type { Ledger } from '../ledger/ledger.js';
import { startJobLoop } from '../runtime/job-loop.js';
import type { JobLoop } from '../runtime/job-loop.js';
import type { Reconciliation } from './reconciliation.js';
import type { Metrics } from '../config/metrics.js';
import type { LogEvent, StartTimer } from '../config/options.js';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** How often, milliseconds. What is forgotten hourly is forgotten soon first: a process may never live for an hour. */
const times = {
  deliver: { firstMs: secondMs, everyMs: secondMs },
  sweep: { firstMs: 5 * secondMs, everyMs: 5 * secondMs },
  prune: { firstMs: minuteMs, everyMs: 60 * minuteMs },
  count: { firstMs: minuteMs, everyMs: minuteMs },
};

/** What the worker needs. */
export interface WorkerParts {
  readonly deliveries: Outbox;
  readonly sweep: Reconciliation;
  readonly ledger: Pick<Ledger, 'prune' | 'readState'>;
  readonly metrics: Metrics;
  readonly startTimer: StartTimer;
  readonly log: Log;
}

/** The work nobody asks for. */
export interface Worker {
  /** Sets the timers, once. Not done before: where a proxy is made, a worker platform refuses timers. */
  readonly start: () => void;
  /** Something was queued: delivers at once. */
  readonly wake: () => void;
  /** Stops every timer, and resolves when what runs has ended. */
  readonly close: () => Promise<void>;
}

/** Makes the work of one proxy. */
export function createWorker(parts: WorkerParts): Worker {
  const { deliveries, sweep, ledger, metrics, startTimer, log } = parts;

  let rounds: readonly JobLoop[] | null = null;

  return {
    start() {
      rounds ??= [
        startOne('deliver', 'unexpected_error', (signal) => deliveries.deliverDue(signal)),
        startOne('sweep', 'unexpected_error', (signal) => sweep.reconcileDue(signal)),
        startOne('prune', 'ledger_failed', () => ledger.prune()),
        startOne('count', 'ledger_failed', report),
      ];
    },
    wake: () => rounds?.[0]?.wake(),
    async close() {
      rounds ??= [];
      await Promise.all(rounds.map((round) => round.close()));
      await deliveries.ended();
      await run('count', 'ledger_failed', report);
    },
  };

  function startOne(
    name: keyof typeof times,
    event: LogEvent,
    work: (signal: AbortSignal) => Promise<void>,
  ) {
    return startJobLoop((signal) => run(name, event, () => work(signal)), times[name], startTimer);
  }

  /** Whatever fails is tried again at its next time. */
  async function run(
    operation: keyof typeof times,
    event: LogEvent,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      log({ level: 'error', event, operation, errorName: errorNameOf(thrown) });
    }
  }

  async function report(): Promise<void> {
    const state = await ledger.readState(deliveries.kinds);
    const counts = { ...metrics.take(), ...state };
    if (Object.values(counts).some((number) => number !== 0)) {
      log({ level: 'info', event: 'counts', counts });
    }
  }
}
