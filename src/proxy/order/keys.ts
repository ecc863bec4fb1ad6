/**
 * The keys of requests that ended, for as long as the order is known: nothing is ever sent for one, however late its request
 * comes again (a service worker repeats one for a week). Only a digest of each is kept.
 */

import { hasEnded, isCard } from './questions.js';
import { dayMs, isNear } from '../../domain/spans.js';
import type { Given, KeptAttempt, Order } from './order.js';

/** Most keys of one order. Above, the oldest of Pix go first, then the oldest that are not young. */
export const maxKeys = 400;

/** How long a key gives way to no other, milliseconds: a service worker repeats a request for a week. */
const youngForMs = 8 * dayMs;

/**
 * How a key ended. `barred`: its page was told that there is no attempt with it, before one came. `given_up`: the same, after
 * its claim had run out. `refused`: its card was not charged. `made`: it got a Pix code.
 */
export type KeyEnding = 'barred' | 'given_up' | 'refused' | 'made';

/** In the order in which they go. */
const letters: Readonly<Record<KeyEnding, string>> = {
  made: 'm',
  barred: 'b',
  given_up: 'g',
  refused: 'r',
};

const endings = Object.keys(letters) as readonly KeyEnding[];

/** How a key of this order ended; null: it did not, or nothing is known of it. */
export function endingOf({ keys }: Pick<Order, 'keys'>, key: string): KeyEnding | null {
  const digest = toDigest(key);
  return endings.findLast((one) => keys.includes(`${letters[one]}${digest}`)) ?? null;
}

/** Whether a page was told that there is no attempt with this key: there will be none. */
export function isBarred(order: Pick<Order, 'keys'>, key: string): boolean {
  const ending = endingOf(order, key);
  return ending === 'barred' || ending === 'given_up';
}

/** The order with this key ended. Where all others are young, none is barred: the order is as it was. */
export function withEnded(order: Order, key: string, ending: KeyEnding, { nowMs }: Given): Order {
  const digest = toDigest(key);
  const ended = `${letters[ending]}${digest}`;
  if (digest === '' || order.keys.includes(ended)) return order;
  const youngKeys = { ...youngOf(order, nowMs), [ended]: nowMs };
  const next = withinMost({ ...order, keys: [...order.keys, ended], youngKeys });
  const isBar = ending === 'barred' || ending === 'given_up';
  return isBar && next.keys.length > maxKeys ? order : next;
}

/** The order with the keys of these attempts, which it forgets, ended. */
export function withRetired(order: Order, retired: readonly KeptAttempt[], given: Given): Order {
  return retired
    .filter(hasEnded)
    .reduce(
      (before, one) => withEnded(before, one.key, isCard(one) ? 'refused' : 'made', given),
      order,
    );
}

function withinMost(order: Order): Order {
  const { keys, youngKeys = {} } = order;
  if (keys.length <= maxKeys) return order;
  const mayGo = (one: string) => one.startsWith('m') || !Object.hasOwn(youngKeys, one);
  for (const letter of Object.values(letters)) {
    const at = keys.findIndex((one) => one.startsWith(letter) && mayGo(one));
    if (at >= 0) return { ...order, keys: keys.filter((_, index) => index !== at) };
  }
  return order;
}

function youngOf({ keys, youngKeys = {} }: Order, nowMs: number): Readonly<Record<string, number>> {
  const young = Object.entries(youngKeys).filter(
    ([one, atMs]) => keys.includes(one) && isNear(atMs, youngForMs, nowMs),
  );
  return Object.fromEntries(young);
}

/**
 * The random half of a UUID: 62 bits, of which the pages of one order never make two alike. Empty: the proxy made the key itself,
 * and no request comes with it.
 */
function toDigest(key: string): string {
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(key)) return key.slice(19).replace('-', '');
  return key.includes(' ') ? '' : key;
}
