/** What tests of postbacks share: the address the service was given, and a postback to it. */

import type { StartTimer } from '../../../src/proxy.js';
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
