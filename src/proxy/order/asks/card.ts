/**
 * A page asks to charge a card. An order has one card at a time, and a key is charged once: `claimed`, then `sent`, and after that
 * nothing charges it again. When a card may leave, the first and the second one, is decided here.
 */

import {
  advanceAttempt,
  claimAttempt,
  findRepeated,
  withdrawAttempt,
  recordSending,
  findAttemptOfKey,
  barKey,
  bindKey,
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
  awaitCard,
  findPaid,
  isStoppedByMismatch,
  lookUpCharge,
  lookUpPaidCreation,
  lookUpFormer,
  inProgress,
  refuse,
} from './ask.js';
import type { Admit, Answer, Asking, Charge, LookUp } from './ask.js';
import type { ErrorCode } from '../../../contract/codes.js';

/** A request to charge a card. The card itself stays with the runner. */
export interface CardAsk {
  readonly kind: 'card';
  readonly externalId: string;
  readonly attempt: Attempt;
  /** The time in which its outcome will be recorded, milliseconds. After it, that is unknown. */
  readonly sentForMs: number;
}

export type CardReply = Answer | LookUp | Admit | Charge;

export function putCardAsk(
  order: Order,
  ask: CardAsk,
  asking: Asking,
  given: Given,
): Step<CardReply> {
  const { nowMs } = given;
  const { attempt } = ask;

  // It has left, and this is what the service made of it.
  const own = findInvoice(order, asking.madeId);
  if (own && isCard(own)) {
    const isRefused = asking.said.get(own.invoiceId) === 'refused';
    const answer = isRefused
      ? refuse('payment_refused')
      : ({ type: 'invoice', invoice: own } as const);
    return [order, lookUpPaidCreation(own, asking) ?? answer];
  }

  // A repeated request is answered by its attempt, and so is this one once its card has left.
  const [held, claim] = claimAttempt(order, attempt, given);
  if (claim === 'reused') return [order, refuse('key_reused')];
  const known = findRepeated(order, attempt, nowMs);
  if (known && (known.holder !== attempt.holder || known.progress.state !== 'claimed'))
    return [order, answerAgain(order, known, asking, nowMs)];

  // From here on it is the first of its key: the claim keeps other cards of the order out.
  const end = (reply: CardReply): Step<CardReply> => [withdrawAttempt(order, attempt), reply];
  const paid = findPaid(order, asking);
  if (paid) return end({ type: 'paid', invoice: paid });
  const other = claim === 'busy' ? findBlockingCard(order, nowMs) : undefined;
  if (other) return [order, awaitCard(order, other, asking)];
  if (!asking.isAdmitted) return [held, { type: 'admit', unknown: null }];

  // It was admitted with a claim that has run out since: another request may be charging.
  if (claim === 'new') return end(inProgress);
  const first = lookUpFormer(order, asking, null, nowMs);
  if (first) return first.type === 'look_up' ? [order, first] : end(first);
  if (isStoppedByMismatch(order, asking)) return end(inProgress);
  // Clocks disagree: to this one the claim may stand, to another it ran out, and a former card was opened again.
  const isOther = findStandingAttempts(order, nowMs).some(
    (one) => isCard(one) && isBlocking(one) && one.key !== attempt.key,
  );
  if (isOther) return end(inProgress);

  const { sentForMs } = ask;
  const [sent, isSent] = advanceAttempt(order, attempt, { state: 'sent' }, { nowMs, sentForMs });
  if (!isSent) return end(inProgress);
  return [recordSending(sent, attempt, given), { type: 'charge' }];
}

function answerAgain(
  order: Order,
  known: KeptAttempt,
  asking: Asking,
  nowMs: number,
): Answer | LookUp {
  const isUnknown = known.progress.state === 'unknown' && !asking.hasLeft;
  const first = isUnknown ? lookUpCharge(order, known, asking) : null;
  if (first) return first;
  const answer = toAttemptAnswer(order, known, nowMs);
  return (answer.type === 'invoice' && lookUpPaidCreation(answer.invoice, asking)) || answer;
}

// The request of a card failed before it could leave, and its page will hear so. Then it must not happen later: a service
// worker, an extension or a front server may send the same request again, minutes later, when the payer pays in another way. So
// the order bars its key before the page hears.

export interface CardFailedAsk {
  readonly kind: 'card_failed';
  readonly externalId: string;
  readonly key: string;
  /** What its page is about to be told. */
  readonly code: ErrorCode;
}

/** `as_it_failed`: its page is told what the request failed with. */
export type CardFailedReply = Answer | { readonly type: 'as_it_failed' };

const asItFailed = { type: 'as_it_failed' } as const;

/**
 * Told of an attempt that stands, or of a key that can never be claimed: there is nothing to bar. And nothing is kept for an
 * order that the shop does not know: its page asks by its key.
 */
const unbarredCodes: ReadonlySet<ErrorCode> = new Set([
  'payment_refused',
  'outcome_unknown',
  'unknown_order',
]);

/** After these the page goes on asking, barred or not. */
const passingCodes: ReadonlySet<ErrorCode> = new Set([
  'service_unavailable',
  'too_many_requests',
  'in_progress',
]);

/** Whether the payer turns to another payment on this word: it is said only once the key is barred. */
export function isLastWord(code: ErrorCode): boolean {
  return !passingCodes.has(code);
}

export function needsBar(code: ErrorCode): boolean {
  return !unbarredCodes.has(code);
}

/** If an attempt with its key stands, that one is the answer: this request is a repeated one. */
export function putCardFailedAsk(
  before: Order,
  { key, code }: CardFailedAsk,
  _asking: Asking,
  given: Given,
): Step<CardFailedReply> {
  if (code === 'key_reused') return [bindKey(before, key, given), asItFailed];
  const order = barKey(before, key, given);
  const standing = findAttemptOfKey(order, key, given.nowMs);
  // There is no room for another bar: it may come again.
  if (standing === null) return [order, isLastWord(code) ? inProgress : asItFailed];
  if (standing === 'barred' || code === 'order_paid') return [order, asItFailed];
  // It came for a code: this request is none of it, and can never claim it.
  if (standing !== 'refused' && !isCard(standing)) return [order, asItFailed];
  return [order, toAttemptAnswer(order, standing, given.nowMs)];
}
