/**
 * The request of a card failed before it could leave, and its page will hear so. Then it must not happen later: a service
 * worker, an extension or a front server may send the same request again, minutes later, when the payer pays in another way. So
 * the order bars its key before the page hears.
 */

import type { ErrorCode } from '../../../contract/codes.js';
import { answeringFor, barred, bound } from '../attempts.js';
import { isCard } from '../questions.js';
import type { Given, Order, Step } from '../order.js';
import { toAttemptAnswer } from './attempt-answer.js';
import { inProgress } from './reply.js';
import type { Answer, Asking } from './reply.js';

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
export function askedCardFailed(
  before: Order,
  { key, code }: CardFailedAsk,
  _asking: Asking,
  given: Given,
): Step<CardFailedReply> {
  if (code === 'key_reused') return [bound(before, key, given), asItFailed];
  const order = barred(before, key, given);
  const standing = answeringFor(order, key, given.nowMs);
  // There is no room for another bar: it may come again.
  if (standing === null) return [order, isLastWord(code) ? inProgress : asItFailed];
  if (standing === 'barred' || code === 'order_paid') return [order, asItFailed];
  // It came for a code: this request is none of it, and can never claim it.
  if (standing !== 'refused' && !isCard(standing)) return [order, asItFailed];
  return [order, toAttemptAnswer(order, standing, given.nowMs)];
}
