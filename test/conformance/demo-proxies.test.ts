/** What the points of the contract cannot show of the demo's proxies: what they keep, and what of the service they survive. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { linkSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { randomUUID } from 'node:crypto';
import { signOrder } from '../../src/proxy.js';
import { whyNoProgram } from '../support/machine/programs.js';
import { startDemo } from './subjects.js';

const secrets = ['a-secret-of-the-tests-of-the-demo-proxies'];
const origin = 'https://shop.example';

/** An invoice as the service tells of it. A test changes what the next look-up says. */
type Invoice = Record<string, unknown>;

/** A service that says whatever a test wants to hear. */
async function openService(t: TestContext) {
  const invoices = new Map<string, Invoice>();
  const bodiesOfLookUps: string[] = [];
  const server = createServer(async (request, answer) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const id = /invoices\/(.+)$/.exec(request.url ?? '')?.[1];
    if (id !== undefined) bodiesOfLookUps.push(text);
    answer.end(JSON.stringify({ data: id === undefined ? add(text) : invoices.get(id) }));
  }).listen(0, '127.0.0.1');
  t.after(() => server.close().closeAllConnections());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, invoices, bodiesOfLookUps };

  function add(text: string): Invoice {
    const { external_id, total_price_cents, postback_url, ip_payer } = JSON.parse(text) as Invoice;
    const invoice = {
      invoice_id: randomUUID(),
      order_code: `${'x'.repeat(63)}é`,
      external_id,
      status: 'pending',
      total_cents: total_price_cents,
      qr_code_pix: 'a code',
      is_pix: true,
      postback_url,
      ip_payer,
    };
    invoices.set(invoice.invoice_id, invoice);
    return invoice;
  }
}

/** A proxy of the demo at such a service. */
async function open(t: TestContext, name: 'php' | 'python') {
  const service = await openService(t);
  const world = { serviceUrl: service.url, accessToken: 'token', secrets, origin };
  const demo = await startDemo(name, world);
  t.after(() => demo.close());
  return {
    service,
    demo,
    stateOf: (reference: string) =>
      join(demo.folder, `${Buffer.from(reference).toString('hex')}.json`),
    async create(reference: string, more: object = {}, headers: Record<string, string> = {}) {
      await demo.price(reference, 'open');
      const { publicUrl } = demo;
      const orderToken = await signOrder({ secrets, publicUrl, externalId: reference });
      const json = {
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
        ...headers,
      };
      const body = { method: 'pix', external_id: reference, order_token: orderToken, ...more };
      const init = { method: 'POST', headers: json, body: JSON.stringify(body) };
      const answer = await fetch(`${demo.url}/invoices`, init);
      const { data } = (await answer.json()) as { data?: Record<string, string> };
      return { status: answer.status, data, id: data?.['invoice_id'] ?? '' };
    },
    lookUp: (id: string, token = '') =>
      fetch(`${demo.url}/invoices/${id}`, { headers: { authorization: `Bearer ${token}` } }),
  };
}

for (const name of ['php', 'python'] as const) {
  describe(`what the proxy in ${name} keeps`, { skip: whyNoProgram(name) ?? false }, () => {
    it('a state is replaced whole: a process that ends while it writes leaves the former one', async (t) => {
      const { create, lookUp, stateOf, demo } = await open(t, name);
      const { id, data } = await create('order-1');
      const former = readFileSync(stateOf('order-1'), 'utf8');
      linkSync(stateOf('order-1'), join(demo.folder, 'former'));
      // The clock of its last look-up may stand in the same second: another code is news in any case.
      await create('order-1', { replaces: id });
      await lookUp(id, data?.['lookup_token']);
      assert.notEqual(readFileSync(stateOf('order-1'), 'utf8'), former);
      assert.equal(readFileSync(join(demo.folder, 'former'), 'utf8'), former);
    });

    it('an order whose state cannot be read gets no second code', async (t) => {
      const { create, stateOf, service } = await open(t, name);
      await create('order-1');
      const cut = readFileSync(stateOf('order-1'), 'utf8').slice(0, -3);
      writeFileSync(stateOf('order-1'), cut);
      assert.equal((await create('order-1')).status, 500);
      assert.equal(service.invoices.size, 1);
      assert.equal(readFileSync(stateOf('order-1'), 'utf8'), cut);
    });

    it('a look-up of an invoice that it no longer knows changes nothing', async (t) => {
      const { create, lookUp, stateOf } = await open(t, name);
      const { id, data } = await create('order-1');
      const none = '{"reference": "order-1", "invoices": {}}';
      writeFileSync(stateOf('order-1'), none);
      assert.equal((await lookUp(id, data?.['lookup_token'])).status, 500);
      assert.equal(readFileSync(stateOf('order-1'), 'utf8'), none);
    });

    it('an order that fails keeps no other payment from being found', async (t) => {
      const { create, service, demo, stateOf } = await open(t, name);
      for (const reference of ['a', 'm', 'z']) {
        const { id } = await create(reference);
        const status = reference === 'm' ? 'paid' : ['paid'];
        Object.assign(service.invoices.get(id) ?? {}, { status });
      }
      writeFileSync(stateOf('0'), '{"reference":');
      await demo.reconcile();
      assert.equal(await demo.payments('m'), 1);
      assert.match(demo.output(), /service_failed/);
    });

    it('many postbacks at once are few look-ups, and the next run looks again', async (t) => {
      const { create, service, demo } = await open(t, name);
      const { id } = await create('order-1');
      const invoice = service.invoices.get(id) ?? {};
      const postback = () => fetch(String(invoice['postback_url']), { method: 'POST' });
      await Promise.all(Array.from({ length: 20 }, postback));
      assert.ok(service.bodiesOfLookUps.length < 20, `${service.bodiesOfLookUps.length}`);
      Object.assign(invoice, { status: 'paid' });
      await demo.reconcile();
      assert.equal(await demo.payments('order-1'), 1);
    });

    it('the service is told the address that the web server in front has seen', async (t) => {
      const { create, service } = await open(t, name);
      for (const [at, forwarded] of ['198.51.100.7, 203.0.113.9', 'rubbish'].entries()) {
        await create(`order-${at}`, {}, { 'x-forwarded-for': forwarded });
      }
      const told = [...service.invoices.values()].map(({ ip_payer }) => ip_payer);
      assert.deepEqual(told, ['203.0.113.9', '127.0.0.1']);
    });

    it('a look-up asks the service without a body: some refuse one', async (t) => {
      const { create, lookUp, service } = await open(t, name);
      const { id, data } = await create('order-1');
      assert.equal((await lookUp(id, data?.['lookup_token'])).status, 200);
      assert.deepEqual(service.bodiesOfLookUps, ['']);
    });
  });
}

describe('the server in python', { skip: whyNoProgram('python') ?? false }, () => {
  it('a length below zero is no body', async (t) => {
    const { demo } = await open(t, 'python');
    const { port, host, pathname } = new URL(demo.url);
    const socket = connect(Number(port), '127.0.0.1');
    t.after(() => socket.destroy());
    const head = ['Content-Type: application/json', 'Content-Length: -1', `Host: ${host}`];
    socket.write([`POST ${pathname}/invoices HTTP/1.1`, ...head, '', ''].join('\r\n'));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1\.\d 4/);
  });
});
