/** What the service reports of an invoice before it has answered its creation. Both come at once, and either may be first. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import {
  inProgress,
  losesAnswer,
  openKeptCardShop,
  orderPaid,
  outcomeOf,
  refused,
} from '../../../support/proxy/card-shop.js';
import type { CardShop } from '../../../support/proxy/card-shop.js';
import { createGate, json, settle, turnsUntil } from '../../../support/proxy/shop.js';

interface Bench {
  readonly shop: CardShop;
  readonly told: string[];
}

/**
 * @param answer of a creation that the service has made and reported; `made`: its own answer
 * @param lookUp what the first look-up waits for
 */
function openBench(
  answer: (bench: Bench, made: Response) => Promise<Response>,
  lookUp: () => Promise<void> | void = () => {},
): Bench {
  const told: string[] = [];
  const shop = openKeptCardShop({
    onPaid: ({ duplicate }) => void told.push(duplicate ? 'paid twice' : 'paid'),
    onOutcomeUnknown: () => undefined,
  });
  const bench = { shop, told };
  shop.answerNext(async (made) => {
    shop.network = () => {
      shop.network = () => {};
      return lookUp();
    };
    assert.equal((await shop.report()).status, 200);
    return answer(bench, made);
  });
  return bench;
}

/** Waits until the look-up of the named id has made it an invoice of the order. */
async function toBeBound({ shop }: Bench): Promise<void> {
  while ((await shop.kept()).invoices.length === 0) await settle();
  await shop.clock.advance(0);
}

/** No second card leaves while the reported one pends, and the order is paid by it. */
async function assertBlocked({ shop, told }: Bench): Promise<void> {
  const payAgain = () => outcomeOf(shop.pay(undefined, { key: randomUUID() }));
  for (const waitMs of [4_000, 10_000, 60_000, 600_000]) {
    await shop.clock.advance(waitMs);
    assert.equal(await payAgain(), inProgress, `after ${waitMs} ms`);
  }
  await shop.settle(shop.newest());
  await shop.clock.advance(3_600_000);
  assert.equal(await payAgain(), orderPaid);
  assert.deepEqual([told, shop.upstream.creates()], [['paid'], 1]);
}

describe('an invoice that is reported before its creation is answered', () => {
  for (const [when, waitsMs] of [
    ['at once', []],
    ['after two long waits', [8_000, 8_000]],
  ] as const) {
    it(`blocks its order where the answer calls the card refused ${when}`, async () => {
      const bench = openBench(async (own) => {
        await toBeBound(own);
        for (const waitMs of waitsMs) await own.shop.clock.advance(waitMs);
        return json({}, 422);
      });
      assert.equal(await outcomeOf(bench.shop.pay({ token: 'tok_any' })), refused);
      await assertBlocked(bench);
    });
  }

  it('blocks its order where the answer comes during its look-up', async () => {
    const gate = createGate();
    let isAsked = false;
    const lookUp = () => {
      isAsked = true;
      return gate.opened;
    };
    const bench = openBench(async () => {
      await turnsUntil(() => isAsked);
      return json({}, 422);
    }, lookUp);
    assert.equal(await outcomeOf(bench.shop.pay({ token: 'tok_any' })), refused);
    gate.release();
    await toBeBound(bench);
    await assertBlocked(bench);
  });

  it('is bound to its card where the answer is lost', async () => {
    const bench = openBench(async (own) => {
      await toBeBound(own);
      return losesAnswer();
    });
    const { shop, told } = bench;
    await shop.pay({ token: 'tok_any' });
    await shop.settle(shop.newest());
    for (let i = 0; i < 10; i += 1) await shop.clock.advance(60_000);
    assert.deepEqual(told, ['paid']);
  });

  it('is shown with its code where it is a Pix code', async () => {
    const bench = openBench(async (own, made) => {
      await toBeBound(own);
      return made;
    });
    const { data } = await (await bench.shop.create()).json();
    assert.match(data.qr_code_pix, /^000201/);
    const again = await (await bench.shop.create()).json();
    assert.equal(again.data.invoice_id, data.invoice_id);
    assert.equal(bench.shop.upstream.creates(), 1);
  });
});
