/** The OpenAPI document: what it describes is what the readers take, and it finds what is wrong. Needs `npm run build`. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { createFakeProxy } from '../src/testing/fake-proxy.js';
import { openShop, publicUrl, shopOrigin } from './support/proxy/shop.js';
import { faultsOf } from './support/openapi-check.js';
import { toOpenApi } from './tools/build/openapi.js';
import { root } from './tools/tools.js';
import { toCreation } from './support/payer.js';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
};
const problemJson = { 'content-type': 'application/problem+json' };

describe('the OpenAPI document', () => {
  it('is the one that the build wrote', () => {
    const built: unknown = JSON.parse(readFileSync(join(root, 'dist/openapi.json'), 'utf8'));
    assert.deepEqual(built, JSON.parse(JSON.stringify(toOpenApi(version))));
  });

  const wrongTotal = {
    invoice_id: 'inv-00000001',
    external_id: null,
    status: 'paid',
    total_cents: 1.5,
  };
  const ofTotal = Response.json({ data: wrongTotal });
  const ofStatus = new Response('{}', { status: 408, headers: problemJson });
  const soldOut = { type: '', title: '', status: 409, code: 'sold_out' };
  const ofCode = Response.json(soldOut, { status: 409, headers: problemJson });
  const ofType = new Response('<p>', { headers: { 'content-type': 'text/html' } });
  const found: [name: string, path: string, answer: Response, fault: RegExp][] = [
    ['a field', '/invoices', Response.json({ data: { invoice_id: 'a' } }), /data/],
    ['a total', '/invoices/inv-00000001', ofTotal, /total_cents/],
    ['a status', '/invoices', ofStatus, /408 is not/],
    ['a code', '/invoices', ofCode, /code/],
    ['a type', '/invoices', ofType, /text\/html/],
  ];
  for (const [name, path, answer, fault] of found) {
    it(`finds ${name} that is wrong`, async () => {
      assert.match((await faultsOf('GET', path, answer)).join(), fault);
    });
  }

  it('describes what our proxy answers', async () => {
    const shop = openShop();
    const ask = async (body: object, more: Record<string, string>) => {
      const init = toCreation(shopOrigin, body, more);
      const answer = await shop.proxy.fetch(new Request(`${publicUrl}/invoices`, init));
      assert.deepEqual(await faultsOf('POST', '/invoices', answer), []);
      return answer.status;
    };
    const key = { 'idempotency-key': crypto.randomUUID() };
    const order = { external_id: 'a', order_token: await shop.signOrder('a') };
    assert.equal(await ask(order, key), 200);
    assert.equal(await ask({ ...order, expected_total_cents: 1 }, key), 409);
    assert.equal(await ask({ ...order, order_token: 'x' }, key), 401);
    assert.equal(await ask({ ...order, surprise: 1 }, key), 400);
    assert.equal(await ask(order, { ...key, 'content-type': 'text/plain' }), 415);
  });

  it('describes what the test kit answers', async () => {
    const { answer } = createFakeProxy();
    const url = 'https://shop.example/pay/invoices';
    const body = JSON.stringify({ method: 'pix', external_id: 'a' });
    const created = await answer({ method: 'POST', url, headers: {}, body });
    const response = new Response(created?.body ?? '', {
      headers: { 'content-type': 'application/json' },
    });
    assert.deepEqual(await faultsOf('POST', '/invoices', response), []);
  });
});
