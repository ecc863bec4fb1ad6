/** Payment links, and what the holder of one may read of the order. Needs no browser. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { toPaymentLink, verifyOrder } from '../../../../src/order-token.js';
import type { OrderQuestion, ProxyOptions } from '../../../../src/proxy.js';
import { faultsOf } from '../../../support/openapi-check.js';
import {
  dataOf,
  openShop,
  publicUrl,
  refusalOf,
  secrets,
  assertRefused,
} from '../../../support/proxy/shop.js';
import { columns } from '../../../support/rows.js';

const paymentPage = { name: 'Padaria da Ana' };

function openLinks(options: Partial<ProxyOptions> = {}) {
  const shop = openShop({ paymentPage, ...options });
  /** `GET /order` as the page asks; what it answers is as the OpenAPI document says. */
  async function read(token: string | null, query = '', remoteAddress = '203.0.113.7') {
    const headers = token === null ? {} : { 'order-token': token };
    const answer = await shop.request(`/order${query}`, { headers }, remoteAddress);
    assert.deepEqual(await faultsOf('GET', '/order', answer), []);
    return answer;
  }
  return { ...shop, read };
}

describe('a payment link', () => {
  it('holds the order token in its fragment, and says when it ends', async () => {
    const { proxy, clock } = openLinks();
    const { url, expiresAt } = await proxy.createPaymentLink({
      externalId: 'order-1',
      expiresInSeconds: 600,
    });
    const [page, orderToken = ''] = url.split('#');
    assert.equal(page, `${publicUrl}/pay`);
    assert.equal(expiresAt?.getTime(), clock.now() + 600_000);
    assert.ok(url.length < 200, 'short enough for a chat');
    const order = { secrets, publicUrl, externalId: 'order-1', orderToken };
    assert.equal(await verifyOrder({ ...order, now: () => clock.now() + 599_000 }), true);
    assert.equal(await verifyOrder({ ...order, now: () => clock.now() + 600_000 }), false);
  });

  it('lives a day by default', async () => {
    const { proxy, clock } = openLinks();
    const { expiresAt } = await proxy.createPaymentLink({ externalId: 'order-1' });
    assert.equal(expiresAt?.getTime(), clock.now() + 86_400_000);
  });

  it('names a public order, without a token and without an end', async () => {
    const { proxy } = openLinks({ requireOrderToken: false });
    assert.deepEqual(await proxy.createPaymentLink({ externalId: 'order-1' }), {
      url: `${publicUrl}/pay/order-1`,
      expiresAt: null,
    });
    const ending = proxy.createPaymentLink({ externalId: 'order-1', expiresInSeconds: 60 });
    await assert.rejects(ending, /^TypeError: expiresInSeconds needs requireOrderToken/);
  });

  it('made without a proxy holds a token, too, unless orders are said to be public', async () => {
    const order = { secrets, publicUrl, externalId: 'order-1' };
    const { url, expiresAt } = await toPaymentLink(order);
    const [page, orderToken = ''] = url.split('#');
    assert.equal(page, `${publicUrl}/pay`);
    assert.equal(await verifyOrder({ ...order, orderToken }), true);
    assert.ok(expiresAt);
    const open = await toPaymentLink({ ...order, requireOrderToken: false });
    assert.deepEqual(open, { url: `${publicUrl}/pay/order-1`, expiresAt: null });
  });

  for (const externalId of ['', 'a b', 'a/b', 'x'.repeat(65), 7 as unknown as string]) {
    it(`is not made for the reference ${JSON.stringify(externalId)}`, async () => {
      const { proxy } = openLinks();
      await assert.rejects(proxy.createPaymentLink({ externalId }), /^TypeError: externalId must/);
    });
  }
});

describe('what the holder of a link reads', () => {
  it('is the reference, what each method costs, and the items; nothing of the payer', async () => {
    const questions: OrderQuestion[] = [];
    const { read, signOrder, upstream } = openLinks({
      rawCard: true,
      paymentPage: { ...paymentPage, methods: ['pix', 'credit_card'] },
      resolveOrder(question) {
        questions.push(question);
        return {
          total_price_cents: question.method === 'pix' ? 900 : 1_000,
          items: [{ name: 'Bolo', quantity: 1, unit_price: 1_000 }, { name: 'Vela' }],
          payer: { name: 'Canary', email: 'canary@example.com' },
          product_fisical: 'canary',
        };
      },
    });
    const token = await signOrder('order-1');
    const answer = await read(token);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.deepEqual(await dataOf(answer), {
      external_id: 'order-1',
      totals: { pix: 900, credit_card: 1_000 },
      items: [{ name: 'Bolo', quantity: 1, unit_price: 1_000 }],
    });
    assert.equal(upstream.sent.length, 0);
    assert.deepEqual(columns(questions, 'externalId', 'orderToken', 'installment'), [
      ['order-1', token, 1],
      ['order-1', token, 1],
    ]);
  });

  it('is nothing without a good token, and no fault of the set-up is logged for it', async () => {
    const { read, signOrder, create, clock, log, questions } = openLinks();
    const token = await signOrder('order-1');
    const [, payload = '', signature = ''] = token.split('.');
    const other = btoa(JSON.stringify({ e: 'order-2', x: 9e9 })).replace(/=+$/, '');
    const { lookup_token: lookUpToken } = await dataOf(create({ externalId: 'order-9' }));
    questions.length = 0;
    for (const bad of [
      null,
      'x',
      token.slice(0, -1),
      `v1.${other}.${signature}`,
      `v1.${payload}.`,
      lookUpToken,
    ]) {
      assert.equal(await refusalOf(read(bad)), '401 unauthorized');
      // A reference in the address is believed only where orders are public.
      assert.equal(await refusalOf(read(bad, '?external_id=order-1')), '401 unauthorized');
    }
    await clock.advance(86_400_000);
    assert.equal(await refusalOf(read(token)), '401 unauthorized');
    assert.deepEqual([questions, log], [[], []]);
  });

  it('is the order of the token, whatever the address says', async () => {
    const { read, signOrder } = openLinks({ requireOrderToken: false });
    const byToken = await dataOf(read(await signOrder('order-1'), '?external_id=order-2'));
    assert.equal(byToken['external_id'], 'order-1');
    assert.equal((await dataOf(read(null, '?external_id=order-2')))['external_id'], 'order-2');
    assert.equal(await refusalOf(read('x', '?external_id=order-2')), '401 unauthorized');
    assert.equal(await refusalOf(read(null, '?external_id=a%2Fb')), '401 unauthorized');
  });

  it('says that the order is paid, with the invoice that paid, before the shop knows', async () => {
    const { read, signOrder, create, lookUp, upstream } = openLinks();
    const invoice = await dataOf(create());
    upstream.pay(invoice);
    await dataOf(lookUp(invoice));
    const answer = await read(await signOrder('order-1'));
    const { data } = await answer.clone().json();
    assert.equal(await refusalOf(answer), '409 order_paid');
    assert.deepEqual([data.invoice_id, data.status], [invoice.invoice_id, 'paid']);
    assert.equal((await lookUp(data)).status, 200);
  });

  const refused: [answer: object | null, refusal: string][] = [
    [{ status: 'paid' }, '409 order_paid'],
    [{ status: 'closed' }, '409 order_closed'],
    [null, '404 unknown_order'],
    [{ total_price_cents: 0 }, '500 order_failed resolveOrder: nothing_owed'],
  ];
  for (const [answer, refusal] of refused) {
    it(`is ${refusal} where the shop says ${JSON.stringify(answer)}`, async () => {
      const resolveOrder = (() => answer) as ProxyOptions['resolveOrder'];
      const { read, signOrder } = openLinks({ resolveOrder });
      assert.equal(await refusalOf(read(await signOrder('order-1'))), refusal);
    });
  }

  it('is asked for thirty times a minute at most, each order and each payer by itself', async () => {
    const { read, signOrder, clock, questions } = openLinks();
    const [one, other] = [await signOrder('order-1'), await signOrder('order-2')];
    for (let at = 0; at < 30; at++) assert.equal((await read(one)).status, 200);
    await assertRefused(read(one), '429 too_many_requests', '60');
    assert.equal(questions.length, 30);
    assert.equal((await read(other)).status, 200);
    assert.equal((await read(one, '', '203.0.113.9')).status, 200);
    await clock.advance(60_000);
    assert.equal((await read(one)).status, 200);
  });
});
