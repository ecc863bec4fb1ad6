/** Named questions asked of an order and of what it holds. */

import { dayMs } from '../../domain/spans.js';
import type {
  Attempt,
  AttemptProgress,
  IssuedInvoice,
  KeptAttempt,
  KeptInvoice,
  NamedId,
  Order,
  KnownAttempt,
  MadeInvoice,
} from './order.js';

export function isCard({ method }: Pick<IssuedInvoice, 'method'>): boolean {
  return method === 'credit_card';
}

/** Whether nothing else of the order may be paid while this card attempt stands. */
export function isOpen({ progress }: Pick<KnownAttempt, 'progress'>): boolean {
  return progress.state !== 'refused';
}

/** Whether it has left, and nothing is known of it. */
export function isSent({ progress: { state } }: Pick<KnownAttempt, 'progress'>): boolean {
  return state === 'sent' || state === 'unknown';
}

/** Whether an attempt has ended with an invoice or a refusal. */
export function hasEnded({ progress }: Pick<KnownAttempt, 'progress'>): boolean {
  return progress.state === 'created' || progress.state === 'refused';
}

/** Whether payers were shown this Pix code. One that only a postback named was shown to none, and has no code here. */
export function isHandedOut({ method, code }: Pick<MadeInvoice, 'method' | 'code'>): boolean {
  return method === 'pix' && code !== '';
}

/** Whether an id is this invoice's. A postback may name either id. */
export function isNamedBy(id: string, { invoiceId, lookUpId }: IssuedInvoice): boolean {
  return id === invoiceId || id === lookUpId;
}

/** Whether a named id is that of a paid invoice, which may wait. */
export function isOfPaid({ invoices }: Order, { lookUpId }: Pick<NamedId, 'lookUpId'>): boolean {
  return invoices.some((one) => one.isPaid && isNamedBy(lookUpId, one));
}

/** Whether a code may be handed out: it is not expired, and nothing was paid for it, in whatever way. */
function isPayable(invoice: KeptInvoice, nowMs: number): boolean {
  const { code, deadlineMs, isPaid, isOver, differsIn, word } = invoice;
  if (code === '' || isPaid || isOver || differsIn !== undefined || word !== undefined)
    return false;
  return deadlineMs === null || deadlineMs > nowMs;
}

/**
 * The code that a page of this price gets: the newest that is not expired, and that the payer does not want replaced. Not the
 * newest of all: a price may come back, and its code is still open.
 */
export function findOpen(
  { invoices }: Pick<Order, 'invoices'>,
  { totalCents, replaces }: { readonly totalCents: number; readonly replaces: string | null },
  nowMs: number,
): KeptInvoice | null {
  const newest = invoices.filter(isHandedOut).findLast((one) => one.totalCents === totalCents);
  if (!newest || newest.invoiceId === replaces || !isPayable(newest, nowMs)) return null;
  return newest;
}

/** How many invoices of an order requests have recorded: one that only a postback named does not count. */
export function countRecorded(invoices: readonly MadeInvoice[]): number {
  return invoices.filter((one) => isCard(one) || isHandedOut(one)).length;
}

/** The invoice an attempt is known by; null while there is none. */
export function toInvoiceId(progress: AttemptProgress): string | null {
  if (progress.state === 'created') return progress.invoiceId;
  return progress.state === 'unknown' ? (progress.candidate?.invoiceId ?? null) : null;
}

/** Whether both are of the same request: a key is valid only in its scope. */
export function isSame(one: Attempt, other: Attempt): boolean {
  return one.key === other.key && one.scope === other.scope;
}

export function findInvoice({ invoices }: Order, id: string | null): KeptInvoice | undefined {
  return invoices.find(({ invoiceId }) => invoiceId === id);
}

/** The invoice of an attempt, if the order has it. */
export function invoiceOf(order: Order, { progress }: KnownAttempt): KeptInvoice | undefined {
  return findInvoice(order, toInvoiceId(progress));
}

/** The card whose invoice this is, or may be. */
export function cardOf({ attempts }: Order, invoiceId: string): KeptAttempt | undefined {
  return attempts.find((one) => isCard(one) && toInvoiceId(one.progress) === invoiceId);
}

/** The attempts that stand: a claim that ran out before anything was sent is none. */
export function standing({ attempts }: Order, nowMs: number): readonly KeptAttempt[] {
  return attempts.filter(
    ({ progress: { state }, untilMs }) => state !== 'claimed' || untilMs > nowMs,
  );
}

/** The card attempts, oldest first: those that are open, and those that were refused within a day. */
export function cardsOf(order: Order, nowMs: number): readonly KeptAttempt[] {
  return standing(order, nowMs)
    .filter(isCard)
    .filter((one) => isOpen(one) || nowMs - one.changedAtMs < dayMs);
}

/** The one card that is in flight, pending, unknown or paid. */
export function blockingCardOf(order: Order, nowMs: number): KeptAttempt | undefined {
  return standing(order, nowMs).find((one) => isCard(one) && isOpen(one));
}

/** The code, while a payer may pay it: not beside a blocking card, and not one that was replaced or paid in whatever way. */
export function findPayable(order: Order, invoiceId: string, nowMs: number): KeptInvoice | null {
  if (order.paidId !== null || order.offeredId !== invoiceId || blockingCardOf(order, nowMs))
    return null;
  const invoice = findInvoice(order, invoiceId);
  return invoice && isPayable(invoice, nowMs) ? invoice : null;
}

/** The invoice that paid the order. */
export function paidInvoiceOf(order: Order): KeptInvoice | null {
  return findInvoice(order, order.paidId) ?? null;
}

/** What an invoice was created as, without the fields of its create answer. */
export function toIssued(invoice: IssuedInvoice): IssuedInvoice {
  const { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs } = invoice;
  return { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs };
}
