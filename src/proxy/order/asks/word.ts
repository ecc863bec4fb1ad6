/**
 * A person answers an alert that only a person can end: a charge of unknown outcome (charged as this invoice, or not charged),
 * or a paid invoice that differs from its creation. The proxy looks up what may be charged before it believes either. The
 * answer names its alert: if it comes late or twice, when something else blocks the order, it changes nothing.
 */

import { releaseCard } from '../attempts.js';
import { hasOpenMismatch } from '../invoices.js';
import { acceptMismatch, giveMismatchBack } from '../answers.js';
import {
  findBlockingCard,
  findInvoiceOfAttempt,
  isCard,
  isIdOf,
  isBlocking,
  toInvoiceId,
} from '../order.js';
import { isAlertOfCard, isUnansweredAlert, toMismatchId } from '../told/outbox.js';
import type { Given, IssuedInvoice, KeptAttempt, KeptInvoice, Order, Step } from '../order.js';
import { findChargeInvoice } from './ask.js';
import { putNamedAsk } from './named.js';
import type { Asking, LookUp, LookUpNamed } from './ask.js';

export interface WordAsk {
  readonly kind: 'word';
  readonly externalId: string;
  /** The alert that it answers. */
  readonly deliveryId: string;
  /** The invoice as which it was charged; null: it was not charged. */
  readonly invoiceId: string | null;
  /** An invoice that is accepted is asked about again, by itself. */
  readonly isWatched: boolean;
}

/** `isPaid`: the word made the order paid. */
interface Heeded {
  readonly type: 'heeded';
  readonly isHeeded: boolean;
  readonly isPaid: boolean;
}

export type WordReply = Heeded | LookUp | LookUpNamed;

export function putWordAsk(
  order: Order,
  ask: WordAsk,
  asking: Asking,
  given: Given,
): Step<WordReply> {
  return ask.invoiceId === null
    ? recordNotCharged(order, ask, asking, given)
    : recordChargedAs(order, { ...ask, invoiceId: ask.invoiceId }, asking, given);
}

/** Not charged. A known invoice is looked up first: it may have been paid since. */
function recordNotCharged(
  order: Order,
  { deliveryId }: WordAsk,
  { said }: Asking,
  given: Given,
): Step<WordReply> {
  const words = [...said.values()];
  if (words.includes('paid')) return [order, heeded(false)];
  const blocking = findBlockingCard(order, given.nowMs);
  const card = blocking && isAbout(order, blocking, deliveryId) ? blocking : null;
  if (!card && said.size === 0) return recordGivenBack(order, deliveryId);
  // It ended while it was looked up.
  if (!card) return [order, heeded(words.includes('refused'))];
  const charge = findChargeInvoice(order, card);
  if (charge && !said.has(charge.invoiceId)) return [order, lookUp(charge)];
  const [next, isReleased] = releaseCard(order, card, given);
  return [next, heeded(isReleased)];
}

/** The person gives back what was paid: the order may be paid in another way. */
function recordGivenBack(order: Order, deliveryId: string): Step<WordReply> {
  const invoice = order.invoices.find(
    (one) => hasOpenMismatch(one) && toMismatchId(one) === deliveryId,
  );
  if (!invoice) return [order, heeded(false)];
  const [next, isNew] = giveMismatchBack(order, invoice);
  return [next, heeded(isNew)];
}

/** Charged as this invoice. One that is paid and differs is taken for the order's payment. */
function recordChargedAs(
  order: Order,
  { deliveryId, invoiceId, isWatched }: WordAsk & { readonly invoiceId: string },
  asking: Asking,
  given: Given,
): Step<WordReply> {
  const known = order.invoices.find((one) => isIdOf(invoiceId, one));
  const isFirst = asking.said.size === 0 && asking.found === null;
  if (isFirst && !mayBeChargedAs(order, known, deliveryId)) return [order, heeded(false)];
  const said = known && asking.said.get(known.invoiceId);
  if (known && said === 'mismatch') {
    const [next, isPaid] = acceptMismatch(order, known, { ...given, isWatched });
    return [next, { ...heeded(true), isPaid }];
  }
  if (said !== undefined) return [order, heeded(said === 'paid')];
  if (known?.differsIn !== undefined) return [order, lookUp(known)];
  const { externalId } = order;
  const ask = { kind: 'named', externalId, lookUpId: invoiceId } as const;
  const [next, reply] = putNamedAsk(order, ask, asking, given);
  if (reply.type === 'look_up_named') return [next, reply];
  return [next, heeded(reply.is === 'recorded' || reply.is === 'of_card')];
}

/** Whether an alert is about this card: its outcome, or that its invoice differs from what was created. */
function isAbout(order: Order, card: KeptAttempt, deliveryId: string): boolean {
  if (isUnansweredAlert(card, deliveryId)) return true;
  const invoice = findInvoiceOfAttempt(order, card);
  return invoice !== undefined && hasOpenMismatch(invoice) && toMismatchId(invoice) === deliveryId;
}

/**
 * Whether an alert may be answered by naming this invoice. That of a released card may: a person was wrong, and the service's
 * own word decides.
 */
function mayBeChargedAs(order: Order, known: KeptInvoice | undefined, deliveryId: string): boolean {
  if (known && toMismatchId(known) === deliveryId) return true;
  const card = order.attempts.find((one) => isCard(one) && isAlertOfCard(one, deliveryId));
  if (!card || !(isBlocking(card) || card.released)) return false;
  return known?.differsIn === undefined || toInvoiceId(card.progress) === known.invoiceId;
}

function lookUp(invoice: IssuedInvoice): LookUp {
  return { type: 'look_up', invoices: [invoice], mayFail: false };
}

function heeded(isHeeded: boolean): Heeded {
  return { type: 'heeded', isHeeded, isPaid: false };
}
