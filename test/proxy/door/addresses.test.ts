/** What a gateway may do to an address is undone where it cannot mean anything else, and HEAD is a GET without its body. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import {
  dataOf,
  openKeptShop,
  openShop,
  publicUrl,
  refusalOf,
  settle,
  turnsUntil,
} from '../../support/proxy/shop.js';
import type { ShopOptions } from '../../support/proxy/shop.js';
import { openInvoice } from '../../support/proxy/open-invoice.js';
import { column } from '../../support/rows.js';

/** The same address as gateways write it. */
const writings: Readonly<Record<string, (path: string) => string>> = {
  'a slash at the end': (path) => `${path}/`,
  'several slashes at the end': (path) => `${path}///`,
  'doubled slashes': (path) => path.replaceAll('/', '//'),
  'encoded letters': (path) => path.replace(/[a-z]/, (letter) => `%${toHex(letter)}`),
  'encoded dots and hyphens': (path) => path.replaceAll(/[._~-]/g, (mark) => `%${toHex(mark)}`),
  'the same in small letters': (path) =>
    path.replaceAll(/[._~-]/g, (mark) => `%${toHex(mark).toLowerCase()}`),
};

const toHex = (letter: string) => letter.charCodeAt(0).toString(16).toUpperCase();

const origin = 'https://shop.example';

describe('an address that a gateway has written anew', () => {
  for (const [name, write] of Object.entries(writings)) {
    it(`with ${name} is the same one`, async () => {
      const [shop, made] = await openInvoice({ paymentPage: { name: 'Padaria' } }, openKeptShop);
      const headers = { authorization: `Bearer ${made.lookup_token}` };
      const paths = ['/health', '/ready', '/pay', '/pay.css', `/invoices/${made.invoice_id}`];
      for (const path of paths) {
        const url = origin + write(`/pay${path}`);
        const { status } = await shop.proxy.fetch(new Request(url, { headers }));
        assert.equal(status, 200, url);
      }
      const { pathname } = new URL(shop.postbackUrl());
      const url = origin + write(pathname);
      const told = await shop.proxy.fetch(new Request(url, { method: 'POST' }));
      assert.equal(told.status, 200, url);
    });
  }

  it('with a query is the same one', async () => {
    const shop = openKeptShop();
    await shop.create();
    const url = `${shop.postbackUrl()}?hmac=abc&ignorar=`;
    assert.equal((await shop.proxy.fetch(new Request(url, { method: 'POST' }))).status, 200);
  });

  it('with an encoded slash, or encoded twice, is another one', async () => {
    const shop = openShop();
    for (const path of ['/pay%2Finvoices', '/pay/%2569nvoices', '/pay/health%2F']) {
      assert.equal((await shop.proxy.fetch(new Request(origin + path))).status, 404, path);
    }
  });
});

describe('a postback', () => {
  for (const end of ['/pix', '/pix/', '//pix', '/webhook', '/pix?hmac=abc']) {
    it(`to its address with ${end} behind it finds the payment`, async () => {
      const shop = openKeptShop({ hears: ['onPaid'] });
      shop.upstream.pay(await dataOf(await shop.create()));
      const url = shop.postbackUrl() + end;
      const told = await shop.proxy.fetch(new Request(url, { method: 'POST', body: '{}' }));
      assert.equal(told.status, 200);
      await settle();
      assert.deepEqual(column(shop.heard.onPaid, 'externalId'), ['order-1']);
    });
  }

  it('to more than that is refused', async () => {
    const shop = openKeptShop();
    await shop.create();
    for (const end of ['/pix/pix', '/../x', '/PIX', '/v1.x', 'pix']) {
      const request = new Request(shop.postbackUrl() + end, { method: 'POST' });
      assert.equal((await shop.proxy.fetch(request)).status, 404, end);
    }
  });
});

describe('every address', () => {
  /** A shop with all that can be read: for pages of the allowed origins, and for everybody. */
  async function openAll() {
    const options: ShopOptions = { paymentPage: { name: 'Padaria' }, hears: ['onPixWaiting'] };
    const [shop, made] = await openInvoice(options, openKeptShop);
    await shop.proxy.runDue();
    const { onPixWaiting: waiting } = shop.heard;
    await turnsUntil(() => waiting.length > 0);
    const open = ['/health', '/ready', '/pay', '/pay.css', '/assets/pix-checkout.min.js'];
    const headers = { authorization: `Bearer ${made.lookup_token}` };
    return {
      ask: (url: string, method: string) => shop.proxy.fetch(new Request(url, { method, headers })),
      open: [...open.map((path) => publicUrl + path), ...column(waiting, 'qrImageUrl').map(String)],
      others: ['', `/${made.invoice_id}`, '/unknown-invoice'].map(
        (id) => `${publicUrl}/invoices${id}`,
      ),
    };
  }

  it('answers HEAD as GET, without the body', async () => {
    const { ask, open, others } = await openAll();
    for (const url of [...open, ...others, `${publicUrl}/order`, `${publicUrl}/nowhere`]) {
      const [head, get] = [await ask(url, 'HEAD'), await ask(url, 'GET')];
      assert.equal(head.body, null, url);
      assert.equal(head.status, get.status, url);
      assert.deepEqual([...head.headers], [...get.headers], url);
    }
  });

  it('that everybody may read is written by no one', async () => {
    const { ask, open } = await openAll();
    for (const url of open) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const refused = await ask(url, method);
        assert.equal(refused.headers.get('allow'), 'GET, HEAD', url);
        assert.equal(await refusalOf(refused), '405 invalid_request method', `${method} ${url}`);
      }
    }
  });
});
