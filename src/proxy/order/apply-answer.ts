/**
 * What a look-up's answer means for the order, whether a page asked, a postback, a person, or the proxy by itself. The only way
 * to `paid`, and paid is never taken back.
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
 * What an answer says of an invoice. `paid`: it was compared, and agrees. `refused`: a card that was not charged. `open`: not
 * decided. `foreign`: reference, total or method differ from what was created, so it is ignored. `mismatch`: our invoice is paid,
 * but differs: the merchant is told.
 */
export type Meaning = 'paid' | 'refused' | 'open' | 'foreign' | 'mismatch';

/** A look-up's answer, after it was compared with what was created. */
export interface ServiceAnswer {
  /** With the total, the method and the word of the answer. */
  readonly invoice: MadeInvoice;
  readonly meaning: Meaning;
  /** The service's word; `unknown` where it is no plain word. */
  readonly word: string;
  /** What the word means for an invoice that was paid: `returned` is listed as one, `other` is in no list, `none` says nothing. */
  readonly wordIs: 'returned' | 'other' | 'none';
  /** In what it differs; null: it agrees. */
  readonly field: MismatchField | null;
  /** The Pix end-to-end id; null: none was given. */
  readonly endToEndId: string | null;
  /** Of when the answer is. Absent: of now. */
  readonly of?: WordTime;
  /** The service calls the code expired or canceled. It is offered no more, but may be paid all the same. */
  readonly isOver?: boolean;
  /** A postback, or a person, says that it is of this order: it need not be known. */
  readonly isNamed?: boolean;
}

/** What an answer changed. */
export interface AnswerEffect {
  /** Whether it is paid by now, whatever the service says. */
  readonly isPaid: boolean;
  /** What the merchant's server is told since; null: nothing new. */
  readonly news: 'paid' | 'returned' | null;
  /** The card that is refused since. */
  readonly refused: KeptAttempt | null;
  /** What a named invoice was found to be. */
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

/** Another word of a paid invoice: a return, or paid once more. */
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
  // One that a page asked for writes nothing.
  if (isNamed && status === (known.word ?? 'paid'))
    return [confirmWord(order, known, given, answer.of), is];
  const [next, isNews] = recordChangedWord(order, said, given);
  return [next, { ...is, news: isNews ? 'returned' : null }];
}

function applyPaid(order: Order, answer: ServiceAnswer, given: PaymentGiven): Step<AnswerEffect> {
  const { invoice, isNamed = false } = answer;
  const said = { ...toPaidAnswer(answer), status: 'paid', isListed: true };
  const [first] = recordPayment(order, said, given);
  // It went back before anyone knew that it was paid: it is paid again, or this is an old answer.
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
    // The person who released it was right.
    const next = known.isReleased ? replaceInvoice(order, { ...known, lookUpAtMs: null }) : order;
    return [next, { ...noEffect, is: 'open' }];
  }
  const [next, isNew] = advanceAttempt(order, card, { state: 'refused' }, given);
  return [next, { ...noEffect, refused: isNew ? card : null, is: 'recorded' }];
}

/** It is not decided. What the service calls returned was paid before anyone looked: that is told. */
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

/** What an open invoice is to the order: its card's, a known one (a code, or a card that was refused or released), or a lost one. */
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

/** An invoice of the order whose answer was lost: of a Pix creation that no page saw, or of a card. */
function adoptInvoice(order: Order, invoice: MadeInvoice, given: Given): Step<NamedOutcome> {
  // No payer was shown its code, and none is: it was not checked.
  if (!isCard(invoice)) return [addInvoice(order, { ...invoice, code: '' }, given), 'recorded'];
  const card = findSentCard(order, invoice);
  if (card) return [recordCardInvoice(order, { invoice, attempt: card }, given), 'of_card'];
  return blockByCharge(addInvoice(order, invoice, given), invoice, given);
}

/** The card that has left, and of which nothing is known, if it was sent with this total. */
function findSentCard({ attempts }: Order, invoice: MadeInvoice): KeptAttempt | undefined {
  return attempts.find(
    (one) =>
      isUnresolved(one) && one.method === invoice.method && one.totalCents === invoice.totalCents,
  );
}

// What was paid, and what became of it: paid is never taken back, and each change of the service's word is told.

/** What a look-up says of an invoice that is, or was, paid. */
export interface PaidAnswer {
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
export type PaymentGiven = Given & { readonly isWatched?: boolean };

/** With what the shop assumes of its service; `refusalIsFinal` is true by default. */
export type AnswerGiven = PaymentGiven & { readonly refusalIsFinal?: boolean };

/**
 * A look-up said paid and agreed. The reminders that were not told are dropped, and its look-ups end. The first paid invoice of
 * an order stays the one that paid it; a later one is a duplicate. `late`: a `lapsed` event of the order was tried before.
 * @param said its invoice with the total and method that the look-up agreed with
 * @returns whether the invoice was not known to be paid
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
 * A look-up calls a paid invoice otherwise than the last one did. An answer that is older than what the order knows tells nothing:
 * the invoice is looked up again.
 * @returns whether the merchant's server is told now
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

/** A look-up says the same as the last one: what is older than this one is older than what the order knows. */
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
 * A look-up said paid, but of something else than what was created. Tells the merchant, once for each invoice. One that only a
 * postback named stands in the order from then on: no code is offered beside it.
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
  // A person who released the card knew nothing of a payment.
  const { isReleased, ...others } = known;
  const before = isReleased && known.differsIn !== undefined ? known : others;
  return replaceInvoice(next, { ...before, differsIn: field });
}

/**
 * The deadline passed, and a look-up after it said not paid. Nothing while the order is paid, has a blocking card, a payment that
 * a person has to look at, or a newer code before its deadline: the goods are still reserved.
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

/** A person takes what was paid for the order's payment, although it differs from what was created. @returns whether it is news */
export function acceptMismatch(
  order: Order,
  { invoiceId }: IssuedInvoice,
  given: PaymentGiven,
): Step<boolean> {
  const known = findInvoice(order, invoiceId);
  if (known?.differsIn === undefined) return [order, false];
  return recordPayment(order, { invoice: known, endToEndId: null }, given);
}

/** A person gives back what was paid: it does not keep other payments out any more. */
export function giveMismatchBack(order: Order, { invoiceId }: IssuedInvoice): Step<boolean> {
  const known = findInvoice(order, invoiceId);
  if (known?.differsIn === undefined || known.isReleased) return [order, false];
  return [replaceInvoice(order, { ...known, isReleased: true }), true];
}
