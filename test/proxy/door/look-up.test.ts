/** What a look-up tells the browser, what it shares, and what it takes to be paid. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { createSigner } from '../../../src/proxy/door/tokens/tokens.js';
import { hold, openInvoice } from '../../support/proxy/open-invoice.js';
import { toPixCode } from '../../support/pix-code.js';
import {
  createWorld,
  dataOf,
  json,
  openKeptShop,
  openShop,
  publicUrl,
  refusalOf,
  secrets,
} from '../../support/proxy/shop.js';
import type { Shop } from '../../support/proxy/shop.js';
import { column } from '../../support/rows.js';

describe('a look-up', () => {
  it('answers with exactly the fields of the contract', async () => {
    const [shop, made, invoice] = await openInvoice();
    invoice.status = 'paid';
    assert.deepEqual(await dataOf(shop.lookUp(made)), {
      invoice_id: made.invoice_id,
      order_code: invoice['order_code'],
      external_id: 'order-1',
      status: 'paid',
      is_pix: true,
      total_cents: 12_345,
      installments: 1,
      qr_code_pix: invoice['qr_code_pix'],
      created_at: invoice['created_at'],
      updated_at: invoice['updated_at'],
    });
  });

  it('fills in what the service left out', async () => {
    const [shop, made] = await openInvoice();
    const bare = {
      invoice_id: made.invoice_id,
      status: 'pending',
      total_cents: 12_345,
      external_id: 'order-1',
    };
    shop.upstream.behave = () => json({ data: bare });
    assert.deepEqual(await dataOf(shop.lookUp(made)), {
      ...bare,
      order_code: '',
      is_pix: true,
      installments: 1,
      created_at: '',
      updated_at: '',
    });
  });

  it('hands an unknown status on as it is, and what is no word as `unknown`', async () => {
    const words = ['em_analise', 'chargeback', 'constructor', '3ds-pending'];
    const others = ['✓', 'Ana Souza', 'ana@example.com', '52998224725', 'x'.repeat(41)];
    for (const status of [...words, ...others]) {
      const [shop, made, invoice] = await openInvoice();
      invoice.status = status;
      const told = words.includes(status) ? status : 'unknown';
      assert.equal((await dataOf(shop.lookUp(made)))['status'], told);
      await shop.clock.advance(2_000);
      assert.equal((await shop.create()).status, 200, 'the order is not paid');
    }
  });

  const texts: [field: string, written: string, told: string | undefined][] = [
    ['order_code', 'INV-1-1-1111111111', 'INV-1-1-1111111111'],
    ['order_code', '2026/11.21#7', '2026/11.21#7'],
    ['order_code', '20261121123', '20261121123'],
    ['order_code', '52998224725', ''],
    ['order_code', 'NF 529.982.247-25', ''],
    ['order_code', 'CPF-529.982.247-25', ''],
    ['order_code', 'Ana Souza', ''],
    ['order_code', 'x'.repeat(65), ''],
    ['created_at', '2026-11-21T10:00:00Z', '2026-11-21T10:00:00Z'],
    ['created_at', '2026-11-21 10:00:00.123456 -0300', '2026-11-21 10:00:00.123456 -0300'],
    ['created_at', '21/11/2026 10:00', ''],
    ['updated_at', 'yesterday, by Ana Souza', ''],
    ['qr_code_pix', toPixCode({ totalCents: 12_345 }), toPixCode({ totalCents: 12_345 })],
    ['qr_code_pix', 'ana@example.com', undefined],
  ];
  for (const [field, written, told] of texts) {
    const what = told === written ? 'is handed on' : 'is left out';
    it(`Assumed: ${field} ${written.slice(0, 40)} ${what}`, async () => {
      const [shop, made, invoice] = await openInvoice();
      Object.assign(invoice, { [field]: written });
      assert.equal((await dataOf(shop.lookUp(made)))[field], told);
    });
  }

  it('names no reference of another order, and no odd number of instalments', async () => {
    const [shop, made, invoice] = await openInvoice();
    Object.assign(invoice, { external_id: 'order-2', installments: 52_998_224_725 });
    const { external_id, installments } = await dataOf(shop.lookUp(made));
    assert.deepEqual([external_id, installments], [null, 1]);
  });

  it('lookUpBy order_code: asks for the code instead of the id', async () => {
    const [shop, made, invoice] = await openInvoice({ lookUpBy: 'order_code' });
    await dataOf(shop.lookUp(made));
    const url = `https://service.example/api/v2/invoices/${String(invoice['order_code'])}`;
    assert.equal(shop.upstream.sent.at(-1)?.url, url);
  });

  it('lookUpBy order_code: refuses an invoice that could not be looked up', async () => {
    const shop = openShop({ lookUpBy: 'order_code' });
    for (const code of [undefined, 'short', '../../payouts', 'a/b/c/d/e/f']) {
      shop.upstream.makes = { order_code: code };
      assert.equal(await refusalOf(shop.create()), '503 service_unavailable');
      assert.equal(shop.log.at(-1)?.field, 'data.order_code');
    }
  });
});

describe('look-ups of one invoice', () => {
  it('share one call at the same moment, and its answer for a second', async () => {
    const [shop, made] = await openInvoice();
    const together = await Promise.all(Array.from({ length: 50 }, () => shop.lookUp(made)));
    for (const response of together) await dataOf(response);
    assert.equal(shop.upstream.lookUps(), 1);
    await shop.clock.advance(1_000);
    await dataOf(shop.lookUp(made));
    assert.equal(shop.upstream.lookUps(), 1);
    await shop.clock.advance(1);
    await dataOf(shop.lookUp(made));
    assert.equal(shop.upstream.lookUps(), 2);
  });

  it('share a failure as well', async () => {
    const [shop, made] = await openInvoice();
    shop.upstream.behave = () => json({}, 500);
    const together = await Promise.all(Array.from({ length: 50 }, () => shop.lookUp(made)));
    for (const response of together) assert.equal(response.status, 503);
    await shop.lookUp(made);
    assert.equal(shop.upstream.lookUps(), 1);
  });

  it('do not use an answer from before the clock was set back', async () => {
    let nowMs = Date.UTC(2026, 0, 2);
    const [shop, made] = await openInvoice({ now: () => nowMs });
    shop.upstream.sent.length = 0;
    const restored = { ...made };
    await shop.lookUp(restored);
    nowMs -= 60_000;
    await shop.lookUp(restored);
    assert.equal(shop.upstream.lookUps(), 2);
  });

  it('of two invoices are two calls', async () => {
    const [shop, made] = await openInvoice();
    const other = await dataOf(shop.create({ externalId: 'order-2' }));
    const answers = await Promise.all([shop.lookUp(made), shop.lookUp(other)]);
    assert.deepEqual(
      (await Promise.all(answers.map(dataOf))).map(({ invoice_id: id }) => id),
      [made.invoice_id, other.invoice_id],
    );
  });

  it('are over once it is paid: a late pending changes nothing', async () => {
    const [shop, made, invoice] = await openInvoice();
    await shop.seePaid(made);
    invoice.status = 'pending';
    await shop.clock.advance(3_600_000);
    assert.equal((await dataOf(shop.lookUp(made)))['status'], 'paid');
    assert.equal((await dataOf(shop.lookUp(made, '?wait=25')))['status'], 'paid');
    assert.equal(shop.upstream.lookUps(), 1);
  });
});

describe('a paid look-up that disagrees with the creation', () => {
  const differences: [name: string, field: string, fields: object, status: string][] = [
    ['total_cents', 'total_cents', { total_cents: 1 }, 'amount_mismatch'],
    ['external_id', 'external_id', { external_id: 'order-2' }, 'reference_mismatch'],
    ['external_id null', 'external_id', { external_id: null }, 'reference_mismatch'],
    ['is_pix', 'is_pix', { is_pix: false }, 'reference_mismatch'],
  ];
  for (const [name, field, fields, status] of differences) {
    it(`in ${name} is never told as paid, and the order is not paid`, async () => {
      const [shop, made, invoice] = await openInvoice();
      Object.assign(invoice, { status: 'paid' }, fields);
      const data = await dataOf(shop.lookUp(made));
      // What was created: the page shows no sum and no reference of another payment.
      const created = { external_id: 'order-1', total_cents: 12_345, is_pix: true };
      assert.deepEqual({ ...data, ...created, status }, data);
      assert.equal(shop.log[0]?.event, 'mismatch');
      assert.equal(shop.log[0]?.field, field);
      // A person has to say what is to come of what was paid: no code is handed out meanwhile.
      assert.equal(await refusalOf(shop.create()), '409 in_progress');
      // It may be put right: nothing wrong is kept for good.
      Object.assign(invoice, { total_cents: 12_345, external_id: 'order-1', is_pix: true });
      await shop.clock.advance(1_001);
      assert.equal((await dataOf(shop.lookUp(made)))['status'], 'paid');
      assert.equal(await refusalOf(shop.create()), '409 order_paid');
    });

    it(`in ${name} is never told as paid to a page that waits, until it is put right`, async () => {
      const [shop, made, invoice] = await openInvoice();
      const waiting = await hold(shop, made);
      Object.assign(invoice, { status: 'paid' }, fields);
      await shop.clock.advance(8_000);
      assert.equal((await dataOf(waiting.response))['status'], status);
      const next = await hold(shop, made);
      Object.assign(invoice, { total_cents: 12_345, external_id: 'order-1', is_pix: true });
      await shop.clock.advance(8_000);
      assert.equal((await dataOf(next.response))['status'], 'paid');
    });
  }

  it('is told so to a page whose order the ledger does not know', async () => {
    const [shop, made, invoice] = await openInvoice();
    const restarted = openShop({}, { ...createWorld(), upstream: shop.upstream });
    Object.assign(invoice, { status: 'paid', total_cents: 1 });
    const { status, total_cents } = await dataOf(restarted.lookUp(made));
    assert.deepEqual([status, total_cents], ['amount_mismatch', 12_345]);
  });

  it('is told apart within a second where the service gave two totals one id', async () => {
    const [shop, made] = await openInvoice();
    const lookUpToken = await createSigner('lookup', { secrets, publicUrl }).sign({
      i: made.invoice_id,
      e: 'order-1',
      t: 20_000,
      m: 'pix',
      x: shop.clock.now() / 1_000 + 60,
    });
    await shop.seePaid(made);
    const other = await dataOf(shop.lookUp({ ...made, lookup_token: lookUpToken }));
    assert.equal(other['total_cents'], 20_000);
  });

  it('takes no payment back', async () => {
    const [shop, made, invoice] = await openInvoice();
    const openAnother = () => openKeptShop({}, shop);
    invoice.status = 'paid';
    assert.equal((await dataOf(openAnother().lookUp(made)))['status'], 'paid');
    invoice.total_cents = 1;
    const { status, total_cents } = await dataOf(openAnother().lookUp(made));
    assert.deepEqual([status, total_cents], ['paid', 12_345]);
  });
});

describe('an invoice of the sandbox', () => {
  const marks: Record<string, (shop: Shop) => void> = {
    'marked by its header': (shop) => {
      const { make, of } = shop.upstream;
      shop.upstream.behave = ({ body, url }) => {
        const data = body ? make(body) : of({ invoice_id: url.split('/').at(-1) ?? '' });
        return json({ data }, 200, { 'x-pix-sandbox': '1' });
      };
    },
    'marked by its code': (shop) => {
      const code = toPixCode({ totalCents: 12_345, name: 'TESTE NAO PAGAR' });
      shop.upstream.makes = { qr_code_pix: code };
    },
  };
  for (const [name, mark] of Object.entries(marks)) {
    for (const allowSandbox of [false, true]) {
      const outcome = allowSandbox ? 'counts with allowSandbox' : 'never counts as paid';
      it(`${name} ${outcome}`, async () => {
        const shop = openShop({ allowSandbox });
        mark(shop);
        const made = await dataOf(shop.create());
        shop.upstream.pay(made);
        const { status } = await dataOf(shop.lookUp(made));
        assert.equal(status, allowSandbox ? 'paid' : 'pending');
        assert.equal((await shop.create()).status, allowSandbox ? 409 : 200);
        const events = allowSandbox ? [] : ['sandbox_invoice', 'sandbox_payment_withheld'];
        assert.deepEqual(column(shop.log, 'event'), events);
      });
    }
  }
});
