/**
 * Takes a person's answer to an alert: whether a card of unknown outcome was charged, or whether a paid invoice that differs
 * from what was created is accepted or returned. The proxy looks the invoice up before it believes the person. The answer
 * names its alert; an answer that comes late or twice changes nothing.
 */

import { releaseCard } from '../attempts.js';
import { acceptMismatch, giveMismatchBack } from '../apply-answer.js';
import {
  findBlockingCard,
  findInvoiceOfAttempt,
  isCard,
  isIdOf,
  isBlocking,
  toInvoiceId,
  hasOpenMismatch,
} from '../order.js';
import { isAlertOfCard, isAnswerableAlert, toMismatchId } from '../told/outbox.js';
import type { Given, IssuedInvoice, KeptAttempt, KeptInvoice, Order, Step } from '../order.js';
import { findIssuedInvoiceOfCard, type Asking, type LookUp, type LookUpNamed } from './ask.js';
import { putNamedIdAsk } from './named-id.js';

export interface ResolutionAsk {
  readonly kind: 'resolution';
  readonly externalId: string;
  /** The alert that the person answers. */
  readonly deliveryId: string;
  /** The invoice that charged the card; null if it was not charged, or if the person gives back the payment that differs. */
  readonly invoiceId: string | null;
  /** Whether the proxy looks an accepted payment up again later, to learn of a return. */
  readonly isWatched: boolean;
}

/** The reply to the person. `isHeeded`: the order took the answer. `isPaid`: this made the order paid. */
interface Resolution {
  readonly type: 'heeded';
  readonly isHeeded: boolean;
  readonly isPaid: boolean;
}

export type ResolutionReply = Resolution | LookUp | LookUpNamed;

/** Replies whether the order took a person's answer to an alert; before that, the look-up that has to confirm it. */
export function putResolutionAsk(
  order: Order,
  ask: ResolutionAsk,
  asking: Asking,
  given: Given,
): Step<ResolutionReply> {
  return ask.invoiceId === null
    ? recordNoPayment(order, ask, asking, given)
    : recordChargedAs(order, { ...ask, invoiceId: ask.invoiceId }, asking, given);
}

/**
 * Releases the card that the alert is about, or gives back its payment that differs. A known invoice of the card is looked up
 * first, because it may have been paid since.
 */
function recordNoPayment(
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
  // The card ended while its invoice was looked up.
  if (!card) return [order, toResolution(words.includes('refused'))];
  const charge = findIssuedInvoiceOfCard(order, card);
  if (charge && !said.has(charge.invoiceId)) return [order, lookUp(charge)];
  const [next, isReleased] = releaseCard(order, card, given);
  return [next, toResolution(isReleased)];
}

/** Records that the shop gives back the payment that this mismatch alert is about. The order can then be paid anew. */
function recordGivenBack(order: Order, deliveryId: string): Step<ResolutionReply> {
  const invoice = order.invoices.find(
    (one) => hasOpenMismatch(one) && toMismatchId(one) === deliveryId,
  );
  if (!invoice) return [order, toResolution(false)];
  const [next, isNew] = giveMismatchBack(order, invoice);
  return [next, toResolution(isNew)];
}

/**
 * Has the invoice that the person names looked up, and takes the person's answer if the invoice is paid or the card's. A
 * paid invoice that differs becomes the order's payment if the answer is to its own alert.
 */
function recordChargedAs(
  order: Order,
  { deliveryId, invoiceId, isWatched }: ResolutionAsk & { readonly invoiceId: string },
  asking: Asking,
  given: Given,
): Step<ResolutionReply> {
  const known = order.invoices.find((one) => isIdOf(invoiceId, one));
  const isFirst = asking.said.size === 0 && asking.found === null;
  if (isFirst && !mayInvoiceAnswerAlert(order, known, deliveryId))
    return [order, toResolution(false)];
  const said = known && asking.said.get(known.invoiceId);
  // A mismatch is accepted only by the answer to its own alert. If the look-up found the mismatch just now, that alert
  // comes next.
  if (known && said === 'mismatch' && toMismatchId(known) === deliveryId) {
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

/** Whether an alert is about this card: about its outcome, or about the mismatch of its invoice. */
function isAlertAbout(order: Order, card: KeptAttempt, deliveryId: string): boolean {
  if (isAnswerableAlert(card, deliveryId)) return true;
  const invoice = findInvoiceOfAttempt(order, card);
  return invoice !== undefined && hasOpenMismatch(invoice) && toMismatchId(invoice) === deliveryId;
}

/**
 * Whether this invoice may answer the alert. The alert may also be about a released card: the person who released it may have
 * been wrong, and the look-up decides.
 * @param known undefined if the order does not know the invoice: then it may, and the look-up decides
 */
function mayInvoiceAnswerAlert(
  order: Order,
  known: KeptInvoice | undefined,
  deliveryId: string,
): boolean {
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
