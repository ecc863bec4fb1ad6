/** One payment through the proxy and the real sandbox: two rooms that know nothing of each other. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCreatedInvoice, parseInvoiceStatus } from '../../src/contract/readers.js';
import { parseBrCode } from '../../src/domain/br-code.js';
import { createSandbox } from '../../src/sandbox.js';
import { accessToken, openShop, refusalOf } from './support/shop.js';

function openWithSandbox(options: { allowSandbox: boolean }) {
  const sandbox = createSandbox({ accessToken });
  const service: typeof fetch = (input, init) => sandbox.fetch(new Request(input, init));
  const shop = openShop({ ...options, fetch: service, serviceUrl: 'http://127.0.0.1:1/service' });
  const settle = (id: string) =>
    sandbox.fetch(
      new Request(`http://127.0.0.1:1/sandbox/invoices/${id}/settle`, { method: 'POST' }),
    );
  return { shop, settle };
}

describe('a payment in the sandbox', () => {
  it('goes from a code to paid, and the order stays paid', async () => {
    const { shop, settle } = openWithSandbox({ allowSandbox: true });
    const made = parseCreatedInvoice(await (await shop.create()).json());
    const code = parseBrCode(made.qr_code_pix);
    assert.deepEqual([code.kind, code.amountCents], ['dynamic', 12_345]);
    const ticket = { invoice_id: made.invoice_id, lookup_token: made.lookup_token ?? '' };
    const look = async () => parseInvoiceStatus(await (await shop.lookUp(ticket)).json());

    assert.equal((await look()).status, 'pending');
    assert.equal((await settle(made.invoice_id)).status, 200);
    await shop.clock.advance(2_000);
    const found = await look();
    assert.deepEqual(
      [found.status, found.total_cents, found.external_id, found.is_pix],
      ['paid', 12_345, 'order-1', true],
    );
    assert.equal(await refusalOf(await shop.create()), '409 order_paid');
    assert.deepEqual(shop.log, []);
  });

  it('is never reported as paid unless allowSandbox is typed out', async () => {
    const { shop, settle } = openWithSandbox({ allowSandbox: false });
    const made = parseCreatedInvoice(await (await shop.create()).json());
    await settle(made.invoice_id);
    const ticket = { invoice_id: made.invoice_id, lookup_token: made.lookup_token ?? '' };
    const found = parseInvoiceStatus(await (await shop.lookUp(ticket)).json());
    assert.equal(found.status, 'pending');
    assert.deepEqual(
      shop.log.map(({ event }) => event),
      ['sandbox_invoice', 'sandbox_payment_withheld'],
    );
  });
});
