/** What was paid, and what became of it: paid is never taken back, and each change of the service's word is told. */

import { isReservedAnew } from './told/current-events.js';
import { dropped, withQueued } from './told/outbox.js';
import { alive, isInQuestion, withInvoice, withNew } from './invoices.js';
import { named } from './due/due.js';
import { toLapsed, toMismatch, toPaid, toReturned } from './told/notices.js';
import { blockingCardOf, findInvoice } from './questions.js';
import { isOlder, times, toDoubtMs } from './due/times.js';
import type {
  Given,
  IssuedInvoice,
  KeptInvoice,
  Order,
  MadeInvoice,
  Step,
  WordTime,
} from './order.js';
import type { MismatchField } from './told/outbox-events.js';

/** What a look-up says of an invoice that is, or was, paid. */
export interface SaidOfPaid {
  readonly invoice: MadeInvoice;
  /** The service's word; `unknown` where it is no plain word. */
  readonly status: string;
  /** Whether the options list it. */
  readonly isListed: boolean;
  /** The Pix end-to-end id of the service's answer; null where it gave none. */
  readonly endToEndId: string | null;
  /** Of when that answer is. Absent: of now. */
  readonly of?: WordTime | undefined;
}

/** `isWatched`: a paid invoice is asked about again, by itself, to learn of a return. */
export type Watching = Given & { readonly isWatched?: boolean };

/**
 * A look-up said paid and agreed. The reminders that were not told are dropped, and its look-ups end. The first paid invoice of
 * an order stays the one that paid it; a later one is a duplicate. `late`: a `lapsed` event of the order was tried before.
 * @param said its invoice with the total and method that the look-up agreed with
 * @returns whether the invoice was not known to be paid
 */
export function heardPaid(
  order: Order,
  said: Omit<SaidOfPaid, 'status' | 'isListed'>,
  given: Watching,
): Step<boolean> {
  const { nowMs, isWatched = false } = given;
  const { invoice: found, endToEndId, of = toNow(given) } = said;
  const before = withNew(order, found, given);
  const known = findInvoice(before, found.invoiceId)!;
  if (known.isPaid) return [order, false];
  const { isReleased: _wrongly, differsIn: _no, ...invoice } = known;
  const { status, totalCents, method } = found;
  const paid: KeptInvoice = {
    ...invoice,
    isPaid: true,
    wordOf: invoice.wordOf ?? of,
    // The paid values count, not those of the creation.
    status,
    totalCents,
    method,
    // An unverified match has none.
    orderCode: invoice.orderCode || found.orderCode,
    code: invoice.code || found.code,
    settledAtMs: nowMs,
    lookUpAtMs: null,
  };
  const duplicate = before.paidId !== null;
  const settled = withInvoice({ ...before, paidId: before.paidId ?? paid.invoiceId }, paid);
  const [unreminded] = dropped(settled, 'waiting', given);
  const [quiet, late] = dropped(unreminded, 'lapsed', given);
  const event = toPaid(paid, { late, duplicate }, endToEndId);
  const told = alive(withQueued(quiet, event, given), given);
  if (!isWatched) return [told, true];
  const [forMs] = times.paid.atAgesMs;
  return [named(told, { lookUpId: found.lookUpId, forMs }, given)[0], true];
}

/**
 * A look-up calls a paid invoice otherwise than the last one did. An answer that is older than what the order knows tells nothing:
 * the invoice is looked up again.
 * @returns whether the merchant's server is told now
 */
export function heardReturned(order: Order, said: SaidOfPaid, given: Given): Step<boolean> {
  const { invoice, status, isListed, endToEndId, of = toNow(given) } = said;
  const before = withNew(order, invoice, given);
  const known = findInvoice(before, invoice.invoiceId)!;
  const { word: former = 'paid', words = 0 } = known;
  if (status === former) return [order, false];
  if (known.wordOf && isOlder(of, known.wordOf)) {
    const forMs = toDoubtMs(known.wordOf, given.nowMs);
    return [named(order, { lookUpId: known.lookUpId, forMs }, given)[0], false];
  }
  const change = words + 1;
  const duplicate = order.paidId !== null && order.paidId !== invoice.invoiceId;
  const facts = { status, isListed, duplicate, isPaidAgain: status === 'paid' };
  const next = withQueued(before, toReturned(known, facts, endToEndId, change), given);
  return [withInvoice(next, { ...known, word: status, words: change, wordOf: of }), true];
}

/** A look-up says the same as the last one: what is older than this one is older than what the order knows. */
export function confirmed(
  order: Order,
  known: KeptInvoice,
  given: Given,
  of: WordTime = toNow(given),
): Order {
  const { wordOf } = known;
  if (wordOf && (of.beganMs <= wordOf.beganMs || isOlder(of, wordOf))) return order;
  return withInvoice(order, { ...known, wordOf: of });
}

function toNow({ nowMs }: Given): WordTime {
  return { beganMs: nowMs, updatedAtMs: null };
}

/**
 * A look-up said paid, but of something else than what was created. Tells the merchant, once for each invoice. One that only a
 * postback named stands in the order from then on: no code is offered beside it.
 */
export function heardMismatch(
  order: Order,
  { invoice, field }: { readonly invoice: MadeInvoice; readonly field: MismatchField },
  given: Given,
): Order {
  const recorded = withNew(order, { ...invoice, code: '' }, given);
  const known = findInvoice(recorded, invoice.invoiceId)!;
  const next = withQueued(recorded, toMismatch({ ...known, ...invoice }, field), given);
  if (known.differsIn === field) return next;
  // A person who released the card knew nothing of a payment.
  const { isReleased, ...others } = known;
  const before = isReleased && known.differsIn !== undefined ? known : others;
  return withInvoice(next, { ...before, differsIn: field });
}

/**
 * The deadline passed, and a look-up after it said not paid. Nothing while the order is paid, has a blocking card, a payment that
 * a person has to look at, or a newer code before its deadline: the goods are still reserved.
 */
export function heardExpired(order: Order, invoice: IssuedInvoice, given: Given): Order {
  const { invoiceId } = invoice;
  const { nowMs } = given;
  const known = findInvoice(order, invoiceId);
  if (!known || known.lapsedAtMs !== null || order.paidId !== null) return order;
  const isReserved = isReservedAnew(order, invoiceId, nowMs);
  const mayBePaid = blockingCardOf(order, nowMs) !== undefined || order.invoices.some(isInQuestion);
  if (isReserved || mayBePaid) return order;
  const [quiet] = dropped(withInvoice(order, { ...known, lapsedAtMs: nowMs }), 'waiting', given);
  return withQueued(quiet, toLapsed(known), given);
}

/** A person takes what was paid for the order's payment, although it differs from what was created. @returns whether it is news */
export function accepted(
  order: Order,
  { invoiceId }: IssuedInvoice,
  given: Watching,
): Step<boolean> {
  const known = findInvoice(order, invoiceId);
  if (known?.differsIn === undefined) return [order, false];
  return heardPaid(order, { invoice: known, endToEndId: null }, given);
}

/** A person gives back what was paid: it does not keep other payments out any more. */
export function givenUp(order: Order, { invoiceId }: IssuedInvoice): Step<boolean> {
  const known = findInvoice(order, invoiceId);
  if (known?.differsIn === undefined || known.isReleased) return [order, false];
  return [withInvoice(order, { ...known, isReleased: true }), true];
}
