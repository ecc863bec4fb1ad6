/** The fake proxy answers as the contract says, and keeps the promise of one debt per order. */
import assert from 'node:assert/strict';
import { describe, it, vi } from 'vitest';
import { createdAnswerSchema, statusAnswerSchema } from '../../src/contract/schemas.js';
import { parseCreatedInvoice, parseInvoiceStatus } from '../../src/contract/readers.js';
import { parseBrCode } from '../../src/domain/br-code.js';
import { createFakeProxy } from '../../src/testing/fake-proxy.js';
import type { FakeAnswer, FakeProxyOptions } from '../../src/testing/fake-proxy.js';
import { columns, column } from '../support/rows.js';

const endpoint = 'https://shop.example/pay';
const pixOrder = { method: 'pix', external_id: 'order-1' };
const cardOrder = { method: 'credit_card', external_id: 'order-1', card: { installment: 3 } };

function open(options: FakeProxyOptions = {}) {
  const { answer, checkout } = createFakeProxy(options);
  const read = (given: FakeAnswer) => ({
    status: given?.status,
    body: JSON.parse(given?.body ?? 'null'),
  });
  const ask = async (path: string, headers: Record<string, string>, body?: object) =>
    read(
      await answer({
        method: body ? 'POST' : 'GET',
        url: `${endpoint}/invoices${path}`,
        headers,
        body: body ? JSON.stringify(body) : '',
      }),
    );
  return {
    checkout,
    create: (body: object, key = 'a key') => ask('', { 'idempotency-key': key }, body),
    recover: (key: string) => ask('', { 'idempotency-key': key }),
    lookUp: (id: string, { wait = 0, token = `token-of-${id}` } = {}) =>
      ask(`/${id}${wait > 0 ? `?wait=${wait}` : ''}`, { 'lookup-token': token }),
  };
}

describe('fake proxy', () => {
  it('answers what schemas and readers of the contract take', async () => {
    const { create, lookUp } = open({ totalCents: 12_990 });
    const created = await create(pixOrder);
    assert.ok(createdAnswerSchema.parse(created.body));
    const invoice = parseCreatedInvoice(created.body);
    const code = parseBrCode(invoice.qr_code_pix);
    assert.equal(code.amountCents, 12_990);
    const found = await lookUp(invoice.invoice_id);
    assert.ok(statusAnswerSchema.parse(found.body));
    assert.equal(parseInvoiceStatus(found.body).status, 'pending');
  });

  it('takes the price of the page, where the test names none', async () => {
    const { create } = open();
    const { body } = await create({ ...pixOrder, expected_total_cents: 4_200 });
    assert.equal(body.data.total_cents, 4_200);
  });

  it('answers with the open code, whatever the key, and with another one in its place', async () => {
    const { create, checkout } = open();
    const first = (await create(pixOrder, 'one')).body.data.invoice_id;
    assert.equal((await create(pixOrder, 'two')).body.data.invoice_id, first);
    const other = await create({ ...pixOrder, replaces: first }, 'three');
    assert.notEqual(other.body.data.invoice_id, first);
    assert.equal(checkout.invoices.length, 2);
  });

  it('says order_paid with the invoice that paid', async () => {
    const { create, lookUp, checkout } = open();
    const { invoice_id: id } = (await create(pixOrder, 'one')).body.data;
    const paid = checkout.pay();
    assert.equal((await lookUp(id)).body.data.status, 'paid');
    await paid;
    const again = await create(pixOrder, 'two');
    assert.deepEqual([again.status, again.body.code], [409, 'order_paid']);
    assert.equal(again.body.data.invoice_id, id);
  });

  it('charges no second card while one is open, and gives out no code', async () => {
    const { create, checkout } = open();
    await create(cardOrder, 'one');
    assert.equal((await create(cardOrder, 'two')).body.code, 'in_progress');
    assert.equal((await create(pixOrder, 'three')).body.code, 'in_progress');
    assert.equal((await create(cardOrder, 'one')).status, 200);
    assert.deepEqual(columns(checkout.invoices, 'method', 'status'), [['credit_card', 'pending']]);
  });

  it('refuses one card, and frees the order', async () => {
    const { create, recover, checkout } = open();
    checkout.refuseCard();
    assert.equal((await create(cardOrder, 'one')).body.code, 'payment_refused');
    assert.equal((await recover('one')).body.code, 'payment_refused');
    assert.equal((await create(cardOrder, 'two')).status, 200);
  });

  it('pays the card after the refused one, which the page may send later', async () => {
    const { create, lookUp, checkout } = open();
    checkout.refuseCard();
    await create(cardOrder, 'one');
    const paid = checkout.pay();
    const { invoice_id: id } = (await create(cardOrder, 'two')).body.data;
    while ((await lookUp(id)).body.data.status !== 'paid') continue;
    await paid;
    assert.deepEqual(column(checkout.invoices, 'status'), ['payment_refused', 'paid']);
  });

  it('loses one answer, whose invoice is found again', async () => {
    const { create, recover, checkout } = open();
    checkout.loseAnswer();
    assert.equal((await create(pixOrder, 'one')).body, null);
    assert.equal((await recover('one')).status, 200);
    assert.equal((await recover('two')).body.code, 'not_found');
    assert.equal((await create(pixOrder, 'one')).status, 200);
    assert.equal(checkout.invoices.length, 1);
  });

  it('holds a look-up until the test changes something', async () => {
    const { create, lookUp, checkout } = open();
    const { invoice_id: id } = (await create(pixOrder)).body.data;
    const held = lookUp(id, { wait: 25 });
    await Promise.all([checkout.expire(), held]);
    assert.equal((await held).body.data.expires_in, 0);
    assert.equal((await lookUp(id, { wait: 25 })).body.data.status, 'pending');
  });

  it('wants the token of the invoice', async () => {
    const { create, lookUp } = open();
    const { invoice_id: id } = (await create(pixOrder)).body.data;
    assert.equal((await lookUp(id, { token: 'another' })).body.code, 'unauthorized');
    assert.equal((await lookUp('fake-99999999')).body.code, 'not_found');
  });

  it('pays what the page creates later', async () => {
    const { create, lookUp, checkout } = open();
    const paid = checkout.pay();
    const { invoice_id: id } = (await create(pixOrder)).body.data;
    while ((await lookUp(id)).body.data.status !== 'paid') continue;
    await paid;
    assert.equal(checkout.invoices[0]?.status, 'paid');
  });

  it('says what a page has not done', async () => {
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const soon = new AbortController();
      setImmediate(() => soon.abort());
      return soon.signal;
    });
    const { create, checkout } = open();
    await assert.rejects(checkout.pay(), /has not created an invoice within 30 seconds/);
    await create(pixOrder);
    await assert.rejects(checkout.pay(), /has not looked up fake-00000001 within 30 seconds/);
  });
});
