/**
 * Applies the answer of a look-up to the order, whether a page, a postback, a person or the proxy itself asked. This is the
 * only way an order becomes paid, and a paid order stays paid.
 */

import { advanceAttempt, blockByCharge, blockOrNameCharge, recordCardInvoice } from './attempts.js';
import { replaceInvoice, addInvoice, recordActivity, hasOpenMismatch } from './invoices.js';
import { findCardOfInvoice, findInvoice, isUnresolved, isCard, findBlockingCard } from './order.js';
import type {
  Given,
  KeptAttempt,
  KeptInvoice,
  MadeInvoice,
  NamedOutcome,
  Order,
  Step,
  WordTime,
  MismatchField,
  IssuedInvoice,
} from './order.js';
import {
  isReservedByNewerCode,
  dropEvents,
  queueEvent,
  toLapsedEvent,
  toMismatchEvent,
  toPaidEvent,
  toReturnedEvent,
} from './told/outbox.js';
import { queueNamedId } from './due.js';
import { isOlder, times, toDoubtMs } from './times.js';

/**
 * What an answer means for an invoice.
 *
 * - `paid`: the answer agrees with what was created.
 * - `refused`: the card was not charged.
 * - `open`: the service has not decided yet.
 * - `foreign`: reference, total or method differ from what was created, so the order ignores the answer.
 * - `mismatch`: our invoice is paid but differs from what was created, so the merchant has to look at it.
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
  /** How old the answer is; absent means it is from now. */
  readonly of?: WordTime;
  /** Whether the service calls the code expired or canceled. No page gets it any more, but a payer may still pay it. */
  readonly isOver?: boolean;
  /** Whether a postback or a person says that the invoice belongs to this order. Such an invoice may be new to the order. */
  readonly isNamed?: boolean;
}

/** What an answer changed in the order. */
export interface AnswerEffect {
  /** Whether the order knows the invoice as paid, whatever the service says now. */
  readonly isPaid: boolean;
  /** What the merchant's server has to hear because of this answer; null if nothing. */
  readonly news: 'paid' | 'returned' | null;
  /** The card that this answer ended as refused; null if it ended none. */
  readonly refused: KeptAttempt | null;
  /** What a named invoice turned out to be. */
  readonly is: NamedOutcome;
}

const noEffect: AnswerEffect = { isPaid: false, news: null, refused: null, is: 'none' };

export function applyAnswer(
  order: Order,
  answer: ServiceAnswer,
  given: AnswerGiven,
): Step<AnswerEffect> {
  const { invoice, meaning } = answer;
  const known = findInvoice(order, invoice.invoiceId);
  if (meaning === 'foreign') return [order, { ...noEffect, isPaid: known?.isPaid ?? false }];
  if (known?.isPaid) return applyWordOfPaid(order, known, answer, given);
  switch (meaning) {
    case 'paid':
      return applyPaid(order, answer, given);
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

/** Applies a new status of a paid invoice: it was returned, or it is paid again. */
function applyWordOfPaid(
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
  // A look-up for a page writes nothing when the status is the same.
  if (isNamed && status === (known.word ?? 'paid'))
    return [confirmWord(order, known, given, answer.of), is];
  const [next, isNews] = recordChangedWord(order, said, given);
  return [next, { ...is, news: isNews ? 'returned' : null }];
}

function applyPaid(order: Order, answer: ServiceAnswer, given: PaymentGiven): Step<AnswerEffect> {
  const { invoice, isNamed = false } = answer;
  const said = { ...toPaidAnswer(answer), status: 'paid', isListed: true };
  const [first] = recordPayment(order, said, given);
  // The payment may have been returned before we learned of it. Then this answer says that it is paid again, or it is an old
  // one.
  const [paid] = recordChangedWord(first, said, given);
  const { invoiceId } = invoice;
  const card =
    findCardOfInvoice(paid, invoiceId) ?? (isNamed ? findSentCard(paid, invoice) : undefined);
  const next = card ? advanceAttempt(paid, card, { state: 'created', invoiceId }, given)[0] : paid;
  return [next, { isPaid: true, news: 'paid', refused: null, is: 'recorded' }];
}

function applyRefusal(order: Order, { invoice }: ServiceAnswer, given: Given): Step<AnswerEffect> {
  const card = findCardOfInvoice(order, invoice.invoiceId);
  if (!card) {
    const known = findInvoice(order, invoice.invoiceId);
    if (!known) return [order, noEffect];
    // The person who released the card was right: the service refused it, so no look-up is needed any more.
    const next = known.isReleased ? replaceInvoice(order, { ...known, lookUpAtMs: null }) : order;
    return [next, { ...noEffect, is: 'open' }];
  }
  const [next, isNew] = advanceAttempt(order, card, { state: 'refused' }, given);
  return [next, { ...noEffect, refused: isNew ? card : null, is: 'recorded' }];
}

/**
 * The answer is neither paid nor refused: finds out whose invoice it is, so that an open charge can block the order. If the
 * service calls the invoice returned, it was paid before any look-up saw it, and the merchant hears of the return.
 */
function applyOpen(
  order: Order,
  answer: ServiceAnswer,
  known: KeptInvoice | undefined,
  given: AnswerGiven,
): Step<AnswerEffect> {
  const [next, is] = bindOpenInvoice(order, answer, known, given);
  if (answer.wordIs !== 'returned' || is === 'none') return [next, { ...noEffect, is }];
  const [told, isNews] = recordChangedWord(next, toPaidAnswer(answer), given);
  return [told, { ...noEffect, is, news: isNews ? 'returned' : null }];
}

/**
 * Finds out which invoice of the order an open answer is about: its card's, a known one (a code, or a refused or released
 * card), or one whose creation answer was lost.
 */
function bindOpenInvoice(
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
    ? [blockOrNameCharge(order, invoice, given), 'open']
    : [order, 'open'];
}

function toPaidAnswer({
  invoice,
  word: status,
  wordIs,
  endToEndId,
  of,
}: ServiceAnswer): PaidAnswer {
  return { invoice, status, isListed: wordIs !== 'other', endToEndId, of };
}

/** Adopts an invoice whose creation answer was lost, of Pix or of a card. */
function adoptInvoice(order: Order, invoice: MadeInvoice, given: Given): Step<NamedOutcome> {
  // No payer has seen this code, and none will: it was never checked.
  if (!isCard(invoice)) return [addInvoice(order, { ...invoice, code: '' }, given), 'recorded'];
  const card = findSentCard(order, invoice);
  if (card) return [recordCardInvoice(order, { invoice, attempt: card }, given), 'of_card'];
  return blockByCharge(addInvoice(order, invoice, given), invoice, given);
}

/** Finds the card that was sent with this total and whose outcome is not known. */
function findSentCard({ attempts }: Order, invoice: MadeInvoice): KeptAttempt | undefined {
  return attempts.find(
    (one) =>
      isUnresolved(one) && one.method === invoice.method && one.totalCents === invoice.totalCents,
  );
}

// Payments and returns
//
// A paid order stays paid. Each change of the service's word after that is told to the merchant.

/** What a look-up says about an invoice that is or was paid. */
export interface PaidAnswer {
  readonly invoice: MadeInvoice;
  /** The service's status; `unknown` if it does not look like a status word. */
  readonly status: string;
  /** Whether the option `statuses` lists the status. */
  readonly isListed: boolean;
  /** The Pix end-to-end id; null if the service gave none. */
  readonly endToEndId: string | null;
  /** How old the answer is; absent means it is from now. */
  readonly of?: WordTime | undefined;
}

/** With `isWatched`, the proxy looks a paid invoice up again later, to learn of a return. */
export type PaymentGiven = Given & { readonly isWatched?: boolean };

/** `refusalIsFinal`, an option that is true by default: a card that the service refused cannot be charged any more. */
export type AnswerGiven = PaymentGiven & { readonly refusalIsFinal?: boolean };

/**
 * Records a payment that a look-up confirmed. Ends the look-ups of the invoice and drops reminders that were not sent yet. The
 * first paid invoice of an order is the one that paid it; later ones are duplicates. A payment is `late` if `onLapsed` was
 * called for the order before.
 * @param said the invoice with the total and method that the look-up confirmed
 * @returns whether the payment is new
 */
export function recordPayment(
  order: Order,
  said: Omit<PaidAnswer, 'status' | 'isListed'>,
  given: PaymentGiven,
): Step<boolean> {
  const { nowMs, isWatched = false } = given;
  const { invoice: found, endToEndId, of = toPresentWordTime(given) } = said;
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
    // A candidate has no order code and no Pix code of its own.
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
 * Records that the service calls a paid invoice something else than before. An answer older than what the order knows changes
 * nothing; the order looks the invoice up again instead.
 * @returns whether the merchant's server has to hear of it
 */
function recordChangedWord(order: Order, said: PaidAnswer, given: Given): Step<boolean> {
  const { invoice, status, isListed, endToEndId, of = toPresentWordTime(given) } = said;
  const before = addInvoice(order, invoice, given);
  const known = findInvoice(before, invoice.invoiceId)!;
  const { word: former = 'paid', words = 0 } = known;
  if (status === former) return [order, false];
  if (known.wordOf && isOlder(of, known.wordOf)) {
    const forMs = toDoubtMs(known.wordOf, given.nowMs);
    return [queueNamedId(order, { lookUpId: known.lookUpId, forMs }, given)[0], false];
  }
  const change = words + 1;
  const duplicate = order.paidId !== null && order.paidId !== invoice.invoiceId;
  const facts = { status, isListed, duplicate, isPaidAgain: status === 'paid' };
  const next = queueEvent(before, toReturnedEvent(known, facts, endToEndId, change), given);
  return [replaceInvoice(next, { ...known, word: status, words: change, wordOf: of }), true];
}

/** Records that a look-up repeated the last status. Answers from before this look-up are older than what the order knows. */
function confirmWord(
  order: Order,
  known: KeptInvoice,
  given: Given,
  of: WordTime = toPresentWordTime(given),
): Order {
  const { wordOf } = known;
  if (wordOf && (of.beganMs <= wordOf.beganMs || isOlder(of, wordOf))) return order;
  return replaceInvoice(order, { ...known, wordOf: of });
}

function toPresentWordTime({ nowMs }: Given): WordTime {
  return { beganMs: nowMs, updatedAtMs: null };
}

/**
 * Records that a paid invoice differs from what was created, and tells the merchant once. An invoice that only a postback
 * named becomes part of the order, so that no code is offered beside it.
 */
function recordMismatch(
  order: Order,
  { invoice, field }: { readonly invoice: MadeInvoice; readonly field: MismatchField },
  given: Given,
): Order {
  const recorded = addInvoice(order, { ...invoice, code: '' }, given);
  const known = findInvoice(recorded, invoice.invoiceId)!;
  const next = queueEvent(recorded, toMismatchEvent({ ...known, ...invoice }, field), given);
  if (known.differsIn === field) return next;
  // The person who released the card did not know of a payment.
  const { isReleased, ...others } = known;
  const before = isReleased && known.differsIn !== undefined ? known : others;
  return replaceInvoice(next, { ...before, differsIn: field });
}

/**
 * Records that a deadline passed and a later look-up did not find a payment. Does nothing while the goods are still reserved:
 * while the order is paid, has a blocking card, a payment with a mismatch, or a newer code before its deadline.
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

/** Accepts a payment that differs from what was created, because a person said so. @returns whether that is new */
export function acceptMismatch(
  order: Order,
  { invoiceId }: IssuedInvoice,
  given: PaymentGiven,
): Step<boolean> {
  const known = findInvoice(order, invoiceId);
  if (known?.differsIn === undefined) return [order, false];
  return recordPayment(order, { invoice: known, endToEndId: null }, given);
}

/** Records that a person returns a payment that differs. It no longer blocks other payments of the order. */
export function giveMismatchBack(order: Order, { invoiceId }: IssuedInvoice): Step<boolean> {
  const known = findInvoice(order, invoiceId);
  if (known?.differsIn === undefined || known.isReleased) return [order, false];
  return [replaceInvoice(order, { ...known, isReleased: true }), true];
}
