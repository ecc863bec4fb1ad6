/** A payment that is given back or contested: the merchant's server is told, and for payers the order stays paid. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { dayMs } from '../../../src/domain/spans.js';
import type { LogEvent } from '../../../src/proxy.js';
import {
  assertPaidBy,
  createGate,
  dataOf,
  json,
  openKeptShop,
  openShop,
  settle,
  toSink,
} from '../../support/proxy/shop.js';
import type { Shop, ShopOptions } from '../../support/proxy/shop.js';
import { column, columns } from '../../support/rows.js';
import { openInvoice } from '../../support/proxy/open-invoice.js';

/** The service's words in the entries of an event. */
const wordsOf = ({ logged }: Shop, event: LogEvent) => column(logged(event), 'serviceStatus');

/** A shop with a paid order, whose hooks have been told. */
async function openPaid(options: ShopOptions = {}) {
  const shop = openKeptShop({ backgroundJobs: false, hears: ['onReturned'], ...options });
  const { clock } = shop;
  const made = await dataOf(shop.create());
  const invoice = shop.upstream.of(made);
  await shop.seePaid(made);
  const paidAtMs = clock.now();
  await shop.proxy.runDue();
  const asked = shop.upstream.lookUps();
  return {
    shop,
    made,
    invoice,
    told: shop.heard.onReturned,
    lookUps: () => shop.upstream.lookUps() - asked,
    /** The service tells of the invoice. */
    async tell() {
      assert.equal((await shop.postback({ id: made.invoice_id })).status, 200);
      await clock.advance(0);
      await shop.proxy.runDue();
    },
    /** @returns the days on which the service was asked */
    async live(days: number) {
      const askedOn = new Set<number>();
      const { behave } = shop.upstream;
      shop.upstream.behave = (...call) => {
        askedOn.add((clock.now() - paidAtMs) / dayMs);
        return behave(...call);
      };
      await shop.live(days * dayMs);
      shop.upstream.behave = behave;
      return [...askedOn];
    },
  };
}

describe('a payment that a postback says was returned', () => {
  it('is looked up, told once with its word, and stays paid for pages', async () => {
    let payments = 0;
    const metrics = toSink({
      count: (name) => void (payments += Number(name === 'pix_payments_total')),
    });
    const { shop, made, invoice, told, tell, lookUps } = await openPaid({ metrics });
    invoice.status = 'refunded';
    await tell();
    await shop.clock.advance(60_000);
    await tell();
    const asked = lookUps();
    assert.equal(payments, 1);
    assert.deepEqual(told, [
      {
        externalId: 'order-1',
        invoiceId: made.invoice_id,
        orderCode: made.order_code,
        totalCents: made.total_cents,
        method: 'pix',
        status: 'refunded',
        isPaidAgain: false,
        duplicate: false,
        isListed: true,
        endToEndId: invoice['end_to_end_id'],
        deliveryId: `returned~order-1~${made.invoice_id}~refunded`,
      },
    ]);
    assert.equal(asked, 2);
    const seen = await dataOf(shop.lookUp(made));
    assert.deepEqual([seen['status'], seen['returned']], ['paid', true]);
    assert.equal((await shop.create()).status, 409);
    assert.deepEqual(wordsOf(shop, 'returned'), ['refunded']);
    Object.assign(invoice, { status: 'paid', updated_at: '2026-12-24T10:00:00.000000-03:00' });
    await tell();
    assert.ok(!('returned' in (await dataOf(shop.lookUp(made)))), 'it is paid again');
  });

  it('is told again when its status is another one', async () => {
    const { invoice, told, tell } = await openPaid();
    for (const status of ['contested', 'contested', 'chargeback']) {
      invoice.status = status;
      await tell();
    }
    assert.deepEqual(column(told, 'status'), ['contested', 'chargeback']);
  });

  it('is told with a word that no option lists, which is logged once, whatever the total says', async () => {
    const { shop, invoice, told, tell } = await openPaid({ statuses: { returned: ['devolvido'] } });
    for (const status of ['devolvido', 'refunded', 'Ana Souza']) {
      Object.assign(invoice, { status, total_cents: 1 });
      await tell();
    }
    assert.deepEqual(column(told, 'status'), ['devolvido', 'refunded', 'unknown']);
    assert.deepEqual(wordsOf(shop, 'unknown_status'), ['refunded', undefined]);
    assert.deepEqual(shop.logged('mismatch'), []);
  });

  it('is three look-ups in a minute at most', async () => {
    const { tell, lookUps } = await openPaid();
    for (let n = 0; n < 8; n += 1) await tell();
    assert.equal(lookUps(), 3);
  });

  it('is not believed where the answer is of another order', async () => {
    const { shop, invoice, told, tell } = await openPaid();
    Object.assign(invoice, { status: 'refunded', external_id: 'order-2' });
    await tell();
    assert.deepEqual(told, []);
    assert.equal(shop.logged('mismatch')[0]?.field, 'external_id');
  });

  it('is told of a part that went back, whatever the total says', async () => {
    const { shop, made, invoice, told, tell } = await openPaid();
    Object.assign(invoice, { status: 'partially_refunded', total_cents: 1 });
    await tell();
    assert.deepEqual(columns(told, 'status', 'totalCents'), [
      ['partially_refunded', made.total_cents],
    ]);
    assert.deepEqual(shop.logged('mismatch'), []);
    Object.assign(invoice, { status: 'paid' });
    await tell();
    assert.equal(shop.logged('mismatch')[0]?.field, 'total_cents');
  });

  it('is asked for again after a failure', async () => {
    const { shop, invoice, told, tell, live } = await openPaid();
    invoice.status = 'refunded';
    shop.upstream.behave = () => json({}, 500);
    await tell();
    assert.deepEqual(told, []);
    shop.upstream.behave = () => undefined;
    await live(0.01);
    assert.equal(told.length, 1);
  });
});

it('Assumed: a paid invoice that reads `pending` again is an old answer', async () => {
  const { shop, invoice, told, tell, lookUps } = await openPaid();
  invoice.status = 'pending';
  await tell();
  assert.equal(lookUps(), 1);
  assert.deepEqual(told, []);
  assert.deepEqual(shop.log, []);
});

describe('Assumed: a payment may be returned for 80 days', () => {
  it('a paid invoice is looked up after 1, 7, 30 and 80 days', async () => {
    const { invoice, told, live } = await openPaid();
    assert.deepEqual(await live(40), [1, 7, 30]);
    invoice.status = 'contested';
    assert.deepEqual(await live(100), [80]);
    assert.equal(told.length, 1);
  });

  it('the days begin anew with a postback that names it', async () => {
    const { tell, live } = await openPaid();
    await live(5);
    await tell();
    assert.deepEqual(await live(200), [6, 12, 35, 85]);
  });

  it('a service that is down is asked again, more and more seldom, until a week after the last day', async () => {
    const { shop, live } = await openPaid();
    shop.upstream.behave = () => json({}, 500);
    const asked = await live(200);
    assert.ok(asked.length < 24 * 87 + 10, String(asked.length));
    const last = asked.at(-1) ?? 0;
    assert.ok(last > 86.9 && last < 87, String(last));
  });

  it('an invoice that the service forgot is asked for on the next day only', async () => {
    const { shop, live } = await openPaid();
    shop.upstream.behave = () => json({}, 404);
    assert.deepEqual(await live(200), [1, 7, 30, 80]);
  });

  it('with watchReturns: false only a postback asks', async () => {
    const { invoice, told, tell, live } = await openPaid({ watchReturns: false });
    assert.deepEqual(await live(85), []);
    invoice.status = 'refunded';
    await tell();
    assert.equal(told.length, 1);
    assert.deepEqual(await live(100), []);
  });
});

describe('a word of the service for what is paid', () => {
  const spellings = ['PAID', ' paid ', 'Paid', 'Approved', 'COMPLETED'];
  const statuses = { paid: ['approved', 'completed'], pending: ['active', 'Em_Analise'] };

  it('is paid in any spelling that is listed, and later no return', async () => {
    for (const status of spellings) {
      const { shop, invoice, told, tell } = await openPaid({ statuses });
      invoice.status = status;
      await tell();
      const other = await dataOf(shop.create({ externalId: 'order-2' }));
      shop.upstream.of(other).status = status;
      assert.equal((await dataOf(shop.lookUp(other)))['status'], 'paid', status);
      assert.deepEqual([told, wordsOf(shop, 'unknown_status')], [[], []], status);
    }
  });

  it('is no return where it is listed as pending', async () => {
    for (const status of ['Pending', 'active', ' EM_ANALISE']) {
      const { shop, invoice, told, tell } = await openPaid({ statuses });
      invoice.status = status;
      await tell();
      assert.deepEqual([told, wordsOf(shop, 'unknown_status')], [[], []], status);
    }
    for (const status of ['active', 'waiting_payment', 'processing']) {
      const { invoice, told, tell } = await openPaid();
      invoice.status = status;
      await tell();
      assert.deepEqual(told, [], status);
    }
  });

  it('is told as a return, and whether it is listed as one', async () => {
    const words = { Refunded: true, mystery: false, Approved: false };
    for (const [status, isListed] of Object.entries(words)) {
      const { shop, invoice, told, tell } = await openPaid();
      invoice.status = status;
      await tell();
      await shop.clock.advance(60_000);
      await tell();
      assert.deepEqual(columns(told, 'status', 'isListed'), [[status, isListed]]);
      assert.deepEqual(wordsOf(shop, 'unknown_status'), isListed ? [] : [status]);
    }
  });

  it('may not mean paid and something else', () => {
    for (const list of ['pending', 'refused', 'returned']) {
      const open = () => openShop({ statuses: { paid: ['Done'], [list]: ['done '] } });
      assert.throws(open, /^TypeError: statuses must not call one word paid and something else$/);
    }
  });
});

it('an answer that comes after a younger one said paid is no return: it is older than the payment', async () => {
  const options: ShopOptions = { backgroundJobs: false, hears: ['onReturned'] };
  const [shop, made, invoice] = await openInvoice(options);
  const gate = createGate();
  const old = json({ data: { ...invoice, status: 'in_queue' }, message: 'found' });
  shop.upstream.behave = () => {
    shop.upstream.behave = () => undefined;
    return gate.opened.then(() => old);
  };
  const first = dataOf(shop.lookUp(made));
  await settle();
  invoice.status = 'paid';
  shop.totalCents = 20_000;
  // Another price: the former code is looked up, by a call that begins now.
  await assertPaidBy(shop.create(), made);
  gate.release();
  assert.equal((await first)['status'], 'paid');
  await shop.proxy.runDue();
  assert.deepEqual(shop.heard.onReturned, []);
});
