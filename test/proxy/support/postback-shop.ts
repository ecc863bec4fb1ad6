/** What tests of postbacks share: the address the service was given, a postback to it, and a card whose answer was lost. */

import { randomUUID } from 'node:crypto';
import type { ProxyOptions } from '../../../src/proxy.js';
import type { StartTimer } from '../../../src/proxy/config/options.js';
import { createMemoryStore } from '../../../src/proxy/store/memory/memory-store.js';
import { networkError, openCardShop } from './card-shop.js';
import type { CardShop } from './card-shop.js';
import { settle } from './shop.js';
import type { Shop, TestClock } from './shop.js';

/** The address that the service was given with the newest creation. */
export function postbackUrl({ upstream }: Pick<Shop, 'upstream'>): string {
  return String(upstream.sent.findLast(({ method }) => method === 'POST')?.body?.['postback_url']);
}

/** Sends a postback: a POST unless `init` says otherwise. */
export function post({ proxy }: Shop, url: string, init: RequestInit = {}): Promise<Response> {
  return proxy.fetch(new Request(url, { method: 'POST', ...init }));
}

/** Lets a look-up that begins by itself come to its end. */
export async function settled(shop: Shop): Promise<void> {
  await settle();
  await shop.clock.advance(0);
}

/** A clock that several shops share, as options. */
export function toTimes({ now, startTimer }: TestClock): {
  now: () => number;
  startTimer: StartTimer;
} {
  return { now, startTimer };
}

export interface LostCard {
  readonly shop: CardShop;
  readonly key: string;
  readonly url: string;
  /** The invoice that the service made. */
  readonly id: string;
  /** Paths of the look-ups that went out, while the test does not replace the network. */
  readonly asked: string[];
  /** Sends a postback with this body, and lets its look-up end. */
  readonly tell: (body: unknown) => Promise<void>;
}

/**
 * An order whose card the service took, but its answer was lost.
 * @param clock with it there is a ledger, and so reconciliation
 */
export async function loseCard(
  options: Partial<ProxyOptions> = {},
  clock?: TestClock,
): Promise<LostCard> {
  const kept = clock && { ledger: createMemoryStore(clock.now), ...toTimes(clock) };
  const shop = Object.assign(openCardShop({ ...kept, ...options }), clock && { clock });
  const key = randomUUID();
  const asked: string[] = [];
  let url = '';
  shop.network = async (request) => {
    if (request.method === 'GET') return void asked.push(new URL(request.url).pathname);
    ({ postback_url: url } = await request.clone().json());
    await shop.sandbox.fetch(request.clone());
    throw networkError('ECONNRESET');
  };
  await shop.pay(undefined, { key });
  const tell = async (body: unknown) => {
    await post(shop, url, { body: typeof body === 'string' ? body : JSON.stringify(body) });
    await settled(shop);
  };
  return { shop, key, url, id: await newestOf(shop), asked, tell };
}

/** The invoice that the sandbox made last. */
export async function newestOf(shop: CardShop): Promise<string> {
  const response = await shop.control('/invoices', undefined, 'GET');
  const { invoices }: { invoices: { invoice_id: string }[] } = await response.json();
  return invoices.at(-1)!.invoice_id;
}
