/**
 * Answers a page that asks to charge a card, and decides when the order's first card, or a later one, may be sent. An order
 * has one card at a time, and a key is charged once: its attempt moves from `claimed` to `sent`, and after that nothing
 * charges it again.
 */

import {
  advanceAttempt,
  claimAttempt,
  findRepeatedAttempt,
  withdrawAttempt,
  recordSending,
  findAttemptOfKey,
  barKey,
  closeKeyToCards,
} from '../attempts.js';
import {
  findBlockingCard,
  findInvoice,
  isCard,
  isBlocking,
  findStandingAttempts,
} from '../order.js';
import type { Attempt, Given, KeptAttempt, Order, Step } from '../order.js';
import {
  toAttemptAnswer,
  replyBlockedByCard,
  findPaid,
  isStoppedByMismatch,
  replyChargeLookUp,
  replyCreationLookUp,
  replyFormerLookUps,
  inProgress,
  toRefusal,
} from './ask.js';
import type { Admit, Answer, Asking, Charge, LookUp } from './ask.js';
import type { ErrorCode } from '../../../contract/codes.js';

/** An ask to charge a card. It does not hold the card's data, which stays in `run/card.ts`. */
export interface CardAsk {
  readonly kind: 'card';
  readonly externalId: string;
  readonly attempt: Attempt;
  /** How long sending the card and recording its outcome may take, milliseconds. After that the outcome is unknown. */
  readonly sentForMs: number;
}

export type CardReply = Answer | LookUp | Admit | Charge;

/**
 * Claims the key, has the guards admit the request and former invoices looked up, and replies `charge` with the attempt as
 * `sent`. Replies the attempt's own answer to a repeated request, or once the card was sent. Withdraws the claim if nothing
 * is sent.
 */
export function putCardAsk(
  order: Order,
  ask: CardAsk,
  asking: Asking,
  given: Given,
): Step<CardReply> {
  const { nowMs } = given;
  const { attempt } = ask;

  // The card was sent, and the service created this invoice.
  const own = findInvoice(order, asking.madeId);
  if (own && isCard(own)) {
    const isRefused = asking.said.get(own.invoiceId) === 'refused';
    const answer = isRefused
      ? toRefusal('payment_refused')
      : ({ type: 'invoice', invoice: own } as const);
    return [order, replyCreationLookUp(own, asking) ?? answer];
  }

  // A repeated request gets the answer of its attempt. So does this request once its card was sent.
  const [held, claim] = claimAttempt(order, attempt, given);
  if (claim === 'reused') return [order, toRefusal('key_reused')];
  const known = findRepeatedAttempt(order, attempt, nowMs);
  if (known && (known.holder !== attempt.holder || known.progress.state !== 'claimed'))
    return [order, answerRepeated(order, known, asking, nowMs)];

  // From here on this is the first request with its key. Its claim keeps other cards of the order out.
  const end = (reply: CardReply): Step<CardReply> => [withdrawAttempt(order, attempt), reply];
  const paid = findPaid(order, asking);
  if (paid) return end({ type: 'paid', invoice: paid });
  const other = claim === 'busy' ? findBlockingCard(order, nowMs) : undefined;
  if (other) return [order, replyBlockedByCard(order, other, asking)];
  if (!asking.isAdmitted) return [held, { type: 'admit', unknown: null }];

  // The request was admitted, but its claim has run out since, so another request may be charging.
  if (claim === 'new') return end(inProgress);
  const first = replyFormerLookUps(order, asking, null, nowMs);
  if (first) return first.type === 'look_up' ? [order, first] : end(first);
  if (isStoppedByMismatch(order, asking)) return end(inProgress);
  // The clocks of two processes may differ: for this process the claim may still hold, while another process saw it run out
  // and opened a former card again.
  const isOther = findStandingAttempts(order, nowMs).some(
    (one) => isCard(one) && isBlocking(one) && one.key !== attempt.key,
  );
  if (isOther) return end(inProgress);

  const { sentForMs } = ask;
  const [sent, isSent] = advanceAttempt(order, attempt, { state: 'sent' }, { nowMs, sentForMs });
  if (!isSent) return end(inProgress);
  return [recordSending(sent, attempt, given), { type: 'charge' }];
}

/**
 * Answers a request whose attempt has come further, perhaps by another request: first with a look-up if its outcome is
 * unknown.
 */
function answerRepeated(
  order: Order,
  known: KeptAttempt,
  asking: Asking,
  nowMs: number,
): Answer | LookUp {
  const isUnknown = known.progress.state === 'unknown' && !asking.hasLeft;
  const first = isUnknown ? replyChargeLookUp(order, known, asking) : null;
  if (first) return first;
  const answer = toAttemptAnswer(order, known, nowMs);
  return (answer.type === 'invoice' && replyCreationLookUp(answer.invoice, asking)) || answer;
}

// Cards that failed before they were sent
//
// A service worker, an extension or a front server may repeat a failed request minutes later, when the payer has paid in
// another way. So the order bars the key before the page is told of the failure.

export interface CardFailedAsk {
  readonly kind: 'card_failed';
  readonly externalId: string;
  readonly key: string;
  /** The error code that the page will get. */
  readonly code: ErrorCode;
}

/** `as_it_failed`: the page gets the error of its request. */
export type CardFailedReply = Answer | { readonly type: 'as_it_failed' };

const asItFailed = { type: 'as_it_failed' } as const;

/**
 * Codes that need no bar. After the first two, an attempt has this key. For an order that the shop does not know nothing is
 * stored, and its page asks by its key.
 */
const unbarredCodes: ReadonlySet<ErrorCode> = new Set([
  'payment_refused',
  'outcome_unknown',
  'unknown_order',
]);

/** After these codes the page keeps asking, so it may get them before the key is barred. */
const passingCodes: ReadonlySet<ErrorCode> = new Set([
  'service_unavailable',
  'too_many_requests',
  'in_progress',
]);

/** Whether the payer turns to another payment after this code. The page gets it only once the key is barred. */
export function isFinalError(code: ErrorCode): boolean {
  return !passingCodes.has(code);
}

/** Whether the order bars the key before the page gets this code. */
export function isBarNeeded(code: ErrorCode): boolean {
  return !unbarredCodes.has(code);
}

/**
 * Bars the key of a failed request, and decides what its page gets: mostly the error of its request; `in_progress` if there
 * is no room for the bar; or the answer of a card's attempt that has this key, unless the error is `order_paid` or
 * `key_reused`.
 */
export function putCardFailedAsk(
  before: Order,
  { key, code }: CardFailedAsk,
  _asking: Asking,
  given: Given,
): Step<CardFailedReply> {
  if (code === 'key_reused') return [closeKeyToCards(before, key, given), asItFailed];
  const order = barKey(before, key, given);
  const standing = findAttemptOfKey(order, key, given.nowMs);
  // The order has no room for another barred key, so the request may come again.
  if (standing === null) return [order, isFinalError(code) ? inProgress : asItFailed];
  if (standing === 'barred' || code === 'order_paid') return [order, asItFailed];
  // The attempt is for a Pix code, so this request can never claim the key.
  if (standing !== 'refused' && !isCard(standing)) return [order, asItFailed];
  return [order, toAttemptAnswer(order, standing, given.nowMs)];
}
