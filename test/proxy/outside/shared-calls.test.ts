/** The rate limit of several processes with one ledger: one limit for all, few questions, and no payer waits for a ledger. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { createLedgerOutage } from '../../../src/proxy/set-up/ledger-outage.js';
import { Throttled, createRateLimit } from '../../../src/proxy/outside/rate-limit.js';
import type { Priority } from '../../../src/proxy/outside/rate-limit.js';
import { createMemoryStore } from '../../../src/proxy/store/memory/memory-store.js';
import type { LogEvent } from '../../../src/proxy.js';
import { createTestClock } from '../support/shop.js';

/** Four processes that may make 200 calls a minute together. */
function openProcesses(serviceCallsPerMinute = 200) {
  const { now, startTimer, advance } = createTestClock();
  const whole = createMemoryStore(now);
  const log: LogEvent[] = [];
  const asked = { times: 0 };
  const ledgerState: { is: 'up' | 'down' | 'silent' } = { is: 'up' };
  const silent: (() => void)[] = [];
  const answer = () => silent.splice(0).forEach((go) => go());
  const ledger = {
    isShared: true,
    passThrottle: whole.passThrottle,
    bookCalls: async (most: number, upTo: number) => {
      asked.times += 1;
      if (ledgerState.is === 'down') throw new Error('the ledger is down');
      if (ledgerState.is === 'silent') await new Promise<void>((go) => silent.push(go));
      return whole.bookCalls(most, upTo);
    },
  };
  const write = ({ event }: { event: LogEvent }) => void log.push(event);
  const processes = Array.from({ length: 4 }, () => {
    const settings = { serviceCallsPerMinute, now, startTimer, ...createLedgerOutage(write, now) };
    return createRateLimit({ settings, store: ledger });
  });
  return { processes, now, advance, asked, log, ledgerState, answer, spend };

  /** @returns how many of so many look-ups went out, one after another, of the processes in turn */
  async function spend(priority: Priority, times: number, mayUseReserve = false): Promise<number> {
    let passed = 0;
    for (let i = 0; i < times; i += 1) {
      if (await tryOne(processes[i % 4]!, priority, mayUseReserve)) passed += 1;
    }
    return passed;
  }
}

async function tryOne(
  { spend }: ReturnType<typeof openProcesses>['processes'][number],
  priority: Priority,
  mayUseReserve = false,
): Promise<boolean> {
  try {
    for (let wait = spend(priority, mayUseReserve); wait; wait = spend(priority, mayUseReserve)) {
      await wait;
    }
    return true;
  } catch (thrown) {
    assert.ok(thrown instanceof Throttled);
    return false;
  }
}

describe('the rate limit of four processes', () => {
  it('is one, with the shares of each priority', async () => {
    const { spend, processes } = openProcesses();
    for (let i = 0; i < 20; i += 1) processes[i % 4]!.countCreation();
    assert.equal(await spend('background', 400), 130);
    assert.equal(await spend('payer', 400), 30);
    assert.equal(await spend('background', 400), 0);
    assert.equal(await spend('background', 400, true), 1);
  });

  it('never lets more than the limit through within any minute', async () => {
    const { processes, now, advance } = openProcesses();
    const passedAtMs: number[] = [];
    for (let step = 0; step < 1_500; step += 1) {
      await advance(150);
      const process = processes[(step * 7) % 4]!;
      if (await tryOne(process, step % 3 === 0 ? 'background' : 'payer')) passedAtMs.push(now());
    }
    for (const [index, atMs] of passedAtMs.entries()) {
      const later = passedAtMs[index + 180];
      if (later !== undefined) assert.ok(later - atMs > 60_000, `${later - atMs} ms`);
    }
    // What is booked and not used is little.
    assert.ok(passedAtMs.length > 3 * 150, `${passedAtMs.length} in 225 s`);
  });

  it('counts a creation that the ledger missed together with the next one', async () => {
    const { spend, processes, advance, ledgerState } = openProcesses();
    const [process = assert.fail()] = processes;
    ledgerState.is = 'down';
    for (let i = 0; i < 100; i += 1) process.countCreation();
    await process.ended();
    ledgerState.is = 'up';
    await advance(10_000);
    process.countCreation();
    await process.ended();
    assert.equal(await spend('payer', 400), 180 - 101);
  });

  it('asks the ledger once for many calls, and not at all while there is no room', async () => {
    const { spend, asked } = openProcesses(6_000);
    assert.equal(await spend('payer', 10_000), 5_400);
    const { times } = asked;
    assert.ok(times < 100, `${times} questions for 5400 calls`);
    await spend('payer', 1_000);
    assert.equal(asked.times, times);
  });

  it('wastes nothing on calls that come now and then', async () => {
    const { processes, advance } = openProcesses(40);
    for (let i = 0; i < 36; i += 1) {
      assert.equal(await tryOne(processes[i % 4]!, 'payer'), true, `call ${i}`);
      await advance(1_000);
    }
  });

  it('reserves a tenth for reconciliation, evenly over the minute', async () => {
    const { spend, advance } = openProcesses();
    let reserved = 0;
    for (let second = 0; second < 126; second += 1) {
      await advance(1_000);
      await spend('payer', 200);
      reserved += await spend('background', 8, true);
    }
    // One in 3.05 s, of those who ask each second.
    assert.ok(reserved >= 30 && reserved <= 42, `${reserved} calls in two minutes`);
  });

  it('asks one question for all look-ups that wait', async () => {
    const { processes, asked } = openProcesses();
    const [first] = processes;
    const waits = Array.from({ length: 20 }, () => first!.spend('payer'));
    assert.equal(new Set(waits).size, 1);
    await waits[0];
    assert.equal(asked.times, 1);
  });
});

describe('after a clock was set back by a minute', () => {
  it('a look-up that has to wait asks once', async () => {
    const { now, startTimer } = createTestClock();
    let asked = 0;
    const { spend } = createRateLimit({
      settings: { serviceCallsPerMinute: 10, now, startTimer, log: () => undefined },
      store: {
        isShared: true,
        passThrottle: async () => true,
        bookCalls: async () => {
          asked += 1;
          return { calls: 0, waitMs: 2 * 62_500 };
        },
      },
    });
    await spend('payer');
    assert.throws(() => spend('payer'), Throttled);
    assert.equal(asked, 1);
  });
});

describe('while the ledger fails', () => {
  it('each process makes a tenth of the calls, creations go out, and it is logged once', async () => {
    const { processes, spend, log, ledgerState, advance } = openProcesses();
    ledgerState.is = 'down';
    assert.equal(await spend('payer', 400), 4 * 18);
    for (let i = 0; i < 300; i += 1) processes[i % 4]!.countCreation();
    await advance(30_000);
    assert.equal(await spend('payer', 4), 0);
    assert.deepEqual(log, ['ledger_failed', 'ledger_failed', 'ledger_failed', 'ledger_failed']);
    ledgerState.is = 'up';
    await advance(5_000);
    assert.equal(await spend('payer', 400), 180);
  });

  it('what went out before counts for that tenth', async () => {
    const { spend, ledgerState } = openProcesses();
    assert.equal(await spend('payer', 100), 100);
    ledgerState.is = 'down';
    // Calls that were booked may still go out.
    assert.ok((await spend('payer', 400)) <= 4 * 3);
  });

  it('creations ask one question at a time, so that connections are left to record them', async () => {
    const { processes, spend, asked, ledgerState, answer } = openProcesses();
    ledgerState.is = 'silent';
    for (let i = 0; i < 100; i += 1) processes[0]!.countCreation();
    assert.equal(asked.times, 1);
    const ended = processes[0]!.ended();
    ledgerState.is = 'up';
    answer();
    // A proxy that closes waits for it: the merchant may close the ledger then.
    await ended;
    assert.equal(asked.times, 2);
    // All of them are counted.
    assert.equal(await spend('payer', 400), 80);
  });

  it('no payer waits for a ledger that is silent', async () => {
    const { processes, ledgerState, advance } = openProcesses();
    ledgerState.is = 'silent';
    const answer = tryOne(processes[0]!, 'payer');
    await advance(2_000);
    assert.equal(await answer, true);
    assert.equal(await tryOne(processes[0]!, 'payer'), true);
  });
});
