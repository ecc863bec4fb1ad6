/** One order is charged once: repeated requests, requests side by side, and unknown outcomes. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import type { OrderAnswer } from '../../../../src/proxy.js';
import {
  inProgress,
  openCardShop,
  orderPaid,
  outcomeOf,
  refused,
  unknown,
} from '../../../support/proxy/card-shop.js';
import type { CardShop } from '../../../support/proxy/card-shop.js';
import { card, dataOf, openShop, refusalOf, turnsUntil } from '../../../support/proxy/shop.js';
import { column } from '../../../support/rows.js';

const refusedCard = { token: 'tok_refuse' };
const pauseMs = 4_000;

describe('a card in flight', () => {
  it('is charged once under a hundred requests, with one key or with a hundred', async () => {
    for (const key of [randomUUID(), undefined]) {
      const shop = openCardShop();
      const requests = Array.from({ length: 100 }, () => shop.pay(undefined, key ? { key } : {}));
      const outcomes = await Promise.all((await Promise.all(requests)).map(outcomeOf));
      assert.equal(shop.upstream.creates(), 1);
      assert.equal(shop.sandbox.charges().count, 1);
      // Who comes late with the same key gets the first answer; another key learns that it is not alone.
      assert.ok(outcomes.includes('200'));
      for (const outcome of outcomes) assert.ok(['200', inProgress, orderPaid].includes(outcome));
    }
  });

  it('is in progress for the same key, for another, for Pix, and for every page', async () => {
    const shop = openCardShop();
    const release = shop.upstream.hold('POST');
    const key = randomUUID();
    const first = shop.pay(undefined, { key });
    await turnsUntil(() => shop.upstream.creates() === 1);
    const others = [shop.pay(undefined, { key }), shop.pay(), shop.create(), shop.ask(key)];
    for (const response of await Promise.all(others)) {
      assert.equal(response.headers.get('retry-after'), '1');
      assert.equal(await refusalOf(response), inProgress);
    }
    const elsewhere = shop.pay({ token: 'tok_pending' }, { externalId: 'another' });
    await turnsUntil(() => shop.upstream.creates() === 2);
    release();
    await dataOf(elsewhere);
    await dataOf(first);
    assert.equal(shop.upstream.creates(), 2);
  });

  it('is recorded as sent before it leaves: no page then is told that nothing came', async () => {
    const shop = openCardShop();
    const key = randomUUID();
    const told: string[] = [];
    shop.network = async ({ method }) => {
      if (method === 'POST') told.push(await outcomeOf(shop.ask(key)));
    };
    await dataOf(shop.pay(undefined, { key }));
    assert.deepEqual(told, [inProgress]);
    assert.equal(
      await outcomeOf(shop.ask(randomUUID(), { externalId: 'order-2' })),
      '404 not_found',
    );
    // By another key of its order it is told of all the same.
    assert.equal(await outcomeOf(shop.ask(randomUUID())), orderPaid);
  });

  it('goes on when its payer has gone', async () => {
    const shop = openCardShop();
    const release = shop.upstream.hold('POST');
    const key = randomUUID();
    const gone = shop.pay(undefined, { key });
    await turnsUntil(() => shop.upstream.creates() === 1);
    release();
    await gone;
    const found = await dataOf(shop.ask(key));
    assert.equal((await dataOf(shop.lookUp(found)))['status'], 'paid');
  });
});

describe('an attempt that has ended', () => {
  it('is answered again as it was', async () => {
    const shop = openCardShop();
    const key = randomUUID();
    const first = await dataOf(shop.pay({ token: 'tok_pending' }, { key }));
    for (const again of [await shop.pay({ token: 'tok_pending' }, { key }), await shop.ask(key)]) {
      assert.equal((await dataOf(again)).invoice_id, first.invoice_id);
    }
    assert.equal(
      await outcomeOf(shop.pay({ token: 't', installment: 3 }, { key })),
      '422 key_reused',
    );
    shop.totalCents = 1;
    assert.equal(await outcomeOf(shop.pay({ token: 'tok_pending' }, { key })), '422 key_reused');
    assert.equal(shop.upstream.creates(), 1);
  });

  it('with a refusal stays refused, and frees the order for another card or Pix', async () => {
    for (const next of ['card', 'pix'] as const) {
      const shop = openCardShop();
      const key = randomUUID();
      assert.equal(await outcomeOf(shop.pay(refusedCard, { key })), refused);
      await shop.clock.advance(pauseMs);
      assert.equal(await outcomeOf(shop.pay(refusedCard, { key })), refused);
      assert.equal(await outcomeOf(shop.ask(key)), refused);
      assert.equal(shop.upstream.creates(), 1);
      await dataOf(next === 'card' ? await shop.pay() : await shop.create());
      assert.equal(shop.upstream.creates(), 2);
    }
  });

  it('with a refusal that named an invoice is looked up before another card: it may be paid all the same', async () => {
    const shop = openShop();
    shop.upstream.makes = { status: 'processing_error' };
    const key = randomUUID();
    assert.equal(await outcomeOf(shop.create({ key, body: card })), refused);
    assert.equal(await outcomeOf(shop.create({ key, body: card })), refused);
    await shop.clock.advance(pauseMs);
    const [wire] = shop.upstream.invoices.values();
    Object.assign(wire ?? assert.fail(), { status: 'paid' });
    assert.equal(await outcomeOf(shop.create({ body: card })), orderPaid);
    assert.equal(await outcomeOf(shop.create({ key, body: card })), orderPaid);
    assert.equal(shop.upstream.creates(), 1);
  });

  it('is told as paid by another where that one has paid the order', async () => {
    const shop = openCardShop();
    const key = randomUUID();
    await shop.pay(refusedCard, { key });
    await shop.clock.advance(pauseMs);
    await shop.lookUp(await dataOf(shop.pay()));
    const answer = await shop.ask(key);
    assert.ok((await answer.clone().json()).data.lookup_token);
    assert.equal(await outcomeOf(answer), orderPaid);
  });

  it('and pends longPolls the order until its refusal is heard', async () => {
    const shop = openCardShop();
    const made = await dataOf(shop.pay({ token: 'tok_pending' }));
    for (const next of [() => shop.pay(), () => shop.create()]) {
      await shop.clock.advance(pauseMs);
      assert.equal(await outcomeOf(next()), inProgress);
    }
    await shop.control(`/invoices/${made.invoice_id}/status`, { status: 'refused' });
    await shop.clock.advance(pauseMs);
    // Only the next attempt itself looks the invoice up.
    assert.equal(await outcomeOf(shop.pay()), '200');
    assert.equal(shop.sandbox.charges().count, 1);
  });

  it('stays open where the look-up of a pending card fails', async () => {
    const shop = openCardShop();
    await shop.pay({ token: 'tok_pending' });
    await shop.fail({ on: 'look_up', kind: 'server_error' });
    await shop.clock.advance(pauseMs);
    assert.equal(await outcomeOf(shop.pay()), inProgress);
  });
});

describe('an unknown outcome', () => {
  const loseAnswer = (shop: CardShop) => shop.fail({ on: 'create', kind: 'cut_after', times: 1 });

  it('is told to the merchant’s operators, with the order and nothing else', async () => {
    const shop = openCardShop();
    await loseAnswer(shop);
    await shop.pay();
    assert.deepEqual(shop.log.at(-1), {
      level: 'error',
      event: 'outcome_unknown',
      operation: 'create',
      externalId: 'order-1',
    });
  });

  it('stays unknown for days, and is never sent again', async () => {
    const shop = openCardShop();
    const key = randomUUID();
    await loseAnswer(shop);
    await shop.pay(undefined, { key });
    for (let day = 0; day < 3; day++) {
      await shop.clock.advance(40 * 3_600_000);
      assert.equal(await outcomeOf(shop.ask(key)), unknown);
      const body = { method: 'credit_card', card: { token: 'tok_approve' } };
      assert.equal(await outcomeOf(shop.create({ body })), inProgress);
      assert.equal(await outcomeOf(shop.create()), inProgress);
    }
    assert.equal(shop.upstream.creates(), 1);
  });

  it('ends by the merchant’s word, and by no failure of the merchant’s code', async () => {
    let answer: () => OrderAnswer = () => ({ total_price_cents: 100 });
    const shop = openCardShop({ resolveOrder: () => answer() });
    const key = randomUUID();
    await loseAnswer(shop);
    await shop.pay(undefined, { key });
    const words: [word: () => OrderAnswer, outcome: string][] = [
      [() => ({ total_price_cents: 200 }), unknown],
      [() => null, unknown],
      [() => assert.fail('the merchant’s code'), unknown],
      [() => ({ status: 'closed' }), '409 order_closed'],
      [() => ({ status: 'paid' }), orderPaid],
    ];
    for (const [word, outcome] of words) {
      answer = word;
      assert.equal(await outcomeOf(shop.ask(key)), outcome);
    }
    answer = () => ({ total_price_cents: 100 });
    assert.equal(await outcomeOf(shop.pay()), inProgress);
  });

  it('ends by a look-up where the answer named the invoice, asked at most once in two seconds', async () => {
    const shop = openCardShop();
    const key = randomUUID();
    let lookUps = 0;
    await shop.fail(
      { on: 'create', kind: 'wrong_total', times: 1 },
      { on: 'look_up', kind: 'server_error', times: 1 },
    );
    shop.network = ({ method }) => void (lookUps += method === 'GET' ? 1 : 0);
    await shop.pay(undefined, { key });
    assert.equal(await outcomeOf(shop.ask(key)), unknown);
    await shop.clock.advance(1_999);
    assert.equal(await outcomeOf(shop.ask(key)), unknown);
    assert.equal(lookUps, 1);
    await shop.clock.advance(1);
    const found = await dataOf(shop.ask(key));
    assert.deepEqual([found['status'], found['total_cents']], ['paid', 12_345]);
    assert.equal(lookUps, 2);
    assert.equal(await outcomeOf(shop.pay()), orderPaid);
  });

  it('ends by a look-up of its own where the answer named the invoice', async () => {
    const shop = openCardShop({ hears: ['onPaid'] });
    const key = randomUUID();
    await shop.fail({ on: 'create', kind: 'wrong_total', times: 1 });
    assert.equal(await outcomeOf(shop.pay(undefined, { key })), unknown);
    await shop.clock.advance(60_000);
    const { invoice_id: invoiceId } = await dataOf(shop.ask(key));
    assert.deepEqual(column(shop.heard.onPaid, 'invoiceId'), [invoiceId]);
    await shop.proxy.close();
  });

  it('is looked up by no order code that cannot stand in a path', async () => {
    for (const orderCode of ['', '../invoices', 'a b']) {
      const shop = openShop({ lookUpBy: 'order_code' });
      shop.upstream.makes = { order_code: orderCode };
      const key = randomUUID();
      assert.equal(await outcomeOf(shop.create({ key, body: card })), unknown);
      await shop.clock.advance(60_000);
      assert.equal(await outcomeOf(shop.ask(key)), unknown);
      assert.equal(shop.upstream.lookUps(), 0, orderCode);
      const events = shop.log.map(({ event }) => event);
      assert.deepEqual(events, ['invalid_answer', 'outcome_unknown'], 'and no try fails');
      await shop.proxy.close();
    }
  });

  it('is freed by a look-up that says refused', async () => {
    const shop = openCardShop();
    const key = randomUUID();
    await shop.fail({ on: 'create', kind: 'foreign_reference', times: 1 });
    await shop.pay({ token: 'tok_refuse' }, { key });
    assert.equal(await outcomeOf(shop.ask(key)), refused);
    await shop.clock.advance(pauseMs);
    await dataOf(shop.pay());
    assert.equal(shop.sandbox.charges().count, 1);
  });

  it('is not bound to an invoice of another order, even a paid one that was just looked up', async () => {
    const shop = openShop();
    const other = await dataOf(shop.create({ externalId: 'other' }));
    const wire = shop.upstream.of(other);
    Object.assign(wire, { status: 'paid' });
    await dataOf(shop.lookUp(other));
    shop.upstream.behave = ({ method }) =>
      method === 'POST' ? Response.json({ data: { ...wire, is_pix: false } }) : undefined;
    const key = randomUUID();
    assert.equal(await outcomeOf(shop.create({ key, body: card })), unknown);
    shop.upstream.behave = () => undefined;
    assert.equal(await outcomeOf(shop.create({ body: card })), inProgress);
    await shop.clock.advance(pauseMs);
    assert.equal(await outcomeOf(shop.ask(key)), unknown, 'the payer gets no invoice of another');
    assert.equal(shop.upstream.creates(), 2);
  });
});
