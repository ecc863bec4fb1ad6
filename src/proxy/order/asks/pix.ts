/**
 * Answers a page that asks for a Pix code. An order has one open code for its price, which each page gets; if there is
 * none, a request creates it. Only this file decides which code a page gets, and when a creation may be sent.
 */

import {
  addInvoice,
  advanceAttempt,
  claimAttempt,
  withdrawAttempt,
  recordSending,
  findKeyEnding,
  hastenLookUp,
  isKeyBarred,
  isSameRequest,
} from '../attempts.js';
import {
  findBlockingCard,
  findInvoice,
  findOpenCode,
  isCard,
  hasCode,
  recordActivity,
  replaceInvoice,
  type Attempt,
  type Given,
  type IssuedInvoice,
  type KeptInvoice,
  type MadeInvoice,
  type Order,
  type Step,
} from '../order.js';
import { mayBeginAnew, toFirstLookUpMs } from '../times.js';
import { queueEvent, toWaitingEvent } from '../told/outbox.js';
import { dayMs, hourMs, isAhead, isWithin, minuteMs } from '../../../domain/spans.js';
import {
  replyInsteadOfCode,
  replyCreationLookUp,
  replyFormerLookUps,
  maxCodes,
  inProgress,
  toRefusal,
} from './ask.js';
import type { Answer, Asking, Create, LookUp, Wait } from './ask.js';

/**
 * How long a creation keeps others from beginning, milliseconds: longer than most creations take, shorter than a page
 * waits. If a second one begins after that, no payer sees the invoice that comes later.
 */
const makesForMs = 6_000;

/**
 * How long a request waits while another creates the code, milliseconds: longer than {@link makesForMs}. Then its page asks
 * again.
 */
const patienceMs = 8_000;

/** How far the clocks of two processes may differ, milliseconds. */
const clocksDifferMs = 60_000;

export interface PixAsk {
  readonly kind: 'pix';
  readonly externalId: string;
  /** Null if the merchant's own server asks, without a key. */
  readonly attempt: Attempt | null;
  /** A random id of the request. */
  readonly holder: string;
  readonly totalCents: number;
  /** The invoice that the payer wants to replace; null if none. */
  readonly replaces: string | null;
}

export type PixReply = Answer | LookUp | Create | Wait;

/**
 * Replies the order's open code of this price, or `create` if there is none and the limits allow one. Before that come the
 * order's payment, its blocking card, a creation by another request (`wait`), and look-ups of former invoices.
 */
export function putPixAsk(order: Order, ask: PixAsk, asking: Asking, given: Given): Step<PixReply> {
  const { nowMs } = given;
  const { attempt, holder } = ask;
  const end = (reply: PixReply): Step<PixReply> => [dropClaim(order, ask), reply];

  const own = findInvoice(order, asking.madeId);
  // This request's own code was paid as soon as it was created.
  if (own?.isPaid && order.paidId === own.invoiceId)
    return [handOutCode(order, own, ask, asking, given), { type: 'invoice', invoice: own }];
  const other = replyInsteadOfCode(order, asking, nowMs);
  if (other) return end(other);

  const [held, claim] = attempt ? claimAttempt(order, attempt, given) : ([order, 'new'] as const);
  if (claim === 'reused') return end(toRefusal('key_reused'));

  // The code that this request created, if the order took it; otherwise the open code of this price.
  const open = own && hasCode(own) ? own : findOpenCode(order, ask, nowMs);
  if (!open && isOtherCreating(order, holder, nowMs)) {
    return asking.waitedMs < patienceMs ? [order, { type: 'wait' }] : end(inProgress);
  }
  const first = replyFormerLookUps(order, asking, open, nowMs);
  if (first) return first.type === 'look_up' ? [order, first] : end(first);
  const unsure = open && replyCreationLookUp(open, asking);
  if (unsure) return [order, unsure];
  if (open)
    return [handOutCode(held, open, ask, asking, given), { type: 'invoice', invoice: open }];

  // This request created a code, but another request was first, so the page asks again in a second.
  if (asking.madeId !== null) return end(toRefusal('service_unavailable', 1_000));
  if (attempt && hasMade(order, attempt)) return end(toRefusal('key_reused'));
  const freeAtMs = toNextCodeAtMs(order, nowMs);
  if (freeAtMs !== null) return end(toRefusal('too_many_requests', freeAtMs - nowMs));
  // A creation is about to be sent, and other requests wait for it.
  const left = recordSending(held, { method: 'pix', totalCents: ask.totalCents }, given);
  const making = { holder, untilMs: nowMs + makesForMs };
  const known = countRecordedInvoices(order.invoices);
  return [
    { ...left, making },
    { type: 'create', known, isNewKey: claim === 'new' },
  ];
}

/**
 * Records the code that the service created. Pages may get it if it is right, the key of its request was not barred, and no
 * other request recorded an invoice meanwhile. Otherwise it stays in the order without its code, because it may be paid.
 */
export function recordCode(
  before: Order,
  { ask, invoice, known, isWrong = false }: MadeCode,
  given: Given,
): Order {
  const order = dropMaking(before, ask);
  const isTold = ask.attempt !== null && isKeyBarred(order, ask.attempt.key);
  const isOurs = !isWrong && !isTold && countRecordedInvoices(order.invoices) === known;
  return isOurs
    ? addCode(order, invoice, given)
    : addInvoice(order, { ...invoice, code: '' }, given);
}

interface MadeCode {
  readonly ask: PixAsk;
  readonly invoice: MadeInvoice;
  /** How many invoices with a code, or of a card, the order had when the creation began. */
  readonly known: number;
  /** Whether the service's answer was wrong, so that no payer may see the code. */
  readonly isWrong?: boolean;
}

/** Gives up a request whose creation failed: others may create the code, and its key is free again. */
export function giveUpPix(order: Order, ask: PixAsk): Order {
  return dropClaim(dropMaking(order, ask), ask);
}

/** Whether another request is creating the code. A time further ahead than clocks may differ does not count. */
function isOtherCreating({ making }: Order, holder: string, nowMs: number): boolean {
  if (making === null || making.holder === holder) return false;
  return isAhead(making.untilMs, makesForMs + clocksDifferMs, nowMs);
}

/** Whether the key of this attempt has got a code already. */
function hasMade(order: Order, attempt: Attempt): boolean {
  const known = order.attempts.find((one) => isSameRequest(one, attempt));
  return known?.progress.state === 'created' || findKeyEnding(order, attempt.key) === 'made';
}

/**
 * Makes this code the answer to the attempt and to all later requests for a code. Records that it was shown if a page
 * waits for it.
 */
function handOutCode(
  order: Order,
  code: KeptInvoice,
  { attempt }: PixAsk,
  { isAwaited }: Asking,
  given: Given,
): Order {
  const { invoiceId } = code;
  const moved = attempt
    ? advanceAttempt(order, attempt, { state: 'created', invoiceId }, given)[0]
    : order;
  const offered = moved.offeredId === invoiceId ? moved : { ...moved, offeredId: invoiceId };
  return isAwaited ? recordShown(offered, code, given) : offered;
}

/**
 * Adds a new code. If the order has its invoice without a code, because a postback named it before, that invoice gets the
 * code. Changes nothing if the invoice has a code, is paid, or is a card's.
 */
function addCode(order: Order, invoice: MadeInvoice, given: Given): Order {
  const former = findInvoice(order, invoice.invoiceId);
  if (!former) return addInvoice(order, invoice, given);
  const isAdopted = !isCard(former) && !former.isPaid && !hasCode(former);
  return isAdopted && hasCode(invoice)
    ? recordActivity(replaceInvoice(order, { ...former, ...invoice }), given)
    : order;
}

function dropClaim(order: Order, { attempt }: PixAsk): Order {
  return attempt ? withdrawAttempt(order, attempt) : order;
}

function dropMaking(order: Order, { holder }: PixAsk): Order {
  return order.making?.holder === holder ? { ...order, making: null } : order;
}

/**
 * Counts the invoices of cards and those with a code. An invoice that only a postback named, or whose code no payer may
 * see, does not count.
 */
function countRecordedInvoices(invoices: readonly MadeInvoice[]): number {
  return invoices.filter((one) => isCard(one) || hasCode(one)).length;
}

// How many codes an order may have

/** Most new codes of one order in an hour. */
const codeLimit = { most: 3, withinMs: hourMs };

/**
 * Most creations sent for one order in ten minutes, successful or not. The limit is higher than that of codes, and shorter: a
 * page sends three creations for each press of the button, and a payer must not wait an hour because the service was down for
 * a minute. No payer sees a surplus invoice.
 */
const sendLimit = { most: 10, withinMs: 10 * minuteMs };

/** When the limits allow another code to be created, milliseconds since 1970; null if now. */
function toNextCodeAtMs({ invoices, sends }: Order, nowMs: number): number | null {
  const codes = invoices.filter(hasCode).map(({ createdAtMs }) => createdAtMs);
  const sent = sends.filter(({ method }) => method === 'pix').map(({ atMs }) => atMs);
  for (const { most, withinMs, times } of [
    { most: maxCodes, withinMs: dayMs, times: codes },
    { ...codeLimit, times: codes },
    { ...sendLimit, times: sent },
  ]) {
    // The creation that has to leave the window before another code may be created.
    const blocking = times.filter((atMs) => isWithin(atMs, withinMs, nowMs)).at(-most);
    if (blocking !== undefined) return blocking + withinMs;
  }
  return null;
}

/**
 * Records that a page gets this code, perhaps again: queues the reminder and, if the code is half an hour old, begins its
 * look-ups anew and keeps the order longer.
 */
export function recordShown(order: Order, { invoiceId }: IssuedInvoice, given: Given): Order {
  const { nowMs } = given;
  const known = findInvoice(order, invoiceId);
  if (!known) return order;
  // A code that cannot be paid now needs no reminder.
  const isPayable = hasCode(known) && order.paidId === null && !findBlockingCard(order, nowMs);
  const reminded = isPayable ? queueEvent(order, toWaitingEvent(known), given) : order;
  if (!mayBeginAnew(known, nowMs) || known.settledAtMs !== null) return reminded;
  const again = { ...known, shownAtMs: nowMs };
  const next = replaceInvoice(reminded, again);
  return recordActivity(hastenLookUp(next, again, toFirstLookUpMs(nowMs)), given);
}
