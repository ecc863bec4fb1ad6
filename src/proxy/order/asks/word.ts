/**
 * A person ends what only a person can end: an unresolved charge, by the word of who found out as which invoice the card was
 * charged, or that it was not; and an invoice that is paid and differs from what was created. What may be charged is looked up
 * before either is believed.
 */

import { released } from '../attempts.js';
import { isInQuestion } from '../invoices.js';
import { accepted, givenUp } from '../payments.js';
import { blockingCardOf, isNamedBy } from '../questions.js';
import type { Given, IssuedInvoice, Order, Step } from '../order.js';
import { chargeOf } from './former.js';
import { askedNamed } from './named.js';
import type { Asking, LookUp, LookUpNamed } from './reply.js';

export interface WordAsk {
  readonly kind: 'word';
  readonly externalId: string;
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

export function askedWord(
  order: Order,
  ask: WordAsk,
  asking: Asking,
  given: Given,
): Step<WordReply> {
  return ask.invoiceId === null
    ? notCharged(order, asking, given)
    : chargedAs(order, { ...ask, invoiceId: ask.invoiceId }, asking, given);
}

/** Not charged. A known invoice is looked up first: it may have been paid since. */
function notCharged(order: Order, { said }: Asking, given: Given): Step<WordReply> {
  const card = blockingCardOf(order, given.nowMs);
  const charge = card ? chargeOf(order, card) : null;
  if (said.size === 0) {
    if (!card) return gaveBack(order);
    if (charge) return [order, lookUp(charge)];
  }
  const words = [...said.values()];
  if (words.includes('paid')) return [order, heeded(false)];
  // It may have ended meanwhile, and another card be in flight: the person did not mean that one.
  const isMeant = said.size === 0 || (charge !== null && said.has(charge.invoiceId));
  const [next, isReleased] = card && isMeant ? released(order, card, given) : [order, false];
  return [next, heeded(isReleased || words.includes('refused'))];
}

/** The person gives back what was paid: the order may be paid in another way. */
function gaveBack(order: Order): Step<WordReply> {
  const invoice = order.invoices.find(isInQuestion);
  if (!invoice) return [order, heeded(false)];
  const [next, isNew] = givenUp(order, invoice);
  return [next, heeded(isNew)];
}

/** Charged as this invoice. One that is paid and differs is taken for the order's payment. */
function chargedAs(
  order: Order,
  { invoiceId, isWatched }: WordAsk & { readonly invoiceId: string },
  asking: Asking,
  given: Given,
): Step<WordReply> {
  const known = order.invoices.find((one) => isNamedBy(invoiceId, one));
  const said = known && asking.said.get(known.invoiceId);
  if (known && said === 'mismatch') {
    const accepts = { invoiceId: known.invoiceId, isWatched };
    const [next, isPaid] = accepted(order, accepts, given);
    return [next, { ...heeded(true), isPaid }];
  }
  if (said !== undefined) return [order, heeded(said === 'paid')];
  if (known?.differsIn !== undefined) return [order, lookUp(known)];
  const [next, reply] = askedNamed(order, { lookUpId: invoiceId }, asking, given);
  if (reply.type === 'look_up_named') return [next, reply];
  return [next, heeded(reply.is === 'recorded' || reply.is === 'of_card')];
}

function lookUp(invoice: IssuedInvoice): LookUp {
  return { type: 'look_up', invoices: [invoice], mayFail: false };
}

function heeded(isHeeded: boolean): Heeded {
  return { type: 'heeded', isHeeded, isPaid: false };
}
