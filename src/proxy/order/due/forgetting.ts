/** Whether an order may be deleted because a person asked for it (LGPD, art. 18): not while something of it is still due. */

import { dayMs, isNear } from '../../../domain/spans.js';
import { entriesOf, untoldOf } from './entries.js';
import { isWatchedClosely } from './times.js';
import type { Given, Order } from '../order.js';

/** How long pages of an order may still pay it, milliseconds: a token to look it up lives as long. */
const pagesLiveMs = 7 * dayMs;

/**
 * Why an order may not be forgotten now, although a person asked for it. `unknown_outcome`: a card of it may have been charged.
 * `untold`: your server was not told all of it. `open`: a code of it, or an id that was named, may still turn out paid.
 * `watched`: it is paid, and asked about for a return. `in_use`: a page used it within a week, and could pay it anew.
 */
export type KeptBecause = 'unknown_outcome' | 'untold' | 'open' | 'watched' | 'in_use';

/** What became of the order. `unknown_order`: nothing is kept under this reference. */
export type ForgetAnswer =
  | { readonly forgotten: true }
  | { readonly forgotten: false; readonly reason: KeptBecause | 'unknown_order' };

/** A person asked that the order be forgotten. @returns null for the order: it is to be deleted */
export function forgotten(
  order: Order,
  { nowMs }: Given,
): readonly [order: Order | null, answer: ForgetAnswer] {
  const reason = whyKept(order, nowMs);
  return reason === null ? [null, { forgotten: true }] : [order, { forgotten: false, reason }];
}

/** @returns null: nothing of it is due */
function whyKept(order: Order, nowMs: number): KeptBecause | null {
  const kinds = entriesOf(order).map(({ kind }) => kind);
  if (kinds.some((kind) => kind === 'sent' || kind === 'unknown')) return 'unknown_outcome';
  if (untoldOf(order).length > 0) return 'untold';
  const isOpen = order.invoices.some(
    (one) => one.lookUpAtMs !== null && isWatchedClosely(one, nowMs),
  );
  if (isOpen || kinds.includes('named')) return 'open';
  if (kinds.includes('named_paid')) return 'watched';
  return isNear(order.aliveAtMs ?? -Infinity, pagesLiveMs, nowMs) ? 'in_use' : null;
}
