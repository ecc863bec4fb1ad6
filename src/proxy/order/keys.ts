/**
 * The keys of requests that ended, for as long as the order is known: nothing is ever sent for one, however late its request
 * comes again (a service worker repeats one for a week). Only a digest of each is kept.
 */

import { hasEnded, isCard } from './questions.js';
import type { KeptAttempt, Order } from './order.js';

/** Most keys of one order. Above, the oldest of a page that no request came from go first, then the oldest of Pix. */
export const maxKeys = 400;

/**
 * How a key ended. `barred`: its page was told that there is no attempt with it, before one came. `given_up`: the same, after
 * its claim had run out. `refused`: its card was not charged. `made`: it got a Pix code.
 */
export type KeyEnding = 'barred' | 'given_up' | 'refused' | 'made';

/** In the order in which they go. */
const letters: readonly (readonly [letter: string, ending: KeyEnding])[] = [
  ['b', 'barred'],
  ['m', 'made'],
  ['g', 'given_up'],
  ['r', 'refused'],
];

/** How a key of this order ended; null: it did not, or nothing is known of it. */
export function endingOf({ keys }: Pick<Order, 'keys'>, key: string): KeyEnding | null {
  const digest = toDigest(key);
  if (digest === null) return null;
  const ended = letters.filter(([letter]) => keys.includes(letter + digest));
  return ended.at(-1)?.[1] ?? null;
}

/** Whether a page was told that there is no attempt with this key: there will be none. */
export function isBarred(order: Pick<Order, 'keys'>, key: string): boolean {
  const ending = endingOf(order, key);
  return ending === 'barred' || ending === 'given_up';
}

/** The order with this key ended. */
export function withEnded(order: Order, key: string, ending: KeyEnding): Order {
  const digest = toDigest(key);
  const [letter] = letters.find(([, each]) => each === ending)!;
  if (digest === null || order.keys.includes(letter + digest)) return order;
  return { ...order, keys: withinMost([...order.keys, letter + digest]) };
}

/** The order with the keys of these attempts, which it forgets, ended. */
export function withRetired(order: Order, retired: readonly KeptAttempt[]): Order {
  return retired
    .filter(hasEnded)
    .reduce((before, one) => withEnded(before, one.key, isCard(one) ? 'refused' : 'made'), order);
}

function withinMost(keys: readonly string[]): readonly string[] {
  if (keys.length <= maxKeys) return keys;
  const [first] = letters.find(([letter]) => keys.some((one) => one.startsWith(letter)))!;
  const at = keys.findIndex((one) => one.startsWith(first));
  return keys.filter((_, index) => index !== at);
}

/**
 * The random half of a UUID: 62 bits, of which the pages of one order never make two alike. Null: the proxy made the key itself,
 * and no request comes with it.
 */
function toDigest(key: string): string | null {
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(key)) return key.slice(19).replace('-', '');
  return key.includes(' ') ? null : key;
}
