/** Background jobs: how often, never twice at once, despite failures, and until they are closed. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { createMemoryLedger } from '../../../src/proxy/ledger/memory/memory-ledger.js';
import type { Sink } from '../../../src/proxy/config/metrics.js';
import type { LogEntry } from '../../../src/proxy/config/options.js';
import { createWorker } from '../../../src/proxy/reconciliation/background-jobs.js';
import { createGate, createTestClock, settle } from '../support/shop.js';

const nothing = async () => undefined;

function openWorker({ isStarted = true, sink = null as Sink | null } = {}) {
  const clock = createTestClock();
  const log: LogEntry[] = [];
  const calls = { deliver: 0, sweep: 0, prune: 0 };
  const ledger = createMemoryLedger(clock.now);
  const does = { deliver: nothing, sweep: nothing, prune: nothing, ended: nothing } as Record<
    'deliver' | 'sweep' | 'prune' | 'ended',
    (signal?: AbortSignal) => Promise<void>
  >;
  const call = (name: keyof typeof calls) => (signal?: AbortSignal) => {
    calls[name] += 1;
    return does[name](signal);
  };
  ledger.prune = call('prune');
  const worker = createWorker({
    outbox: { kinds: ['paid'], deliverDue: call('deliver'), ended: () => does.ended() },
    reconciliation: { reconcileDue: call('sweep') },
    ledger,
    settings: { metrics: sink },
    now: clock.now,
    startTimer: clock.startTimer,
    log: (entry) => log.push(entry),
  });
  if (isStarted) worker.start();
  return { clock, log, calls, does, ledger, worker };
}

describe('background jobs', () => {
  it('run the outbox each second, reconciliation every five, pruning after a minute and each hour', async () => {
    const { clock, calls } = openWorker();
    await clock.advance(60_000);
    assert.deepEqual(calls, { deliver: 60, sweep: 12, prune: 1 });
    await clock.advance(3_600_000);
    assert.equal(calls.prune, 2);
  });

  it('run the outbox at once when woken', async () => {
    const { clock, calls, worker } = openWorker();
    worker.wake();
    await settle();
    assert.equal(calls.deliver, 1);
    await clock.advance(999);
    assert.equal(calls.deliver, 1);
    await clock.advance(1);
    assert.equal(calls.deliver, 2);
  });

  it('never run twice at once, and once more if woken meanwhile', async () => {
    const { clock, calls, does, worker } = openWorker();
    const { opened, release } = createGate();
    does.deliver = () => opened;
    worker.wake();
    for (let i = 0; i < 5; i++) worker.wake();
    await clock.advance(30_000);
    assert.equal(calls.deliver, 1);
    assert.equal(calls.sweep, 6);
    does.deliver = nothing;
    release();
    await settle();
    assert.equal(calls.deliver, 2);
    await clock.advance(999);
    assert.equal(calls.deliver, 2);
  });

  it('go on after failures, and log which job failed', async () => {
    const nothing = () => undefined;
    const sink = { count: nothing, observe: nothing, set: nothing };
    const { clock, log, calls, does, ledger } = openWorker({ sink });
    const fail = async () => {
      throw new RangeError('order-1');
    };
    for (const name of ['deliver', 'sweep', 'prune'] as const) does[name] = fail;
    ledger.readState = fail;
    await clock.advance(3_660_000);
    assert.deepEqual(calls, { deliver: 3_660, sweep: 732, prune: 2 });
    const said = log.map(({ level, event, operation, errorName }) =>
      [level, event, operation, errorName].join(' '),
    );
    assert.deepEqual([...new Set(said)].toSorted(), [
      'error ledger_failed count RangeError',
      'error ledger_failed prune RangeError',
      'error unexpected_error deliver RangeError',
      'error unexpected_error sweep RangeError',
    ]);
  });

  it('tell the sink of numbers each minute how the ledger stands', async () => {
    const told: [name: string, value: number][] = [];
    const nothing = () => undefined;
    const sink = { count: nothing, observe: nothing, set: (...one) => void told.push(one) } as Sink;
    const { clock, log, ledger } = openWorker({ sink });
    ledger.readState = async (kinds) => {
      assert.deepEqual(kinds, ['paid']);
      const oldestEventAtMs = clock.now() - 7_000;
      const state = { sweepLagMs: 2_000, undelivered: 3, oldestEventAtMs, deadEvents: 8 };
      return { ...state, unknownAttempts: 1, nextDueAtMs: null };
    };
    await clock.advance(59_999);
    assert.deepEqual(told, []);
    await clock.advance(1);
    assert.deepEqual(told, [
      ['pix_reconciliation_lag_seconds', 2],
      ['pix_outbox_events', 3],
      ['pix_outbox_age_seconds', 7],
      ['pix_dead_events', 8],
      ['pix_unresolved_charges', 1],
    ]);
    assert.deepEqual(log, []);
  });

  it('ask the ledger how it stands for a sink only', async () => {
    const { clock, ledger } = openWorker();
    ledger.readState = () => assert.fail('no one is told');
    await clock.advance(3_600_000);
  });

  it('close: no timer is left, and running jobs are aborted and waited for', async () => {
    const { clock, calls, does, worker } = openWorker();
    const sweeping = createGate();
    const calling = createGate();
    let wasTold: boolean | undefined;
    does.sweep = async (signal) => {
      await sweeping.opened;
      wasTold = signal?.aborted;
    };
    does.ended = () => calling.opened;
    await clock.advance(5_000);
    let isClosed = false;
    void worker.close().then(() => {
      isClosed = true;
    });
    await settle();
    assert.equal(clock.pending(), 0);
    assert.equal(isClosed, false);
    sweeping.release();
    await settle();
    assert.equal(wasTold, true);
    assert.equal(isClosed, false);
    calling.release();
    await settle();
    assert.equal(isClosed, true);

    const before = { ...calls };
    worker.wake();
    await clock.advance(3_600_000);
    assert.deepEqual(calls, before);
    assert.equal(clock.pending(), 0);
  });
});

describe('runDue', () => {
  it('runs each job once without a timer, and calls hooks after it looked for payments', async () => {
    const { clock, calls, does, worker } = openWorker({ isStarted: false });
    const order: string[] = [];
    for (const name of ['sweep', 'deliver', 'ended', 'prune'] as const) {
      does[name] = async () => void order.push(name);
    }
    assert.deepEqual(await worker.runDue(), { nextAt: null });
    assert.deepEqual(order, ['sweep', 'deliver', 'ended', 'prune']);
    assert.deepEqual(calls, { deliver: 1, sweep: 1, prune: 1 });
    assert.equal(clock.pending(), 0);
  });

  it('says when to come again: not before five seconds are over', async () => {
    const { clock, ledger, worker } = openWorker({ isStarted: false });
    const { readState } = ledger;
    const cases: [afterMs: number, nextMs: number][] = [
      [-60_000, 5_000],
      [4_999, 5_000],
      [5_001, 5_001],
      [3_600_000, 3_600_000],
    ];
    for (const [afterMs, nextMs] of cases) {
      const nextDueAtMs = clock.now() + afterMs;
      ledger.readState = async (kinds) => ({ ...(await readState(kinds)), nextDueAtMs });
      assert.deepEqual(await worker.runDue(), { nextAt: new Date(clock.now() + nextMs) });
    }
  });

  it('goes on after failures, logs them, and comes again in a minute where the ledger cannot say', async () => {
    const { clock, log, calls, does, ledger, worker } = openWorker({ isStarted: false });
    const fail = async () => {
      throw new RangeError('order-1');
    };
    for (const name of ['deliver', 'sweep', 'prune'] as const) does[name] = fail;
    ledger.readState = fail;
    assert.deepEqual(await worker.runDue(), { nextAt: new Date(clock.now() + 60_000) });
    assert.deepEqual(calls, { deliver: 1, sweep: 1, prune: 1 });
    const operations = log.map(({ operation }) => operation);
    assert.deepEqual(operations, ['sweep', 'deliver', 'prune', 'count']);
  });

  it('lets a ledger forget twice an hour at most, whoever asks', async () => {
    const { clock, calls, worker } = openWorker();
    for (let minute = 0; minute < 120; minute += 1) {
      await worker.runDue();
      await clock.advance(60_000);
    }
    assert.equal(calls.prune, 4);
  });

  it('begins nothing once the proxy is closed', async () => {
    const { does, worker } = openWorker({ isStarted: false });
    let isAborted = false;
    does.sweep = async (signal) => void (isAborted = signal!.aborted);
    await worker.close();
    assert.deepEqual(await worker.runDue(), { nextAt: null });
    assert.ok(isAborted);
  });
});
