/** Pix beside a card: what is open of the one holds the other back, and what is paid wins. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import {
  inProgress,
  openCardShop,
  orderPaid,
  outcomeOf,
  refused,
} from '../../../support/proxy/card-shop.js';
import { dataOf, turnsUntil } from '../../../support/proxy/shop.js';

const refusedCard = { token: 'tok_refuse' };
const pauseMs = 4_000;

describe('Pix beside a card', () => {
  it('is looked up before a card is sent, and paid wins', async () => {
    const shop = openCardShop();
    const pix = await dataOf(shop.create());
    await shop.control(`/invoices/${pix.invoice_id}/settle`);
    const answer = await shop.pay();
    assert.equal((await answer.clone().json()).data.invoice_id, pix.invoice_id);
    assert.equal(await outcomeOf(answer), orderPaid);
    assert.equal(shop.sandbox.charges().count, 1);
    assert.equal(shop.upstream.creates(), 1);
  });

  it('that cannot be looked up lets no card out, and the next press may', async () => {
    const shop = openCardShop();
    await dataOf(shop.create());
    await shop.fail({ on: 'look_up', kind: 'server_error', times: 1 });
    assert.equal(await outcomeOf(shop.pay()), '503 service_unavailable');
    assert.equal(shop.upstream.creates(), 1);
    await shop.clock.advance(pauseMs);
    await dataOf(shop.pay());
  });

  it('stays watched while the card is open, but its code is held back', async () => {
    const shop = openCardShop();
    const key = randomUUID();
    const pix = await dataOf(shop.create({ key }));
    await dataOf(shop.pay({ token: 'tok_pending' }));
    for (const fields of [{ key }, {}, { body: { replaces: pix.invoice_id } }]) {
      assert.equal(await outcomeOf(shop.create(fields)), inProgress);
    }
    await shop.control(`/invoices/${pix.invoice_id}/settle`);
    await shop.clock.advance(pauseMs);
    assert.equal((await dataOf(shop.lookUp(pix)))['status'], 'paid');
    assert.equal(await outcomeOf(shop.pay()), orderPaid);
  });

  it('is answered again, the same code, after the card was refused', async () => {
    const shop = openCardShop();
    const pix = await dataOf(shop.create());
    assert.equal(await outcomeOf(shop.pay(refusedCard)), refused);
    assert.equal((await dataOf(shop.create())).invoice_id, pix.invoice_id);
  });

  it('that is made while a card is claimed is handed out to no one, or looked up first', async () => {
    for (const isCardFirst of [true, false]) {
      const shop = openCardShop();
      const release = shop.upstream.hold('POST');
      const start = [() => shop.pay(), () => shop.create()];
      if (!isCardFirst) start.reverse();
      const first = start[0]!();
      await turnsUntil(() => shop.upstream.creates() === 1);
      const second = start[1]!();
      if (!isCardFirst) await turnsUntil(() => shop.upstream.creates() === 2);
      release();
      const [one, other] = await Promise.all([first.then(outcomeOf), second.then(outcomeOf)]);
      const [card, pix] = isCardFirst ? [one, other] : [other, one];
      assert.equal(card, '200');
      assert.ok(pix === inProgress || pix === orderPaid, pix);
      assert.equal(shop.sandbox.charges().count, 1);
    }
  });
});
