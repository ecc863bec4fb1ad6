/** Two processes on one ledger: what the one found paid is not taken back by what the other one sees. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMemoryLedger } from '../../../src/proxy/ledger/memory/memory-ledger.js';
import { outcomeOf } from '../support/card-shop.js';
import { dataOf, json, openShop, toWireInvoice } from '../support/shop.js';

describe('a card that another process found paid', () => {
  it('stays paid although the service cancels it later', async () => {
    const ledger = { ...createMemoryLedger(Date.now), isShared: true };
    const shop = openShop({ ledger });
    const other = openShop({ ledger, fetch: shop.upstream.fetch });
    shop.upstream.behave = ({ body }) => {
      if (!body) return undefined;
      const wire = { ...toWireInvoice(body), is_pix: false };
      shop.upstream.invoices.set(wire.invoice_id, wire);
      return json({ data: wire });
    };
    const body = { method: 'credit_card', card: { token: 't' } };
    const made = await dataOf(await shop.create({ body }));
    const wire = shop.upstream.invoices.get(made.invoice_id) ?? assert.fail();
    wire.status = 'paid';
    await dataOf(await shop.lookUp(made));
    wire.status = 'canceled';
    assert.equal((await dataOf(await other.lookUp(made)))['status'], 'paid');
    wire.status = 'pending';
    await other.clock.advance(2_000);
    assert.equal((await dataOf(await other.lookUp(made)))['status'], 'paid');
    assert.equal(await outcomeOf(await other.create()), '409 order_paid');
  });
});
