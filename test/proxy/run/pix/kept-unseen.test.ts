/** An invoice that the service made, and that no page may see, is kept without its code and looked up: it may be paid all the same. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { hourMs } from '../../../../src/domain/spans.js';
import { createBrokenStore } from '../../../support/proxy/broken-store.js';
import { dataOf, openKeptShop } from '../../../support/proxy/shop.js';

const toId = ({ invoiceId }: { readonly invoiceId: string }) => invoiceId;

/** The first creation is answered with a wrong field. */
async function openSpoiled(spoiled: Record<string, unknown>) {
  const shop = openKeptShop({ backgroundJobs: false, hears: ['onPaid', 'onMismatch'] });
  shop.upstream.makes = spoiled;
  assert.equal((await shop.create()).status, 503);
  shop.upstream.makes = {};
  const [wire = assert.fail()] = shop.upstream.invoices.values();
  const told = () => [shop.heard.onPaid, shop.heard.onMismatch].map((all) => all.map(toId));
  return { shop, wire, told };
}

describe('an invoice whose answer was wrong', () => {
  it('is told when it is paid: its code could not be read', async () => {
    const { shop, wire, told } = await openSpoiled({ qr_code_pix: 'no code' });
    const other = await dataOf(shop.create());
    assert.notEqual(other.invoice_id, wire.invoice_id);
    wire.status = 'paid';
    await shop.live(hourMs);
    assert.deepEqual(told(), [[wire.invoice_id], []]);
    const { invoices } = await shop.kept();
    assert.equal(invoices.find(({ invoiceId }) => invoiceId === wire.invoice_id)?.code, '');
  });

  it('goes to a person when it is paid: its total was another', async () => {
    const { shop, wire, told } = await openSpoiled({ total_cents: 1 });
    wire.status = 'paid';
    await shop.live(hourMs);
    assert.deepEqual(told(), [[], [wire.invoice_id]]);
  });

  it('is none of this order where it names another one', async () => {
    const { shop } = await openSpoiled({ external_id: 'order-2' });
    assert.deepEqual((await shop.kept()).invoices, []);
  });
});

it('a code that could not be written down is the next request’s, where the store was away for a moment only', async () => {
  const broken = createBrokenStore();
  const shop = openKeptShop({ backgroundJobs: false }, broken.world);
  shop.upstream.behave = ({ body }) => (body ? broken.break('change', 'down once') : undefined);
  assert.equal((await shop.create()).status, 503);
  shop.upstream.behave = () => undefined;
  await dataOf(shop.create());
  assert.equal(shop.upstream.creates(), 1);
});
