/**
 * Answers a page that asks for a Pix code. An order has one open code for its price: each page gets that one, or one is
 * created. Only this file decides which code a page gets, and when a creation may be sent.
 */

import {
  advanceAttempt,
  claimAttempt,
  withdrawAttempt,
  recordSending,
  toNextCodeAtMs,
} from '../attempts.js';
import { recordActivity, recordShown, replaceInvoice, addInvoice } from '../invoices.js';
import {
  findKeyEnding,
  isKeyBarred,
  countRecordedInvoices,
  findInvoice,
  findOpenCode,
  isCard,
  isHandedOut,
  isSameRequest,
} from '../order.js';
import { isAhead } from '../../../domain/spans.js';
import type { Attempt, Given, KeptInvoice, MadeInvoice, Order, Step } from '../order.js';
import {
  findReasonToWithhold,
  lookUpPaidCreation,
  lookUpFormer,
  inProgress,
  refuse,
} from './ask.js';
import type { Answer, Asking, Create, LookUp, Wait } from './ask.js';

/**
 * How long other requests wait for a creation, milliseconds: longer than most take, shorter than a page waits. If a second
 * invoice is created, no payer sees it.
 */
const makesForMs = 6_000;

/**
 * How long a request waits for the one that creates the code, milliseconds: longer than {@link makesForMs}. Then its page asks
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
  /** The invoice that the payer wants replaced; null if none. */
  readonly replaces: string | null;
}

export type PixReply = Answer | LookUp | Create | Wait;

export function putPixAsk(order: Order, ask: PixAsk, asking: Asking, given: Given): Step<PixReply> {
  const { nowMs } = given;
  const { attempt, holder } = ask;
  const end = (reply: PixReply): Step<PixReply> => [dropClaim(order, ask), reply];

  const own = findInvoice(order, asking.madeId);
  // It was paid as soon as it was created.
  if (own?.isPaid && order.paidId === own.invoiceId)
    return [handOutCode(order, own, ask, asking, given), { type: 'invoice', invoice: own }];
  const other = findReasonToWithhold(order, asking, nowMs);
  if (other) return end(other);

  const [held, claim] = attempt ? claimAttempt(order, attempt, given) : ([order, 'new'] as const);
  if (claim === 'reused') return end(refuse('key_reused'));

  // The code that this request created, if the order took it; otherwise the open code of this price.
  const open = own && isHandedOut(own) ? own : findOpenCode(order, ask, nowMs);
  if (!open && isOtherMaking(order, holder, nowMs)) {
    return asking.waitedMs < patienceMs ? [order, { type: 'wait' }] : end(inProgress);
  }
  const first = lookUpFormer(order, asking, open, nowMs);
  if (first) return first.type === 'look_up' ? [order, first] : end(first);
  const unsure = open && lookUpPaidCreation(open, asking);
  if (unsure) return [order, unsure];
  if (open)
    return [handOutCode(held, open, ask, asking, given), { type: 'invoice', invoice: open }];

  // This request created a code, but another request was ahead: the page asks again in a second.
  if (asking.madeId !== null) return end(refuse('service_unavailable', 1_000));
  if (attempt && hasMade(order, attempt)) return end(refuse('key_reused'));
  const freeAtMs = toNextCodeAtMs(order, nowMs);
  if (freeAtMs !== null) return end(refuse('too_many_requests', freeAtMs - nowMs));
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
 * Records the code that the service created. It becomes the order's code if it is right, its page was not told that there is
 * none, and no other request recorded an invoice meanwhile. Otherwise no page gets it, but it stays in the order because it
 * may be paid.
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
  /** How many invoices the order had recorded when the creation began. */
  readonly known: number;
  /** Whether the service's answer was wrong, so that no payer may see the code. */
  readonly isWrong?: boolean;
}

/** Gives up a request whose creation failed: its page got no code, and its key is free again. */
export function giveUpPix(order: Order, ask: PixAsk): Order {
  return dropClaim(dropMaking(order, ask), ask);
}

function isOtherMaking({ making }: Order, holder: string, nowMs: number): boolean {
  if (making === null || making.holder === holder) return false;
  return isAhead(making.untilMs, makesForMs + clocksDifferMs, nowMs);
}

function hasMade(order: Order, attempt: Attempt): boolean {
  const known = order.attempts.find((one) => isSameRequest(one, attempt));
  return known?.progress.state === 'created' || findKeyEnding(order, attempt.key) === 'made';
}

/** Makes this code the answer of the attempt, and the one that pages get from now on. */
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

/** Adds a new code. An invoice that a postback named before gets its code. */
function addCode(order: Order, invoice: MadeInvoice, given: Given): Order {
  const former = findInvoice(order, invoice.invoiceId);
  if (!former) return addInvoice(order, invoice, given);
  const isAdopted = !isCard(former) && !former.isPaid && !isHandedOut(former);
  return isAdopted && isHandedOut(invoice)
    ? recordActivity(replaceInvoice(order, { ...former, ...invoice }), given)
    : order;
}

function dropClaim(order: Order, { attempt }: PixAsk): Order {
  return attempt ? withdrawAttempt(order, attempt) : order;
}

function dropMaking(order: Order, { holder }: PixAsk): Order {
  return order.making?.holder === holder ? { ...order, making: null } : order;
}
