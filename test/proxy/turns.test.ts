/** Whose turn it is: how long it may be relied on, and that it is given back whatever the ledger does. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { LedgerError } from '../../src/proxy/orders/ledger-error.js';
import { createMemoryLedger } from '../../src/proxy/orders/memory.js';
import { createTurns } from '../../src/proxy/turns.js';
import { createTestClock } from './support.js';

/** A ledger that others share, and one holder at a time. */
function openTurns(serviceTimeoutMs: number) {
  const { now, startTimer, advance } = createTestClock();
  const turns = { holder: null as string | null, untilMs: 0, isBroken: false };
  const ledger = {
    ...createMemoryLedger(now),
    isShared: true,
    async takeTurn(_externalId: string, holder: string, forMs: number) {
      if (turns.holder !== null && turns.untilMs > now()) return false;
      Object.assign(turns, { holder, untilMs: now() + forMs });
      if (turns.isBroken) throw new LedgerError();
      return true;
    },
    async endTurn(_externalId: string, holder: string) {
      if (turns.holder === holder) turns.holder = null;
    },
  };
  const inTurn = createTurns(ledger, { now, startTimer, randomUuid: randomUUID, serviceTimeoutMs });
  return { inTurn, turns, now, advance };
}

describe('a turn', () => {
  for (const serviceTimeoutMs of [10_000, 120_000]) {
    it(`may be relied on for a look-up and a creation of ${serviceTimeoutMs} ms each, and lasts longer`, async () => {
      const { inTurn, turns, now, advance } = openTurns(serviceTimeoutMs);
      await inTurn('order-1', async (_failure, isOurs) => {
        await advance(2 * serviceTimeoutMs);
        assert.equal(isOurs(), true);
        await advance(10_000);
        assert.equal(isOurs(), false);
        assert.equal(turns.untilMs - now(), 30_000);
      });
      assert.equal(turns.holder, null);
    });
  }

  it('is given back also where the ledger failed once it had given it', async () => {
    const { inTurn, turns } = openTurns(10_000);
    turns.isBroken = true;
    await assert.rejects(
      inTurn('order-1', async () => assert.fail('it has no turn')),
      LedgerError,
    );
    turns.isBroken = false;
    assert.equal(await inTurn('order-1', async () => 'done'), 'done');
  });
});
