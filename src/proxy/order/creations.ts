/**
 * Creations of Pix codes: an order has one open code for its price, whoever asks, and a creation is two facts, `begun` and
 * `madeCode`. Both say what may be handed out; nothing is sent before `begun` says so.
 */

import { advanced, blocked, claimed, withdrawn } from './attempts.js';
import {
  alive,
  isInQuestion,
  reopened,
  shown,
  toUnsure,
  withInvoice,
  withNew,
  withReminder,
} from './invoices.js';
import { named } from './due.js';
import { endingOf } from './keys.js';
import { isAhead } from '../../domain/spans.js';
import { toFreeAtMs, leaving } from './sends.js';
import {
  blockingCardOf,
  countRecorded,
  findInvoice,
  isCard,
  isHandedOut,
  isPayable,
  paidInvoiceOf,
} from './questions.js';
import type { Unsure } from './invoices.js';
import type { Attempt, Given, KeptInvoice, Order, MadeInvoice, Step } from './order.js';

/**
 * How long others wait for a creation that began, milliseconds: longer than most take, shorter than a page has patience. A second
 * invoice harms no one, because no payer sees it.
 */
const makesForMs = 6_000;

/** How far apart the clocks of two processes may be, milliseconds. */
const clocksDifferMs = 60_000;

/** A request for an order's open code. */
export interface PixRequest {
  /** Null: the merchant's own server asks, without a key. */
  readonly attempt: Attempt | null;
  /** The request itself, a random id. */
  readonly holder: string;
  readonly totalCents: number;
  /** The invoice that the payer wants replaced; null: none. */
  readonly replaces: string | null;
  /** Invoices that were looked up since the request came, and are not paid. */
  readonly lookedUp: ReadonlySet<string>;
}

/**
 * What a request for a code may do. `begin`: send a creation, and tell `madeCode` how many invoices were `known`. `open`: answer
 * with this code. `unsure`: look these up first, for one may be paid. `making`: wait, another request is at it. `stopped`: a
 * person has to look at an invoice that is paid and differs.
 */
export type Begun =
  | { readonly is: 'begin'; readonly known: number; readonly isNewKey: boolean }
  | { readonly is: 'open' | 'paid'; readonly invoice: KeptInvoice }
  | Unsure
  | { readonly is: 'too_many'; readonly freeAtMs: number }
  | { readonly is: 'card' | 'stopped' | 'reused' | 'making' };

/** A page asks for the order's code: it is there, or a creation begins. */
export function begun(order: Order, request: PixRequest, given: Given): Step<Begun> {
  const { nowMs } = given;
  const { attempt, lookedUp, holder } = request;
  const [claimedOrder, claim] = attempt
    ? claimed(order, attempt, given)
    : ([order, 'new'] as const);
  const paid = paidInvoiceOf(order);
  if (paid) return [order, { is: 'paid', invoice: paid }];
  if (blockingCardOf(order, nowMs)) return [order, { is: 'card' }];
  if (order.invoices.some(isInQuestion)) return [order, { is: 'stopped' }];
  if (claim === 'reused' || claim === 'busy') return [order, { is: 'reused' }];
  const open = findOpen(order, request, nowMs);
  if (!open && isOtherMaking(order, holder, nowMs)) return [order, { is: 'making' }];
  const unsure = toUnsure(order, lookedUp, open);
  if (unsure) return [order, unsure];
  if (open) return [handedOut(claimedOrder, open, attempt, given), { is: 'open', invoice: open }];
  if (attempt && hasMade(order, attempt)) return [order, { is: 'reused' }];
  const freeAtMs = toFreeAtMs(order, nowMs);
  if (freeAtMs !== null) return [order, { is: 'too_many', freeAtMs }];
  const { totalCents } = request;
  const [left] = leaving(claimedOrder, { method: 'pix', atMs: nowMs, totalCents }, given);
  const known = countRecorded(order.invoices);
  const making = { holder, untilMs: nowMs + makesForMs };
  return [
    { ...left, making },
    { is: 'begin', known, isNewKey: claim === 'new' },
  ];
}

/** A code that the service made. */
export interface MadeCode extends Omit<PixRequest, 'lookedUp'> {
  readonly invoice: MadeInvoice;
  /** How many invoices requests had recorded when the creation began. */
  readonly known: number;
  /** Whether the page is still there to get it. */
  readonly isAwaited: boolean;
}

/**
 * Which code the page gets. `made`: its own, or one that another request recorded meanwhile. `barred`: none, because its page was
 * told that there is none. `late`: none now, another request is ahead.
 */
export type Made =
  | { readonly is: 'made' | 'paid'; readonly invoice: KeptInvoice }
  | { readonly is: 'card' | 'barred' | 'late' };

/** The service made a code. It is the order's only if no request recorded another one since its creation began. */
export function madeCode(before: Order, made: MadeCode, given: Given): Step<Made> {
  const { invoice, known, attempt, isAwaited } = made;
  const order = withoutMaking(before, made.holder);
  if (attempt && isBarred(order, attempt.key)) {
    // No page gets it, but it may be paid all the same.
    return [withNew(order, { ...invoice, code: '' }, given), { is: 'barred' }];
  }
  const isFirst = countRecorded(order.invoices) === known;
  const recorded = isFirst ? withCode(order, invoice, given) : order;
  const paid = paidInvoiceOf(recorded);
  if (paid) return [giveUp(recorded, attempt), { is: 'paid', invoice: paid }];
  if (blockingCardOf(recorded, given.nowMs)) return [giveUp(recorded, attempt), { is: 'card' }];
  const own = findInvoice(recorded, invoice.invoiceId);
  const open = own && isHandedOut(own) ? own : findOpen(recorded, made, given.nowMs);
  if (!open) return [giveUp(recorded, attempt), { is: 'late' }];
  return [handedOut(recorded, open, attempt, given, isAwaited), { is: 'made', invoice: open }];
}

/** A creation failed: nothing was handed out, and the key is free again. */
export function failed(
  order: Order,
  { attempt, holder }: Pick<PixRequest, 'attempt' | 'holder'>,
): Step<void> {
  return [giveUp(withoutMaking(order, holder), attempt), undefined];
}

/**
 * The service made an invoice for an attempt, or answered with one. It stays as it is where it is known, unless an attempt is
 * given and it is not paid: then it is that attempt's, and open again.
 */
export function made(
  order: Order,
  { invoice, attempt }: { readonly invoice: MadeInvoice; readonly attempt?: Attempt | undefined },
  given: Given,
): Step<void> {
  const isKnown = findInvoice(order, invoice.invoiceId) !== undefined;
  const recorded = withReminder(withNew(order, invoice, given), invoice.invoiceId, given);
  if (!attempt) return [recorded, undefined];
  const opened = isKnown ? reopened(recorded, invoice, given) : recorded;
  const { invoiceId } = invoice;
  const [next, isNew] = advanced(opened, attempt, { state: 'created', invoiceId }, given);
  return [isNew ? next : withLate(next, invoice, attempt, given), undefined];
}

/**
 * The code that a page of this price gets: the newest that is not expired, and that the payer does not want replaced. Not the
 * newest of all: a price may come back, and its code is still open.
 */
export function findOpen(
  { invoices }: Pick<Order, 'invoices'>,
  { totalCents, replaces }: Pick<PixRequest, 'totalCents' | 'replaces'>,
  nowMs: number,
): KeptInvoice | null {
  const newest = invoices.filter(isHandedOut).findLast((one) => one.totalCents === totalCents);
  if (!newest || newest.invoiceId === replaces || !isPayable(newest, nowMs)) return null;
  return newest;
}

function isOtherMaking({ making }: Order, holder: string, nowMs: number): boolean {
  if (making === null || making.holder === holder) return false;
  return isAhead(making.untilMs, makesForMs + clocksDifferMs, nowMs);
}

function hasMade(order: Order, { key, scope }: Attempt): boolean {
  const known = order.attempts.find((one) => one.key === key && one.scope === scope);
  return known?.progress.state === 'created' || endingOf(order, key) === 'made';
}

function isBarred(order: Order, key: string): boolean {
  return endingOf(order, key) === 'barred' || endingOf(order, key) === 'given_up';
}

/** The order with a code that a page gets now. */
function handedOut(
  order: Order,
  { invoiceId }: KeptInvoice,
  attempt: Attempt | null,
  given: Given,
  isAwaited = true,
): Order {
  const moved = attempt
    ? advanced(order, attempt, { state: 'created', invoiceId }, given)[0]
    : order;
  const offered = moved.offeredId === invoiceId ? moved : { ...moved, offeredId: invoiceId };
  return isAwaited ? shown(offered, { invoiceId }, given)[0] : offered;
}

/** The order with a new code. One that only a postback named gets its code. */
function withCode(order: Order, invoice: MadeInvoice, given: Given): Order {
  const former = findInvoice(order, invoice.invoiceId);
  if (!former) return withNew(order, invoice, given);
  const isAdopted = !isCard(former) && !former.isPaid && !isHandedOut(former);
  return isAdopted && isHandedOut(invoice)
    ? alive(withInvoice(order, { ...former, ...invoice }), given)
    : order;
}

function giveUp(order: Order, attempt: Attempt | null): Order {
  return attempt ? withdrawn(order, attempt)[0] : order;
}

function withoutMaking(order: Order, holder: string): Order {
  return order.making?.holder === holder ? { ...order, making: null } : order;
}

/** The answer came after a person's word: it blocks the order again, as soon as another card has ended. */
function withLate(order: Order, invoice: MadeInvoice, attempt: Attempt, given: Given): Order {
  const known = order.attempts.find(
    ({ key, scope }) => key === attempt.key && scope === attempt.scope,
  );
  if (!isCard(invoice) || (known && !known.released)) return order;
  const [next, is] = blocked(order, invoice, given);
  return is === 'recorded'
    ? next
    : named(order, { lookUpId: invoice.lookUpId, forMs: 0 }, given)[0];
}
