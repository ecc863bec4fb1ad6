/**
 * What an order replies to an ask: an answer for the page, or one command that has to be carried out first. `run/run-ask.ts`
 * carries it out and asks again. Between two askings only the order and what the request has learned are kept. No reply holds
 * card or payer data.
 */

import type { ErrorCode } from '../../../contract/codes.js';
import type { Meaning } from '../apply-answer.js';
import type {
  IssuedInvoice,
  KnownAttempt,
  MadeInvoice,
  NamedOutcome,
  SentAs,
  KeptAttempt,
  Order,
  KeptInvoice,
} from '../order.js';
import {
  findInvoice,
  findOpenCode,
  isCard,
  findPaidInvoice,
  findBlockingCard,
  findInvoiceOfAttempt,
  isIdOf,
} from '../order.js';
import { dayMs, isNear } from '../../../domain/spans.js';
import { times } from '../times.js';
import { hasOpenMismatch } from '../invoices.js';
import { maxCodes } from '../attempts.js';

/** What the page is told, in the words of the contract. */
export type Answer =
  | { readonly type: 'invoice'; readonly invoice: MadeInvoice }
  | { readonly type: 'paid'; readonly invoice: MadeInvoice }
  | { readonly type: 'refusal'; readonly code: ErrorCode; readonly afterMs?: number };

/** Command: look these invoices up, in this order. */
export interface LookUp {
  readonly type: 'look_up';
  readonly invoices: readonly IssuedInvoice[];
  /**
   * Whether the ask can go on without the result. If not, an invoice that cannot be looked up may be paid, and nothing may be
   * sent.
   */
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
  /** An attempt whose outcome is unknown: the merchant may know how its order ended. Null if there is none. */
  readonly unknown: KnownAttempt | null;
}

/** Command: send a creation of a Pix code. Only `asks/pix.ts` replies it. */
export interface Create {
  readonly type: 'create';
  /** How many invoices the order had recorded when the creation began. */
  readonly known: number;
  /** Whether the request's own idempotency key may go with the creation. */
  readonly isNewKey: boolean;
}

/** Command: send the card. Only `asks/card.ts` replies it, and only after the attempt is stored durably. */
export interface Charge {
  readonly type: 'charge';
}

/** Command: wait for another request. */
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
 * What a look-up of this request said. `none`: the service does not know the invoice. `untold`: the look-up failed, or was
 * skipped because one was made a moment ago; before anything is sent, it is repeated.
 */
export type LookUpWord = Meaning | 'none' | 'untold';

/** What a request has learned since it came. It is not shared: another request has to look up for itself. */
export interface Learned {
  /** By invoice id, also if the answer could not be stored. */
  readonly said: ReadonlyMap<string, LookUpWord>;
  /** What a named id turned out to be; null while it was not looked up. */
  readonly found: NamedOutcome | null;
  /** Whether a guard let the request pass. */
  readonly isAdmitted: boolean;
  /** The invoice that this request created. The order may have taken another code instead. */
  readonly madeId: string | null;
  /** Whether the card was sent. From then on only the service's own answer can give the attempt up. */
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

export function refuse(code: ErrorCode, afterMs?: number): Answer {
  return { type: 'refusal', code, ...(afterMs !== undefined && { afterMs }) };
}

/** Another payment of the order is in progress: the page asks again in a second. */
export const inProgress: Answer = refuse('in_progress', 1_000);

// Answers for an attempt

/**
 * Says what the page is told about an attempt, however often it asks. A code that was replaced, or whose price changed, is no
 * answer while there is a newer one.
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
  if (progress.state === 'refused') return refuse('payment_refused');
  const invoice = findInvoice(order, ownId);
  if (!invoice) return refuse('outcome_unknown');
  if (isCard(invoice) || invoice.isPaid || order.offeredId === null)
    return { type: 'invoice', invoice };
  // A person has to look at this payment first.
  if (invoice.differsIn !== undefined) return inProgress;
  if (invoice.invoiceId === order.offeredId) return { type: 'invoice', invoice };
  const offered = findInvoice(order, order.offeredId);
  const { totalCents } = offered ?? invoice;
  const open = findOpenCode(order, { totalCents, replaces: null }, nowMs);
  return { type: 'invoice', invoice: open ?? invoice };
}

// Rules that all asks for a payment share
//
// What was paid, or may be, comes before anything new.

/** Finds the invoice that paid the order, also if the look-up that said so could not be stored. */
export function findPaid(order: Order, { said }: Learned): MadeInvoice | null {
  const found = order.invoices.find(({ invoiceId }) => said.get(invoiceId) === 'paid');
  return findPaidInvoice(order) ?? (found ? { ...found, status: 'paid', isPaid: true } : null);
}

/** Whether a person has to look at a payment that differs from what was created. */
export function isStoppedByMismatch({ invoices }: Order, { said }: Learned): boolean {
  return invoices.some(
    (one) => hasOpenMismatch(one) || (said.get(one.invoiceId) === 'mismatch' && !one.isReleased),
  );
}

/**
 * Finds out why no page may get a code now: the order is paid, a card blocks it, or a person has to look at a payment.
 * @returns null if a page may get a code
 */
export function findReasonToWithhold(
  order: Order,
  learned: Learned,
  nowMs: number,
): Answer | LookUp | null {
  const paid = findPaid(order, learned);
  if (paid) return { type: 'paid', invoice: paid };
  const card = findBlockingCard(order, nowMs);
  if (card) return awaitCard(order, card, learned);
  return isStoppedByMismatch(order, learned) ? inProgress : null;
}

/** Looks the blocking card up once, because a refused one frees the order; otherwise the page has to wait. */
export function awaitCard(order: Order, card: KnownAttempt, learned: Learned): Answer | LookUp {
  return lookUpCharge(order, card, learned) ?? inProgress;
}

/** Replies a look-up of the card's invoice. @returns null if there is nothing to look up, or this request has done it */
export function lookUpCharge(order: Order, card: KnownAttempt, { said }: Learned): LookUp | null {
  const charge = findChargeInvoice(order, card);
  if (!charge || said.has(charge.invoiceId)) return null;
  return { type: 'look_up', invoices: [charge], mayFail: true };
}

/**
 * Replies a look-up of an invoice whose creation answer said paid, because that alone proves no payment.
 * @returns null if the creation did not say so, or this request has looked it up
 */
export function lookUpPaidCreation(invoice: MadeInvoice, { said }: Learned): LookUp | null {
  if (invoice.status !== 'paid' || invoice.isPaid || said.has(invoice.invoiceId)) return null;
  return { type: 'look_up', invoices: [invoice], mayFail: true };
}

/** Finds the invoice of a charge: its own, or the candidate while its outcome is unknown. */
export function findChargeInvoice(order: Order, card: KnownAttempt): IssuedInvoice | null {
  const { progress } = card;
  return (
    (progress.state === 'unknown' ? progress.candidate : findInvoiceOfAttempt(order, card)) ?? null
  );
}

/**
 * Replies a look-up of the invoices that may have been paid since the request came, even after they were replaced, expired or
 * repriced. They come before anything else of the order may be paid, the newest first.
 * @param open the code that may be handed out again; null if there is none
 * @returns null if nothing is left to look up
 */
export function lookUpFormer(
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
  // No payer has seen what this request created.
  const isFormer = (one: KeptInvoice) => one !== open && one.invoiceId !== madeId;
  const unsure = mayBePaidNow(invoices, nowMs).filter((one) => isFormer(one) && isUntold(one));
  if (unsure.length === 0) return null;
  return { type: 'look_up', invoices: unsure.toReversed(), mayFail: false };
}

/**
 * Finds the invoices that may be paid now: cards, the newest codes, and those that a postback announced. Codes a day past
 * their deadline, and the oldest of very many, are left to the due work, so that the cost of one request does not grow with
 * its order.
 */
function mayBePaidNow(invoices: readonly KeptInvoice[], nowMs: number): readonly KeptInvoice[] {
  const newest = new Set(invoices.filter((one) => !isCard(one)).slice(-maxCodes));
  return invoices.filter((one) => {
    const { deadlineMs, hintedAtMs = -Infinity } = one;
    const isOver = !newest.has(one) || nowMs >= (deadlineMs ?? Infinity) + dayMs;
    return isCard(one) || !isOver || isNear(hintedAtMs, dayMs, nowMs);
  });
}

/**
 * Whether a postback announced a change of this invoice that its look-up does not show yet. A named charge blocks the order as
 * soon as the present attempt has ended. An invoice that the service does not know yet may appear within a minute.
 */
function isUnexplained(
  { named }: Order,
  invoice: KeptInvoice,
  said: LookUpWord | undefined,
  nowMs: number,
): boolean {
  const isNamed = isCard(invoice) && named.some(({ lookUpId }) => isIdOf(lookUpId, invoice));
  const afterMs = Math.max(...times.open.afterHintMs);
  const isHinted = isNear(invoice.hintedAtMs ?? -Infinity, afterMs, nowMs);
  return (said === 'none' && (isNamed || isHinted)) || (said === 'open' && isNamed);
}

/** Whether a postback named an invoice that the order does not have and that was not looked up yet: it may be paid. */
function hasUnknownNamedId({ invoices, named }: Order): boolean {
  return named.some(({ lookUpId }) => !invoices.some((one) => isIdOf(lookUpId, one)));
}
