/**
 * A page asks for its order's Pix code. An order has one open code for its price: each page gets it, or one is made.
 * Which code is handed out, and when a creation may leave, is decided here and nowhere else.
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

export function putPixAsk(order: Order, ask: PixAsk, asking: Asking, given: Given): Step<PixReply> {
  const { nowMs } = given;
  const { attempt, holder } = ask;
  const end = (reply: PixReply): Step<PixReply> => [dropClaim(order, ask), reply];

  const own = findInvoice(order, asking.madeId);
  // It was paid when it was made.
  if (own?.isPaid && order.paidId === own.invoiceId)
    return [handOutCode(order, own, ask, asking, given), { type: 'invoice', invoice: own }];
  const other = findReasonToWithhold(order, asking, nowMs);
  if (other) return end(other);

  const [held, claim] = attempt ? claimAttempt(order, attempt, given) : ([order, 'new'] as const);
  if (claim === 'reused') return end(refuse('key_reused'));

  // The code that this request had made, if it became the order's; else that of its price.
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

  // It had one made, and another request was ahead: its page asks again in a second.
  if (asking.madeId !== null) return end(refuse('service_unavailable', 1_000));
  if (attempt && hasMade(order, attempt)) return end(refuse('key_reused'));
  const freeAtMs = toNextCodeAtMs(order, nowMs);
  if (freeAtMs !== null) return end(refuse('too_many_requests', freeAtMs - nowMs));
  // A creation is about to leave: others wait for it.
  const left = recordSending(held, { method: 'pix', totalCents: ask.totalCents }, given);
  const making = { holder, untilMs: nowMs + makesForMs };
  const known = countRecordedInvoices(order.invoices);
  return [
    { ...left, making },
    { type: 'create', known, isNewKey: claim === 'new' },
  ];
}

/**
 * The service made a code. It is the order's only if it is right, if its page was not told that there is none, and if no request
 * recorded another one since its creation began. Else no page gets it, but it may be paid all the same.
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

/** The order with a code that a page gets now. */
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

/** The order with a new code. One that only a postback named gets its code. */
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
