/**
 * A postback to the order's own address, or a person, names an id as an invoice of the order. If the service's invoice agrees
 * with a creation of the order, it becomes an invoice of the order, whatever became of its attempt: the service may have
 * charged a card that it refused, or made a code whose answer was lost.
 */

import { invoiceIdPattern } from '../../../contract/types.js';
import { findBlockingCard, findRecentCards, isUnresolved, isIdOf } from '../order.js';
import type { Given, IssuedInvoice, NamedOutcome, Order, SentAs, Step } from '../order.js';
import { findChargeInvoice } from './ask.js';
import type { Asking, LookUpNamed } from './ask.js';

export interface NamedIdAsk {
  readonly kind: 'named';
  readonly externalId: string;
  /** The id the service takes in a look-up. */
  readonly lookUpId: string;
  /** What the shop says that the order costs: where the order sent nothing, the store may have lost it. */
  readonly pricedAs?: readonly SentAs[];
}

/** `unknown`: the order has no such invoice, and sent nothing that it could be. */
interface Found {
  readonly type: 'found';
  readonly is: NamedOutcome | 'unknown';
}

export type NamedIdReply = Found | LookUpNamed;

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

/** The invoice with this id that the order has, or that its blocking card's own answer named; null: there is none. */
function findKnown(order: Order, lookUpId: string, nowMs: number): IssuedInvoice | null {
  const card = findBlockingCard(order, nowMs);
  const all = [card && findChargeInvoice(order, card), ...order.invoices];
  return all.find((one) => one && isIdOf(lookUpId, one)) ?? null;
}

/** What an unknown invoice of the order may be, the likeliest first: the card whose answer is missing, then the newest. */
function listSentAs(order: Order, nowMs: number): readonly SentAs[] {
  const cards = findRecentCards(order, nowMs);
  const newestFirst = [...order.invoices, ...order.sentAs, ...cards].toReversed();
  return [...cards.filter(isUnresolved), ...newestFirst];
}
