/** One payment through the proxy and the real sandbox: two rooms that know nothing of each other. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCreatedInvoice, parseInvoiceStatus } from '../../src/contract/readers.js';
import { parseBrCode } from '../../src/domain/br-code.js';
import { createSandbox } from '../../src/sandbox.js';
import { accessToken, eventsOf, openShop, refusalOf } from './support/shop.js';

/** A shop on the sandbox, with an order's code that its payer can settle and look up. */
async function openWithSandbox(allowSandbox: boolean) {
  const sandbox = createSandbox({ accessToken });
  const service: typeof fetch = (input, init) => sandbox.fetch(new Request(input, init));
  const origin = 'http://127.0.0.1:1';
  const shop = openShop({ allowSandbox, fetch: service, serviceUrl: `${origin}/service` });
  const made = parseCreatedInvoice(await (await shop.create()).json());
  const { invoice_id, lookup_token = '' } = made;
  const url = `${origin}/sandbox/invoices/${invoice_id}/settle`;
  return {
    shop,
    made,
    settle: () => sandbox.fetch(new Request(url, { method: 'POST' })),
    look: async () =>
      parseInvoiceStatus(await (await shop.lookUp({ invoice_id, lookup_token })).json()),
  };
}

describe('a payment in the sandbox', () => {
  it('goes from a code to paid, and the order stays paid', async () => {
    const { shop, made, settle, look } = await openWithSandbox(true);
    const code = parseBrCode(made.qr_code_pix);
    assert.deepEqual([code.kind, code.amountCents], ['dynamic', 12_345]);
    assert.equal((await look()).status, 'pending');
    assert.equal((await settle()).status, 200);
    await shop.clock.advance(2_000);
    const { status, total_cents, external_id, is_pix } = await look();
    assert.deepEqual([status, total_cents, external_id, is_pix], ['paid', 12_345, 'order-1', true]);
    assert.equal(await refusalOf(await shop.create()), '409 order_paid');
    assert.deepEqual(shop.log, []);
  });

  it('is never reported as paid unless allowSandbox is typed out', async () => {
    const { shop, settle, look } = await openWithSandbox(false);
    await settle();
    assert.equal((await look()).status, 'pending');
    assert.deepEqual(eventsOf(shop), ['sandbox_invoice', 'sandbox_payment_withheld']);
  });
});
