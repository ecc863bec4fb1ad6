/**
 * What the postbacks of one order ask for, and which invoice of it is asked about next. Pure but for the news it is
 * given; knows no service, no pause and no limit.
 */

import { toInvoiceId } from '../ledger/invoice-changes.js';
import type { IssuedInvoice, OrderRecord } from '../ledger/ledger.js';

/** Most ids kept that postbacks named and nobody asked about yet, or whose look-up failed. */
const maxNamed = 3;

/** How long after each failed look-up of an id that no ledger asks for it is asked about again, milliseconds; then it is left. */
const againAfterMs: readonly number[] = [5_000, 15_000, 60_000, 5 * 60_000, 30 * 60_000];

/** What postbacks of one order ask for. */
export interface News {
  /** How many came. */
  count: number;
  /** The invoices they named, newest first, as long as nobody asked about them. */
  named: readonly string[];
  /** Those of them whose look-up failed, with how often: nobody else asks for them. */
  readonly failed: Map<string, number>;
  /** How many had come when each invoice was asked about: those after it are news. */
  readonly askedAt: Map<string, number>;
  /** The invoice asked about last. */
  lastAsked: string | null;
}

/**
 * What the service is asked about next: an open invoice of the order; one that is settled, but not known to be paid, and
 * that a postback named; or an id that may be its open card's.
 */
export type Target =
  | { readonly kind: 'open' | 'settled'; readonly invoice: IssuedInvoice }
  | { readonly kind: 'candidate'; readonly invoiceId: string };

/** No news. */
export function startNews(): News {
  return { count: 0, named: [], failed: new Map(), askedAt: new Map(), lastAsked: null };
}

/** @param named the invoice that the postback named; null: none */
export function noteNews(news: News, named: string | null): void {
  news.count += 1;
  if (named === null) return;
  news.failed.delete(named);
  news.named = [named, ...news.named.filter((id) => id !== named)].slice(0, maxNamed);
}

/** The service is about to be asked: what it answers is younger than all news there is. */
export function noteAsked(news: News, target: Target): void {
  const invoiceId = idOf(target);
  news.named = news.named.filter((id) => id !== invoiceId);
  if (target.kind === 'candidate') return;
  news.askedAt.set(invoiceId, news.count);
  news.lastAsked = invoiceId;
}

/** The service answered, or will be asked by others. */
export function noteDone(news: News, target: Target): void {
  news.failed.delete(idOf(target));
}

/** It did not, and nobody else will ask. Bounded: it may never answer. */
export function noteFailed(news: News, target: Target): void {
  const invoiceId = idOf(target);
  if (target.kind === 'open') {
    news.askedAt.delete(invoiceId);
    return;
  }
  const times = (news.failed.get(invoiceId) ?? 0) + 1;
  // At the end: the others have their turn first.
  news.failed.delete(invoiceId);
  if (times <= againAfterMs.length) news.failed.set(invoiceId, times);
  const [oldest] = news.failed.keys();
  if (news.failed.size > maxNamed && oldest !== undefined) news.failed.delete(oldest);
}

/**
 * What a postback named comes first, if it can be asked about; then the invoice that nobody asked about for longest, the
 * newest of several; then what failed. Ids that mean nothing to this order are forgotten.
 * @returns null: there is no news of this order
 */
export function chooseTarget(record: OrderRecord, news: News): Target | null {
  const waiting = toWaiting(record, news);
  news.named = news.named.filter((invoiceId) => toTarget(record, invoiceId) !== null);
  for (const invoiceId of news.named) {
    // Not the same one again and again while others wait, however often it is named.
    const isLocked = invoiceId !== news.lastAsked || waiting.every((one) => isSame(one, invoiceId));
    if (isLocked) return toTarget(record, invoiceId);
  }
  const age = ({ invoiceId }: IssuedInvoice) => news.askedAt.get(invoiceId) ?? 0;
  const [invoice] = waiting.toReversed().toSorted((one, other) => age(one) - age(other));
  if (invoice) return { kind: 'open', invoice };
  for (const invoiceId of news.failed.keys()) {
    const target = toTarget(record, invoiceId);
    if (target) return target;
    news.failed.delete(invoiceId);
  }
  return null;
}

/** @returns in how many milliseconds there is more to ask about; null: there is nothing */
export function toNextRoundMs(record: OrderRecord, news: News): number | null {
  if (news.named.length > 0 || toWaiting(record, news).length > 0) return 0;
  const waits = [...news.failed.values()].map((times) => againAfterMs[times - 1] ?? 0);
  return waits.length > 0 ? Math.min(...waits) : null;
}

/**
 * The order's invoices that nobody knows to be settled, oldest first. A card's is over once its attempt is. What a creation
 * answer said of one is no word of a look-up, so that it is open even if that was `paid`.
 */
export function toOpenInvoices({ invoices, cards, paid }: OrderRecord): IssuedInvoice[] {
  const ofCards = new Set(cards.map(({ progress }) => toInvoiceId(progress)));
  return invoices.filter(({ invoiceId, method }) => {
    const isOver = method === 'credit_card' && !ofCards.has(invoiceId);
    return invoiceId !== paid?.invoiceId && !isOver;
  });
}

/** Whether nothing of this order was ever sent, as far as the ledger knows: then it is not the one it was. */
export function isUnknownOrder({ invoices, cards, sentAtMs, cardSentAtMs }: OrderRecord): boolean {
  return [invoices, cards, sentAtMs, cardSentAtMs].every(({ length }) => length === 0);
}

function toWaiting(record: OrderRecord, { askedAt, count }: News): IssuedInvoice[] {
  return toOpenInvoices(record).filter(({ invoiceId }) => (askedAt.get(invoiceId) ?? 0) < count);
}

/** What an id is to this order; null: nothing, or there is no more to know. */
function toTarget(record: OrderRecord, invoiceId: string): Target | null {
  const invoice = record.invoices.find((one) => isSame(one, invoiceId));
  if (!invoice) return mayBeCard(record) ? { kind: 'candidate', invoiceId } : null;
  if (record.paid && isSame(record.paid, invoiceId)) return null;
  const isOpen = toOpenInvoices(record).some((one) => isSame(one, invoiceId));
  // A card that was refused may have been paid after all: a look-up tells.
  return { kind: isOpen ? 'open' : 'settled', invoice };
}

/** Whether an id that is none of the order's invoices may be the one of a card whose outcome is open. */
function mayBeCard({ cards }: OrderRecord): boolean {
  return cards.some(({ progress: { state } }) => state === 'sent' || state === 'unknown');
}

function isSame(invoice: IssuedInvoice, invoiceId: string): boolean {
  return invoice.invoiceId === invoiceId;
}

function idOf(target: Target): string {
  return target.kind === 'candidate' ? target.invoiceId : target.invoice.invoiceId;
}
