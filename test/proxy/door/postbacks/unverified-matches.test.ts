/**
 * Assumed: a postback's body names its invoice in `id` (service spec does not show its payload). It is looked at where
 * how a card ended is unknown, and believed only once a look-up agreed.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import {
  loseCard,
  openCardShop,
  openKeptCardShop,
  outcomeOf,
  unknown,
} from '../../../support/proxy/card-shop.js';
import { createGate, dataOf, settle, turnsUntil } from '../../../support/proxy/shop.js';

describe('a postback while the outcome of a card is unknown', () => {
  it('binds the invoice that its body names in `id`, once a look-up agreed', async () => {
    const lost = await loseCard();
    await lost.tell({ id: lost.id, status: 'anything' });
    assert.equal(lost.shop.upstream.lookUps(), 1);
    const created = await dataOf(lost.shop.ask(lost.key));
    assert.equal(created.invoice_id, lost.id);
  });

  it('binds the one in the field that the merchant configured, and no other', async () => {
    const lost = await loseCard({ postbackInvoiceField: 'invoice' });
    await lost.tell({ id: lost.id });
    assert.equal(await outcomeOf(lost.shop.ask(lost.key)), unknown);
    assert.equal(lost.shop.upstream.lookUps(), 0);
    await lost.shop.clock.advance(2_000);
    await lost.tell({ invoice: lost.id });
    assert.equal(await outcomeOf(lost.shop.ask(lost.key)), '200');
  });

  it('binds none that does not agree: another order, another total, a Pix invoice', async () => {
    const lost = await loseCard();
    const { shop } = lost;
    const others: string[] = [];
    shop.network = () => undefined;
    await dataOf(shop.pay(undefined, { externalId: 'order-2' }));
    others.push(shop.newest());
    await dataOf(shop.create({ externalId: 'order-3' }));
    others.push(shop.newest());
    for (const id of [...others, randomUUID()]) {
      await lost.tell({ id });
      await shop.clock.advance(2_000);
    }
    assert.equal(await outcomeOf(shop.ask(lost.key)), unknown);
    assert.equal(await outcomeOf(shop.pay(undefined, { key: randomUUID() })), '409 in_progress');
  });

  const bodies: [name: string, toBody: (id: string) => object | string][] = [
    ['a list', (id) => [{ id }]],
    ['a nested object', (id) => ({ data: { id } })],
    ['a string', (id) => JSON.stringify(id)],
    ['a number', () => ({ id: 12_345_678 })],
    ['an inherited field', (id) => `{"__proto__":{"id":"${id}"}}`],
    ['a path', (id) => ({ id: `../${id}` })],
    ['a short id', () => ({ id: 'short' })],
    ['an empty one', () => ({ id: '' })],
    ['no JSON', (id) => `id=${id}`],
    ['more than 16 KiB', (id) => ({ id, padding: 'x'.repeat(16 * 1024) })],
  ];
  for (const [name, toBody] of bodies) {
    it(`looks nothing up for ${name}`, async () => {
      const lost = await loseCard();
      await lost.tell(toBody(lost.id));
      assert.equal(lost.shop.upstream.lookUps(), 0);
      assert.equal(await outcomeOf(lost.shop.ask(lost.key)), unknown);
    });
  }

  it('reads a body of up to 16 KiB', async () => {
    const lost = await loseCard();
    const empty = JSON.stringify({ id: lost.id, padding: '' });
    await lost.tell({ id: lost.id, padding: 'x'.repeat(16 * 1024 - empty.length) });
    assert.equal(lost.shop.upstream.lookUps(), 1);
  });

  it('looks three ids a minute up at most, and finds the right one among them', async () => {
    const lost = await loseCard({}, openKeptCardShop);
    for (let i = 0; i < 300; i++) {
      await lost.tell({ id: randomUUID() });
      await lost.shop.clock.advance(100);
    }
    await lost.shop.clock.advance(25_000);
    assert.equal(lost.shop.upstream.lookUps(), 3);
    await lost.shop.clock.advance(10_000);
    await lost.tell({ id: lost.id });
    await lost.shop.clock.advance(10 * 60_000);
    assert.equal(await outcomeOf(lost.shop.ask(lost.key)), '200');
    await lost.shop.proxy.close();
  });
});

it('a postback that comes before the answer of the card it is about loses nothing of either', async () => {
  const shop = openCardShop();
  const key = randomUUID();
  const gate = createGate();
  shop.answerNext((own) => gate.opened.then(() => own));
  const paying = shop.pay(undefined, { key });
  await turnsUntil(() => shop.upstream.creates() === 1);
  await settle();
  const id = shop.newest();
  await shop.report();
  await settle();
  gate.release();
  assert.equal((await dataOf(paying)).invoice_id, id);
  assert.equal((await dataOf(shop.ask(key))).invoice_id, id);
  assert.equal(shop.upstream.creates(), 1);
});

describe('a slow body', () => {
  it('holds nothing up for more than five seconds', async () => {
    const { shop } = await loseCard();
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"id":')),
      cancel: () => void (isCancelled = true),
    });
    const init: RequestInit & { duplex: 'half' } = { body, duplex: 'half' };
    let isAnswered = false;
    const answer = shop.postback(undefined, init).finally(() => (isAnswered = true));
    await turnsUntil(() => shop.clock.dues().length === 1);
    await shop.clock.advance(4_999);
    assert.equal(isAnswered, false);
    await shop.clock.advance(1);
    assert.equal((await answer).status, 200);
    assert.equal(isCancelled, true);
    await shop.clock.advance(2_000);
    assert.equal(shop.clock.dues().length, 0);
    assert.equal(shop.upstream.lookUps(), 0);
  });

  it('that breaks off is as good as none', async () => {
    const { shop } = await loseCard();
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('gone')) });
    const init: RequestInit & { duplex: 'half' } = { body, duplex: 'half' };
    assert.equal((await shop.postback(undefined, init)).status, 200);
    await settle();
    await shop.clock.advance(2_000);
    assert.equal(shop.clock.dues().length, 0);
  });
});
