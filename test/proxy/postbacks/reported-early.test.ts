/** What the service reports of an invoice before it has answered its creation. Both come at once, and either may be first. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { createMemoryStore } from '../../../src/proxy/store/memory/memory-store.js';
import type { OrderStore } from '../../../src/proxy/store/order-store.js';
import { readKept } from '../support/kept-order.js';
import {
  createGate,
  inProgress,
  networkError,
  openCardShop,
  orderPaid,
  outcomeOf,
  refused,
} from '../support/card-shop.js';
import type { CardShop } from '../support/card-shop.js';
import { newestOf, post, toTimes } from '../support/postback-shop.js';
import { createTestClock, json, settle, until } from '../support/shop.js';

const externalId = 'order-1';

interface Bench {
  readonly shop: CardShop;
  readonly ledger: OrderStore;
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
  const clock = createTestClock();
  const ledger = createMemoryStore(clock.now);
  const told: string[] = [];
  const onPaid = ({ duplicate }: { duplicate: boolean }) =>
    void told.push(duplicate ? 'paid twice' : 'paid');
  const onOutcomeUnknown = () => undefined;
  const options = { ledger, ...toTimes(clock), onPaid, onOutcomeUnknown };
  const shop = Object.assign(openCardShop(options), { clock });
  const bench = { shop, ledger, told };
  shop.network = async (request) => {
    if (request.method !== 'POST') return undefined;
    shop.network = () => {
      shop.network = () => {};
      return lookUp();
    };
    const { postback_url: url } = await request.clone().json();
    const made = await shop.sandbox.fetch(request.clone());
    const body = JSON.stringify({ id: await newestOf(shop) });
    assert.equal((await post(shop, url, { body })).status, 200);
    return answer(bench, made);
  };
  return bench;
}

/** Waits until the look-up of the named id has made it an invoice of the order. */
async function toBeBound({ shop, ledger }: Bench): Promise<void> {
  for (let isKnown = false; !isKnown;) {
    await settle();
    isKnown = (await readKept(ledger, externalId)).invoices.length > 0;
  }
  await shop.clock.advance(0);
}

/** No second card leaves while the reported one pends, and the order is paid by it. */
async function assertBlocked({ shop, told }: Bench): Promise<void> {
  const payAgain = () => outcomeOf(shop.pay(undefined, { key: randomUUID() }));
  for (const waitMs of [4_000, 10_000, 60_000, 600_000]) {
    await shop.clock.advance(waitMs);
    assert.equal(await payAgain(), inProgress, `after ${waitMs} ms`);
  }
  await shop.control(`/invoices/${await newestOf(shop)}/settle`);
  await shop.clock.advance(3_600_000);
  assert.equal(await payAgain(), orderPaid);
  assert.deepEqual([told, shop.sends()], [['paid'], 1]);
}

describe('an invoice that is reported before its creation is answered', () => {
  it('blocks its order where the answer then calls the card refused', async () => {
    const bench = openBench(async (own) => {
      await toBeBound(own);
      return json({}, 422);
    });
    assert.equal(await outcomeOf(bench.shop.pay({ token: 'tok_any' })), refused);
    await assertBlocked(bench);
  });

  it('blocks its order where that answer comes long after it', async () => {
    const bench = openBench(async (own) => {
      await toBeBound(own);
      await own.shop.clock.advance(8_000);
      await own.shop.clock.advance(8_000);
      return json({}, 422);
    });
    assert.equal(await outcomeOf(bench.shop.pay({ token: 'tok_any' })), refused);
    await assertBlocked(bench);
  });

  it('blocks its order where the answer comes during its look-up', async () => {
    const gate = createGate();
    let isAsked = false;
    const lookUp = () => {
      isAsked = true;
      return gate.opened;
    };
    const bench = openBench(async () => {
      await until(() => isAsked);
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
      throw networkError('ECONNRESET');
    });
    const { shop, told } = bench;
    await shop.pay({ token: 'tok_any' });
    await shop.control(`/invoices/${await newestOf(shop)}/settle`);
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
    assert.equal(bench.shop.sends(), 1);
  });
});
