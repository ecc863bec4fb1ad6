/** Each time that a card needs a person, the shop is told anew, and a word about a former time answers no later one. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { hourMs } from '../../../../src/domain/spans.js';
import { endedCard } from '../../../../src/proxy/order/charges.js';
import { record } from '../../../../src/proxy/store/record.js';
import { card, json, openKeptShop, toWireInvoice } from '../../support/shop.js';
import type { WireFields } from '../../support/shop.js';
import { inProgress, outcomeOf } from '../../support/card-shop.js';
import { toCharge } from '../../order/samples.js';

const externalId = 'order-1';

/** An order whose card's answer was lost, and of which the shop was told. */
async function openAlerted() {
  const shop = openKeptShop({ backgroundJobs: false, hears: ['onOutcomeUnknown'] });
  const { onOutcomeUnknown: told } = shop.heard;
  const made: WireFields[] = [];
  shop.upstream.behave = ({ body }) => {
    if (body?.['method'] !== 'credit_card') return undefined;
    const wire = shop.upstream.make(body);
    made.push(wire);
    if (made.length > 1) return json({ data: wire });
    throw new TypeError('fetch failed');
  };
  await shop.create({ body: card });
  await shop.live(60_000);
  assert.equal(told.length, 1);
  const say = (deliveryId: string, invoiceId: string | null) =>
    shop.proxy.resolveOutcome({ externalId, deliveryId, invoiceId });
  const [wire] = made;
  assert.ok(wire);
  return { shop, told, say, wire, first: told[0]!.deliveryId };
}

describe('a card of which the shop was told', () => {
  it('is told of again where its invoice is known since, and it is still open an hour later', async () => {
    const { shop, told, say, wire, first } = await openAlerted();
    assert.equal(await say(first, wire.invoice_id), true);
    await shop.live(2 * hourMs);
    assert.equal(told.length, 2);
    assert.equal(told[1]!.invoiceId, wire.invoice_id);
    assert.notEqual(told[1]!.deliveryId, first);
    await shop.live(48 * hourMs);
    assert.equal(told.length, 2, 'once');
    assert.equal(await say(first, null), true, 'the same card, and it was not answered before');
  });

  it('is told of again where it was released, and the service answers all the same', async () => {
    const { shop, told, say, first } = await openAlerted();
    assert.equal(await say(first, null), true);
    const [attempt] = (await shop.kept()).attempts;
    assert.ok(attempt);
    const invoiceId = randomUUID();
    const invoice = toCharge(invoiceId, { createdAtMs: shop.clock.now() });
    const late = { ...toWireInvoice({ external_id: externalId, method: 'credit_card' }) };
    const wire = { ...late, invoice_id: invoiceId, total_cents: 12_345 };
    shop.upstream.invoices.set(invoiceId, wire);
    await record(shop.store, externalId, endedCard, {
      attempt,
      ending: { state: 'created', invoice },
    });
    assert.equal(await outcomeOf(shop.create({ body: card })), inProgress);
    await shop.live(2 * hourMs);
    assert.equal(told.length, 2);
    assert.equal(told[1]!.invoiceId, invoiceId);
    assert.equal(await say(first, null), false, 'a word that was heeded frees nothing more');
    assert.equal(await outcomeOf(shop.create({ body: card })), inProgress);
    assert.equal(await say(told[1]!.deliveryId, null), true);
  });
});
