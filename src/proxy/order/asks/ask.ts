/**
 * What an order replies to an ask: an answer for the page, or one command that has to be carried out first. `run/run-ask.ts`
 * carries it out and asks again. Between two askings only the order and what the request has learned are kept. No reply holds
 * card or payer data.
 */

import type { ErrorCode } from '../../../contract/codes.js';
import type { Meaning } from '../apply-answer.js';
import {
  findInvoice,
  findOpenCode,
  isCard,
  findPaidInvoice,
  findBlockingCard,
  findInvoiceOfAttempt,
  isIdOf,
  hasOpenMismatch,
  type IssuedInvoice,
  type KnownAttempt,
  type MadeInvoice,
  type NamedOutcome,
  type SentAs,
  type KeptAttempt,
  type Order,
  type KeptInvoice,
} from '../order.js';
import { dayMs, isNear } from '../../../domain/spans.js';
import { times } from '../times.js';

/** Most codes of one order in a day, and most codes that one request looks up, which limits its cost. */
export const maxCodes = 20;

/** What the page gets: an invoice, the invoice that paid the order, or an error code of the contract. */
export type Answer =
  | { readonly type: 'invoice'; readonly invoice: MadeInvoice }
  | { readonly type: 'paid'; readonly invoice: MadeInvoice }
  | { readonly type: 'refusal'; readonly code: ErrorCode; readonly afterMs?: number };

/** Command: look these invoices up, in this order. */
export interface LookUp {
  readonly type: 'look_up';
  readonly invoices: readonly IssuedInvoice[];
  /** Whether the ask can go on if a look-up fails. If not, the invoice may be paid, and nothing may be sent. */
  readonly mayFail: boolean;
}

/** Command: look up an id that is said to belong to this order. */
export interface LookUpNamed {
  readonly type: 'look_up_named';
  readonly lookUpId: string;
  /** The order's invoice with this id; null if the order has none. */
  readonly known: IssuedInvoice | null;
  /** The creations that an unknown invoice may belong to, the likeliest first. */
  readonly sentAs: readonly SentAs[];
}

/** Command: let a guard decide whether this request may go on. */
export interface Admit {
  readonly type: 'admit';
  /** An attempt of unknown outcome, about whose order the guard asks the merchant; null if there is none. */
  readonly unknown: KnownAttempt | null;
}

/** Command: send a creation of a Pix code. Only `asks/pix.ts` replies it. */
export interface Create {
  readonly type: 'create';
  /** How many invoices with a code, or of a card, the order had when the creation began. */
  readonly known: number;
  /** Whether the creation may use the request's own idempotency key. */
  readonly isNewKey: boolean;
}

/** Command: send the card. Only `asks/card.ts` replies it, and only after the attempt is stored durably. */
export interface Charge {
  readonly type: 'charge';
}

/** Command: wait for another request that creates the code. */
export interface Wait {
  readonly type: 'wait';
}

export type Command = LookUp | LookUpNamed | Admit | Create | Charge | Wait;

const commands: Readonly<Record<Command['type'], true> & Partial<Record<string, true>>> = {
  look_up: true,
  look_up_named: true,
  admit: true,
  create: true,
  charge: true,
  wait: true,
};

export function isCommand(reply: { readonly type: string }): reply is Command {
  return commands[reply.type] === true;
}

/**
 * What a look-up told this request. `none`: the service does not know the invoice. `untold`: the look-up failed, or was
 * skipped because one was made a moment ago; before anything is sent, it is repeated.
 */
export type LookUpFinding = Meaning | 'none' | 'untold';

/** What a request has learned since it came. It is not shared, because another request has to look up for itself. */
export interface Learned {
  /** The finding of each look-up, by invoice id, also if the store did not take the answer. */
  readonly said: ReadonlyMap<string, LookUpFinding>;
  /** What a named id turned out to be; null while it was not looked up. */
  readonly found: NamedOutcome | null;
  /** Whether a guard let the request pass. */
  readonly isAdmitted: boolean;
  /** The invoice that this request created. The order may have taken another code instead. */
  readonly madeId: string | null;
  /** Whether the card may have been sent. From then on, only the service's own answer ends the attempt without a charge. */
  readonly hasLeft: boolean;
}

export const nothingYet: Learned = {
  said: new Map(),
  found: null,
  isAdmitted: false,
  madeId: null,
  hasLeft: false,
};

/** A request's state when it asks. */
export interface Asking extends Learned {
  /** Whether the page still waits. */
  readonly isAwaited: boolean;
  /** How long the request has been asking, by the clock of its own process, milliseconds. */
  readonly waitedMs: number;
}

/** Makes an answer that refuses the request with this error code. @param afterMs how soon the page asks again */
export function toRefusal(code: ErrorCode, afterMs?: number): Answer {
  return { type: 'refusal', code, ...(afterMs !== undefined && { afterMs }) };
}

/** The answer to a page that has to wait, most often for another payment of the order. It asks again in a second. */
export const inProgress: Answer = toRefusal('in_progress', 1_000);

// Answers for an attempt

/**
 * Makes the answer to a page that asks about an attempt: its invoice, `in_progress`, `payment_refused` or
 * `outcome_unknown`. If another invoice paid the order, the answer is `paid`. If pages got a newer code last, that one is
 * the answer while it is open.
 */
export function toAttemptAnswer(
  order: Order,
  attempt: KeptAttempt | 'refused',
  nowMs: number,
): Answer {
  const progress = attempt === 'refused' ? ({ state: attempt } as const) : attempt.progress;
  if (progress.state === 'claimed' || progress.state === 'sent') return inProgress;
  const ownId = progress.state === 'created' ? progress.invoiceId : null;
  const paid = findPaidInvoice(order);
  if (paid && paid.invoiceId !== ownId) return { type: 'paid', invoice: paid };
  if (progress.state === 'refused') return toRefusal('payment_refused');
  const invoice = findInvoice(order, ownId);
  if (!invoice) return toRefusal('outcome_unknown');
  if (isCard(invoice) || invoice.isPaid || order.offeredId === null)
    return { type: 'invoice', invoice };
  // The payment differs, so a person has to look at it first.
  if (invoice.differsIn !== undefined) return inProgress;
  if (invoice.invoiceId === order.offeredId) return { type: 'invoice', invoice };
  const offered = findInvoice(order, order.offeredId);
  const { totalCents } = offered ?? invoice;
  const open = findOpenCode(order, { totalCents, replaces: null }, nowMs);
  return { type: 'invoice', invoice: open ?? invoice };
}

// Rules that all asks for a payment share
//
// Invoices that are paid, or may be, come before anything new.

/** Finds the invoice that paid the order, also if the look-up that found it could not be stored. */
export function findPaid(order: Order, { said }: Learned): MadeInvoice | null {
  const found = order.invoices.find(({ invoiceId }) => said.get(invoiceId) === 'paid');
  return findPaidInvoice(order) ?? (found ? { ...found, status: 'paid', isPaid: true } : null);
}

/** Whether the order waits for a person, because a payment differs from what was created. */
export function isStoppedByMismatch({ invoices }: Order, { said }: Learned): boolean {
  return invoices.some(
    (one) => hasOpenMismatch(one) || (said.get(one.invoiceId) === 'mismatch' && !one.isReleased),
  );
}

/**
 * Replies why no page may get a code now: the order is paid, a card blocks it, or a person has to look at a payment.
 * @returns null if a page may get a code
 */
export function replyInsteadOfCode(
  order: Order,
  learned: Learned,
  nowMs: number,
): Answer | LookUp | null {
  const paid = findPaid(order, learned);
  if (paid) return { type: 'paid', invoice: paid };
  const card = findBlockingCard(order, nowMs);
  if (card) return replyBlockedByCard(order, card, learned);
  return isStoppedByMismatch(order, learned) ? inProgress : null;
}

/**
 * Replies a look-up of the card that blocks the order, because a refused card frees it. Once this request has made that
 * look-up, or there is nothing to look up, replies that the page has to wait.
 */
export function replyBlockedByCard(
  order: Order,
  card: KnownAttempt,
  learned: Learned,
): Answer | LookUp {
  return replyChargeLookUp(order, card, learned) ?? inProgress;
}

/** Replies a look-up of the card's invoice. @returns null if it has none, or this request has looked it up */
export function replyChargeLookUp(
  order: Order,
  card: KnownAttempt,
  { said }: Learned,
): LookUp | null {
  const charge = findIssuedInvoiceOfCard(order, card);
  if (!charge || said.has(charge.invoiceId)) return null;
  return { type: 'look_up', invoices: [charge], mayFail: true };
}

/**
 * Replies a look-up of an invoice whose creation answer said paid, because that alone proves no payment.
 * @returns null if the creation did not say so, or this request has looked it up
 */
export function replyCreationLookUp(invoice: MadeInvoice, { said }: Learned): LookUp | null {
  if (invoice.status !== 'paid' || invoice.isPaid || said.has(invoice.invoiceId)) return null;
  return { type: 'look_up', invoices: [invoice], mayFail: true };
}

/**
 * Finds the invoice of a card as it was issued: while the outcome is unknown, the candidate that the charge's answer named;
 * otherwise the order's own.
 */
export function findIssuedInvoiceOfCard(order: Order, card: KnownAttempt): IssuedInvoice | null {
  const { progress } = card;
  return (
    (progress.state === 'unknown' ? progress.candidate : findInvoiceOfAttempt(order, card)) ?? null
  );
}

/**
 * Replies a look-up of the invoices that may be paid by now, although they were replaced, expired or repriced, the newest
 * first. Nothing else of the order may be paid before that. Replies `in_progress` while look-ups do not show yet what a
 * postback announced.
 * @param open the code that may be handed out again; null if there is none
 * @returns null if nothing is left to look up
 */
export function replyFormerLookUps(
  order: Order,
  { said, madeId }: Learned,
  open: KeptInvoice | null,
  nowMs: number,
): LookUp | Answer | null {
  const { invoices } = order;
  if (!open && hasUnknownNamedId(order)) return inProgress;
  const isUnseen = (one: KeptInvoice) => isUnexplained(order, one, said.get(one.invoiceId), nowMs);
  if (invoices.some((one) => one !== open && isUnseen(one))) return inProgress;
  const isUntold = ({ invoiceId }: KeptInvoice) => (said.get(invoiceId) ?? 'untold') === 'untold';
  // A code that this request created itself is left out, because no payer has seen it.
  const isFormer = (one: KeptInvoice) => one !== open && one.invoiceId !== madeId;
  const unsure = findPossiblyPaid(invoices, nowMs).filter((one) => isFormer(one) && isUntold(one));
  if (unsure.length === 0) return null;
  return { type: 'look_up', invoices: unsure.toReversed(), mayFail: false };
}

/**
 * Finds the invoices that may be paid now: cards, the newest codes, and those that a postback announced. Codes a day past
 * their deadline, and the oldest of very many, are left to the due work, so that the cost of one request does not grow with
 * its order.
 */
function findPossiblyPaid(invoices: readonly KeptInvoice[], nowMs: number): readonly KeptInvoice[] {
  const newest = new Set(invoices.filter((one) => !isCard(one)).slice(-maxCodes));
  return invoices.filter((one) => {
    const { deadlineMs, hintedAtMs = -Infinity } = one;
    const isOld = !newest.has(one) || nowMs >= (deadlineMs ?? Infinity) + dayMs;
    return isCard(one) || !isOld || isNear(hintedAtMs, dayMs, nowMs);
  });
}

/**
 * Whether a postback announced this invoice, and its look-up does not explain that: the service does not know it yet, which
 * may take a minute, or calls a named charge open, which will block the order once the present attempt has ended.
 */
function isUnexplained(
  { named }: Order,
  invoice: KeptInvoice,
  said: LookUpFinding | undefined,
  nowMs: number,
): boolean {
  const isNamed = isCard(invoice) && named.some(({ lookUpId }) => isIdOf(lookUpId, invoice));
  const afterMs = Math.max(...times.open.afterHintMs);
  const isHinted = isNear(invoice.hintedAtMs ?? -Infinity, afterMs, nowMs);
  return (said === 'none' && (isNamed || isHinted)) || (said === 'open' && isNamed);
}

/** Whether a postback named an invoice that the order does not have. Until a look-up explains the id, it may be paid. */
function hasUnknownNamedId({ invoices, named }: Order): boolean {
  return named.some(({ lookUpId }) => !invoices.some((one) => isIdOf(lookUpId, one)));
}
