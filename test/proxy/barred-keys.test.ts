/**
 * What a payer was told did not happen does not happen afterwards: one process stands still at each step of a creation while
 * another one answers by its key. After a `not_found` nothing leaves.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { aroundStore } from '../support/proxy/broken-store.js';
import { turnsUntil } from '../support/proxy/clock.js';
import { card, createGate, createWorld, openKeptShop, refusalOf } from '../support/proxy/shop.js';

const bodies = { credit_card: card, pix: { method: 'pix' } };

/** How long the first process stands still before the other one is asked, milliseconds. */
const waits = [0, 25_000, 30_001, 61_000];

/** Two processes on one ledger. The first one stands still where it has come to this step: its code, or the ledger's, called or answered. */
function openProcesses(standsAt: number) {
  const world = createWorld({ isShared: true });
  const { store: ledger, upstream, clock } = world;
  const gate = createGate();
  const steps: string[] = [];
  const step = async (name: string) => {
    if (steps.push(name) === standsAt + 1) await gate.opened;
  };
  const slow = aroundStore(ledger, async (name, run) => {
    await step(`${name} is called`);
    const answer = await run();
    await step(`${name} is answered`);
    return answer;
  });
  const resolveOrder = async () => {
    await step('resolveOrder is called');
    return { total_price_cents: 12_345 };
  };
  const first = openKeptShop({ resolveOrder }, { ...world, store: slow });
  const second = openKeptShop({}, world);
  return { first, second, upstream, steps, gate, advance: clock.advance };
}

for (const method of ['credit_card', 'pix'] as const) {
  describe(`a creation by ${method} whose process stands still`, () => {
    const body = bodies[method];

    for (const waitMs of waits) {
      it(`for ${waitMs} ms, at any step: nothing leaves after a not_found`, async () => {
        let barred = 0;
        for (let at = 0; ; at += 1) {
          const { first, second, upstream, steps, gate, advance } = openProcesses(at);
          const key = randomUUID();
          let isOver = false;
          const creation = first.create({ key, body }).finally(() => (isOver = true));
          await turnsUntil(() => isOver || steps.length > at);
          // Each step has had its turn.
          if (steps.length <= at) break;
          const where = steps[at]!;
          const before = upstream.creates();
          await advance(waitMs);
          const told = await refusalOrOk(second.ask(key));
          gate.release();
          await creation;
          const sent = upstream.creates() - before;
          if (told === '404 not_found') {
            barred += 1;
            assert.equal(sent, 0, `${where}: sent after a not_found`);
            // A code that was made and that no payer saw is none.
            if (method === 'credit_card') assert.equal(before, 0, `${where}: was sent`);
            assert.equal(await refusalOf(second.ask(key)), told, where);
            assert.equal(await refusalOf(second.create({ key, body })), '422 key_reused', where);
          } else assert.ok(sent <= 1 && told !== '402 payment_refused', `${where}: ${told}`);
        }
        assert.ok(barred > 0, 'no question was answered not_found');
      });
    }
  });
}

async function refusalOrOk(asked: Promise<Response>): Promise<string> {
  const response = await asked;
  return response.ok ? '200' : refusalOf(response);
}
