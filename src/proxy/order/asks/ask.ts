/**
 * What an order replies to an ask: its answer, or the ONE thing that has to be done first. The runner (`run/run-ask.ts`) does
 * that thing and asks again. Nothing is remembered between two askings but the order, and what the request has learned since it
 * came. Plain values: none holds a card or a payer.
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

/** What a page is told, in the words of the contract. */
export type Answer =
  | { readonly type: 'invoice'; readonly invoice: MadeInvoice }
  | { readonly type: 'paid'; readonly invoice: MadeInvoice }
  | { readonly type: 'refusal'; readonly code: ErrorCode; readonly afterMs?: number };

/** Look these up first, in this order. */
export interface LookUp {
  readonly type: 'look_up';
  readonly invoices: readonly IssuedInvoice[];
  /** The answer would only be friendlier with it. Else one that cannot be looked up may be paid, and nothing leaves. */
  readonly mayFail: boolean;
}

/** Look an id up that is said to be of this order. */
export interface LookUpNamed {
  readonly type: 'look_up_named';
  readonly lookUpId: string;
  /** The invoice that the order has by this id; null: only the id is known. */
  readonly known: IssuedInvoice | null;
  /** The creations that an unknown one may be the answer to, the likeliest first. */
  readonly sentAs: readonly SentAs[];
}

/** Let a guard say whether this request may go on. */
export interface Admit {
  readonly type: 'admit';
  /** An attempt of unknown outcome: the merchant may know how its order ended. */
  readonly unknown: KnownAttempt | null;
}

/** Send a creation of a Pix code. Only the ask for one replies this. */
export interface Create {
  readonly type: 'create';
  /** How many invoices requests had recorded when it began. */
  readonly known: number;
  /** The request's own key may go with it. */
  readonly isNewKey: boolean;
}

/** The card may leave. Only the ask for a charge replies this, and what led here is durable. */
export interface Charge {
  readonly type: 'charge';
}

/** Another request is at it. */
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
 * What a look-up that began after the request came has said. `none`: the service does not know it. `untold`: it could not tell, or
 * was asked a moment ago; before anything leaves, it is asked again.
 */
export type LookUpWord = Meaning | 'none' | 'untold';

/** What a request has learned since it came. It is the request's alone: another one has to ask for itself. */
export interface Learned {
  /** By invoice, also where it could not be written down. */
  readonly said: ReadonlyMap<string, LookUpWord>;
  /** What a named id was found to be. */
  readonly found: NamedOutcome | null;
  /** A guard let it pass. */
  readonly isAdmitted: boolean;
  /** The invoice that it had made. The order may have taken another code instead. */
  readonly madeId: string | null;
  /** Its card has left: nothing gives its attempt up but the service's own word. */
  readonly hasLeft: boolean;
}

export const nothingYet: Learned = {
  said: new Map(),
  found: null,
  isAdmitted: false,
  madeId: null,
  hasLeft: false,
};

/** How a request stands when it asks. */
export interface Asking extends Learned {
  /** Whether its page is still there. */
  readonly isAwaited: boolean;
  /** How long it has asked by the clock of its own process, milliseconds. */
  readonly waitedMs: number;
}

export function refuse(code: ErrorCode, afterMs?: number): Answer {
  return { type: 'refusal', code, ...(afterMs !== undefined && { afterMs }) };
}

/** Another payment of the order is in flight: its page asks again in a second. */
export const inProgress: Answer = refuse('in_progress', 1_000);

// What a page is told of an attempt, however often it asks.

/** A code that was replaced, or whose price changed, is no answer while there is a newer one. */
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
  // A person has to look at it.
  if (invoice.differsIn !== undefined) return inProgress;
  if (invoice.invoiceId === order.offeredId) return { type: 'invoice', invoice };
  const offered = findInvoice(order, order.offeredId);
  const { totalCents } = offered ?? invoice;
  const open = findOpenCode(order, { totalCents, replaces: null }, nowMs);
  return { type: 'invoice', invoice: open ?? invoice };
}

// Rules that all asks for a payment share: what was paid, or may be, comes before anything new.

/** The invoice that paid the order: as it is written, or as a look-up said that could not be written. */
export function findPaid(order: Order, { said }: Learned): MadeInvoice | null {
  const found = order.invoices.find(({ invoiceId }) => said.get(invoiceId) === 'paid');
  return findPaidInvoice(order) ?? (found ? { ...found, status: 'paid', isPaid: true } : null);
}

/** A person has to look at an invoice that is paid and differs from what was created. */
export function isStoppedByMismatch({ invoices }: Order, { said }: Learned): boolean {
  return invoices.some(
    (one) => hasOpenMismatch(one) || (said.get(one.invoiceId) === 'mismatch' && !one.isReleased),
  );
}

/** What keeps a code from every page: the order is paid, a card of it is open, or a person has to look at a payment. */
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

/** A card is in the way. It is looked up once: one that was refused gives the order free. */
export function awaitCard(order: Order, card: KnownAttempt, learned: Learned): Answer | LookUp {
  return lookUpCharge(order, card, learned) ?? inProgress;
}

/** @returns null: nothing can be looked up, or it was */
export function lookUpCharge(order: Order, card: KnownAttempt, { said }: Learned): LookUp | null {
  const charge = findChargeInvoice(order, card);
  if (!charge || said.has(charge.invoiceId)) return null;
  return { type: 'look_up', invoices: [charge], mayFail: true };
}

/**
 * A creation's own answer proves no payment. Where it said paid, a look-up says whether that is so before the invoice is answered.
 * @returns null: it was looked up, or said something else
 */
export function lookUpPaidCreation(invoice: MadeInvoice, { said }: Learned): LookUp | null {
  if (invoice.status !== 'paid' || invoice.isPaid || said.has(invoice.invoiceId)) return null;
  return { type: 'look_up', invoices: [invoice], mayFail: true };
}

/** The invoice of a charge: its own, or the unverified match while its outcome is unknown. */
export function findChargeInvoice(order: Order, card: KnownAttempt): IssuedInvoice | null {
  const { progress } = card;
  return (
    (progress.state === 'unknown' ? progress.candidate : findInvoiceOfAttempt(order, card)) ?? null
  );
}

/**
 * Any invoice of the order may have been paid since the request came, after it was replaced, after its deadline and after the price
 * changed: each is looked up, the newest first, before anything else of the order may be paid. @param open may be handed out again
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
  // What this request has made was shown to no payer yet.
  const isFormer = (one: KeptInvoice) => one !== open && one.invoiceId !== madeId;
  const unsure = mayBePaidNow(invoices, nowMs).filter((one) => isFormer(one) && isUntold(one));
  if (unsure.length === 0) return null;
  return { type: 'look_up', invoices: unsure.toReversed(), mayFail: false };
}

/**
 * Cards, the newest codes, and each that a postback told of. Others are over: a code a day past its deadline, and the oldest of an
 * order with very many. They are looked up by themselves, so that what one request costs does not grow with its order.
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
 * A postback told of this invoice, and its look-up does not show of what. A charge that was named blocks the order as soon as the
 * present attempt has ended; one that the service does not know may be known to it in a minute.
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

/** A postback named an invoice that the order does not have, and its look-up has not said yet what it is: it may be paid. */
function hasUnknownNamedId({ invoices, named }: Order): boolean {
  return named.some(({ lookUpId }) => !invoices.some((one) => isIdOf(lookUpId, one)));
}
