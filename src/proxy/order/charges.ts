/** How charges of cards end. When one may leave stands in `asks/card.ts`. */

import { advanced, blocked } from './attempts.js';
import { named } from './due/due.js';
import { reopened, withNew } from './invoices.js';
import { findInvoice, isCard, isSame, toIssued } from './questions.js';
import type { Attempt, Given, IssuedInvoice, MadeInvoice, Order } from './order.js';

/**
 * How a charge ended. `created`: there is an invoice, paid or pending. `refused`: the card or its data was not accepted; an
 * invoice that the answer named is kept, because it may be paid all the same. `unknown`: it may have charged; `candidate` is an
 * invoice that the answer named.
 */
export type CardEnding =
  | { readonly state: 'created'; readonly invoice: MadeInvoice }
  | { readonly state: 'refused'; readonly invoice: MadeInvoice | null }
  | { readonly state: 'unknown'; readonly candidate: IssuedInvoice | null };

/** The service answered, or its answer is not known. */
export function endedCard(
  order: Order,
  { attempt, ending }: { readonly attempt: Attempt; readonly ending: CardEnding },
  given: Given,
): Order {
  switch (ending.state) {
    case 'created': {
      const known = findInvoice(order, ending.invoice.invoiceId);
      // The service named the order's own code: what became of the card is not known.
      const isOther = known !== undefined && !isCard(known);
      if (!isOther) return made(order, { attempt, invoice: ending.invoice }, given);
      return advanced(order, attempt, { state: 'unknown', candidate: null }, given)[0];
    }
    case 'refused': {
      // The next payment looks it up first: a service may change its mind.
      const { invoice } = ending;
      const recorded = invoice ? made(order, { attempt, invoice }, given) : order;
      return advanced(recorded, attempt, { state: 'refused' }, given)[0];
    }
    case 'unknown': {
      const candidate = ending.candidate && toIssued(ending.candidate);
      return advanced(order, attempt, { state: 'unknown', candidate }, given)[0];
    }
    default:
      return ending satisfies never;
  }
}

/** The service made a card's invoice, or answered with one. One that is known, and not paid, is that card's then, and open again. */
export function made(
  order: Order,
  { invoice, attempt }: { readonly invoice: MadeInvoice; readonly attempt: Attempt },
  given: Given,
): Order {
  const isKnown = findInvoice(order, invoice.invoiceId) !== undefined;
  const recorded = withNew(order, invoice, given);
  const opened = isKnown ? reopened(recorded, invoice, given) : recorded;
  const { invoiceId } = invoice;
  const [next, isNew] = advanced(opened, attempt, { state: 'created', invoiceId }, given);
  return isNew ? next : withLate(next, invoice, attempt, given);
}

/** The answer came after a person's word: it blocks the order again, as soon as another card has ended. */
function withLate(order: Order, invoice: MadeInvoice, attempt: Attempt, given: Given): Order {
  const known = order.attempts.find((one) => isSame(one, attempt));
  if (!isCard(invoice) || (known && !known.released)) return order;
  const [next, is] = blocked(order, invoice, given);
  return is === 'recorded'
    ? next
    : named(order, { lookUpId: invoice.lookUpId, forMs: 0 }, given)[0];
}
