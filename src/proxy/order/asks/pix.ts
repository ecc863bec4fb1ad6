/**
 * A page asks for its order's Pix code. An order has one open code for its price: each page gets it, or one is made.
 * Which code is handed out, and when a creation may leave, is decided here and nowhere else.
 */

import { advanced, claimed, withdrawn, leaving, toFreeAtMs } from '../attempts.js';
import { alive, shown, withInvoice, withNew } from '../invoices.js';
import {
  endingOf,
  isBarred,
  countRecorded,
  findInvoice,
  findOpen,
  isCard,
  isHandedOut,
  isSame,
} from '../order.js';
import { isAhead } from '../../../domain/spans.js';
import type { Attempt, Given, KeptInvoice, MadeInvoice, Order, Step } from '../order.js';
import { keepsCodesBack, lookAtClaim, lookUpFormer, inProgress, refuse } from './ask.js';
import type { Answer, Asking, Create, LookUp, Wait } from './ask.js';

/**
 * How long others wait for a creation that began, milliseconds: longer than most take, shorter than a page has patience. A second
 * invoice harms no one, because no payer sees it.
 */
const makesForMs = 6_000;

/** How long a request waits for the one that makes the code, milliseconds: longer than that may take. Then its page asks again. */
const patienceMs = 8_000;

/** How far apart the clocks of two processes may be, milliseconds. */
const clocksDifferMs = 60_000;

/** A request for an order's open code. */
export interface PixAsk {
  readonly kind: 'pix';
  readonly externalId: string;
  /** Null: the merchant's own server asks, without a key. */
  readonly attempt: Attempt | null;
  /** The request itself, a random id. */
  readonly holder: string;
  readonly totalCents: number;
  /** The invoice that the payer wants replaced; null: none. */
  readonly replaces: string | null;
}

export type PixReply = Answer | LookUp | Create | Wait;

export function askedPix(order: Order, ask: PixAsk, asking: Asking, given: Given): Step<PixReply> {
  const { nowMs } = given;
  const { attempt, holder } = ask;
  const end = (reply: PixReply): Step<PixReply> => [withoutClaim(order, ask), reply];

  const own = findInvoice(order, asking.madeId);
  // It was paid when it was made.
  if (own?.isPaid && order.paidId === own.invoiceId)
    return [handedOut(order, own, ask, asking, given), { type: 'invoice', invoice: own }];
  const other = keepsCodesBack(order, asking, nowMs);
  if (other) return end(other);

  const [held, claim] = attempt ? claimed(order, attempt, given) : ([order, 'new'] as const);
  if (claim === 'reused') return end(refuse('key_reused'));

  // The code that this request had made, if it became the order's; else that of its price.
  const open = own && isHandedOut(own) ? own : findOpen(order, ask, nowMs);
  if (!open && isOtherMaking(order, holder, nowMs)) {
    return asking.waitedMs < patienceMs ? [order, { type: 'wait' }] : end(inProgress);
  }
  const first = lookUpFormer(order, asking, open, nowMs);
  if (first) return first.type === 'look_up' ? [order, first] : end(first);
  const unsure = open && lookAtClaim(open, asking);
  if (unsure) return [order, unsure];
  if (open) return [handedOut(held, open, ask, asking, given), { type: 'invoice', invoice: open }];

  // It had one made, and another request was ahead: its page asks again in a second.
  if (asking.madeId !== null) return end(refuse('service_unavailable', 1_000));
  if (attempt && hasMade(order, attempt)) return end(refuse('key_reused'));
  const freeAtMs = toFreeAtMs(order, nowMs);
  if (freeAtMs !== null) return end(refuse('too_many_requests', freeAtMs - nowMs));
  // A creation is about to leave: others wait for it.
  const left = leaving(held, { method: 'pix', totalCents: ask.totalCents }, given);
  const making = { holder, untilMs: nowMs + makesForMs };
  const known = countRecorded(order.invoices);
  return [
    { ...left, making },
    { type: 'create', known, isNewKey: claim === 'new' },
  ];
}

/**
 * The service made a code. It is the order's only if it is right, if its page was not told that there is none, and if no request
 * recorded another one since its creation began. Else no page gets it, but it may be paid all the same.
 */
export function codeMade(
  before: Order,
  { ask, invoice, known, isWrong = false }: MadeCode,
  given: Given,
): Order {
  const order = withoutMaking(before, ask);
  const isTold = ask.attempt !== null && isBarred(order, ask.attempt.key);
  const isOurs = !isWrong && !isTold && countRecorded(order.invoices) === known;
  return isOurs ? withCode(order, invoice, given) : withNew(order, { ...invoice, code: '' }, given);
}

/** A code that the service made for an ask. */
interface MadeCode {
  readonly ask: PixAsk;
  readonly invoice: MadeInvoice;
  /** How many invoices requests had recorded when its creation began. */
  readonly known: number;
  /** Its answer was wrong, so that no payer may see it. */
  readonly isWrong?: boolean;
}

/** What the request needed failed: nothing was handed out, and its key is free again. */
export function gaveUpPix(order: Order, ask: PixAsk): Order {
  return withoutClaim(withoutMaking(order, ask), ask);
}

function isOtherMaking({ making }: Order, holder: string, nowMs: number): boolean {
  if (making === null || making.holder === holder) return false;
  return isAhead(making.untilMs, makesForMs + clocksDifferMs, nowMs);
}

function hasMade(order: Order, attempt: Attempt): boolean {
  const known = order.attempts.find((one) => isSame(one, attempt));
  return known?.progress.state === 'created' || endingOf(order, attempt.key) === 'made';
}

/** The order with a code that a page gets now. */
function handedOut(
  order: Order,
  code: KeptInvoice,
  { attempt }: PixAsk,
  { isAwaited }: Asking,
  given: Given,
): Order {
  const { invoiceId } = code;
  const moved = attempt
    ? advanced(order, attempt, { state: 'created', invoiceId }, given)[0]
    : order;
  const offered = moved.offeredId === invoiceId ? moved : { ...moved, offeredId: invoiceId };
  return isAwaited ? shown(offered, code, given) : offered;
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

function withoutClaim(order: Order, { attempt }: PixAsk): Order {
  return attempt ? withdrawn(order, attempt) : order;
}

function withoutMaking(order: Order, { holder }: PixAsk): Order {
  return order.making?.holder === holder ? { ...order, making: null } : order;
}
