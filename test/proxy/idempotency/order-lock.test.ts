/** Whose turn it is: that it lasts as long as its work, and hardly longer than its process. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { ProxyError, unavailable } from '../../../src/proxy/runtime/proxy-error.js';
import { LedgerError } from '../../../src/proxy/store/ledger-error.js';
import { createMemoryLedger } from '../../../src/proxy/ledger/memory/memory-ledger.js';
import { createOrderLock } from '../../../src/proxy/idempotency/idempotency.js';
import { createGate, createTestClock, settle } from '../support/shop.js';

/** Two processes on one ledger, which gives a turn to one holder at a time. */
function openTurns() {
  const { now, startTimer, advance, pending } = createTestClock();
  const turn = { holder: null as string | null, untilMs: 0, isBroken: false };
  const ledger = {
    ...createMemoryLedger(now),
    isShared: true,
    async acquireOrderLock(_externalId: string, holder: string, forMs: number) {
      const isOthers = turn.holder !== null && turn.holder !== holder && turn.untilMs > now();
      if (isOthers) return turn.untilMs - now();
      Object.assign(turn, { holder, untilMs: now() + forMs });
      if (turn.isBroken) throw new LedgerError();
      return 0;
    },
    async releaseOrderLock(_externalId: string, holder: string) {
      if (turn.holder === holder) turn.holder = null;
    },
  };
  const pass = async (ms: number) => {
    await settle();
    await advance(ms);
  };
  /** What a process has made of the order, for those who look. */
  const made = { is: null as string | null, looked: 0 };
  const start = () => {
    const lock = createOrderLock(ledger, { now, startTimer, randomUuid: randomUUID });
    return (externalId: string, work: () => Promise<unknown>) =>
      lock<unknown>(externalId, work, async () => {
        made.looked += 1;
        return made.is;
      });
  };
  return { one: start(), other: start(), turn, made, now, pass, pending };
}

describe('a turn', () => {
  it('is renewed for as long as its work takes, and by no timer afterwards', async () => {
    const { one, other, turn, pass, pending } = openTurns();
    const { opened, release } = createGate();
    const long = one('order-1', () => opened);
    await pass(300_000);
    const late = assert.rejects(
      other('order-1', async () => assert.fail('the turn is taken')),
      ProxyError,
    );
    await pass(8_500);
    await late;
    release();
    await long;
    assert.equal(turn.holder, null);
    assert.equal(pending(), 0);
  });

  it('outlives the process that had it by five seconds at most', async () => {
    const { one, turn, now } = openTurns();
    await one('order-1', async () => assert.ok(turn.untilMs - now() <= 5_000));
  });

  it('of a process that died is waited for', async () => {
    const { other, turn, now, pass } = openTurns();
    Object.assign(turn, { holder: 'a process that died', untilMs: now() + 5_000 });
    const answer = other('order-1', async () => 'done');
    await pass(5_500);
    assert.equal(await answer, 'done');
  });

  it('is not waited for longer than eight seconds: whoever waits is told when it may be free', async () => {
    const { other, turn, now, pass } = openTurns();
    Object.assign(turn, { holder: 'a process that goes on', untilMs: now() + 11_000 });
    const told: unknown[] = [];
    for (let n = 0; n < 3; n += 1) {
      void other('order-1', async () => assert.fail('the turn is taken')).catch((thrown) =>
        told.push([thrown.code, thrown.retryAfterSeconds]),
      );
    }
    await pass(8_500);
    const each = ['in_progress', 3];
    assert.deepEqual(told, [each, each, each], 'those behind it, too');
    await pass(2_500);
    assert.equal(await other('order-1', async () => 'done'), 'done');
  });

  it('is taken at once when it is given back while others wait', async () => {
    const { one, other, pass } = openTurns();
    const { opened, release } = createGate();
    const first = one('order-1', () => opened);
    const second = other('order-1', async () => 'done');
    await pass(1_000);
    release();
    await first;
    await pass(200);
    assert.equal(await second, 'done');
  });

  it('is not needed by those who waited for what another has made', async () => {
    const { one, other, turn, made, now, pass } = openTurns();
    Object.assign(turn, { holder: 'another process', untilMs: now() + 60_000 });
    const work = async () => assert.fail('it was made already');
    const waiting = [one('order-1', work), one('order-1', work), other('order-1', work)];
    await pass(200);
    assert.equal(made.looked, 2, 'those behind the first look when it is through');
    made.is = 'a code';
    await pass(200);
    assert.deepEqual(await Promise.all(waiting), ['a code', 'a code', 'a code']);
    // Nor by those who come soon afterwards.
    made.looked = 0;
    assert.equal(await one('order-1', work), 'a code');
    assert.equal(made.looked, 1);
    await pass(31_000);
    made.is = null;
    Object.assign(turn, { holder: null });
    assert.equal(await one('order-1', async () => 'made anew'), 'made anew');
    assert.equal(made.looked, 1);
  });

  it('is given back also where the ledger failed once it had given it', async () => {
    const { one, turn } = openTurns();
    turn.isBroken = true;
    await assert.rejects(
      one('order-1', async () => assert.fail('it has no turn')),
      LedgerError,
    );
    turn.isBroken = false;
    assert.equal(await one('order-1', async () => 'done'), 'done');
  });

  it('goes on where it cannot be renewed', async () => {
    const { one, turn, pass } = openTurns();
    const { opened, release } = createGate();
    const work = one('order-1', () => opened.then(() => 'done'));
    turn.isBroken = true;
    await pass(20_000);
    turn.isBroken = false;
    release();
    assert.equal(await work, 'done');
  });

  it('is not taken for what failed already: who waits shares an outage, and nothing else', async () => {
    const { one } = openTurns();
    const begun: string[] = [];
    const fail = (failure: Error) => async () => {
      begun.push(failure.message);
      throw failure;
    };
    const outage = unavailable();
    const shared = await Promise.allSettled([
      one('order-1', fail(outage)),
      one('order-1', async () => 'not begun'),
      one('order-1', async () => 'not begun'),
    ]);
    for (const one of shared) assert.equal(one.status === 'rejected' && one.reason, outage);
    const broken = new LedgerError('57P01');
    const failed = await Promise.allSettled([
      one('order-1', fail(broken)),
      one('order-1', async () => 'not begun'),
    ]);
    for (const one of failed) assert.equal(one.status === 'rejected' && one.reason, broken);
    const [, second] = await Promise.allSettled([
      one('order-1', fail(new ProxyError('order_paid'))),
      one('order-1', async () => 'done'),
    ]);
    assert.equal(second.status === 'fulfilled' && second.value, 'done');
    assert.deepEqual(begun, ['service_unavailable', 'the ledger failed: 57P01', 'order_paid']);
  });
});
