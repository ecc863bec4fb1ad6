/** One payment through a listener, however requests reach it: what each server and each adapter has to let through. */

import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { createNodeListener } from '../../../src/node.js';
import { eventsOf, openKeptShop, settle, shopOrigin, turnsUntil } from './shop.js';
import type { Shop } from './shop.js';
import { toCreation } from '../payer.js';
import { column } from '../rows.js';

export interface Ask {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Names of headers are in lower case. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export type Send = (ask: Ask) => Promise<Answered>;

/** Where the shop is asked. */
export const host = 'shop.example';

/** What browsers send with a request, and the proxy must not stumble over. */
const usual = {
  origin: shopOrigin,
  cookie: 'session=1; theme=escuro',
  'accept-language': 'pt-BR,pt;q=0.9',
};

/**
 * A preflight, a creation, look-ups, a long poll that a postback ends, and a payment that the shop hears of once.
 *
 * @param open how a listener is asked
 */
export async function payThrough(
  open: (listener: RequestListener) => Send | Promise<Send>,
): Promise<void> {
  const shop = openKeptShop({ hears: ['onPaid'] });
  const send = await open(createNodeListener(shop.proxy.fetch));
  const preflight = await send({
    method: 'OPTIONS',
    path: '/pay/invoices',
    headers: { origin: shopOrigin, 'access-control-request-method': 'POST' },
  });
  assert.deepEqual([preflight.status, preflight.body], [204, '']);
  assert.equal(preflight.headers['access-control-allow-origin'], shopOrigin);

  const { invoice_id, lookup_token } = await create(shop, send);
  const path = `/pay/invoices/${invoice_id}`;
  const headers = { ...usual, 'lookup-token': lookup_token };
  const found = await send({ method: 'GET', path: `${path}?n=1`, headers });
  assert.equal(JSON.parse(found.body).data.status, 'pending');
  assert.equal(found.headers['cache-control'], 'no-store');
  assert.equal(Number(found.headers['content-length']), Buffer.byteLength(found.body));

  const before = shop.clock.dues().length;
  let isAnswered = false;
  const held = send({ method: 'GET', path: `${path}?wait=20`, headers }).finally(
    () => (isAnswered = true),
  );
  await turnsUntil(() => shop.clock.dues().length > before);
  await settle();
  assert.equal(isAnswered, false);
  shop.upstream.pay({ invoice_id });
  await shop.clock.advance(2_000);
  const told = await send({
    method: 'POST',
    path: new URL(shop.postbackUrl()).pathname,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ id: invoice_id, text: 'não é um fato' }),
  });
  assert.equal(told.status, 200);
  assert.equal(JSON.parse((await held).body).data.status, 'paid');
  await settle();
  assert.deepEqual(column(shop.heard.onPaid, 'externalId'), ['order-1']);
  assert.deepEqual(eventsOf(shop), ['started']);
  const aborted = shop.questions.map(({ request }) => request?.signal.aborted);
  assert.deepEqual(new Set(aborted), new Set([false]));
}

export async function create(
  shop: Shop,
  send: Send,
): Promise<Record<'invoice_id' | 'lookup_token', string>> {
  const order_token = await shop.signOrder('order-1');
  const payer = { name: 'João da Conceição', cpf_cnpj: '52998224725', email: 'joao@example.com' };
  const asked = toCreation(shopOrigin, { external_id: 'order-1', order_token, payer }, usual);
  const { status, body } = await send({ path: '/pay/invoices', ...asked });
  assert.equal(status, 200, body);
  const { data } = JSON.parse(body);
  const sent = shop.upstream.sent.findLast(({ method }) => method === 'POST');
  assert.match(JSON.stringify(sent?.body), /João da Conceição/);
  return data;
}
