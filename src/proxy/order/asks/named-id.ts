/**
 * Identifies an id that a postback to the order's own address, or a person, names as an invoice of the order. If the
 * service's invoice agrees with a creation of the order, it joins the order whatever became of its attempt: the service may
 * have charged a card it refused, or created a code whose answer was lost.
 */

import { invoiceIdPattern } from '../../../contract/types.js';
import { findBlockingCard, findRecentCards, isUnresolved, isIdOf } from '../order.js';
import type { Given, IssuedInvoice, NamedOutcome, Order, SentAs, Step } from '../order.js';
import { findIssuedInvoiceOfCard, type Asking, type LookUpNamed } from './ask.js';

export interface NamedIdAsk {
  readonly kind: 'named';
  readonly externalId: string;
  /** The id that the service takes in a look-up. */
  readonly lookUpId: string;
  /** What the order costs, as the shop says. It replaces the order's creations if the store may have lost them. */
  readonly pricedAs?: readonly SentAs[];
}

/**
 * The reply once the id was identified. `unknown`: the order has no such invoice, and sent no creation that it could belong
 * to.
 */
interface Found {
  readonly type: 'found';
  readonly is: NamedOutcome | 'unknown';
}

export type NamedIdReply = Found | LookUpNamed;

/**
 * Replies the command to look the id up or, once that was done, what the id is. An id of the wrong form is `none`. If the order
 * has sent nothing that the id could belong to, replies `unknown` without a look-up.
 */
export function putNamedIdAsk(
  order: Order,
  { lookUpId, pricedAs = [] }: NamedIdAsk,
  { found }: Asking,
  { nowMs }: Given,
): Step<NamedIdReply> {
  if (found !== null) return [order, { type: 'found', is: found }];
  if (!invoiceIdPattern.test(lookUpId)) return [order, { type: 'found', is: 'none' }];
  const known = findKnown(order, lookUpId, nowMs);
  const sent = listSentAs(order, nowMs);
  const sentAs = sent.length > 0 ? sent : pricedAs;
  if (!known && sentAs.length === 0) return [order, { type: 'found', is: 'unknown' }];
  return [order, { type: 'look_up_named', lookUpId, known, sentAs }];
}

/** Finds the invoice with this id: that of the blocking card, or another of the order. @returns null if there is none */
function findKnown(order: Order, lookUpId: string, nowMs: number): IssuedInvoice | null {
  const card = findBlockingCard(order, nowMs);
  const all = [card && findIssuedInvoiceOfCard(order, card), ...order.invoices];
  return all.find((one) => one && isIdOf(lookUpId, one)) ?? null;
}

/**
 * Lists the creations that an unknown invoice may belong to, the likeliest first: the card whose answer is missing, then the
 * newest.
 */
function listSentAs(order: Order, nowMs: number): readonly SentAs[] {
  const cards = findRecentCards(order, nowMs);
  const newestFirst = [...order.invoices, ...order.sentAs, ...cards].toReversed();
  return [...cards.filter(isUnresolved), ...newestFirst];
}
