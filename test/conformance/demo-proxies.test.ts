/**
 * What `pix-checkout check` cannot show of the demo's proxies: payments, postbacks, what they keep, and what of the service
 * they survive. The points of the contract are in test/cli/check.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, linkSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'vitest';
import { createNodeListener } from '../../src/node.js';
import { signOrder } from '../../src/order-token.js';
import { until } from '../support/until.js';
import { serve } from '../support/proxy/node-servers.js';
import { createUpstream, json, toWireInvoice } from '../support/proxy/upstream.js';
import { whyNoProgram } from '../tools/machine/programs.js';
import { startDemo, totalCents } from './subjects.js';
import { leftOutIf } from '../tools/runner/left-out.js';
import { toCreation } from '../support/payer.js';

const secrets = ['a-secret-of-the-tests-of-the-demo-proxies'];
const origin = 'https://shop.example';

/** A service that says whatever a test wants to hear. */
async function openService(t: TestContext) {
  const upstream = createUpstream();
  // As long as a code may be, for who counts letters, and too long for who counts bytes.
  upstream.makes = { order_code: `${'x'.repeat(63)}é` };
  const url = await serve(
    t,
    createNodeListener((request) => upstream.fetch(request)),
  );
  return Object.assign(upstream, { url });
}

/** A proxy of the demo at such a service. */
async function open(t: TestContext, name: 'php' | 'python') {
  const service = await openService(t);
  const world = { serviceUrl: service.url, accessToken: 'token', secrets, origin };
  const demo = await startDemo(name, world);
  t.onTestFinished(() => demo.close());
  const priced = new Set<string>();
  return {
    service,
    demo,
    stateOf: (reference: string) =>
      join(demo.folder, `${Buffer.from(reference).toString('hex')}.json`),
    async create(reference: string, more: object = {}, headers: Record<string, string> = {}) {
      if (!priced.has(reference)) await demo.price(reference, 'open');
      const { publicUrl } = demo;
      const orderToken = await signOrder({ secrets, publicUrl, externalId: reference });
      const body = { external_id: reference, order_token: orderToken, ...more };
      const answer = await fetch(`${demo.url}/invoices`, toCreation(origin, body, headers));
      const { data, code } = (await answer.json()) as {
        data?: Record<string, string>;
        code?: string;
      };
      const exposed = answer.headers.get('access-control-expose-headers');
      return { status: answer.status, code, data, exposed, id: data?.['invoice_id'] ?? '' };
    },
    lookUp: (id: string, token = '') =>
      fetch(`${demo.url}/invoices/${id}`, { headers: { 'lookup-token': token } }),
    async price(reference: string, order: 'paid' | 'closed' | null) {
      priced.add(reference);
      await demo.price(reference, order);
    },
  };
}

/** What a service may do to a creation, after which the payer may try again: no one has seen an invoice. */
const spoils: readonly [name: string, spoil: (body: Record<string, unknown>) => Response][] = [
  ['is down', () => new Response(null, { status: 500 })],
  ['answers for another order', saying({ external_id: 'another' })],
  ['answers another total', saying({ total_cents: 1 })],
  ['answers no JSON', () => new Response('<')],
  [
    'leads elsewhere',
    () => new Response(null, { status: 302, headers: { location: '/elsewhere' } }),
  ],
];

function saying(lie: object) {
  return (body: Record<string, unknown>) => json({ data: { ...toWireInvoice(body), ...lie } });
}

for (const name of ['php', 'python'] as const) {
  describe(`the proxy in ${name}`, leftOutIf(whyNoProgram(name)), () => {
    it('makes no code of an order that is paid, closed or unknown, by a token of last week, or for a card', async (t) => {
      const { create, price, service, demo } = await open(t, name);
      const { publicUrl } = demo;
      const orders = [
        ['paid', 409, 'order_paid'],
        ['closed', 409, 'order_closed'],
        [null, 404, 'unknown_order'],
      ] as const;
      for (const [order, status, code] of orders) {
        await price(`order-${order}`, order);
        const refused = await create(`order-${order}`);
        assert.deepEqual([refused.status, refused.code], [status, code]);
      }
      const now = () => Date.now() - 7 * 86_400_000;
      const order_token = await signOrder({ secrets, publicUrl, externalId: 'order-1', now });
      const late = await create('order-1', { order_token });
      assert.deepEqual([late.status, late.code], [401, 'unauthorized']);
      const card = await create('order-1', {
        method: 'credit_card',
        card: { token: 'tok_approve' },
      });
      assert.deepEqual([card.status, card.code], [400, 'invalid_request']);
      assert.equal(service.invoices.size, 0);
    });

    it('passes the payer on, and tells the page nothing of it', async (t) => {
      const { create, lookUp, service } = await open(t, name);
      const payer = { name: 'Maria da Silva', cpf_cnpj: '52998224725' };
      const { id, data } = await create('order-1', { payer });
      assert.deepEqual(service.sent[0]?.body?.['payer'], payer);
      const text = JSON.stringify(data) + (await (await lookUp(id, data?.['lookup_token'])).text());
      assert.doesNotMatch(text, /Maria|52998224725|payer|postback/);
    });

    it('tells the shop of a payment once, and answers with the receipt from then on', async (t) => {
      const { create, lookUp, service, demo } = await open(t, name);
      const { id, data } = await create('order-1');
      service.pay({ invoice_id: id });
      const replaced = await create('order-1', { replaces: id });
      assert.deepEqual([replaced.code, replaced.id], ['order_paid', id]);
      const token = data?.['lookup_token'];
      const found = await Promise.all(Array.from({ length: 5 }, () => lookUp(id, token)));
      for (const answer of found) assert.match(await answer.text(), /"status": ?"paid"/);
      const again = await create('order-1');
      assert.deepEqual([again.status, again.code, again.id], [409, 'order_paid', id]);
      assert.equal(again.data?.['total_cents'], totalCents);
      assert.equal(service.invoices.size, 1);
      assert.equal(await demo.payments('order-1'), 1);
    });

    it('says beside paid that the payment went back, by a word that means that', async (t) => {
      const { create, lookUp, service } = await open(t, name);
      const { id, data } = await create('order-1');
      const asked = async (status: string) => {
        Object.assign(service.of({ invoice_id: id }), { status });
        const answer = await lookUp(id, data?.['lookup_token']);
        const { status: told, returned } = (
          (await answer.json()) as { data: Record<string, unknown> }
        ).data;
        return [told, returned];
      };
      assert.deepEqual(await asked('refunded'), ['refunded', undefined], 'never paid');
      assert.deepEqual(await asked('paid'), ['paid', undefined]);
      assert.deepEqual(await asked('Refunded'), ['paid', true]);
      assert.deepEqual(await asked('pending'), ['paid', undefined]);
    });

    it('takes no payment of another total or another order for one', async (t) => {
      const { create, lookUp, service, demo } = await open(t, name);
      const lies = { total_cents: 'amount_mismatch', external_id: 'reference_mismatch' };
      for (const [field, status] of Object.entries(lies)) {
        const { id, data } = await create(field);
        const lie = field === 'total_cents' ? 1 : 'another';
        Object.assign(service.of({ invoice_id: id }), { status: 'paid', [field]: lie });
        const answer = await lookUp(id, data?.['lookup_token']);
        assert.match(await answer.text(), new RegExp(`"status": ?"${status}"`));
        assert.equal(await demo.payments(field), 0);
      }
    });

    for (const [what, spoil] of spoils) {
      it(`says that a creation may be tried again where the service ${what}`, async (t) => {
        const { create, service } = await open(t, name);
        service.behave = ({ body }) => spoil(body ?? {});
        const { status, code, exposed } = await create('order-1');
        assert.deepEqual([status, code], [503, 'service_unavailable']);
        assert.match(exposed ?? '', /retry-after/i);
        assert.equal(service.sent.length, 1, 'the access token was sent to a stranger');
      });
    }

    it('looks up after a postback, believes nothing of it, and refuses one of no order', async (t) => {
      const { create, service, demo } = await open(t, name);
      const { id } = await create('order-1');
      const body = JSON.stringify({ id, status: 'paid' });
      const post = (url: string) => fetch(url, { method: 'POST', body });
      assert.equal((await post(service.postbackUrl())).status, 200);
      await until(() => service.lookUps() > 0);
      await demo.reconcile();
      assert.equal(await demo.payments('order-1'), 0);
      const { id: paid } = await create('order-2');
      service.pay({ invoice_id: paid });
      await post(service.postbackUrl());
      await until(() => existsSync(join(demo.folder, 'payments')));
      assert.equal(await demo.payments('order-2'), 1);
      assert.equal((await post(`${demo.url}/postbacks/v1.e30.AAAA`)).status, 404);
    });
  });

  describe(`what the proxy in ${name} keeps`, leftOutIf(whyNoProgram(name)), () => {
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
        Object.assign(service.of({ invoice_id: id }), { status });
      }
      writeFileSync(stateOf('0'), '{"reference":');
      await demo.reconcile();
      assert.equal(await demo.payments('m'), 1);
      assert.match(demo.output(), /service_failed/);
    });

    it('many postbacks at once are few look-ups, and the next run looks again', async (t) => {
      const { create, service, demo } = await open(t, name);
      const { id } = await create('order-1');
      const postback = () => fetch(service.postbackUrl(), { method: 'POST' });
      await Promise.all(Array.from({ length: 20 }, postback));
      assert.ok(service.lookUps() < 20, `${service.lookUps()}`);
      service.pay({ invoice_id: id });
      await demo.reconcile();
      assert.equal(await demo.payments('order-1'), 1);
    });

    it('the service is told the address that the web server in front has seen', async (t) => {
      const { create, service } = await open(t, name);
      for (const [at, forwarded] of ['198.51.100.7, 203.0.113.9', 'rubbish'].entries()) {
        await create(`order-${at}`, {}, { 'x-forwarded-for': forwarded });
      }
      const told = service.sent.map(({ body }) => body?.['ip_payer']);
      assert.deepEqual(told, ['203.0.113.9', '127.0.0.1']);
    });

    it('a look-up asks the service without a body: some refuse one', async (t) => {
      const { create, lookUp, service } = await open(t, name);
      const { id, data } = await create('order-1');
      assert.equal((await lookUp(id, data?.['lookup_token'])).status, 200);
      const [asked] = service.sent.filter(({ method }) => method === 'GET');
      const named = [...(asked ?? assert.fail()).headers.keys()];
      assert.deepEqual(
        named.filter((name) => /^content-length|^transfer-/.test(name)),
        [],
      );
    });
  });
}

describe('the server in python', leftOutIf(whyNoProgram('python')), () => {
  it('a length below zero is no body', async (t) => {
    const { demo } = await open(t, 'python');
    const { port, host, pathname } = new URL(demo.url);
    const socket = connect(Number(port), '127.0.0.1');
    t.onTestFinished(() => void socket.destroy());
    const head = ['Content-Type: application/json', 'Content-Length: -1', `Host: ${host}`];
    socket.write([`POST ${pathname}/invoices HTTP/1.1`, ...head, '', ''].join('\r\n'));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1\.\d 4/);
  });
});
