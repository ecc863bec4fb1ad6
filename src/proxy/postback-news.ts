/**
 * What the postbacks of one order ask for, and which invoice of it is asked about next. Pure but for the news it is
 * given; knows no service, no pause and no limit.
 */

import type { IssuedInvoice, OrderRecord } from './orders/orders.js';

/** Most ids kept that postbacks named and nobody asked about yet. */
const maxNamed = 3;

/** What postbacks of one order ask for. */
export interface News {
  /** How many came. */
  count: number;
  /** The invoices they named, newest first, as long as nobody asked about them. */
  named: readonly string[];
  /** How many had come when each invoice was asked about: those after it are news. */
  readonly askedAt: Map<string, number>;
  /** The invoice asked about last. */
  lastAsked: string | null;
}

/** What the service is asked about next: an invoice of the order, or an id that may be its open card's. */
export type Target =
  | { readonly kind: 'invoice'; readonly invoice: IssuedInvoice }
  | { readonly kind: 'candidate'; readonly invoiceId: string };

/** No news. */
export function startNews(): News {
  return { count: 0, named: [], askedAt: new Map(), lastAsked: null };
}

/** @param named the invoice that the postback named; null: none */
export function noteNews(news: News, named: string | null): void {
  news.count += 1;
  if (named === null) return;
  news.named = [named, ...news.named.filter((id) => id !== named)].slice(0, maxNamed);
}

/** Nobody asks about an id only because a postback named it, from now on. */
export function forgetNamed(news: News, invoiceId: string): void {
  news.named = news.named.filter((id) => id !== invoiceId);
}

/** The service is about to be asked: what it answers is younger than all news there is. */
export function noteAsked(news: News, { invoiceId }: IssuedInvoice): void {
  forgetNamed(news, invoiceId);
  news.askedAt.set(invoiceId, news.count);
  news.lastAsked = invoiceId;
}

/**
 * What a postback named comes first, if it can be asked about; then the invoice that nobody asked about for longest, the
 * newest of several. Ids that mean nothing to this order are forgotten.
 * @returns null: there is no news of this order
 */
export function chooseTarget(record: OrderRecord, news: News): Target | null {
  const waiting = toWaiting(record, news);
  for (const invoiceId of news.named) {
    const invoice = waiting.find((one) => one.invoiceId === invoiceId);
    // Not the same one again and again while others wait, however often it is named.
    const isTurn = invoiceId !== news.lastAsked || waiting.length === 1;
    if (invoice && isTurn) return { kind: 'invoice', invoice };
    if (isCandidate(record, invoiceId)) return { kind: 'candidate', invoiceId };
  }
  news.named = [];
  const age = ({ invoiceId }: IssuedInvoice) => news.askedAt.get(invoiceId) ?? 0;
  const [invoice] = waiting.toReversed().toSorted((one, other) => age(one) - age(other));
  return invoice ? { kind: 'invoice', invoice } : null;
}

/** Whether there is more to ask about. */
export function hasNews(record: OrderRecord, news: News): boolean {
  return news.named.length > 0 || toWaiting(record, news).length > 0;
}

/** The order's invoices that are not settled, oldest first. A card's is over once its attempt is. */
export function toOpenInvoices({ invoices, cards }: OrderRecord): IssuedInvoice[] {
  const open: IssuedInvoice[] = invoices.filter(({ invoiceId, method, status }) => {
    const isOver = method === 'credit_card' && !cards.some((card) => isOf(card, invoiceId));
    return status !== 'paid' && !isOver;
  });
  const candidates = cards.flatMap(({ progress }) =>
    progress.state === 'unknown' && progress.candidate ? [progress.candidate] : [],
  );
  const isNew = ({ invoiceId }: IssuedInvoice) => !open.some((one) => one.invoiceId === invoiceId);
  return [...open, ...candidates.filter(isNew)];
}

function toWaiting(record: OrderRecord, { askedAt, count }: News): IssuedInvoice[] {
  return toOpenInvoices(record).filter(({ invoiceId }) => (askedAt.get(invoiceId) ?? 0) < count);
}

/** Whether an id that is none of the order's invoices may be the one of a card whose outcome is open. */
function isCandidate({ invoices, cards }: OrderRecord, invoiceId: string): boolean {
  const isKnown = invoices.some((invoice) => invoice.invoiceId === invoiceId);
  const states = cards.map(({ progress }) => progress.state);
  return !isKnown && (states.includes('sent') || states.includes('unknown'));
}

function isOf({ progress }: OrderRecord['cards'][number], invoiceId: string): boolean {
  return progress.state === 'created' && progress.invoiceId === invoiceId;
}
