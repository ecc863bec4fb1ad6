/** A body that is announced as too large is not waited for: it may never come, and a connection is held for nothing. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { openInvoice } from '../support/open-invoice.js';
import { postbackUrl, settled } from '../support/postback-shop.js';
import { openShop, publicUrl, refusalOf, shopOrigin } from '../support/shop.js';

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
    const { proxy } = openShop();
    const answer = proxy.fetch(new Request(`${publicUrl}/invoices`, { ...init, headers }));
    assert.equal(await refusalOf(answer), '413 invalid_request body');
    assert.equal(pulls(), 0);
  });

  it('names no invoice in a postback, which is answered at once, and its order is looked up', async () => {
    const [shop] = await openInvoice();
    const { init, pulls } = neverComing();
    const request = new Request(postbackUrl(shop), { ...init, headers: announced });
    assert.equal((await shop.proxy.fetch(request)).status, 200);
    await settled(shop);
    assert.deepEqual([pulls(), shop.upstream.lookUps()], [0, 1]);
  });
});
