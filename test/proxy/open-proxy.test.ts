/** A holder of a token must not be a door to the service: probes that may reach nothing and tell nothing. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { accessToken, openShop, refusalOf, serviceUrl } from '../support/proxy/shop.js';

const id = randomUUID();
/** Names of JavaScript that are also well-formed ids: to them a token is missing. */
const ids = new Set(['/pay/invoices/__proto__', '/pay/invoices/constructor']);

const paths = [
  // Beside the paths that there are.
  '',
  '/',
  '/pay',
  '/pay/',
  '/invoices',
  `/invoices/${id}`,
  '/health',
  '/abc/invoices',
  `/abc/invoices/${id}`,
  '/paying/invoices',
  '/pay.invoices',
  '/PAY/invoices',
  '/pay/Invoices',
  '/pay/invoice',
  '/pay/invoicesx',
  '/pay/invoices.json',
  `/pay/invoices/${id}/payer`,
  `/pay/invoices/${id}/refund`,
  '/pay/refunds',
  '/pay/payouts',
  '/pay/company',
  '/pay/metrics',
  '/pay/.env',
  '/pay/.git/config',
  '/pay/healthz',
  '/pay/postbacks',
  '/pay/postbacks/',
  '/pay/postbacks/__proto__',
  '/pay/postbacks/v1.e30.x',
  '/pay/invoices/short',
  '/pay/invoices/toString/x',
  '/pay/sandbox/invoices',
  '/api/v2/invoices',
  '/pay/api/v2/invoices',
  '/api/v2/payouts',
  '/pay/api/v2/payouts',
  `/pay/invoices/${'a'.repeat(65)}`,
  ...ids,
  // Slashes and dots. Doubled ones, and those at an end, are undone: `addresses.test.ts`.
  '/pay/invoices/..',
  '/pay//../api/v2/payouts',
  '/pay//api/v2/payouts',
  `/pay/invoices/${id}//payer`,
  '/pay/../api/v2/payouts',
  '/pay/invoices/../../api/v2/payouts',
  '/pay/./refunds/.',
  // Encoded.
  `/pay/invoices/${id}%2f`,
  `/pay/invoices/${id}%00`,
  `/pay/invoices/${id};a=b`,
  '/pay%2finvoices',
  '/pay/invoices%2f',
  '/pay/%69nvoice',
  '/pay/%2569nvoices',
  '/pay/invoices/..%2f..%2fapi',
  '/pay/invoices/%2e%2e',
  '/pay/invoices/%2e%2e%2fpayouts',
  '/pay/invoices/..%5c..%5capi',
  '/pay/invoices/aaaaaaaa%3fx=1',
  '/pay/invoices/aaaaaaaa%23',
  '/pay/invoices/aaaaaaaa%0d%0aHost:evil',
  '/pay/%c0%ae%c0%ae/invoices',
  '/pay/invoices/%ff%ff%ff%ff%ff%ff%ff%ff',
  // Other hosts.
  '/pay/invoices/https:%2f%2fevil.example',
  '/pay/invoices/@evil.example',
  '/pay/http://evil.example/',
  '/pay/proxy?url=https://evil.example',
];

const headerSets: Record<string, string>[] = [
  {},
  { authorization: `Bearer ${accessToken}` },
  { host: 'service.example', 'x-forwarded-host': 'evil.example' },
  { 'x-original-url': '/api/v2/payouts', 'x-rewrite-url': '/api/v2/payouts' },
  { 'x-http-method-override': 'DELETE', 'x-method': 'POST' },
  { via: '1.1 x', forwarded: 'for=1.1.1.1;host=evil.example', 'x-forwarded-for': '127.0.0.1' },
];

describe('an open-proxy probe', () => {
  for (const path of paths) {
    it(`${path || '(nothing)'} reaches nothing and tells nothing`, async () => {
      const shop = openShop();
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'HEAD']) {
        for (const headers of headerSets) {
          const body = method === 'POST' || method === 'PUT' ? { body: '{}' } : {};
          const request = new Request(`https://shop.example${path}`, { method, headers, ...body });
          const response = await shop.proxy.fetch(request);
          const told = JSON.stringify([...response.headers]) + (await response.text());
          const expected = !ids.has(path) ? 404 : /GET|HEAD/.test(method) ? 401 : 405;
          assert.equal(response.status, expected, `${method} ${path}`);
          if (method === 'HEAD') assert.equal(response.body, null);
          for (const secret of [accessToken, serviceUrl, 'service.example', id, 'evil.example']) {
            assert.ok(!told.includes(secret), `${method} ${path} tells ${secret}`);
          }
        }
      }
      assert.equal(shop.upstream.sent.length, 0);
      const { pathname } = new URL(`https://shop.example${path}`);
      const refused = ids.has(path) ? ['lookup_token_refused'] : [];
      const events = pathname.startsWith('/pay/') ? refused : ['path_outside_public_url'];
      const logged = shop.log.map(({ event }) => event);
      assert.deepEqual(logged, events);
    });
  }

  it('is not served for the query it carries, either', async () => {
    const shop = openShop();
    for (const query of ['?id=1', '?url=https://evil.example', '?wait=5&wait=6', '?__proto__=1']) {
      const response = await shop.request(`/invoices/${id}${query}`);
      assert.equal(await refusalOf(response), '401 unauthorized');
    }
    assert.equal(shop.upstream.sent.length, 0);
  });

  it('sees the same refusal whether an invoice exists or not', async () => {
    const shop = openShop();
    await shop.create();
    const [invoice] = shop.upstream.invoices.keys();
    const answers = [];
    for (const each of [invoice, id]) {
      const response = await shop.request(`/invoices/${each}`);
      answers.push([response.status, [...response.headers], await response.text()]);
    }
    assert.deepEqual(answers[0], answers[1]);
    assert.equal(shop.upstream.lookUps(), 0);
  });
});
