/** An order with an open invoice, and look-ups of it that are held. */

import assert from 'node:assert/strict';
import { dataOf, json, openShop, settle, turnsUntil } from './shop.js';
import type { Shop, ShopOptions, Ticket, WireFields } from './shop.js';

/** @returns the shop, what its payer holds, and the invoice as the service sees it */
export async function openInvoice(
  options: ShopOptions = {},
  open = openShop,
): Promise<[Shop, Awaited<ReturnType<typeof dataOf>>, WireFields]> {
  const shop = open(options);
  const made = await dataOf(await shop.create());
  return [shop, made, shop.upstream.of(made)];
}

/** A creation that the service makes, and whose answer is lost. @returns the invoice as the service sees it */
export async function loseCode({ upstream, create }: Shop): Promise<WireFields> {
  let lost: WireFields | null = null;
  upstream.behave = ({ method, body }) => {
    if (method !== 'POST' || !body) return undefined;
    lost = upstream.make(body);
    return json({}, 500);
  };
  assert.equal((await create()).status, 503);
  return lost ?? assert.fail();
}

/** A held look-up, and whether it has been answered. It has its timer by now. */
export async function hold(shop: Shop, ticket: Ticket, query = '?wait=25', signal?: AbortSignal) {
  const before = shop.clock.dues().length;
  const held = { isAnswered: false, response: shop.lookUp(ticket, query, signal) };
  void held.response.then(() => {
    held.isAnswered = true;
  });
  await turnsUntil(() => held.isAnswered || shop.clock.dues().length > before);
  await settle();
  return held;
}

/** An order with an open invoice, and one look-up of it that is held: it has a timer, and the next call another. */
export async function openHeld(options: ShopOptions = {}, query?: string) {
  const [shop, made, invoice] = await openInvoice(options);
  const held = await hold(shop, made, query);
  assert.equal(shop.clock.dues().length, 2);
  return { shop, made, invoice, held };
}
