/**
 * Answers a page that lost the answer to its creation and asks by its idempotency key. `not_found` is a promise, because the
 * payer then pays in another way. So the order bars the key first: no process that still holds a request with it can claim or
 * send it any more.
 */

import { findAttemptOfKey, findKeyEnding, barKey } from '../attempts.js';
import { findBlockingCard, findPayableCode, hasCode, findPaidInvoice } from '../order.js';
import type { Given, MadeInvoice, Order, Step } from '../order.js';
import { recordShown } from './pix.js';
import {
  toAttemptAnswer,
  replyBlockedByCard,
  replyInsteadOfCode,
  replyChargeLookUp,
  replyCreationLookUp,
  inProgress,
  toRefusal,
} from './ask.js';
import type { Admit, Answer, Asking, LookUp } from './ask.js';

export interface KeyAsk {
  readonly kind: 'by_key';
  readonly externalId: string;
  readonly key: string;
}

export type KeyReply = Answer | LookUp | Admit;

/**
 * Replies with the answer of the attempt that has this key. A card of unknown outcome is looked up first, and then the
 * merchant is asked (`admit`).
 *
 * For an unknown key: once `admit` has let the page pay the order, bars the key and replies `not_found`, or how the order was
 * paid or what its open card does. Without room for another bar it replies `in_progress`.
 */
export function putKeyAsk(
  before: Order,
  { key }: KeyAsk,
  asking: Asking,
  given: Given,
): Step<KeyReply> {
  const { nowMs } = given;
  const isKnown = findAttemptOfKey(before, key, nowMs) !== null;
  if (!isKnown && findKeyEnding(before, key) === 'made')
    return answerRetiredKey(before, asking, given);
  // Every barred key is stored, so only a request that may pay the order can bar one.
  if (!isKnown && !asking.isAdmitted) return [before, { type: 'admit', unknown: null }];
  const order = isKnown ? before : barKey(before, key, given);
  const attempt = findAttemptOfKey(order, key, nowMs);
  // The order has no room for another barred key.
  if (attempt === null) return [order, inProgress];
  if (attempt === 'barred') return [order, replyNotFound(order, asking, given)];
  if (attempt !== 'refused' && attempt.progress.state === 'unknown') {
    const first = replyChargeLookUp(order, attempt, asking);
    if (first) return [order, first];
    if (!asking.isAdmitted) return [order, { type: 'admit', unknown: attempt }];
  }
  const answer = toAttemptAnswer(order, attempt, nowMs);
  const unsure = answer.type === 'invoice' && replyCreationLookUp(answer.invoice, asking);
  if (unsure) return [order, unsure];
  if (answer.type !== 'invoice' || answer.invoice.isPaid || !hasCode(answer.invoice))
    return [order, answer];
  return showAgain(order, answer.invoice, asking, given);
}

/**
 * Answers for a key whose attempt the order has dropped because it got a code long ago: the present code if it can be paid,
 * or as for an unknown key. No code is created with the key any more, so it needs no bar.
 */
function answerRetiredKey(order: Order, asking: Asking, given: Given): Step<KeyReply> {
  const { offeredId } = order;
  const code = offeredId === null ? null : findPayableCode(order, offeredId, given.nowMs);
  return code
    ? showAgain(order, code, asking, given)
    : [order, replyNotFound(order, asking, given)];
}

/**
 * Hands out a code again, unless another payment of the order comes first. The payer may pay it however old it is, and close
 * the page a moment later, so its look-ups begin anew.
 */
function showAgain(order: Order, code: MadeInvoice, asking: Asking, given: Given): Step<KeyReply> {
  const other = replyInsteadOfCode(order, asking, given.nowMs) ?? replyCreationLookUp(code, asking);
  if (other) return [order, other];
  return [recordShown(order, code, given), { type: 'invoice', invoice: code }];
}

/**
 * Replies `not_found`, unless the order is paid or a card blocks it. While a card is open, the page keeps asking until it
 * has ended.
 */
function replyNotFound(order: Order, asking: Asking, { nowMs }: Given): Answer | LookUp {
  const paid = findPaidInvoice(order);
  if (paid) return { type: 'paid', invoice: paid };
  const card = findBlockingCard(order, nowMs);
  return card ? replyBlockedByCard(order, card, asking) : toRefusal('not_found');
}
