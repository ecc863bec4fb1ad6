/**
 * Describes what happened to an order and what it waits for, for support. The description names no person and holds no code,
 * token or idempotency key.
 */

import type { Attempt, KeptAttempt, KeptEvent, KeptInvoice, Order } from '../order.js';
import { isAboutMoney, isAnswerableAlert, toMismatchId, toOutcomeUnknownId } from './outbox.js';
import {
  hookNames,
  findInvoiceOfAttempt,
  isCard,
  isIdOfPaidInvoice,
  toInvoiceId,
  hasOpenMismatch,
} from '../order.js';
import { dayMs } from '../../../domain/spans.js';

// What support reads

/** Something that happened. Amounts are integer cents, times ISO 8601. */
export interface OrderEntry {
  readonly at: string;
  /**
   * `sent`: a creation was sent. `attempt`: a request with an idempotency key, with its `state`. `invoice`: the service
   * created one. `paid`, `refused`, `released`, `expired`: what a look-up or a person found. `named`: a postback named an id
   * that still waits for its look-up. `event`: your server's hook, with its `tries` and its `outcome` (null while it has not
   * come through).
   */
  readonly what:
    | ('sent' | 'attempt' | 'invoice' | 'named' | 'event')
    | ('paid' | 'refused' | 'released' | 'expired');
  readonly [detail: string]: string | number | boolean | null;
}

/** An alert that waits for a person's answer (`resolveOutcome`). */
export interface OpenAlert {
  /** `onOutcomeUnknown`: a card may be charged. `onMismatch`: a payment differs from what was created. */
  readonly hook: 'onOutcomeUnknown' | 'onMismatch';
  /** The id that the answer names. */
  readonly deliveryId: string;
  /** Integer cents. */
  readonly totalCents: number;
  /** The invoice, where one is known. */
  readonly invoiceId?: string;
}

export interface OrderDescription {
  readonly externalId: string;
  /** Oldest first. */
  readonly entries: readonly OrderEntry[];
  /** A sentence for support, such as `the payment of code A1B2, until 2026-01-31T12:00:00.000Z`. */
  readonly waitsFor: string;
  /** What a person has to find out, oldest first. */
  readonly alerts: readonly OpenAlert[];
  /** Which parts are not kept as long as the order; null if nothing is missing. */
  readonly forgotten: string | null;
}

/**
 * Lists what happened to an order, what it waits for, and its open alerts.
 * @returns null if the store does not have the order
 */
export function describeOrder(order: Order | null, nowMs: number): OrderDescription | null {
  if (!order) return null;
  const { externalId, sends, attempts, invoices, named, events, history } = order;
  const entries = [
    // Entries of the same millisecond are in the order of a payment's steps.
    ...attempts.map((one) =>
      toEntry(one.claimedAtMs, 'attempt', { state: 'claimed', ...toFacts(one) }),
    ),
    ...sends.map(({ method, atMs }) => toEntry(atMs, 'sent', { method })),
    ...attempts.flatMap(describeProgress),
    ...history
      .filter(({ what }) => what === 'barred')
      .map(({ atMs }) => toEntry(atMs, 'attempt', { state: 'barred' })),
    ...invoices.flatMap((invoice) => describeInvoice(invoice, events)),
    ...named
      .filter((one) => !isIdOfPaidInvoice(order, one))
      .map(({ namedAtMs, lookUpId, tries }) => toEntry(namedAtMs, 'named', { lookUpId, tries })),
    ...events.map(describeEvent),
  ];
  const isOld = invoices.some(({ createdAtMs }) => createdAtMs < nowMs - dayMs);
  return {
    externalId,
    entries: entries.toSorted((one, other) => one.at.localeCompare(other.at)),
    waitsFor: describeWait(order, nowMs),
    alerts: findOpenAlerts(order),
    forgotten: isOld
      ? 'creations and ended attempts are kept for a day, hook calls for ninety'
      : null,
  };
}

/** Makes an entry of the description, with its time as text. */
function toEntry(
  atMs: number,
  what: OrderEntry['what'],
  details: Readonly<Record<string, string | number | boolean | null>>,
): OrderEntry {
  return { at: toTime(atMs), what, ...details };
}

/** Describes how far an attempt has come; gives no entry while it is only claimed. */
function describeProgress(attempt: KeptAttempt): OrderEntry[] {
  const { progress, changedAtMs } = attempt;
  const { state } = progress;
  if (state === 'claimed') return [];
  const invoiceId = toInvoiceId(progress);
  const named = invoiceId === null ? {} : { invoiceId };
  return [toEntry(changedAtMs, 'attempt', { state, ...toFacts(attempt), ...named })];
}

function toFacts({ method, totalCents, installment }: Attempt) {
  return { method, totalCents, installment };
}

/** Gives the entries of an invoice: its creation, that it expired, and that it was paid, refused or released. */
function describeInvoice(invoice: KeptInvoice, events: readonly KeptEvent[]): OrderEntry[] {
  const { invoiceId, orderCode, method, totalCents, deadlineMs, isReleased } = invoice;
  const facts = { invoiceId, orderCode, method, totalCents };
  const { createdAtMs, isPaid, settledAtMs, lapsedAtMs } = invoice;
  const deadline = deadlineMs === null ? {} : { expiresAt: toTime(deadlineMs) };
  const told: OrderEntry[] = [toEntry(createdAtMs, 'invoice', { ...facts, ...deadline })];
  if (lapsedAtMs !== null) told.push(toEntry(lapsedAtMs, 'expired', facts));
  if (isPaid && settledAtMs !== null) {
    const event = events.find(
      ({ kind, notice }) => kind === 'paid' && notice.invoiceId === invoiceId,
    );
    const endToEndId = event?.kind === 'paid' ? event.notice.endToEndId : undefined;
    told.push(toEntry(settledAtMs, 'paid', { ...facts, ...(endToEndId && { endToEndId }) }));
  } else if (settledAtMs !== null) {
    told.push(toEntry(settledAtMs, isReleased ? 'released' : 'refused', facts));
  }
  return told;
}

/** The fields of a notice that support reads: not the code, and no field that the invoice's entry has already. */
const describedFields = ['invoiceId', 'status', 'late', 'duplicate', 'field', 'endToEndId'];

/** Gives the entry of an event: its hook, its tries, its outcome, and when it is tried next or ended. */
function describeEvent(event: KeptEvent): OrderEntry {
  const { kind, notice, queuedAtMs, tries, outcome, endedAtMs, dueAtMs } = event;
  const facts = Object.fromEntries(
    Object.entries(notice).filter(([name]) => describedFields.includes(name)),
  ) as Record<string, string | boolean>;
  const next = endedAtMs === null ? { nextTryAt: toTime(dueAtMs) } : { endedAt: toTime(endedAtMs) };
  const { deliveryId } = notice;
  const details = { hook: hookNames[kind], ...facts, deliveryId, tries, outcome, ...next };
  return toEntry(queuedAtMs, 'event', details);
}

/** Says in a sentence what the order waits for, by the first rule that applies. */
function describeWait(order: Order, nowMs: number): string {
  const { attempts, invoices, named, events } = order;
  const card = attempts.find(
    (one) => isCard(one) && ['sent', 'unknown', 'created'].includes(one.progress.state),
  );
  const paid = invoices.find(({ isPaid }) => isPaid);
  const questioned = invoices.find(hasOpenMismatch);
  // Although this invoice is paid, the shop must not ship for it, so the order does not count as paid.
  if (questioned)
    return `a person: what the service calls paid, invoice ${questioned.invoiceId}, differs in ${questioned.differsIn}, see resolveOutcome`;
  if (card && !findInvoiceOfAttempt(order, card)?.isPaid) return describeCardWait(order, card);
  if (paid) return describePaidWait(paid, events);
  const [name] = named;
  if (name) return `the look-up of ${name.lookUpId}, which a postback named`;
  const code = invoices.findLast(({ method }) => method === 'pix');
  if (code) return describeCodeWait(code, nowMs);
  const claimed = attempts.find(({ progress: { state } }) => state === 'claimed');
  if (claimed) return `the answer to a request of ${toTime(claimed.claimedAtMs)}`;
  return 'nothing: no payment is begun';
}

/** Says what an unpaid card waits for: its answer, the service's decision, or a person. */
function describeCardWait(order: Order, card: KeptAttempt): string {
  const { progress, changedAtMs } = card;
  const since = toTime(changedAtMs);
  if (progress.state === 'sent') return `the answer to a card that was sent at ${since}`;
  const invoice = findInvoiceOfAttempt(order, card);
  const next = invoice ? describeNextLookUp(invoice) : '';
  if (progress.state === 'created') return `the decision on a card, since ${since}${next}`;
  return `a person: the outcome of a card is unknown since ${since}, see resolveOutcome${next}`;
}

/** Says whether a paid order waits for the merchant's server or for nothing, and whether its payment was returned. */
function describePaidWait({ settledAtMs }: KeptInvoice, events: readonly KeptEvent[]): string {
  const paid = `paid at ${toTime(settledAtMs ?? 0)}`;
  const open = events.find((one) => one.endedAtMs === null && isAboutMoney(one));
  if (open) {
    const { kind, tries, dueAtMs } = open;
    const times = tries === 0 ? 'was not called yet' : `was called ${tries} times without success`;
    return `your server: ${paid}; ${hookNames[kind]} ${times}, and is due at ${toTime(dueAtMs)}`;
  }
  // The return of a duplicate payment is left out.
  const returned = events.findLast((one) => one.kind === 'returned' && !one.notice.duplicate);
  if (returned?.kind === 'returned' && !returned.notice.isPaidAgain) {
    return `nothing: ${paid}, then ${returned.notice.status}`;
  }
  const told = events.find(({ kind }) => kind === 'paid')?.endedAtMs ?? null;
  return told === null
    ? `nothing: ${paid}`
    : `nothing: ${paid}, told to your server at ${toTime(told)}`;
}

/** Says until when a code can be paid, or that its deadline has passed, and when it is looked up next. */
function describeCodeWait(invoice: KeptInvoice, nowMs: number): string {
  const { orderCode, invoiceId, deadlineMs } = invoice;
  const code = `code ${orderCode || invoiceId}`;
  if (deadlineMs === null) return `the payment of ${code}${describeNextLookUp(invoice)}`;
  const until = toTime(deadlineMs);
  if (deadlineMs > nowMs)
    return `the payment of ${code}, until ${until}${describeNextLookUp(invoice)}`;
  return `nothing: the deadline of ${code} passed at ${until}; a late payment is still found${describeNextLookUp(invoice)}`;
}

function describeNextLookUp({ lookUpAtMs }: KeptInvoice): string {
  return lookUpAtMs === null ? '' : `; looked up next at ${toTime(lookUpAtMs)}`;
}

function toTime(atMs: number): string {
  return new Date(atMs).toISOString();
}

// Open alerts

/** Finds the alerts that wait for a person: about cards that may be charged, and about payments that differ. */
function findOpenAlerts(order: Order): readonly OpenAlert[] {
  const cards = order.attempts.flatMap((card) => {
    const deliveryId = isCard(card) ? findOpenAlertId(order, card) : null;
    if (deliveryId === null || findInvoiceOfAttempt(order, card)?.isPaid) return [];
    const about = { ...card, invoiceId: toInvoiceId(card.progress) };
    return [toAlert('outcome_unknown', deliveryId, about)];
  });
  const invoices = order.invoices
    .filter(hasOpenMismatch)
    .map((one) => toAlert('mismatch', toMismatchId(one), one));
  return [...cards, ...invoices];
}

/**
 * Finds the id of the latest unanswered alert about a card. A card of unknown outcome has one even before its alert is
 * queued.
 * @returns null if the card's state asks for no person, or if a pending card has no alert yet
 */
function findOpenAlertId({ events }: Order, card: KeptAttempt): string | null {
  const { state } = card.progress;
  if (state !== 'unknown' && state !== 'created') return null;
  const told = events.findLast(({ notice }) => isAnswerableAlert(card, notice.deliveryId));
  return told?.notice.deliveryId ?? (state === 'unknown' ? toOutcomeUnknownId(card) : null);
}

/** Makes an alert as support reads it. */
function toAlert(
  kind: 'outcome_unknown' | 'mismatch',
  deliveryId: string,
  about: { readonly invoiceId: string | null; readonly totalCents: number },
): OpenAlert {
  const { invoiceId, totalCents } = about;
  const found = invoiceId !== null && { invoiceId };
  return { hook: hookNames[kind], deliveryId, totalCents, ...found };
}
