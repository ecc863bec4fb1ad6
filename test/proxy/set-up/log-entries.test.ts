/** What the log says, so that an operator knows what to do: totals, reasons, hosts, and where postbacks go. */
import assert from 'node:assert/strict';
import { describe, it, vi } from 'vitest';
import { createProxy } from '../../../src/proxy.js';
import type { ProxyOptions } from '../../../src/proxy.js';
import { createNodeListener } from '../../../src/node.js';
import { signOrder } from '../../../src/order-token.js';
import { dataOf, leastOptions, openShop, publicUrl, secrets } from '../../support/proxy/shop.js';
import type { Shop } from '../../support/proxy/shop.js';
import { column, columns } from '../../support/rows.js';
import { networkError } from '../../support/proxy/card-shop.js';
import { openInvoice } from '../../support/proxy/open-invoice.js';

describe('the log', () => {
  it('names both totals that differ, once a minute for each order', async () => {
    const shop = openShop();
    const ask = (externalId: string) =>
      shop.create({ externalId, body: { expected_total_cents: 1 } });
    for (const order of ['a', 'a', 'b']) await ask(order);
    const first = shop.logged('amount_mismatch');
    assert.deepEqual(columns(first, 'level', 'externalId', 'got', 'expected'), [
      ['warn', 'a', '1', '12345'],
      ['warn', 'b', '1', '12345'],
    ]);
    await shop.clock.advance(60_000);
    await ask('a');
    assert.equal(shop.logged('amount_mismatch').length, 3);
  });

  const day = 24 * 3_600_000;
  const sign = (options: Partial<Parameters<typeof signOrder>[0]>) =>
    signOrder({ secrets, publicUrl, externalId: 'a', ...options });
  const tokens: [reason: string, toToken: (now: () => number) => unknown][] = [
    ['expired', (now) => sign({ now: () => now() - day })],
    ['other_order', (now) => sign({ externalId: 'b', now })],
    ['other_secret_or_address', (now) => sign({ secrets: ['x'.repeat(32)], now })],
    ['other_secret_or_address', (now) => sign({ publicUrl: `${publicUrl}/other`, now })],
    ['unreadable', () => 'undefined'],
    ['missing', () => undefined],
  ];
  for (const [at, [reason, toToken]] of tokens.entries()) {
    it(`says why an order token is refused: ${reason} (${at})`, async () => {
      const shop = openShop();
      const order_token = await toToken(shop.clock.now);
      const answer = await shop.create({ externalId: 'a', body: { order_token } });
      assert.equal(answer.status, 401);
      const [told, ...more] = shop.logged('order_token_refused');
      assert.deepEqual([told?.reason, more.length], [reason, 0]);
      assert.ok(told?.hint);
      // The page may be anybody's.
      assert.ok(reason === 'missing' || !(await answer.text()).includes(reason));
    });
  }

  it('names the host of a service that fails, and how its connection failed', async () => {
    const shop = openShop();
    shop.upstream.behave = () => Promise.reject(networkError('ECONNREFUSED'));
    await shop.create();
    const [told] = shop.logged('service_failed');
    assert.deepEqual(
      [told?.host, told?.code, told?.kind],
      ['service.example', 'ECONNREFUSED', 'unsent'],
    );
  });

  for (const base of ['', '/gateway/']) {
    it(`names method and path of a call that failed, without a query: ${base || '/'}`, async () => {
      const [shop, made] = await openInvoice({ serviceUrl: `https://service.example${base}` });
      shop.upstream.behave = () => new Response('{}', { status: 503 });
      await shop.lookUp(made);
      await shop.create({ externalId: 'b' });
      const path = `${base.replace(/\/$/, '')}/api/v2/invoices`;
      assert.deepEqual(columns(shop.logged('service_failed'), 'method', 'path'), [
        ['GET', `${path}/${made.invoice_id}`],
        ['POST', path],
      ]);
    });
  }

  it('says of an answer that is none where it was asked', async () => {
    const shop = openShop();
    shop.upstream.behave = () =>
      new Response('<html>', { headers: { 'content-type': 'text/html' } });
    await shop.create();
    const [told] = shop.logged('invalid_answer');
    assert.deepEqual([told?.method, told?.path], ['POST', '/api/v2/invoices']);
  });

  const lost: [name: string, options: Partial<ProxyOptions>, hint: RegExp][] = [
    ['a sandbox that was restarted', { allowSandbox: true }, /sandbox that was restarted/],
    ['a service that does not know it', {}, /serviceUrl.*accessToken/],
  ];
  for (const [name, options, hint] of lost) {
    it(`says of an invoice that is not found what is likely, and nothing of firewalls: ${name}`, async () => {
      const shop = openShop(options);
      const made = await dataOf(shop.create());
      shop.upstream.invoices.clear();
      await shop.lookUp(made);
      const [told] = shop.logged('service_failed');
      assert.equal(told?.kind, 'not_found');
      assert.match(told.hint ?? '', hint);
      assert.doesNotMatch(told.hint ?? '', /firewall/);
    });
  }

  it('says of a creation that is not found that serviceUrl is wrong', async () => {
    const shop = openShop({ allowSandbox: true });
    shop.upstream.behave = () => new Response('{}', { status: 404 });
    await shop.create();
    assert.match(shop.logged('service_failed')[0]?.hint ?? '', /path.*serviceUrl/);
  });

  it('begins each line with its level and its event, and ends it with its hint', async () => {
    const lines: string[] = [];
    const write = vi.spyOn(console, 'error').mockImplementation((line) => lines.push(String(line)));
    const proxy = createProxy({
      ...leastOptions,
      publicUrl: 'https://proxy.internal/pix',
      resolveOrder: () => ({ total_price_cents: 100 }),
      fetch: async () => new Response('{}', { status: 404 }),
    });
    createNodeListener(proxy.fetch);
    const externalId = 'order-1';
    await assert.rejects(proxy.createInvoice({ externalId, method: 'pix' }));
    await proxy.fetch(new Request('https://proxy.internal/other'));
    await proxy.close();
    write.mockRestore();
    const events = ['started', 'service_failed', 'path_outside_public_url'];
    assert.equal(lines.length, events.length);
    for (const [at, event] of events.entries()) {
      const level = event === 'started' ? 'info' : 'warn';
      assert.ok(lines[at]?.startsWith(`{"level":"${level}","event":"${event}",`), lines[at]);
      assert.match(lines[at] ?? '', /"hint":"[^"]+"\}$/);
    }
  });

  it('repeats nothing that a foreign error calls its code', async () => {
    const shop = openShop();
    shop.upstream.behave = () => Promise.reject(networkError('token canary-access-token'));
    await shop.create();
    assert.equal(shop.logged('service_failed')[0]?.code, undefined);
  });
});

const notesOf = ({ logged }: Shop) => logged('unknown_status');

describe('a status in the log', () => {
  it('that is known or listed is not logged', async () => {
    for (const status of ['pending', 'paid', 'refused', 'canceled']) {
      const [shop, made, invoice] = await openInvoice();
      invoice.status = status;
      await dataOf(shop.lookUp(made));
      assert.deepEqual(notesOf(shop), []);
    }
  });

  it('that is not listed is logged once, with the word and what it was about', async () => {
    const shop = openShop({ statuses: { refused: ['denied'] } });
    for (const status of ['em_analise', 'em_analise', 'denied', 'refused']) {
      const made = await dataOf(shop.create({ externalId: `order-${shop.upstream.creates()}` }));
      shop.upstream.of(made).status = status;
      await shop.lookUp(made);
      await shop.clock.advance(2_000);
    }
    const [first] = shop.upstream.invoices.keys();
    assert.deepEqual(notesOf(shop)[0], {
      level: 'warn',
      event: 'unknown_status',
      operation: 'look_up',
      externalId: 'order-0',
      invoiceId: first,
      serviceStatus: 'em_analise',
    });
    assert.deepEqual(column(notesOf(shop), 'serviceStatus'), ['em_analise', 'refused']);
  });

  it('that is no word is told once, without it', async () => {
    const [shop, made, invoice] = await openInvoice();
    for (const status of ['ana@example.com', 'Ana Souza', '✓', 'paid now']) {
      invoice.status = status;
      await dataOf(shop.lookUp(made));
      await shop.clock.advance(2_000);
    }
    assert.deepEqual(
      notesOf(shop).map((entry) => 'serviceStatus' in entry),
      [false],
    );
  });

  it('of which there are always new ones does not fill the log', async () => {
    const [shop, made, invoice] = await openInvoice();
    for (let i = 0; i < 120; i++) {
      invoice.status = `word_${i}`;
      await dataOf(shop.lookUp(made));
      await shop.clock.advance(2_000);
    }
    assert.equal(notesOf(shop).length, 100);
  });
});

const reaches: [url: string, reach: string][] = [
  ['https://shop.example/pix', 'public'],
  ['https://203.0.113.7/pix', 'public'],
  ['https://shop.example:8443/pix', 'other_port'],
  ['http://localhost:8080/pix', 'loopback'],
  ['http://127.0.0.1:8080/pix', 'loopback'],
  ['http://[::1]:8080/pix', 'loopback'],
  ['https://192.168.0.7/pix', 'private'],
  ['https://proxy.internal/pix', 'private'],
  ['https://proxy/pix', 'private'],
];
for (const [url, reach] of reaches) {
  it(`the start line says that ${url} is ${reach}, and where postbacks go, once`, async () => {
    const { proxy, log, logged } = openShop({ publicUrl: url });
    assert.deepEqual(log, []);
    createNodeListener(proxy.fetch);
    createNodeListener(proxy.fetch);
    await proxy.close();
    const told = logged('started');
    assert.equal(told.length, 1);
    assert.deepEqual([told[0]?.level, told[0]?.reach], ['info', reach]);
    assert.equal(told[0]?.postbacksTo, `${url}/postbacks/`);
  });
}
