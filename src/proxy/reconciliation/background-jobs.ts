/**
 * The background jobs of a proxy with a ledger or a hook: the outbox, reconciliation, pruning the ledger, and logging the
 * minute's counts.
 */

import type { Outbox } from '../outbox/outbox.js';
import { errorNameOf } from '../config/log.js';
import type { Log } from '../config/log.js';
import type { Ledger } from '../ledger/ledger.js';
import { startJobLoop } from '../runtime/work.js';
import type { JobLoop, Metrics } from '../runtime/work.js';
import type { Reconciliation } from './reconciliation.js';
import type { LogEvent, StartTimer } from '../config/options.js';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** How often, milliseconds. Pruning begins after a minute: a process may not live for an hour. */
const times = {
  deliver: { firstMs: secondMs, everyMs: secondMs },
  sweep: { firstMs: 5 * secondMs, everyMs: 5 * secondMs },
  prune: { firstMs: minuteMs, everyMs: 60 * minuteMs },
  count: { firstMs: minuteMs, everyMs: minuteMs },
};

/** What the background jobs need. */
interface WorkerParts {
  readonly outbox: Outbox;
  readonly reconciliation: Reconciliation;
  readonly ledger: Pick<Ledger, 'prune' | 'readState'>;
  readonly metrics: Metrics;
  readonly startTimer: StartTimer;
  readonly log: Log;
}

/** The background jobs of one proxy. */
export interface Worker {
  /** Sets the timers, once. Separate from the making of a proxy, where worker platforms refuse timers. */
  readonly start: () => void;
  /** Runs the outbox now: an event was queued. */
  readonly wake: () => void;
  /** Stops every timer, and resolves when what runs has ended. */
  readonly close: () => Promise<void>;
}

/** Makes the background jobs of one proxy. */
export function createWorker(parts: WorkerParts): Worker {
  const { outbox, reconciliation, ledger, metrics, startTimer, log } = parts;

  let loops: readonly JobLoop[] | null = null;

  return {
    start() {
      loops ??= [
        startOne('deliver', 'unexpected_error', (signal) => outbox.deliverDue(signal)),
        startOne('sweep', 'unexpected_error', (signal) => reconciliation.reconcileDue(signal)),
        startOne('prune', 'ledger_failed', () => ledger.prune()),
        startOne('count', 'ledger_failed', report),
      ];
    },
    wake: () => loops?.[0]?.wake(),
    async close() {
      loops ??= [];
      await Promise.all(loops.map((loop) => loop.close()));
      await outbox.ended();
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

  /** A job that fails runs again at its next time. */
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
    const state = await ledger.readState(outbox.kinds);
    const counts = { ...metrics.take(), ...state };
    if (Object.values(counts).some((number) => number !== 0)) {
      log({ level: 'info', event: 'counts', counts });
    }
  }
}
