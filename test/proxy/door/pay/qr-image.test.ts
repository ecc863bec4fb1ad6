/** Pix codes as pictures for e-mails: who gets one, how long, and that a camera reads it. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { qrEndings } from '../../../../src/checkout/locales/outside-element/pt-br.js';
import { losesAnswer, openCardShop, outcomeOf, unknown } from '../../../support/proxy/card-shop.js';
import { turnsUntil } from '../../../support/proxy/clock.js';
import { dataOf, eventsOf, openShop, publicUrl, refusalOf } from '../../../support/proxy/shop.js';
import type { Shop, ShopOptions } from '../../../support/proxy/shop.js';

/** A shop with a Pix code, and the address of its picture. */
async function openShopWithPicture<T extends Shop = Shop>(
  options: ShopOptions = {},
  open: (options: ShopOptions) => T = openShop as (options: ShopOptions) => T,
) {
  const shop = open({ hears: ['onPixWaiting'], ...options });
  const invoice = await dataOf(shop.create());
  await shop.proxy.runDue();
  const { onPixWaiting: heard } = shop.heard;
  await turnsUntil(() => heard.length > 0);
  const [{ qrImageUrl = '', paymentUrl } = assert.fail()] = heard;
  const show = (url = qrImageUrl, remoteAddress = '203.0.113.7') =>
    shop.proxy.fetch(new Request(url), { remoteAddress });
  return { shop, invoice, qrImageUrl, paymentUrl, show };
}

async function readPicture(response: Response) {
  const bytes = Buffer.from(await response.arrayBuffer());
  const { width, height, data } = PNG.sync.read(bytes);
  const text = jsQR(new Uint8ClampedArray(data), width, height)?.data ?? null;
  return { bytes, width, text };
}

describe('the picture of a Pix code', () => {
  it('is read by a camera, weighs little, and is kept by no shared cache', async () => {
    const { show, invoice } = await openShopWithPicture();
    const response = await show();
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'image/png');
    assert.equal(response.headers.get('cache-control'), 'private, max-age=60');
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(response.headers.get('set-cookie'), null);
    const { bytes, text } = await readPicture(response);
    assert.equal(text, invoice['qr_code_pix']);
    assert.ok(bytes.length <= 2_048, `${bytes.length} bytes`);
  });

  it('may be shown by a page that isolates itself (COEP): every answer says so', async () => {
    const { shop, show, qrImageUrl, invoice } = await openShopWithPicture();
    const answers = [
      await show(),
      await shop.proxy.fetch(new Request(qrImageUrl, { method: 'HEAD' })),
      await show(`${publicUrl}/qr/v1.other.png`),
    ];
    await shop.seePaid(invoice);
    answers.push(await show());
    const policies = answers.map(({ status, headers }) => [
      status,
      headers.get('cross-origin-resource-policy'),
    ]);
    assert.deepEqual(
      policies,
      [200, 200, 404, 410].map((status) => [status, 'cross-origin']),
    );
  });

  it('stands beside a link to the payment page, where there is one', async () => {
    const { paymentUrl } = await openShopWithPicture({ paymentPage: { name: 'Loja' } });
    assert.match(paymentUrl ?? '', new RegExp(`^${publicUrl}/pay#v1\\.`));
    assert.equal((await openShopWithPicture()).paymentUrl, undefined);
  });

  it('ends with the payment', async () => {
    const { shop, show, invoice } = await openShopWithPicture();
    await shop.seePaid(invoice);
    await assertEnded(await show(), 'paid');
  });

  it('ends with the deadline', async () => {
    const { shop, show } = await openShopWithPicture({
      resolveOrder: () => ({ total_price_cents: 12_345, expires_in: 600 }),
    });
    assert.equal((await show()).status, 200);
    await shop.clock.advance(601_000);
    await assertEnded(await show(), 'ended');
  });

  it('is not shown while a card of the order may have been charged', async () => {
    const { shop, show } = await openShopWithPicture({}, openCardShop);
    shop.answerNext(losesAnswer);
    assert.equal(await outcomeOf(shop.pay()), unknown);
    await assertEnded(await show(), 'ended');
  });

  it('is found by its signed token alone', async () => {
    const { shop, show, qrImageUrl, invoice } = await openShopWithPicture();
    const token = new URL(qrImageUrl).pathname.split('/').at(-1)!.replace('.png', '');
    const [version, payload, signature] = token.split('.') as [string, string, string];
    const other = Buffer.from(JSON.stringify({ e: 'order-2', i: invoice.invoice_id }));
    const forged = [
      `${version}.${other.toString('base64url')}.${signature}`,
      `${version}.${payload}.${signature.slice(0, -2)}AA`,
      invoice.lookup_token,
      randomUUID(),
    ];
    for (const one of forged) {
      assert.equal(await refusalOf(show(`${publicUrl}/qr/${one}.png`)), '404 not_found');
    }
    assert.ok(!JSON.stringify(shop.log).includes(token));
  });

  it('is asked for thirty times a minute from one address', async () => {
    const { shop, show } = await openShopWithPicture();
    for (let n = 0; n < 30; n += 1) assert.equal((await show()).status, 200);
    assert.equal((await show()).status, 429);
    assert.ok(eventsOf(shop).includes('address_limited'));
    assert.equal((await show(undefined, '198.51.100.1')).status, 200);
  });

  async function assertEnded(response: Response, how: 'paid' | 'ended') {
    assert.equal(response.status, 410);
    const { bytes, width, text } = await readPicture(response);
    assert.equal(bytes.toString('base64'), qrEndings[how]);
    assert.deepEqual([width, text], [290, null]);
  }
});
