/**
 * Applies the answer of a look-up to the order, whether a page, a postback, a person or the proxy itself asked. An order
 * becomes paid only here, and stays paid.
 */

import {
  advanceAttempt,
  addInvoice,
  blockByCharge,
  blockOrQueueCharge,
  recordCardInvoice,
} from './attempts.js';
import {
  findCardOfInvoice,
  findInvoice,
  isUnresolved,
  isCard,
  findBlockingCard,
  hasOpenMismatch,
  recordActivity,
  replaceInvoice,
  type Given,
  type KeptAttempt,
  type KeptInvoice,
  type MadeInvoice,
  type NamedOutcome,
  type Order,
  type Step,
  type AnswerTime,
  type MismatchField,
  type IssuedInvoice,
} from './order.js';
import {
  isReservedByNewerCode,
  dropEvents,
  queueEvent,
  toLapsedEvent,
  toNextAlert,
  toMismatchEvent,
  toPaidEvent,
  toReturnedEvent,
} from './told/outbox.js';
import { queueNamedId } from './due.js';
import { isOlderAnswer, times, toRecheckMs } from './times.js';

/**
 * What an answer means for an invoice.
 *
 * - `paid`: the answer agrees with what was created.
 * - `refused`: the card was not charged.
 * - `open`: neither paid nor refused; mostly the service has not decided yet.
 * - `foreign`: reference, total or method differ from what was created, so the order ignores the answer.
 * - `mismatch`: an invoice of the order is paid but differs from what was created, so a person has to look at it.
 */
export type Meaning = 'paid' | 'refused' | 'open' | 'foreign' | 'mismatch';

/** A look-up's answer after `outside/invoice-forms.ts` compared it with what was created. */
export interface ServiceAnswer {
  /** The invoice with the total, method and status of the answer. */
  readonly invoice: MadeInvoice;
  readonly meaning: Meaning;
  /** The service's status; `unknown` if it does not look like a status word. */
  readonly word: string;
  /**
   * What the status means for a paid invoice: `returned` is listed as a return, `other` is in no list, `none` says nothing
   * about a return.
   */
  readonly wordIs: 'returned' | 'other' | 'none';
  /** The field that differs from what was created; null if all agree. */
  readonly field: MismatchField | null;
  /** The Pix end-to-end id; null if the service gave none. */
  readonly endToEndId: string | null;
  /** The time of the answer; absent means now. */
  readonly of?: AnswerTime;
  /** Whether the service calls the code expired or canceled. No page gets the code any more, but a payer may still pay it. */
  readonly isOver?: boolean;
  /** Whether a postback or a person says that the invoice belongs to this order. Such an invoice may be new to the order. */
  readonly isNamed?: boolean;
}

/** What an answer changed in the order. */
export interface AnswerEffect {
  /** Whether the order knows the invoice as paid, whatever the service says now. */
  readonly isPaid: boolean;
  /** The event of money that this answer queued for the merchant's server; null if none. */
  readonly news: 'paid' | 'returned' | null;
  /** The card that this answer ended as refused; null if it ended none. */
  readonly refused: KeptAttempt | null;
  /** What a named invoice turned out to be. */
  readonly is: NamedOutcome;
}

const noEffect: AnswerEffect = { isPaid: false, news: null, refused: null, is: 'none' };

/**
 * Records what a look-up's answer says about an invoice: a payment, a mismatch, a refusal, a return, or an open charge.
 * Ignores an answer about another order or amount (`foreign`).
 */
export function applyAnswer(
  order: Order,
  answer: ServiceAnswer,
  given: AnswerGiven,
): Step<AnswerEffect> {
  const { invoice, meaning } = answer;
  const known = findInvoice(order, invoice.invoiceId);
  if (meaning === 'foreign') return [order, { ...noEffect, isPaid: known?.isPaid ?? false }];
  if (known?.isPaid) return applyStatusOfPaid(order, known, answer, given);
  switch (meaning) {
    case 'paid':
      return applyPayment(order, answer, given);
    case 'mismatch': {
      const { field } = answer;
      if (field === null) return [order, noEffect];
      return [recordMismatch(order, { invoice, field }, given), { ...noEffect, is: 'open' }];
    }
    case 'refused':
      return applyRefusal(order, answer, given);
    case 'open':
      return applyOpen(order, answer, known, given);
    default:
      return meaning satisfies never;
  }
}

/**
 * Records a new status of an invoice that the order knows as paid, such as a return, and queues `returned`. The invoice
 * stays paid.
 */
function applyStatusOfPaid(
  order: Order,
  known: KeptInvoice,
  answer: ServiceAnswer,
  given: Given,
): Step<AnswerEffect> {
  const { meaning, word, wordIs, isNamed } = answer;
  const is = { ...noEffect, isPaid: true, is: 'recorded' } as const;
  if (meaning !== 'paid' && wordIs === 'none') return [order, is];
  const status = meaning === 'paid' ? 'paid' : word;
  const said = { ...toPaidAnswer(answer), invoice: known, status };
  // A look-up for a page writes nothing if the status is the same.
  if (isNamed && status === (known.word ?? 'paid'))
    return [confirmStatus(order, known, given, answer.of), is];
  const [next, isNews] = recordStatusAfterPayment(order, said, given);
  return [next, { ...is, news: isNews ? 'returned' : null }];
}

/**
 * Records the payment and queues `paid`. If a card has this invoice, its attempt becomes `created`; so does that of an
 * unresolved card of this total, if a postback or a person named the invoice.
 */
function applyPayment(
  order: Order,
  answer: ServiceAnswer,
  given: PaymentGiven,
): Step<AnswerEffect> {
  const { invoice, isNamed = false } = answer;
  const said = { ...toPaidAnswer(answer), status: 'paid', isListed: true };
  const [first] = recordPayment(order, said, given);
  // The payment may have been returned before the proxy learned of it. Then this answer says that it is paid again, or is an
  // old one.
  const [paid] = recordStatusAfterPayment(first, said, given);
  const { invoiceId } = invoice;
  const card =
    findCardOfInvoice(paid, invoiceId) ?? (isNamed ? findUnresolvedCard(paid, invoice) : undefined);
  const next = card ? advanceAttempt(paid, card, { state: 'created', invoiceId }, given)[0] : paid;
  return [next, { isPaid: true, news: 'paid', refused: null, is: 'recorded' }];
}

/**
 * Ends the card that has this invoice as refused, which frees the order. Without such a card, only the look-ups of a card
 * that a person released end.
 */
function applyRefusal(order: Order, { invoice }: ServiceAnswer, given: Given): Step<AnswerEffect> {
  const card = findCardOfInvoice(order, invoice.invoiceId);
  if (!card) {
    const known = findInvoice(order, invoice.invoiceId);
    if (!known) return [order, noEffect];
    // The person who released the card was right: the service refused it, so it needs no look-up any more.
    const next = known.isReleased ? replaceInvoice(order, { ...known, lookUpAtMs: null }) : order;
    return [next, { ...noEffect, is: 'open' }];
  }
  const [next, isNew] = advanceAttempt(order, card, { state: 'refused' }, given);
  return [next, { ...noEffect, refused: isNew ? card : null, is: 'recorded' }];
}

/**
 * Records an answer that is neither paid nor refused, so that an open charge blocks the order. If the service calls the
 * invoice returned, it was paid before any look-up saw that, so this queues `returned` as well.
 */
function applyOpen(
  order: Order,
  answer: ServiceAnswer,
  known: KeptInvoice | undefined,
  given: AnswerGiven,
): Step<AnswerEffect> {
  const [next, is] = attachOpenInvoice(order, answer, known, given);
  if (answer.wordIs !== 'returned' || is === 'none') return [next, { ...noEffect, is }];
  const [told, isNews] = recordStatusAfterPayment(next, toPaidAnswer(answer), given);
  return [told, { ...noEffect, is, news: isNews ? 'returned' : null }];
}

/**
 * Finds out which invoice of the order an open answer is about, and records what that means: the invoice becomes that of a
 * card with unknown outcome, a charge without an attempt blocks the order, an expired or canceled code is marked, and an
 * unknown invoice is added if a postback or a person named it.
 */
function attachOpenInvoice(
  order: Order,
  { invoice, wordIs, isOver, isNamed }: ServiceAnswer,
  known: KeptInvoice | undefined,
  given: AnswerGiven,
): Step<NamedOutcome> {
  const card = findCardOfInvoice(order, invoice.invoiceId);
  if (card?.progress.state === 'unknown')
    return [recordCardInvoice(order, { invoice, attempt: card }, given), 'of_card'];
  if (card) return [order, 'busy'];
  if (!known) return isNamed ? adoptInvoice(order, invoice, given) : [order, 'none'];
  if (wordIs === 'returned') return [order, 'recorded'];
  if (isOver && !known.isOver) return [replaceInvoice(order, { ...known, isOver: true }), 'open'];
  if (!isCard(known) || known.isReleased) return [order, 'open'];
  if (isNamed) return blockByCharge(order, invoice, given);
  return given.refusalIsFinal === false
    ? [blockOrQueueCharge(order, invoice, given), 'open']
    : [order, 'open'];
}

/** Takes the fields of an answer that the facts about payments and returns need. */
function toPaidAnswer({
  invoice,
  word: status,
  wordIs,
  endToEndId,
  of,
}: ServiceAnswer): PaidAnswer {
  return { invoice, status, isListed: wordIs !== 'other', endToEndId, of };
}

/**
 * Adds an invoice whose creation answer was lost. A Pix invoice is kept without its code. A card's invoice goes to the
 * unresolved card of this total; without such a card, it blocks the order by itself.
 */
function adoptInvoice(order: Order, invoice: MadeInvoice, given: Given): Step<NamedOutcome> {
  // The code was never checked, so it is not kept, and no payer will see it.
  if (!isCard(invoice)) return [addInvoice(order, { ...invoice, code: '' }, given), 'recorded'];
  const card = findUnresolvedCard(order, invoice);
  if (card) return [recordCardInvoice(order, { invoice, attempt: card }, given), 'of_card'];
  return blockByCharge(addInvoice(order, invoice, given), invoice, given);
}

/** Finds a card of this total that was sent and whose outcome is not known. */
function findUnresolvedCard({ attempts }: Order, invoice: MadeInvoice): KeptAttempt | undefined {
  return attempts.find(
    (one) =>
      isUnresolved(one) && one.method === invoice.method && one.totalCents === invoice.totalCents,
  );
}

// Payments and returns
//
// A paid order stays paid. Each later change of the service's status queues an event.

/** What a look-up says about an invoice that is or was paid. */
export interface PaidAnswer {
  readonly invoice: MadeInvoice;
  /** The service's status; `unknown` if it does not look like a status word. */
  readonly status: string;
  /** Whether the option `statuses` lists the status. */
  readonly isListed: boolean;
  /** The Pix end-to-end id; null if the service gave none. */
  readonly endToEndId: string | null;
  /** The time of the answer; absent means now. */
  readonly of?: AnswerTime | undefined;
}

/** With `isWatched`, the proxy looks a paid invoice up again later, to learn of a return. */
export type PaymentGiven = Given & { readonly isWatched?: boolean };

/**
 * `refusalIsFinal`: whether a card that the service refused cannot be charged any more, an option that is true by default.
 */
export type AnswerGiven = PaymentGiven & { readonly refusalIsFinal?: boolean };

/**
 * Records a payment that a look-up confirmed and queues `paid`. Ends the look-ups of the invoice and drops reminders that
 * were not sent yet. The first paid invoice pays the order; later ones are duplicates. A payment is
 * `late` if `onLapsed` was called for the order before.
 * @param said the invoice with the total and method that the look-up confirmed
 * @returns whether the payment is new
 */
export function recordPayment(
  order: Order,
  said: Omit<PaidAnswer, 'status' | 'isListed'>,
  given: PaymentGiven,
): Step<boolean> {
  const { nowMs, isWatched = false } = given;
  const { invoice: found, endToEndId, of = toPresentAnswerTime(given) } = said;
  const before = addInvoice(order, found, given);
  const known = findInvoice(before, found.invoiceId)!;
  if (known.isPaid) return [order, false];
  const { isReleased: _wrongly, differsIn: _no, ...invoice } = known;
  const { status, totalCents, method } = found;
  const paid: KeptInvoice = {
    ...invoice,
    isPaid: true,
    wordOf: invoice.wordOf ?? of,
    // The paid values replace those of the creation.
    status,
    totalCents,
    method,
    // A candidate has no order code and no Pix code, so those of the answer are taken.
    orderCode: invoice.orderCode || found.orderCode,
    code: invoice.code || found.code,
    settledAtMs: nowMs,
    lookUpAtMs: null,
  };
  const duplicate = before.paidId !== null;
  const settled = replaceInvoice({ ...before, paidId: before.paidId ?? paid.invoiceId }, paid);
  const [unreminded] = dropEvents(settled, 'waiting', given);
  const [quiet, late] = dropEvents(unreminded, 'lapsed', given);
  const event = toPaidEvent(paid, { late, duplicate }, endToEndId);
  const told = recordActivity(queueEvent(quiet, event, given), given);
  if (!isWatched) return [told, true];
  const [forMs] = times.paid.atAgesMs;
  return [queueNamedId(told, { lookUpId: found.lookUpId, forMs }, given)[0], true];
}

/**
 * Records that the status of a paid invoice changed, and queues `returned`, also when it is paid again. Does nothing if the
 * status is the same. If the answer is older than what the order knows, only another look-up of the invoice is queued.
 * @returns whether an event was queued
 */
function recordStatusAfterPayment(order: Order, said: PaidAnswer, given: Given): Step<boolean> {
  const { invoice, status, isListed, endToEndId, of = toPresentAnswerTime(given) } = said;
  const before = addInvoice(order, invoice, given);
  const known = findInvoice(before, invoice.invoiceId)!;
  const { word: former = 'paid', words = 0 } = known;
  if (status === former) return [order, false];
  if (known.wordOf && isOlderAnswer(of, known.wordOf)) {
    const forMs = toRecheckMs(known.wordOf, given.nowMs);
    return [queueNamedId(order, { lookUpId: known.lookUpId, forMs }, given)[0], false];
  }
  const change = words + 1;
  const duplicate = order.paidId !== null && order.paidId !== invoice.invoiceId;
  const facts = { status, isListed, duplicate, isPaidAgain: status === 'paid' };
  const next = queueEvent(before, toReturnedEvent(known, facts, endToEndId, change), given);
  return [replaceInvoice(next, { ...known, word: status, words: change, wordOf: of }), true];
}

/**
 * Records that a look-up repeated the last status, so that answers from before this look-up count as older. Changes nothing
 * if the answer itself is older.
 */
function confirmStatus(
  order: Order,
  known: KeptInvoice,
  given: Given,
  of: AnswerTime = toPresentAnswerTime(given),
): Order {
  const { wordOf } = known;
  if (wordOf && (of.beganMs <= wordOf.beganMs || isOlderAnswer(of, wordOf))) return order;
  return replaceInvoice(order, { ...known, wordOf: of });
}

/** Dates an answer as of now, for answers that come without a time. */
function toPresentAnswerTime({ nowMs }: Given): AnswerTime {
  return { beganMs: nowMs, updatedAtMs: null };
}

/**
 * Records in which field a paid invoice differs from what was created, and queues one `mismatch` alert. An invoice that only
 * a postback named becomes part of the order, so that no code is offered beside it.
 */
function recordMismatch(
  order: Order,
  { invoice, field }: { readonly invoice: MadeInvoice; readonly field: MismatchField },
  given: Given,
): Order {
  const recorded = addInvoice(order, { ...invoice, code: '' }, given);
  const asked = findInvoice(recorded, invoice.invoiceId)!;
  // The answer to an open alert is about the field that the alert named. Another field needs an alert of its own.
  const isOther = hasOpenMismatch(asked) && asked.differsIn !== field;
  const known = isOther ? { ...asked, ...toNextAlert(asked) } : asked;
  const next = queueEvent(recorded, toMismatchEvent({ ...known, ...invoice }, field), given);
  if (known.differsIn === field) return next;
  // The person who released the card did not know of this payment.
  const { isReleased, ...others } = known;
  const before = isReleased && known.differsIn !== undefined ? known : others;
  return replaceInvoice(next, { ...before, differsIn: field });
}

/**
 * Records that a deadline passed and a later look-up did not find a payment: queues `lapsed` and drops the reminder. Does
 * nothing while the goods are still reserved: while the order is paid, has a blocking card, a payment with a mismatch, or a
 * newer code before its deadline.
 */
export function recordExpiry(order: Order, invoice: IssuedInvoice, given: Given): Order {
  const { invoiceId } = invoice;
  const { nowMs } = given;
  const known = findInvoice(order, invoiceId);
  if (!known || known.lapsedAtMs !== null || order.paidId !== null) return order;
  const isReserved = isReservedByNewerCode(order, invoiceId, nowMs);
  const mayBePaid =
    findBlockingCard(order, nowMs) !== undefined || order.invoices.some(hasOpenMismatch);
  if (isReserved || mayBePaid) return order;
  const [quiet] = dropEvents(
    replaceInvoice(order, { ...known, lapsedAtMs: nowMs }),
    'waiting',
    given,
  );
  return queueEvent(quiet, toLapsedEvent(known), given);
}

/**
 * Records a payment that differs from what was created as the order's payment, because a person accepts it.
 * @returns whether that is new
 */
export function acceptMismatch(
  order: Order,
  { invoiceId }: IssuedInvoice,
  given: PaymentGiven,
): Step<boolean> {
  const known = findInvoice(order, invoiceId);
  if (known?.differsIn === undefined) return [order, false];
  return recordPayment(order, { invoice: known, endToEndId: null }, given);
}

/**
 * Records that a person returns a payment that differs, so that it no longer blocks other payments of the order.
 * @returns whether that is new
 */
export function giveMismatchBack(order: Order, { invoiceId }: IssuedInvoice): Step<boolean> {
  const known = findInvoice(order, invoiceId);
  if (known?.differsIn === undefined || known.isReleased) return [order, false];
  return [replaceInvoice(order, { ...known, isReleased: true }), true];
}
