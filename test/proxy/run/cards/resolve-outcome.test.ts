/** What becomes of an order when a person found out how its card ended, and what is asked before that is believed. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { hourMs } from '../../../../src/domain/spans.js';
import { releaseCard, recordCardOutcome } from '../../../../src/proxy/order/attempts.js';
import { record } from '../../../../src/proxy/store/order-store.js';
import { createBrokenStore } from '../../../support/proxy/broken-store.js';
import {
  inProgress,
  losesAnswer,
  orderPaid,
  outcomeOf,
  unknown,
} from '../../../support/proxy/card-shop.js';
import { card, dataOf, json, openKeptShop } from '../../../support/proxy/shop.js';
import type { WireFields } from '../../../support/proxy/shop.js';
import { resolveNow } from '../../../support/proxy/kept-order.js';
import { toCharge } from '../../order/samples.js';
import type { MismatchNotice } from '../../../../src/proxy/order/order.js';

const externalId = 'order-1';

/** What the creation is answered with. */
type Answer = (wire: WireFields) => Response;

const whole: Answer = (wire) => json({ data: wire });
const lost: Answer = losesAnswer;
/** The look-up of this one agrees. */
const foreign: Answer = (wire) => json({ data: { ...wire, external_id: 'another' } });

/** @param answer what becomes of the service's answer to the first card */
async function openCase(answer: Answer, fields: Partial<WireFields> = {}, shop = openKeptShop()) {
  const key = randomUUID();
  const made: WireFields[] = [];
  shop.upstream.behave = ({ body }) => {
    if (body?.['method'] !== 'credit_card') return undefined;
    const wire = Object.assign(shop.upstream.make(body), fields);
    made.push(wire);
    return made.length === 1 ? answer(wire) : whole(wire);
  };
  const pay = async (cardKey: string) => {
    return outcomeOf(shop.create({ key: cardKey, body: card }));
  };
  await pay(key);
  const [wire] = made;
  assert.ok(wire);
  await shop.clock.advance(4_000);
  return {
    shop,
    /** The card's invoice as the service sees it. */
    wire,
    key,
    say: (invoiceId: string | null) => resolveNow(shop, externalId, invoiceId),
    payByCard: () => pay(randomUUID()),
    payByPix: async () => outcomeOf(shop.create()),
  };
}

const failLookUps =
  (status: number) =>
  ({ method }: { method: string }) =>
    method === 'GET' ? json({}, status) : undefined;

describe('a card of which a person says that it was not charged', () => {
  const open: [name: string, answer: Answer, status: string][] = [
    ['pends', whole, 'pending'],
    ['reads a word in no list', whole, 'denied'],
    ['is unknown, but its answer named an invoice', foreign, 'pending'],
    ['is unknown', lost, 'pending'],
  ];
  for (const [name, answer, status] of open) {
    it(`frees its order where it ${name}, and is looked up before the next payment`, async () => {
      const { shop, wire, say, payByPix } = await openCase(answer);
      wire.status = status;
      assert.equal(await payByPix(), inProgress);
      await shop.clock.advance(4_000);
      assert.equal(await say(null), true);
      assert.equal(await say(null), false, 'there is no card any more');
      assert.equal(await payByPix(), '200');
    });
  }

  it('is looked up first: a paid one stays, and is told as paid', async () => {
    for (const answer of [whole, foreign]) {
      const { wire, shop, key, say, payByCard, payByPix } = await openCase(answer);
      wire.status = 'paid';
      assert.equal(await say(null), false);
      assert.equal(await payByCard(), orderPaid);
      assert.equal(await payByPix(), orderPaid);
      assert.equal((await shop.create({ key })).status, 409);
      assert.equal(shop.upstream.creates(), 1);
    }
  });

  it('stays where it is paid and that cannot be recorded', async () => {
    const broken = createBrokenStore();
    const { shop, wire, say } = await openCase(whole, {}, openKeptShop({}, broken.world));
    wire.status = 'paid';
    shop.upstream.behave = () => broken.break('change', 'down');
    assert.equal(await say(null), false);
    assert.equal((await shop.kept()).cards[0]?.progress.state, 'created');
  });

  it('is free, also by the word of a look-up that says refused', async () => {
    const { wire, say, payByCard } = await openCase(whole);
    wire.status = 'refused';
    assert.equal(await say(null), true);
    assert.equal(await payByCard(), '200');
  });

  it('stays where the look-up fails, and is free where the service does not know it', async () => {
    const { shop, say, payByPix } = await openCase(whole);
    shop.upstream.behave = failLookUps(503);
    await assert.rejects(say(null), { name: 'ProxyError', code: 'service_unavailable' });
    await shop.clock.advance(4_000);
    assert.equal(await payByPix(), inProgress);
    shop.upstream.behave = failLookUps(404);
    await shop.clock.advance(4_000);
    assert.equal(await say(null), true);
    assert.equal(await payByPix(), '200');
  });

  it('does not believe an answer that was asked for before', async () => {
    const { shop, wire, key, say } = await openCase(whole);
    const made = await dataOf(shop.ask(key));
    await dataOf(shop.lookUp(made));
    wire.status = 'paid';
    await shop.clock.advance(1);
    assert.equal(await say(null), false);
  });

  it('and is paid after all, pays the order: no second one is charged', async () => {
    for (const answer of [whole, foreign]) {
      const { shop, wire, say, payByCard, payByPix } = await openCase(answer);
      assert.equal(await say(null), true);
      wire.status = 'paid';
      await shop.clock.advance(4_000);
      assert.equal(await payByCard(), orderPaid);
      assert.equal(await payByPix(), orderPaid);
      assert.equal(shop.upstream.creates(), 1);
    }
  });

  it('blocks its order no longer although it reads paid with another total', async () => {
    const { shop, wire, say, payByPix, payByCard } = await openCase(whole);
    Object.assign(wire, { status: 'paid', total_cents: 13_000 });
    assert.equal(await payByPix(), inProgress);
    await shop.clock.advance(4_000);
    assert.equal(await say(null), true);
    assert.equal(await payByPix(), '200');
    // Put right, it is paid all the same.
    wire.total_cents = 12_345;
    await shop.clock.advance(4_000);
    assert.equal(await payByCard(), orderPaid);
  });

  it('is not taken for another one that was charged while it was looked up', async () => {
    const { shop, wire, say, payByCard } = await openCase(whole, {}, openKeptShop());
    const elsewhere = openKeptShop({}, shop);
    const { behave } = shop.upstream;
    let isFirst = true;
    shop.upstream.behave = async (sent, request) => {
      if (sent.method === 'GET' && isFirst) {
        isFirst = false;
        // Another person said the same, and the payer has paid with another card meanwhile.
        const { cards } = await shop.kept();
        assert.equal(await record(shop.store, externalId, releaseCard, cards.at(-1)!), true);
        await elsewhere.clock.advance(4_000);
        assert.equal(await outcomeOf(elsewhere.create({ body: card })), '200');
        return json({ data: wire });
      }
      return behave(sent, request);
    };
    assert.equal(await say(null), false);
    assert.equal(await payByCard(), inProgress);
    assert.equal(shop.upstream.creates(), 2);
  });
});

describe('an invoice of which a person says that it is the card', () => {
  it('binds the unknown one, is asked about where it is known, and is no other', async () => {
    const { shop, wire, key, say } = await openCase(lost);
    assert.equal(await say(randomUUID()), false, 'the service does not know it');
    assert.equal(await say('no id'), false);
    assert.equal(await say(wire.invoice_id), true);
    assert.equal(await say(wire.invoice_id), false, 'it is bound, and still open');
    wire.status = 'paid';
    await shop.clock.advance(4_000);
    assert.equal(await say(wire.invoice_id), true);
    assert.equal((await shop.create({ key })).status, 409);
  });

  for (const [name, answer] of Object.entries({ whole, lost, foreign })) {
    it(`does not pay the order where it reads another total: the shop hears that first (${name})`, async () => {
      const shop = openKeptShop({ hears: ['onMismatch', 'onPaid'] });
      const { wire, say, payByPix } = await openCase(answer, {}, shop);
      const { invoice_id: invoiceId } = wire;
      Object.assign(wire, { status: 'paid', total_cents: 1 });
      assert.equal(await say(invoiceId), false);
      await shop.proxy.runDue();
      const { onMismatch, onPaid } = shop.heard;
      assert.deepEqual([onMismatch.length, onPaid.length], [1, 0]);
      assert.notEqual(await payByPix(), '200');
      const { deliveryId } = onMismatch[0] as MismatchNotice;
      assert.equal(await shop.proxy.resolveOutcome({ externalId, deliveryId, invoiceId }), true);
      assert.equal(await payByPix(), orderPaid);
    });
  }

  it('does not pay the order where it differs in another field by now: the shop hears that first', async () => {
    const shop = openKeptShop({ hears: ['onMismatch', 'onPaid'] });
    const { wire, say, payByPix } = await openCase(whole, {}, shop);
    const { invoice_id: invoiceId } = wire;
    const total = wire.total_cents;
    Object.assign(wire, { status: 'paid', total_cents: 1 });
    await say(invoiceId);
    await shop.proxy.runDue();
    const accept = ({ deliveryId }: MismatchNotice) =>
      shop.proxy.resolveOutcome({ externalId, deliveryId, invoiceId });
    const heard = shop.heard.onMismatch;
    Object.assign(wire, { total_cents: total, is_pix: true });
    assert.equal(await accept(heard[0]!), false);
    await shop.proxy.runDue();
    assert.deepEqual(
      heard.map(({ field }) => field),
      ['total_cents', 'is_pix'],
    );
    assert.deepEqual(shop.heard.onPaid, []);
    assert.equal(await accept(heard[1]!), true);
    assert.equal(await payByPix(), orderPaid);
  });

  it('binds the one that the creation answer named', async () => {
    const { wire, say, payByPix } = await openCase(foreign);
    wire.status = 'paid';
    assert.equal(await say(wire.invoice_id), true);
    assert.equal(await payByPix(), orderPaid);
  });

  it('is no Pix invoice of the order, and none of another', async () => {
    const { shop, say } = await openCase(lost);
    const other = await dataOf(shop.create({ externalId: 'order-2' }));
    Object.assign(shop.upstream.of(other), { status: 'paid', is_pix: false });
    assert.equal(await say(other.invoice_id), false);
  });

  it('lookUpBy order_code: is named by its code, and remembered by its id', async () => {
    const options = { lookUpBy: 'order_code' } as const;
    const { shop, wire, key, say } = await openCase(lost, {}, openKeptShop(options));
    const orderCode = String(wire['order_code']);
    shop.upstream.invoices.delete(wire.invoice_id);
    shop.upstream.behave = ({ url, method }) =>
      method === 'GET' && url.endsWith(orderCode) ? json({ data: wire }) : undefined;
    assert.equal(await say(wire.invoice_id), false, 'the path takes the code');
    assert.equal(await say(orderCode), true);
    wire.status = 'paid';
    await shop.clock.advance(4_000);
    assert.equal(await say(orderCode), true);
    assert.equal((await shop.create({ key })).status, 409);
    const asked = shop.upstream.sent.filter(({ method }) => method === 'GET').at(-1);
    assert.ok(asked?.url.endsWith(orderCode));
  });

  it('lookUpBy invoice_id: is none where the answer is about another', async () => {
    const { shop, wire, key, say } = await openCase(lost);
    shop.upstream.behave = ({ method }) => (method === 'GET' ? json({ data: wire }) : undefined);
    await assert.rejects(say(randomUUID()), { name: 'ProxyError', code: 'service_unavailable' });
    assert.equal(shop.log.at(-1)?.field, 'data.invoice_id');
    assert.equal(await outcomeOf(shop.ask(key)), unknown);
  });
});

describe('a card of which the shop was told', () => {
  /** Its answer was lost. */
  async function openAlerted() {
    const given = openKeptShop({ backgroundJobs: false, hears: ['onOutcomeUnknown'] });
    const { shop, wire, payByCard } = await openCase(lost, {}, given);
    const { onOutcomeUnknown: told } = shop.heard;
    await shop.live(60_000);
    assert.equal(told.length, 1);
    const say = (deliveryId: string, invoiceId: string | null) =>
      shop.proxy.resolveOutcome({ externalId, deliveryId, invoiceId });
    return { shop, told, say, wire, payByCard, first: told[0]!.deliveryId };
  }

  it('is told of again where its invoice is known since, and it is still open an hour later', async () => {
    const { shop, told, say, wire, first } = await openAlerted();
    assert.equal(await say(first, wire.invoice_id), true);
    await shop.live(2 * hourMs);
    assert.equal(told.length, 2);
    assert.equal(told[1]!.invoiceId, wire.invoice_id);
    assert.notEqual(told[1]!.deliveryId, first);
    await shop.live(48 * hourMs);
    assert.equal(told.length, 2, 'once');
    assert.equal(await say(first, null), true, 'the same card, and it was not answered before');
  });

  it('is told of again where it was released, and the service answers all the same: a word about the former time answers no later one', async () => {
    const { shop, told, say, payByCard, first } = await openAlerted();
    assert.equal(await say(first, null), true);
    const [attempt] = (await shop.kept()).attempts;
    assert.ok(attempt);
    const sent = { external_id: externalId, method: 'credit_card', total_price_cents: 12_345 };
    const { invoice_id: invoiceId } = shop.upstream.make(sent);
    const invoice = toCharge(invoiceId, { createdAtMs: shop.clock.now() });
    const ending = { state: 'created', invoice } as const;
    await record(shop.store, externalId, recordCardOutcome, { attempt, ending });
    assert.equal(await payByCard(), inProgress);
    await shop.live(2 * hourMs);
    assert.equal(told.length, 2);
    assert.equal(told[1]!.invoiceId, invoiceId);
    assert.equal(await say(first, null), false, 'a word that was heeded frees nothing more');
    assert.equal(await payByCard(), inProgress);
    assert.equal(await say(told[1]!.deliveryId, null), true);
  });
});

describe('a page whose card was turned away for another one of the order', () => {
  /** The second card is turned away, and its page asks by its key. */
  async function openTurnedAway(answer: Answer = lost) {
    const opened = await openCase(answer);
    const { shop } = opened;
    const key = randomUUID();
    assert.equal(await outcomeOf(shop.create({ key, body: card })), inProgress);
    const ask = async () => {
      await shop.clock.advance(4_000);
      return shop.ask(key);
    };
    return { ...opened, ask };
  }

  it('hears in_progress as long as that one is open, and then of the payment', async () => {
    const { wire, say, ask } = await openTurnedAway();
    for (let times = 0; times < 3; times += 1) assert.equal(await outcomeOf(ask()), inProgress);
    wire.status = 'paid';
    assert.equal(await say(wire.invoice_id), true);
    const answer = await ask();
    assert.equal(await outcomeOf(answer), orderPaid);
    assert.equal((await answer.json()).data.invoice_id, wire.invoice_id);
  });

  it('has a pending one looked up', async () => {
    const { wire, ask } = await openTurnedAway(whole);
    assert.equal(await outcomeOf(ask()), inProgress);
    wire.status = 'paid';
    assert.equal(await outcomeOf(ask()), orderPaid);
  });

  it('hears not_found once that one is known not to be charged', async () => {
    const { say, ask, payByCard } = await openTurnedAway();
    assert.equal(await outcomeOf(ask()), inProgress);
    assert.equal(await say(null), true);
    assert.equal(await outcomeOf(ask()), '404 not_found');
    assert.equal(await payByCard(), '200');
    assert.equal(await outcomeOf(ask()), inProgress, 'another one is open');
  });

  it('is not told of orders by a key that belongs to no order', async () => {
    const { shop } = await openTurnedAway();
    const asked = shop.ask(randomUUID(), { externalId: 'order-1', token: 'v1.forged.token' });
    assert.equal(await outcomeOf(asked), '401 unauthorized');
  });
});
