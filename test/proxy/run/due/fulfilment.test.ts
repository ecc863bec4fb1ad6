/** The merchant's server hears of each payment, with or without an open page, and despite failures of its own code. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { minuteMs } from '../../../../src/domain/spans.js';
import { findInternals } from '../../../../src/proxy/door/request.js';
import { loadRenderer } from '../../../../src/proxy/door/pay/qr-image.js';
import type { ProxyOptions } from '../../../../src/proxy.js';
import { losesAnswer, openCardShop } from '../../../support/proxy/card-shop.js';
import { hold, openInvoice } from '../../../support/proxy/open-invoice.js';
import { createWorld, dataOf, openShop, settle, turnsUntil } from '../../../support/proxy/shop.js';
import type { World } from '../../../support/proxy/shop.js';
import { columns } from '../../../support/rows.js';

/** A shop whose hooks write down what they hear. */
function openHearingShop(options: Partial<ProxyOptions> = {}, world?: World) {
  const hears = ['onPaid', 'onPixWaiting', 'onLapsed', 'onOutcomeUnknown', 'onMismatch'] as const;
  const shop = openShop({ hears, ...options }, world);
  // As an adapter does that serves it.
  findInternals(shop.proxy.fetch)?.startListening();
  return {
    ...shop,
    /** The bank settles an invoice, and does not tell. */
    pay: (invoice_id: string) => shop.upstream.pay({ invoice_id }),
    events: () => shop.log.map(({ event }) => event),
  };
}

// A hook is called in real time, once the package that draws pictures is there.
await loadRenderer();

const toId = ({ invoiceId }: { invoiceId: string }) => invoiceId;

const expiring = { resolveOrder: () => ({ total_price_cents: 12_345, expires_in: 600 }) };

describe('what the merchant hears', () => {
  it('hears of a code, and of its payment though the page was closed', async () => {
    const { create, clock, heard, pay, upstream } = openHearingShop(expiring);
    const { invoice_id: invoiceId, order_code: orderCode, qr_code_pix } = await dataOf(create());
    await clock.advance(1_000);
    // The address of its picture is signed by Web Crypto.
    await turnsUntil(() => heard.onPixWaiting.length > 0);
    const about = {
      externalId: 'order-1',
      invoiceId,
      orderCode,
      totalCents: 12_345,
      method: 'pix',
    };
    const expiresAt = '2026-11-21T12:10:00.000Z';
    const deliveryId = `waiting~order-1~${invoiceId}`;
    const [{ qrImageUrl: _picture, ...waiting } = assert.fail(), ...others] = heard.onPixWaiting;
    assert.deepEqual(waiting, { ...about, deliveryId, code: qr_code_pix, expiresAt });
    assert.deepEqual(others, []);
    assert.deepEqual(heard.onPaid, []);

    pay(invoiceId);
    await clock.advance(15_000);
    assert.deepEqual(heard.onPaid, [
      {
        ...about,
        deliveryId: `paid~order-1~${invoiceId}`,
        endToEndId: 'E0000000020261121canary0000000',
        late: false,
        duplicate: false,
      },
    ]);
    const calls = upstream.lookUps();
    await clock.advance(11 * minuteMs);
    assert.equal(heard.onPaid.length, 1);
    assert.equal(upstream.lookUps(), calls);
  });

  it('hears at once of a payment that a page saw, and once of one that many did', async () => {
    const { create, lookUp, heard, pay, clock } = openHearingShop();
    const ticket = await dataOf(create());
    pay(ticket.invoice_id);
    await Promise.all(Array.from({ length: 50 }, () => lookUp(ticket)));
    await settle();
    assert.equal(heard.onPaid.length, 1);
    await clock.advance(11 * minuteMs);
    assert.equal(heard.onPaid.length, 1);
  });

  it('keeps no payer waiting for a hook that hangs', async () => {
    let calls = 0;
    const { pay, ...shop } = openHearingShop({
      onPaid: () => {
        calls += 1;
        return new Promise(() => undefined);
      },
    });
    const ticket = await dataOf(shop.create());
    const held = await hold(shop, ticket);
    pay(ticket.invoice_id);
    await shop.clock.advance(8_000);
    assert.equal(calls, 1);
    assert.equal((await dataOf(held.response))['status'], 'paid');
    assert.equal((await dataOf(shop.lookUp(ticket)))['status'], 'paid');
  });

  it('hears of both payments of an order that was paid twice', async () => {
    const { create, clock, heard, pay } = openHearingShop();
    const first = await dataOf(create());
    const second = await dataOf(create({ body: { replaces: first.invoice_id } }));
    pay(first.invoice_id);
    await clock.advance(15_000);
    pay(second.invoice_id);
    await clock.advance(minuteMs);
    assert.deepEqual(columns(heard.onPaid, 'invoiceId', 'duplicate'), [
      [first.invoice_id, false],
      [second.invoice_id, true],
    ]);
  });

  for (const [name, paysAfterMs, isLate] of [
    ['of a deadline that passed unpaid, and of a payment that came late', 11 * minuteMs, true],
    ['of no deadline that was met', 10 * minuteMs - 1, false],
  ] as const) {
    it(`hears ${name}`, async () => {
      const { create, clock, heard, pay } = openHearingShop(expiring);
      const { invoice_id } = await dataOf(create());
      await clock.advance(10 * minuteMs - 1);
      assert.deepEqual(heard.onLapsed, []);
      await clock.advance(paysAfterMs - 10 * minuteMs + 1);
      const lapsed = isLate ? [invoice_id] : [];
      assert.deepEqual(heard.onLapsed.map(toId), lapsed);
      pay(invoice_id);
      await clock.advance(20 * minuteMs);
      assert.deepEqual(
        [heard.onLapsed.map(toId), heard.onPaid.map(({ late }) => late)],
        [lapsed, [isLate]],
      );
    });
  }

  const wrong: [field: string, value: unknown][] = [
    ['total_cents', 1],
    ['external_id', 'order-2'],
    ['is_pix', false],
  ];
  for (const [field, value] of wrong) {
    const toNotice = (invoiceId: string) => {
      const deliveryId = `mismatch~order-1~${invoiceId}`;
      return { externalId: 'order-1', invoiceId, totalCents: 12_345, field, deliveryId };
    };

    it(`ships nothing for a payment whose ${field} is another, but hears of it once`, async () => {
      const { create, clock, heard, pay, upstream } = openHearingShop();
      const { invoice_id: invoiceId } = await dataOf(create());
      Object.assign(upstream.of({ invoice_id: invoiceId }), { [field]: value });
      pay(invoiceId);
      await clock.advance(11 * minuteMs);
      assert.deepEqual([heard.onPaid, heard.onMismatch], [[], [toNotice(invoiceId)]]);
    });

    it(`hears of a payment whose ${field} is another from a page, though its ledger is lost`, async () => {
      const [former, ticket, invoice] = await openInvoice();
      Object.assign(invoice, { status: 'paid', [field]: value });
      const { lookUp, heard, clock } = openHearingShop({}, former);
      for (let looked = 0; looked < 3; looked += 1) {
        await dataOf(lookUp(ticket));
        await clock.advance(15_000);
      }
      assert.deepEqual([heard.onPaid, heard.onMismatch], [[], [toNotice(ticket.invoice_id)]]);
    });
  }

  it('hears that the outcome of a card is unknown', async () => {
    const shop = openCardShop({ hears: ['onOutcomeUnknown', 'onPaid'] });
    const { onOutcomeUnknown: unknown, onPaid: paid } = shop.heard;
    shop.network = losesAnswer;
    await shop.pay();
    await shop.clock.advance(1_000);
    const { deliveryId, ...notice } = unknown[0] ?? assert.fail();
    assert.deepEqual(notice, {
      externalId: 'order-1',
      totalCents: 12_345,
      attemptedAt: '2026-11-21T12:00:00.000Z',
    });
    // Of the attempt, not of its key: a key may stand for two.
    assert.match(deliveryId, /^outcome_unknown~order-1~[\da-f-]{36}$/);
    await shop.clock.advance(11 * minuteMs);
    assert.equal(unknown.length, 1);
    assert.deepEqual(paid, []);
  });

  it('hears of a card that was charged though its page was closed', async () => {
    const shop = openCardShop({ hears: ['onPaid'] });
    const { invoice_id } = await dataOf(shop.pay());
    await shop.clock.advance(minuteMs);
    assert.deepEqual(columns(shop.heard.onPaid, 'invoiceId', 'method'), [
      [invoice_id, 'credit_card'],
    ]);
  });

  /** One proxy after the other, on one ledger and one service. */
  async function openTwice(options: Partial<ProxyOptions> = {}) {
    const world = createWorld();
    const former = openHearingShop({ ledger: world.store, ...options }, world);
    const { invoice_id: invoiceId } = await dataOf(former.create());
    const pay = () => former.pay(invoiceId);
    const restart = () => openHearingShop({ ledger: world.store }, world);
    return { clock: world.clock, former, invoiceId, pay, restart };
  }

  it('hears after a restart of what it did not hear before', async () => {
    const { clock, former, invoiceId, pay, restart } = await openTwice({
      onPaid: () => assert.fail('going down'),
    });
    pay();
    await clock.advance(16_000);
    assert.ok(former.events().includes('delivery_failed'));
    await former.proxy.close();
    assert.equal(clock.dues().length, 0);
    const next = restart();
    await clock.advance(11 * minuteMs);
    assert.deepEqual(next.heard.onPaid.map(toId), [invoiceId]);
  });

  it('finds a payment made while no proxy ran', async () => {
    const { clock, former, invoiceId, pay, restart } = await openTwice();
    await former.proxy.close();
    pay();
    await clock.advance(8 * 60 * minuteMs);
    assert.equal(former.heard.onPaid.length, 0);
    const next = restart();
    await clock.advance(10_000);
    assert.deepEqual(next.heard.onPaid.map(toId), [invoiceId]);
  });

  it('says so where there are hooks but nothing that survives a restart', async () => {
    const { events, clock } = openHearingShop();
    assert.deepEqual(events(), ['ledger_missing', 'started']);
    assert.ok(clock.dues().length > 0);
    const durable = openHearingShop({ ledger: createWorld().store });
    assert.deepEqual(durable.events(), ['started']);
  });

  it('starts no background job without a ledger and a hook', async () => {
    const { create, clock, log } = openShop();
    await dataOf(create());
    assert.equal(clock.dues().length, 0);
    assert.deepEqual(log, []);
  });

  it('tells and logs nothing of the payer', async () => {
    const { create, clock, heard, pay, log } = openHearingShop(expiring);
    const payer = { name: 'Canary Payer', cpf_cnpj: '529.982.247-25', email: 'canary@example.com' };
    const first = await dataOf(create({ body: { payer } }));
    await clock.advance(1_000);
    await turnsUntil(() => heard.onPixWaiting.length > 0);
    await clock.advance(11 * minuteMs);
    pay(first.invoice_id);
    await clock.advance(20 * minuteMs);
    assert.equal(heard.onPixWaiting.length + heard.onLapsed.length + heard.onPaid.length, 3);
    const told = JSON.stringify([heard, log]).replaceAll('E0000000020261121canary0000000', '');
    for (const canary of ['Canary', 'canary', '52998224725', '529.982', '11144477735', '11987']) {
      assert.ok(!told.includes(canary), canary);
    }
  });
});
