/** A body that is announced as too large is not waited for: it may never come, and a connection is held for nothing. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { createNodeListener } from '../../../src/node.js';
import { connectTo, readToEnd, serve } from '../../support/proxy/node-servers.js';
import { openInvoice } from '../../support/proxy/open-invoice.js';
import { openShop, refusalOf, shopOrigin } from '../../support/proxy/shop.js';

const announced = { 'content-length': '100000000000' };

/** A body that never comes. */
function neverComing() {
  let pulls = 0;
  const source = { pull: () => new Promise<void>(() => void (pulls += 1)) };
  const body = new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
  return { init: { method: 'POST', body, duplex: 'half' } as const, pulls: () => pulls };
}

describe('A body that is announced as too large', () => {
  it('is refused at once in a creation, unread', async () => {
    const { init, pulls } = neverComing();
    const headers = { origin: shopOrigin, 'content-type': 'application/json', ...announced };
    const answer = openShop().request('/invoices', { ...init, headers });
    assert.equal(await refusalOf(answer), '413 invalid_request body');
    assert.equal(pulls(), 0);
  });

  it('names no invoice in a postback, which is answered at once, and its order is looked up', async () => {
    const [shop] = await openInvoice();
    const { init, pulls } = neverComing();
    const request = new Request(shop.postbackUrl(), { ...init, headers: announced });
    assert.equal((await shop.proxy.fetch(request)).status, 200);
    await shop.clock.advance(0);
    assert.deepEqual([pulls(), shop.upstream.lookUps()], [0, 1]);
  });

  // The client neither sends the rest nor ends: the test ends only where the server closes the connection by itself.
  const paymentPage = { name: 'Padaria da Ana' };
  const posts: [name: string, path: string, origin: string | null, status: number][] = [
    ['a creation', '/invoices', 'https://page.example', 413],
    ['a creation of the payment page', '/invoices', shopOrigin, 413],
    ['a post to the payment page', '/pay', shopOrigin, 405],
    ['a postback', '/postbacks', null, 200],
  ];
  for (const [name, path, origin, status] of posts) {
    for (const isWrapped of [false, true]) {
      it(`closes its connection with ${status} at once: ${name}${isWrapped ? ', behind a handler of the shop' : ''}`, async (t) => {
        const [shop] = await openInvoice({ paymentPage, allowedOrigins: ['https://page.example'] });
        const { fetch } = shop.proxy;
        const handler: typeof fetch = isWrapped ? (...given) => fetch(...given) : fetch;
        const url = await serve(t, createNodeListener(handler));
        const target = origin === null ? new URL(shop.postbackUrl()).pathname : `/pay${path}`;
        const socket = connectTo(
          t,
          url,
          [
            `POST ${target} HTTP/1.1`,
            'Host: shop.example',
            ...(origin === null ? [] : [`Origin: ${origin}`]),
            'Content-Type: application/json',
            `Content-Length: ${announced['content-length']}`,
            '',
            '{"method":"pix"',
          ].join('\r\n'),
        );
        const answer = await readToEnd(socket);
        assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
        assert.match(answer, /\r\nconnection: close\r\n/i);
        assert.ok(socket.bytesRead < 2_000, 'one answer, and no more');
        await shop.clock.advance(0);
      });
    }
  }
});
