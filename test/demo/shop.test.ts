/** The file to copy: what the shop does with what the proxy tells it. */
import assert from 'node:assert/strict';
import { it } from 'vitest';
import { createShop, exampleReference } from '../../demo/shop.js';
import type { PaidNotice } from '../../src/proxy.js';

const payment: PaidNotice = {
  externalId: exampleReference,
  invoiceId: 'INV-0001',
  orderCode: 'ORD-1',
  totalCents: 13_990,
  method: 'pix',
  deliveryId: 'paid~1042~INV-0001',
  late: false,
  duplicate: false,
};

function openShop() {
  const shop = createShop({ secrets: ['x'.repeat(32)], publicUrl: 'http://localhost/pix' });
  const status = () => shop.orders.get(exampleReference)?.status;
  return { ...shop, status };
}

it('an order that was told paid is paid, and cannot be charged again', async () => {
  const { onPaid, resolveOrder, status } = openShop();
  await onPaid(payment);
  assert.equal(status(), 'paid');
  const question = { orderToken: null, method: 'pix', installment: 1, request: null } as const;
  const answer = await resolveOrder({ externalId: exampleReference, ...question });
  assert.deepEqual(answer, { status: 'paid' });
});

it('a delivery that comes again changes nothing, whatever became of the order meanwhile', async () => {
  const { onPaid, orders, payments, status } = openShop();
  await onPaid(payment);
  const order = orders.get(exampleReference);
  assert.ok(order);
  orders.set(exampleReference, { ...order, status: 'closed' });
  await onPaid(payment);
  assert.equal(status(), 'closed');
  assert.equal(payments.size, 1);
});

it('a second payment of an order is kept for a person, and ships nothing', async () => {
  const { onPaid, payments, status } = openShop();
  const second = { ...payment, invoiceId: 'INV-0002', deliveryId: 'paid~1042~INV-0002' };
  await onPaid({ ...second, duplicate: true });
  assert.equal(status(), 'open');
  assert.equal(payments.get(second.deliveryId)?.duplicate, true);
});

it('a payment of less than the order owes now is kept for a person, and ships nothing', async () => {
  const { onPaid, payments, status } = openShop();
  // By card it owes more than by Pix.
  const tooLittle = [
    { ...payment, totalCents: 13_989, deliveryId: 'paid~1042~older' },
    { ...payment, method: 'credit_card', deliveryId: 'paid~1042~card' },
  ] as const;
  for (const short of tooLittle) {
    await onPaid(short);
    assert.equal(status(), 'open');
    assert.deepEqual(payments.get(short.deliveryId), short);
  }
  await onPaid({ ...payment, method: 'credit_card', totalCents: 16_577 });
  assert.equal(status(), 'paid');
});

it('a payment of an order that is not in the books is refused, so that it comes again', () => {
  const { onPaid, payments } = openShop();
  assert.throws(() => onPaid({ ...payment, externalId: 'lost' }), /not in the books/);
  assert.equal(payments.size, 0);
});
