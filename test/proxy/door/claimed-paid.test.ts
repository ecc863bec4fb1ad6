/** A creation's own answer proves no payment: `paid` is told only after a look-up of this invoice said so. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import type { ProxyOptions } from '../../../src/proxy.js';
import { outcomeOf, unavailable } from '../../support/proxy/card-shop.js';
import { assertPaidBy, card, dataOf, json, openKeptShop } from '../../support/proxy/shop.js';
import type { CreateFields } from '../../support/proxy/shop.js';

type LooksUp = 'pending' | 'paid' | 'refused' | 'fails' | 'other total';

/** A shop whose service calls each creation paid. @param looksUp what its look-ups say */
function openClaiming(looksUp: LooksUp, claim = 'paid', options: Partial<ProxyOptions> = {}) {
  const world = { looksUp };
  const shop = openKeptShop({ hears: ['onPaid'], ...options });
  shop.upstream.behave = ({ method, body }) => {
    if (method === 'POST') {
      const wire = shop.upstream.make(body ?? {});
      return json({ data: { ...wire, status: claim }, message: '' });
    }
    if (world.looksUp === 'fails') return json({}, 500);
    for (const wire of shop.upstream.invoices.values()) {
      wire.status = world.looksUp === 'other total' ? 'paid' : world.looksUp;
      if (world.looksUp === 'other total') wire.total_cents = 1;
    }
    return undefined;
  };
  return Object.assign(shop, { world });
}

const methods: Readonly<Record<string, Partial<CreateFields>>> = {
  pix: {},
  credit_card: { body: card },
};

describe('a creation that says paid by itself', () => {
  for (const [method, fields] of Object.entries(methods)) {
    for (const claim of ['paid', 'PAID', ' paid ', 'settled']) {
      it(`${method}: is pending for every door while its look-up says pending, in the word "${claim}"`, async () => {
        const statuses = { paid: ['settled'] };
        const shop = openClaiming('pending', claim, { statuses });
        const key = randomUUID();
        const first = await dataOf(shop.create({ key, ...fields }));
        assert.equal(first['status'], 'pending');
        assert.equal(shop.upstream.lookUps(), 1);
        assert.equal((await dataOf(shop.create({ key, ...fields })))['status'], 'pending');
        assert.equal((await dataOf(shop.ask(key)))['status'], 'pending');
        assert.equal((await dataOf(shop.lookUp(first)))['status'], 'pending');
        await shop.clock.advance(4_000);
        shop.world.looksUp = 'paid';
        await shop.proxy.runDue();
        assert.equal((await dataOf(shop.ask(key)))['status'], 'paid');
      });
    }

    it(`${method}: is paid at once where the look-up says so, and the shop hears of it`, async () => {
      const shop = openClaiming('paid');
      const key = randomUUID();
      const made = await dataOf(shop.create({ key, ...fields }));
      assert.equal(made['status'], 'paid');
      assert.equal((await dataOf(shop.ask(key)))['status'], 'paid');
      await assertPaidBy(shop.create(), made);
      await shop.proxy.runDue();
      assert.deepEqual(
        shop.heard.onPaid.map(({ invoiceId }) => invoiceId),
        [made.invoice_id],
      );
    });

    it(`${method}: is pending while the look-up fails, or names another total`, async () => {
      for (const looksUp of ['fails', 'other total'] as const) {
        const shop = openClaiming(looksUp);
        const key = randomUUID();
        const first = await (await shop.create({ key, ...fields })).json();
        // No code is shown beside a payment that a person has to look at.
        const isHeldBack = method === 'pix' && looksUp === 'other total';
        assert.equal(
          isHeldBack ? first.code : first.data.status,
          isHeldBack ? 'in_progress' : 'pending',
        );
        const again = await (await shop.ask(key)).json();
        assert.notEqual(again.data?.status, 'paid');
      }
    });
  }

  it('is pending for createInvoice, too, until a look-up says paid', async () => {
    const order = { externalId: 'order-1', method: 'pix' } as const;
    const shop = openClaiming('pending');
    assert.equal((await shop.proxy.createInvoice(order)).status, 'pending');
    assert.equal((await shop.proxy.createInvoice(order)).status, 'pending');
    assert.equal((await openClaiming('paid').proxy.createInvoice(order)).status, 'paid');
  });

  it('is refused by its look-up: the payer hears that, and may pay with another card', async () => {
    const shop = openClaiming('refused');
    const key = randomUUID();
    const fields = { key, body: card };
    assert.equal(await outcomeOf(shop.create(fields)), '402 payment_refused');
    assert.equal(await outcomeOf(shop.ask(key)), '402 payment_refused');
    await shop.clock.advance(4_000);
    shop.world.looksUp = 'paid';
    assert.equal(await outcomeOf(shop.create({ body: card })), '409 order_paid');
  });

  it('lets no card leave beside its code while its look-ups fail', async () => {
    const shop = openClaiming('fails');
    await dataOf(shop.create());
    await shop.clock.advance(4_000);
    assert.equal(await outcomeOf(shop.create({ body: card })), unavailable);
    assert.equal(shop.upstream.creates(), 1);
  });
});
