/** The demo's server: page, sources, orders, what a payment leads to, and a clean end. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startDemo } from '../../demo/server.js';
import type { Demo } from '../../demo/server.js';
import type { ProxyEntry } from '../../demo/qa/proxy-log.js';
import type { ShopRecord } from '../../demo/qa/routes.js';
import type { CreatedInvoice, InvoiceStatus } from '../../src/contract/types.js';
import { toCreation, toLookUp } from '../support/payer.js';
import { until } from '../support/until.js';

interface ShopOrder {
  readonly externalId: string;
  readonly orderToken: string;
  readonly totalCents: number;
  readonly pixTotalCents: number | null;
  readonly installments: readonly { installment: number; total_cents: number }[];
}

/** The example order as it is. */
const wish = { total_cents: null, pix_total_cents: null, expires_in: null, status: 'open' };

/** The path by which the element fetches the card form. */
const cardFile = '/src/checkout/card/card-file-entry.ts';

/** Nothing between page and server is broken. */
const state = { line: 'up', hold: true, cardFile: true };

describe('demo server', () => {
  let demo: Demo;
  beforeAll(async () => {
    demo = await startDemo({ port: 0 });
  });
  afterAll(() => demo.close());

  it('serves the page under a strict Content-Security-Policy, the query included', async () => {
    for (const path of ['/', '/?scenario=paid']) {
      const response = await fetch(demo.url + path);
      assert.equal(response.status, 200);
      assert.match(await response.text(), /<title>Café da Serra/);
      const policy = response.headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
      assert.doesNotMatch(policy, /unsafe/);
    }
  });

  it('serves the element as a browser can run it', async () => {
    for (const path of [
      '/src/index.ts',
      '/src/checkout/element/pix-checkout.ts',
      '/demo/demo.ts',
    ]) {
      const response = await fetch(demo.url + path);
      assert.equal(response.status, 200, path);
      assert.match(response.headers.get('content-type') ?? '', /javascript/);
      assert.doesNotMatch(await response.text(), /^\s*@property/m, 'a decorator is left');
    }
  });

  it('draws the code of an order into a page, under the same policy', async () => {
    const response = await fetch(`${demo.url}/pages/1042`);
    assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
    const page = await response.text();
    assert.match(page, /<svg\s+part="qr"/);
    assert.match(page, /TESTE NAO PAGAR/);
    const styles = await (await fetch(`${demo.url}/pix-checkout.css`)).text();
    assert.match(styles, /pix-checkout>\.checkout/);
    assert.doesNotMatch(styles, /@keyframes (?!pix-)/, "a name of the shop's own");
    assert.equal((await fetch(`${demo.url}/pages/nothing`)).status, 404);
  });

  it('serves the gallery under the same policy', async () => {
    const response = await fetch(`${demo.url}/gallery?theme=dark`);
    assert.match(await response.text(), /<title>Gallery/);
    assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
  });

  const hidden = ['/package.json', '/test/run.ts', '/.git/config', '/nothing', '/qa/nothing'];
  for (const path of hidden) {
    it(`does not serve ${path}`, async () => {
      const { status } = await fetch(demo.url + path);
      assert.ok(status === 403 || status === 404, String(status));
    });
  }

  it('gives the page an order with its token, and no order that is not there', async () => {
    const order = await get<ShopOrder>('/orders/1042');
    assert.equal(order.externalId, '1042');
    assert.equal(order.totalCents, 14_670);
    assert.equal(order.pixTotalCents, 13_990);
    assert.match(order.orderToken, /^v1\./);
    assert.equal((await fetch(`${demo.url}/orders/1043`)).status, 404);
    assert.equal((await fetch(`${demo.url}/orders/%zz`)).status, 404);
  });

  it('tells the shop of a payment that no page looks for, once however often the bank says it, and of its return', async () => {
    await put('/qa/orders/tab-closed', wish);
    const order = await get<ShopOrder>('/orders/tab-closed');
    const { data } = (await (await create(order)).json()) as { data: CreatedInvoice };
    const record = () => get<ShopRecord>('/qa/orders/tab-closed');
    assert.deepEqual(await record(), { status: 'open', paidInvoiceIds: [], returnedAs: [] });

    const control = `${demo.url}/sandbox/invoices/${data.invoice_id}`;
    await fetch(`${control}/settle`, { method: 'POST' });
    for (let sent = 0; sent < 3; sent += 1) {
      const postback = await fetch(`${control}/postback`, { method: 'POST' });
      assert.equal(((await postback.json()) as { delivered: boolean }).delivered, true);
    }
    await until(async () => (await record()).status === 'paid');
    assert.deepEqual((await record()).paidInvoiceIds, [data.invoice_id]);

    await fetch(`${control}/status`, { method: 'POST', body: '{"status":"refunded"}' });
    await fetch(`${control}/postback`, { method: 'POST' });
    await until(async () => (await record()).returnedAs.includes('refunded'));
    assert.equal((await record()).status, 'paid');
  });

  const cardOrders: [name: string, installment: number, answer: number | string][] = [
    ['at once', 1, 14_670],
    ['in three instalments, free of interest', 3, 14_670],
    ['in twelve, at the price of the table', 12, 16_577],
    ['in a number that is not offered', 7, 'unknown_order'],
  ];
  for (const [name, installment, answer] of cardOrders) {
    it(`prices a card ${name}`, async () => {
      const reference = `card-${installment}`;
      await put(`/qa/orders/${reference}`, wish);
      const order = await get<ShopOrder>(`/orders/${reference}`);
      const response = await create(order, { token: 'tok_approve', installment });
      const body = (await response.json()) as { data?: CreatedInvoice; code?: string };
      assert.equal(body.data?.total_cents ?? body.code, answer);
      const shown = order.installments.find((row) => row.installment === installment);
      assert.equal(shown?.total_cents, body.data?.total_cents, 'what the page shows');
      const charges = await get<{ count: number }>(`/sandbox/charges?external_id=${reference}`);
      assert.equal(charges.count, typeof answer === 'number' ? 1 : 0);
    });
  }

  it('makes orders to measure for QA', async () => {
    assert.equal(await put('/qa/orders/made', { ...wish, total_cents: 500, expires_in: 60 }), 200);
    const order = await get<ShopOrder & { lines: { cents: number }[] }>('/orders/made');
    assert.equal(order.totalCents, 500);
    assert.equal(order.pixTotalCents, null);
    const { data } = (await (await create(order)).json()) as { data: CreatedInvoice };
    assert.equal(data.total_cents, 500);
    assert.ok(data.expires_in !== undefined && data.expires_in <= 60);
  });

  const badWishes: [name: string, path: string, body: object][] = [
    ['a total of nothing', '/qa/orders/bad', { ...wish, total_cents: 0 }],
    ['an unknown status', '/qa/orders/bad', { ...wish, status: 'lost' }],
    ['a switch that is no switch', '/qa/proxy', { ...state, line: 'lost' }],
  ];
  for (const [name, path, body] of badWishes) {
    it(`refuses ${name}`, async () => {
      assert.equal(await put(path, body), 400);
      assert.equal((await fetch(`${demo.url}/orders/bad`)).status, 404);
    });
  }

  it('cuts the line to the proxy and mends it, forbids long polls, and hides the file of the card form', async () => {
    await put('/qa/orders/line', wish);
    const order = await get<ShopOrder>('/orders/line');
    const { data } = (await (await create(order)).json()) as { data: CreatedInvoice };
    const visitor = { cookie: 'theme=dark; qa-visitor=one' };
    const choose = (chosen: object) => put('/qa/proxy', { ...state, ...chosen }, visitor);

    const held = assert.rejects(lookUp(data, '?wait=25', visitor));
    await choose({ line: 'down' });
    await held;
    await assert.rejects(lookUp(data, '', visitor));
    assert.equal((await lookUp(data)).status, 'pending', 'another visitor has a line');
    await choose({ hold: false });
    // A long poll would outlast this test.
    assert.equal((await lookUp(data, '?wait=25', visitor)).status, 'pending');
    // A stale path would be 404 in all cases, or in none.
    const fetchCardFile = async (headers: Record<string, string>) =>
      (await fetch(demo.url + cardFile, { headers })).status;
    await choose({ cardFile: false });
    assert.equal(await fetchCardFile(visitor), 404);
    assert.equal(await fetchCardFile({ ...visitor, referer: `${demo.url}/gallery?only=x` }), 200);
    assert.equal(await fetchCardFile({}), 200);
    await choose({});
    assert.equal(await fetchCardFile(visitor), 200);
  });

  it('lets an invoice be paid too little, which look-ups show and no shop is told of', async () => {
    await put('/qa/orders/short', wish);
    const { data } = (await (await create(await get<ShopOrder>('/orders/short'))).json()) as {
      data: CreatedInvoice;
    };
    assert.equal(await put(`/qa/short-payments/${data.invoice_id}`, {}), 200);
    await fetch(`${demo.url}/sandbox/invoices/${data.invoice_id}/settle`, { method: 'POST' });
    await until(async () => (await lookUp(data)).status === 'amount_mismatch');
    assert.equal((await get<ShopRecord>('/qa/orders/short')).status, 'open');
    const logged = await get<ProxyEntry[]>('/qa/log');
    assert.ok(logged.some(({ entry }) => entry.invoiceId === data.invoice_id));
    const numbers = logged.map(({ number }) => number);
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 1),
    );
  });

  it('names the faults and the inventions of the sandbox', async () => {
    const about = await get<{ faultKinds: string[]; assumptions: string[] }>('/qa/about');
    assert.ok(about.faultKinds.includes('wrong_total'));
    assert.ok(about.assumptions.length > 5);
  });

  it('says that a port is taken', async () => {
    const port = Number(new URL(demo.url).port);
    await assert.rejects(startDemo({ port }), /^Error: Port \d+ is taken/);
  });

  it('stops cleanly', async () => {
    const other = await startDemo({ port: 0 });
    await other.close();
    await assert.rejects(fetch(other.url));
    await assert.rejects(fetch(other.sandboxUrl));
  });

  async function get<T>(path: string): Promise<T> {
    const response = await fetch(demo.url + path);
    assert.equal(response.status, 200, path);
    return (await response.json()) as T;
  }

  async function put(path: string, wished: object, headers = {}): Promise<number> {
    const body = JSON.stringify(wished);
    const response = await fetch(demo.url + path, { method: 'PUT', body, headers });
    return response.status;
  }

  /** As the element asks, from the page's own origin. @param card absent: by Pix */
  function create(
    order: Pick<ShopOrder, 'externalId' | 'orderToken'>,
    card?: object,
  ): Promise<Response> {
    const way = card ? { method: 'credit_card', card } : {};
    const body = { external_id: order.externalId, order_token: order.orderToken, ...way };
    return fetch(`${demo.url}/pix/invoices`, toCreation(demo.url, body));
  }

  async function lookUp(invoice: CreatedInvoice, query = '', more = {}): Promise<InvoiceStatus> {
    const { headers } = toLookUp(demo.url, invoice.lookup_token);
    const response = await fetch(`${demo.url}/pix/invoices/${invoice.invoice_id}${query}`, {
      headers: { ...headers, ...more },
    });
    assert.equal(response.status, 200);
    return ((await response.json()) as { data: InvoiceStatus }).data;
  }
});
