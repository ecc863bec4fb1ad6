/**
 * A person answers an alert that only a person can end: a charge of unknown outcome (charged as this invoice, or not charged),
 * or a paid invoice that differs from its creation. The proxy looks up what may be charged before it believes either. The
 * answer names its alert: if it comes late or twice, when something else blocks the order, it changes nothing.
 */

import { releaseCard } from '../attempts.js';
import { hasOpenMismatch } from '../invoices.js';
import { acceptMismatch, giveMismatchBack } from '../apply-answer.js';
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
import { putNamedIdAsk } from './named-id.js';
import type { Asking, LookUp, LookUpNamed } from './ask.js';

export interface ResolutionAsk {
  readonly kind: 'resolution';
  readonly externalId: string;
  /** The alert that it answers. */
  readonly deliveryId: string;
  /** The invoice as which it was charged; null: it was not charged. */
  readonly invoiceId: string | null;
  /** An invoice that is accepted is asked about again, by itself. */
  readonly isWatched: boolean;
}

/** `isPaid`: the word made the order paid. */
interface Resolution {
  readonly type: 'heeded';
  readonly isHeeded: boolean;
  readonly isPaid: boolean;
}

export type ResolutionReply = Resolution | LookUp | LookUpNamed;

export function putResolutionAsk(
  order: Order,
  ask: ResolutionAsk,
  asking: Asking,
  given: Given,
): Step<ResolutionReply> {
  return ask.invoiceId === null
    ? recordNotCharged(order, ask, asking, given)
    : recordChargedAs(order, { ...ask, invoiceId: ask.invoiceId }, asking, given);
}

/** Not charged. A known invoice is looked up first: it may have been paid since. */
function recordNotCharged(
  order: Order,
  { deliveryId }: ResolutionAsk,
  { said }: Asking,
  given: Given,
): Step<ResolutionReply> {
  const words = [...said.values()];
  if (words.includes('paid')) return [order, toResolution(false)];
  const blocking = findBlockingCard(order, given.nowMs);
  const card = blocking && isAlertAbout(order, blocking, deliveryId) ? blocking : null;
  if (!card && said.size === 0) return recordGivenBack(order, deliveryId);
  // It ended while it was looked up.
  if (!card) return [order, toResolution(words.includes('refused'))];
  const charge = findChargeInvoice(order, card);
  if (charge && !said.has(charge.invoiceId)) return [order, lookUp(charge)];
  const [next, isReleased] = releaseCard(order, card, given);
  return [next, toResolution(isReleased)];
}

/** The person gives back what was paid: the order may be paid in another way. */
function recordGivenBack(order: Order, deliveryId: string): Step<ResolutionReply> {
  const invoice = order.invoices.find(
    (one) => hasOpenMismatch(one) && toMismatchId(one) === deliveryId,
  );
  if (!invoice) return [order, toResolution(false)];
  const [next, isNew] = giveMismatchBack(order, invoice);
  return [next, toResolution(isNew)];
}

/** Charged as this invoice. One that is paid and differs is taken for the order's payment. */
function recordChargedAs(
  order: Order,
  { deliveryId, invoiceId, isWatched }: ResolutionAsk & { readonly invoiceId: string },
  asking: Asking,
  given: Given,
): Step<ResolutionReply> {
  const known = order.invoices.find((one) => isIdOf(invoiceId, one));
  const isFirst = asking.said.size === 0 && asking.found === null;
  if (isFirst && !mayBeChargedAs(order, known, deliveryId)) return [order, toResolution(false)];
  const said = known && asking.said.get(known.invoiceId);
  if (known && said === 'mismatch') {
    const [next, isPaid] = acceptMismatch(order, known, { ...given, isWatched });
    return [next, { ...toResolution(true), isPaid }];
  }
  if (said !== undefined) return [order, toResolution(said === 'paid')];
  if (known?.differsIn !== undefined) return [order, lookUp(known)];
  const { externalId } = order;
  const ask = { kind: 'named', externalId, lookUpId: invoiceId } as const;
  const [next, reply] = putNamedIdAsk(order, ask, asking, given);
  if (reply.type === 'look_up_named') return [next, reply];
  return [next, toResolution(reply.is === 'recorded' || reply.is === 'of_card')];
}

/** Whether an alert is about this card: its outcome, or that its invoice differs from what was created. */
function isAlertAbout(order: Order, card: KeptAttempt, deliveryId: string): boolean {
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

function toResolution(isHeeded: boolean): Resolution {
  return { type: 'heeded', isHeeded, isPaid: false };
}
