/** One order is one debt: which requests get the open invoice again, and which get a new one. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { minuteMs } from '../../../../src/domain/spans.js';
import { LedgerError } from '../../../../src/proxy/store/order-store.js';
import {
  assertPaidBy,
  createGate,
  createWorld,
  dataOf,
  json,
  openKeptShop,
  openShop,
  refusalOf,
  settle,
  turnsUntil,
  assertRefused,
} from '../../../support/proxy/shop.js';
import type { Shop, Ticket } from '../../../support/proxy/shop.js';
import { column } from '../../../support/rows.js';
import { openInvoice } from '../../../support/proxy/open-invoice.js';

describe('an order with an open Pix invoice', () => {
  it('is answered with it whatever the key, tab or device', async () => {
    const shop = openShop();
    const key = randomUUID();
    const first = await dataOf(shop.create({ key }));
    for (const fields of [
      { key },
      {},
      { body: { payer: { name: 'Ana' } } },
      { remoteAddress: '::1' },
    ]) {
      const again = await dataOf(shop.create(fields));
      assert.equal(again.invoice_id, first.invoice_id);
      assert.equal(again['qr_code_pix'], first['qr_code_pix']);
    }
    assert.equal(shop.upstream.creates(), 1);
    assert.equal(shop.upstream.lookUps(), 0);
  });

  it('is one upstream POST under a hundred requests at once', async () => {
    const shop = openShop();
    const key = randomUUID();
    const requests = Array.from({ length: 100 }, (_, index) =>
      shop.create(index % 2 === 0 ? { key } : {}),
    );
    const answers = await Promise.all((await Promise.all(requests)).map(dataOf));
    assert.equal(new Set(answers.map((answer) => answer.invoice_id)).size, 1);
    assert.equal(shop.upstream.creates(), 1);
  });

  it('gets one code for a new price, however many ask for it while the former is made', async () => {
    const shop = openShop();
    const { opened: gate, release } = createGate();
    shop.upstream.behave = ({ body }) =>
      body?.['total_price_cents'] === 12_345 ? gate : undefined;
    const former = shop.create();
    await turnsUntil(() => shop.upstream.creates() === 1);
    shop.totalCents = 500;
    const waiting = Array.from({ length: 5 }, () => shop.create());
    await settle();
    release();
    assert.equal((await dataOf(former))['total_cents'], 12_345);
    const answers = await Promise.all((await Promise.all(waiting)).map(dataOf));
    assert.equal(new Set(answers.map((answer) => answer.invoice_id)).size, 1);
    assert.equal(shop.upstream.creates(), 2);
  });

  it('is asked for a few times a second while another process makes it, however many wait', async () => {
    const shop = openKeptShop();
    const release = shop.upstream.hold('POST');
    const making = shop.create();
    await turnsUntil(() => shop.upstream.creates() === 1);
    let asked = 0;
    const change: typeof shop.store.change = (...args) => {
      asked += 1;
      return shop.store.change(...args);
    };
    const other = openKeptShop({}, { ...shop, store: { ...shop.store, change } });
    const waiting = [other.create(), other.create()];
    await shop.clock.advance(1_500);
    assert.equal(asked, 2 * 11);
    release();
    const { invoice_id } = await dataOf(making);
    await shop.clock.advance(150);
    for (const answer of waiting) assert.equal((await dataOf(answer)).invoice_id, invoice_id);
    assert.equal(shop.upstream.creates(), 1);
  });

  it('does not hold up another order', async () => {
    const shop = openShop();
    const { opened: gate, release } = createGate();
    shop.upstream.behave = ({ body }) =>
      body?.['external_id'] === 'slow' ? gate.then(() => json({}, 500)) : undefined;
    const slow = shop.create({ externalId: 'slow' });
    await turnsUntil(() => shop.upstream.creates() === 1);
    await dataOf(shop.create({ externalId: 'quick' }));
    release();
    assert.equal(await refusalOf(slow), '503 service_unavailable');
  });

  it('gets a token made anew with each answer', async () => {
    const [shop, first] = await openInvoice();
    await shop.clock.advance(minuteMs);
    const again = await dataOf(shop.create());
    assert.notEqual(again.lookup_token, first.lookup_token);
    for (const ticket of [first, again]) await dataOf(shop.lookUp(ticket));
  });
});

describe('a new code', () => {
  const causes: Record<string, (shop: Shop, first: Ticket) => Promise<Response>> = {
    'after the deadline': async (shop) => {
      await shop.clock.advance(600_000);
      return shop.create();
    },
    'for a new price': async (shop) => {
      shop.totalCents = 999;
      return shop.create();
    },
    'in place of the open one': async (shop, first) =>
      shop.create({ body: { replaces: first.invoice_id } }),
  };
  for (const [cause, ask] of Object.entries(causes)) {
    const open = () => {
      const shop: Shop = openShop({
        resolveOrder: () => ({ total_price_cents: shop.totalCents, expires_in: 600 }),
      });
      return shop;
    };

    it(`is made ${cause}, once the former one is looked up`, async () => {
      const shop = open();
      const first = await dataOf(shop.create());
      const second = await dataOf(ask(shop, first));
      assert.notEqual(second.invoice_id, first.invoice_id);
      assert.equal(second['total_cents'], shop.totalCents);
      assert.deepEqual(column(shop.upstream.sent, 'method'), ['POST', 'GET', 'POST']);
      assert.equal((await dataOf(shop.create())).invoice_id, second.invoice_id);
    });

    it(`is not made ${cause} if the former one is paid`, async () => {
      const shop = open();
      const first = await dataOf(shop.create());
      shop.upstream.pay(first);
      const paid = await assertPaidBy(ask(shop, first), first);
      assert.equal(paid.total_cents, 12_345);
      assert.equal((await dataOf(shop.lookUp(paid)))['status'], 'paid');
      assert.equal(shop.upstream.creates(), 1);
    });

    it(`is not made ${cause} if it is unknown whether the former one is paid`, async () => {
      const shop = open();
      const first = await dataOf(shop.create());
      shop.upstream.behave = ({ method }) => (method === 'GET' ? json({}, 500) : undefined);
      await assertRefused(ask(shop, first), '503 service_unavailable', '5');
      assert.equal(shop.upstream.creates(), 1);
    });

    it(`is not made ${cause} if the former one is paid with another sum`, async () => {
      const shop = open();
      const first = await dataOf(shop.create());
      Object.assign(shop.upstream.of(first), {
        status: 'paid',
        total_cents: 1,
      });
      assert.equal(await refusalOf(ask(shop, first)), '409 in_progress');
      assert.equal(shop.upstream.creates(), 1);
      assert.equal(shop.log[0]?.event, 'mismatch');
    });
  }

  it('is not made in place of an invoice that has been replaced already', async () => {
    const [shop, first] = await openInvoice();
    const replace = { body: { replaces: first.invoice_id } };
    const [one, other] = await Promise.all([shop.create(replace), shop.create(replace)]);
    const second = await dataOf(one);
    assert.equal((await dataOf(other)).invoice_id, second.invoice_id);
    assert.notEqual(second.invoice_id, first.invoice_id);
    assert.equal(shop.upstream.creates(), 2);
  });

  it('is shown to no other device once a former one is paid', async () => {
    const [shop, first] = await openInvoice();
    await dataOf(shop.create({ body: { replaces: first.invoice_id } }));
    await shop.clock.advance(minuteMs);
    shop.upstream.pay(first);
    await assertPaidBy(shop.create(), first);
  });

  it('is made where the service no longer knows the former one', async () => {
    const [shop, first] = await openInvoice();
    shop.upstream.invoices.clear();
    await dataOf(shop.create({ body: { replaces: first.invoice_id } }));
    assert.equal(shop.upstream.creates(), 2);
  });

  it('is not handed out if a former one is paid while it is made', async () => {
    const [shop, first] = await openInvoice();
    await dataOf(shop.lookUp(first));
    const paidMeanwhile = async () => {
      await shop.clock.advance(2_000);
      await shop.seePaid(first);
      return undefined;
    };
    shop.upstream.behave = ({ method }) => (method === 'POST' ? paidMeanwhile() : undefined);
    const response = await shop.create({ body: { replaces: first.invoice_id } });
    assert.equal(await refusalOf(response), '409 order_paid');
  });

  it('comes three times per order and hour, and old ones stay watched', async () => {
    const shop = openShop();
    const codes: Ticket[] = [];
    for (const atMinute of [0, 10, 20]) {
      const former = codes.at(-1)?.invoice_id;
      codes.push(await dataOf(shop.create({ body: { replaces: former } })));
      if (atMinute < 20) await shop.clock.advance(10 * minuteMs);
    }
    const fourth = { body: { replaces: codes.at(-1)?.invoice_id } };
    await assertRefused(shop.create(fourth), '429 too_many_requests', String(40 * 60));
    assert.equal((await dataOf(shop.create())).invoice_id, codes.at(-1)?.invoice_id);
    await dataOf(shop.create({ externalId: 'order-2' }));

    await shop.clock.advance(40 * minuteMs - 1);
    assert.equal(await refusalOf(shop.create(fourth)), '429 too_many_requests');
    await shop.clock.advance(1);
    await dataOf(shop.create(fourth));

    for (const code of codes) {
      shop.upstream.pay(code);
      await shop.clock.advance(2_000);
      assert.equal((await dataOf(shop.lookUp(code)))['status'], 'paid');
    }
  });

  it('finds the oldest of its former ones paid, even when no more may be made and the others cannot be looked up', async () => {
    const [shop, first] = await openInvoice();
    let last: Ticket = first;
    for (let i = 0; i < 2; i++)
      last = await dataOf(shop.create({ body: { replaces: last.invoice_id } }));
    await shop.clock.advance(minuteMs);
    shop.upstream.pay(first);
    shop.upstream.behave = ({ method, url }) =>
      method === 'GET' && !url.endsWith(first.invoice_id) ? json({}, 500) : undefined;
    await assertPaidBy(shop.create({ body: { replaces: last.invoice_id } }), first);
  });
});

describe('a creation that fails', () => {
  it('is shared by those who wait for it, and may be tried again', async () => {
    const shop = openShop();
    shop.upstream.behave = () => json({}, 500);
    const answers = await Promise.all(Array.from({ length: 50 }, () => shop.create()));
    for (const answer of answers) assert.equal(await refusalOf(answer), '503 service_unavailable');
    assert.equal(shop.upstream.creates(), 1);
    shop.upstream.behave = () => undefined;
    await dataOf(shop.create());
  });

  it('because of the ledger is shared as well', async () => {
    const world = createWorld();
    const { change } = world.store;
    let tries = 0;
    Object.assign(world.store, {
      change(...all: Parameters<typeof change>) {
        if (shop.upstream.creates() === 0) return change(...all);
        tries += 1;
        return Promise.reject(new LedgerError('57P01'));
      },
    });
    const shop = openKeptShop({}, world);
    const answers = await Promise.all(Array.from({ length: 50 }, () => shop.create()));
    for (const answer of answers) assert.equal(answer.status, 503);
    assert.equal(shop.upstream.creates(), 1);
    // Each request gives up once, but only the first had asked.
    assert.equal(tries, answers.length + 1);
  });

  it('because of what one payer typed is shared by no other payer', async () => {
    const shop = openShop();
    const { opened, release } = createGate();
    shop.upstream.behave = ({ body }) =>
      'payer' in (body ?? {}) ? opened.then(() => json({}, 422)) : undefined;
    const first = shop.create({ body: { payer: { name: 'Ana' } } });
    await turnsUntil(() => shop.upstream.creates() === 1);
    const second = shop.create();
    await settle();
    release();
    assert.equal(await refusalOf(first), '400 invalid_request payer');
    await dataOf(second);
  });

  it('is sent ten times per order in ten minutes at most', async () => {
    const shop = openShop();
    shop.upstream.behave = () => json({}, 500);
    for (let i = 0; i < 10; i++) assert.equal((await shop.create()).status, 503);
    await assertRefused(shop.create(), '429 too_many_requests', '600');
    assert.equal(shop.upstream.creates(), 10);
    shop.upstream.behave = () => undefined;
    await shop.clock.advance(10 * minuteMs - 1);
    assert.equal(await refusalOf(shop.create()), '429 too_many_requests');
    await shop.clock.advance(1);
    await dataOf(shop.create());
  });

  it('does not block its order by a clock that was a day ahead', async () => {
    const shop = openShop({ requireOrderToken: false });
    shop.upstream.behave = () => json({}, 500);
    for (let i = 0; i < 10; i++) await shop.create();
    shop.upstream.behave = () => undefined;
    shop.clock.setBack(24 * 60 * minuteMs);
    await dataOf(shop.create());
  });
});

describe('a paid order', () => {
  it('is answered with the invoice that paid it, without asking the service or the price', async () => {
    const [shop, first] = await openInvoice();
    await shop.seePaid(first);
    const before = shop.upstream.sent.length;
    shop.totalCents = 5;
    for (const body of [{}, { replaces: first.invoice_id }]) {
      const paid = await assertPaidBy(shop.create({ body }), first);
      assert.equal(paid.total_cents, 12_345);
      assert.ok(paid.lookup_token);
    }
    assert.equal(shop.upstream.sent.length, before);
    const again = shop.proxy.createInvoice({ externalId: 'order-1', method: 'pix' });
    await assert.rejects(again, (error: { code?: string; data?: Ticket }) => {
      return error.code === 'order_paid' && error.data?.invoice_id === first.invoice_id;
    });
  });

  it('is learnt from a look-up even by a proxy that has not made it', async () => {
    const [shop, made] = await openInvoice();
    const restarted = openShop({ fetch: shop.upstream.fetch });
    shop.upstream.pay(made);
    await dataOf(restarted.lookUp(made));
    assert.equal(await refusalOf(restarted.create()), '409 order_paid');
  });
});
