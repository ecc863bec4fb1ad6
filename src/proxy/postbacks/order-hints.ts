/** The hints that postbacks gave of one order, and which of its invoices to look up next. */

import { toInvoiceId } from '../ledger/invoice-changes.js';
import type { IssuedInvoice, OrderRecord } from '../ledger/ledger.js';

/** Most ids kept that postbacks named and that are not looked up yet, or whose look-up failed. */
const maxNamed = 3;

/** Pauses after failed look-ups of an id for which no look-up falls due in the ledger, milliseconds; then it is given up. */
const againAfterMs: readonly number[] = [5_000, 15_000, 60_000, 5 * 60_000, 30 * 60_000];

/** The hints of one order. */
export interface Hints {
  /** How many postbacks came. */
  count: number;
  /** The invoices they named that are not looked up yet, newest first. */
  named: readonly string[];
  /** Those of them whose look-up failed, and how often: reconciliation does not look them up. */
  readonly failed: Map<string, number>;
  /** The count at each invoice's last look-up: later postbacks may be about it. */
  readonly askedAt: Map<string, number>;
  /** The invoice that was looked up last. */
  lastAsked: string | null;
}

/**
 * What to look up next: an open invoice of the order; a settled one that is not known to be paid and that a postback named;
 * or an id that may be that of its unresolved charge (an unverified match).
 */
export type Target =
  | { readonly kind: 'open' | 'settled'; readonly invoice: IssuedInvoice }
  | { readonly kind: 'candidate'; readonly invoiceId: string };

/** No hints yet. */
export function startHints(): Hints {
  return { count: 0, named: [], failed: new Map(), askedAt: new Map(), lastAsked: null };
}

/** @param named the invoice that the postback named; null: none */
export function noteHint(hints: Hints, named: string | null): void {
  hints.count += 1;
  if (named === null) return;
  hints.failed.delete(named);
  hints.named = [named, ...hints.named.filter((id) => id !== named)].slice(0, maxNamed);
}

/** Call before a look-up: its answer is younger than all hints so far. */
export function noteAsked(hints: Hints, target: Target): void {
  const invoiceId = idOf(target);
  hints.named = hints.named.filter((id) => id !== invoiceId);
  if (target.kind === 'candidate') return;
  hints.askedAt.set(invoiceId, hints.count);
  hints.lastAsked = invoiceId;
}

/** Call after a look-up that was answered, or that the ledger repeats. */
export function noteDone(hints: Hints, target: Target): void {
  hints.failed.delete(idOf(target));
}

/** Call after a failed look-up that nothing else repeats. The number of retries is bounded. */
export function noteFailed(hints: Hints, target: Target): void {
  const invoiceId = idOf(target);
  if (target.kind === 'open') {
    hints.askedAt.delete(invoiceId);
    return;
  }
  const times = (hints.failed.get(invoiceId) ?? 0) + 1;
  // At the end: the others have their turn first.
  hints.failed.delete(invoiceId);
  if (times <= againAfterMs.length) hints.failed.set(invoiceId, times);
  const [oldest] = hints.failed.keys();
  if (hints.failed.size > maxNamed && oldest !== undefined) hints.failed.delete(oldest);
}

/**
 * First what a postback named; then the invoice whose last look-up is the oldest, the newest invoice of several; then what
 * failed. Forgets ids that mean nothing to this order.
 * @returns null: there is nothing to look up
 */
export function chooseTarget(record: OrderRecord, hints: Hints): Target | null {
  const waiting = toWaiting(record, hints);
  hints.named = hints.named.filter((invoiceId) => toTarget(record, invoiceId) !== null);
  for (const invoiceId of hints.named) {
    // While others wait, the same one does not come twice in a row, however often it is named.
    const isNext = invoiceId !== hints.lastAsked || waiting.every((one) => isSame(one, invoiceId));
    if (isNext) return toTarget(record, invoiceId);
  }
  const age = ({ invoiceId }: IssuedInvoice) => hints.askedAt.get(invoiceId) ?? 0;
  const [invoice] = waiting.toReversed().toSorted((one, other) => age(one) - age(other));
  if (invoice) return { kind: 'open', invoice };
  for (const invoiceId of hints.failed.keys()) {
    const target = toTarget(record, invoiceId);
    if (target) return target;
    hints.failed.delete(invoiceId);
  }
  return null;
}

/** @returns in how many milliseconds there is more to look up; null: there is nothing */
export function toNextLookUpMs(record: OrderRecord, hints: Hints): number | null {
  if (hints.named.length > 0 || toWaiting(record, hints).length > 0) return 0;
  const waits = [...hints.failed.values()].map((times) => againAfterMs[times - 1] ?? 0);
  return waits.length > 0 ? Math.min(...waits) : null;
}

/**
 * The order's invoices that are not known to be settled, oldest first. A card's is settled once its attempt is refused. One whose
 * create answer said `paid` is open until a look-up agrees.
 */
export function toOpenInvoices({ invoices, cards, paid }: OrderRecord): IssuedInvoice[] {
  const ofCards = new Set(cards.map(({ progress }) => toInvoiceId(progress)));
  return invoices.filter(({ invoiceId, method }) => {
    const isOver = method === 'credit_card' && !ofCards.has(invoiceId);
    return invoiceId !== paid?.invoiceId && !isOver;
  });
}

/** Whether the ledger knows nothing that was sent of this order: then it may have lost it. */
export function isUnknownOrder({ invoices, cards, sentAtMs, cardSentAtMs }: OrderRecord): boolean {
  return [invoices, cards, sentAtMs, cardSentAtMs].every(({ length }) => length === 0);
}

function toWaiting(record: OrderRecord, { askedAt, count }: Hints): IssuedInvoice[] {
  return toOpenInvoices(record).filter(({ invoiceId }) => (askedAt.get(invoiceId) ?? 0) < count);
}

/** What an id is to this order; null: nothing, or it is paid. */
function toTarget(record: OrderRecord, invoiceId: string): Target | null {
  const invoice = record.invoices.find((one) => isSame(one, invoiceId));
  if (!invoice) return mayBeCard(record) ? { kind: 'candidate', invoiceId } : null;
  if (record.paid && isSame(record.paid, invoiceId)) return null;
  const isOpen = toOpenInvoices(record).some((one) => isSame(one, invoiceId));
  // A card that was refused may have been paid after all: a look-up tells.
  return { kind: isOpen ? 'open' : 'settled', invoice };
}

/** Whether an id that is none of the order's invoices may be that of an unresolved charge. */
function mayBeCard({ cards }: OrderRecord): boolean {
  return cards.some(({ progress: { state } }) => state === 'sent' || state === 'unknown');
}

function isSame(invoice: IssuedInvoice, invoiceId: string): boolean {
  return invoice.invoiceId === invoiceId;
}

function idOf(target: Target): string {
  return target.kind === 'candidate' ? target.invoiceId : target.invoice.invoiceId;
}
