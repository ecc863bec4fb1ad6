/**
 * Answers a page that lost the answer to its creation and asks by its idempotency key. `not_found` is a promise, because the
 * payer then pays in another way. So the order bars the key first: no process that still holds a request with it can claim or
 * send it any more.
 */

import { findAttemptOfKey, barKey } from '../attempts.js';
import {
  findKeyEnding,
  findBlockingCard,
  findPayableCode,
  isHandedOut,
  findPaidInvoice,
} from '../order.js';
import { recordShown } from '../invoices.js';
import type { Given, MadeInvoice, Order, Step } from '../order.js';
import {
  toAttemptAnswer,
  awaitCard,
  findReasonToWithhold,
  lookUpCharge,
  lookUpPaidCreation,
  inProgress,
  refuse,
} from './ask.js';
import type { Admit, Answer, Asking, LookUp } from './ask.js';

export interface KeyAsk {
  readonly kind: 'by_key';
  readonly externalId: string;
  readonly key: string;
}

export type KeyReply = Answer | LookUp | Admit;

export function putKeyAsk(
  before: Order,
  { key }: KeyAsk,
  asking: Asking,
  given: Given,
): Step<KeyReply> {
  const { nowMs } = given;
  const isKnown = findAttemptOfKey(before, key, nowMs) !== null;
  if (!isKnown && findKeyEnding(before, key) === 'made')
    return putRetiredKeyAsk(before, asking, given);
  // Every barred key is stored, so only a request that may pay the order can bar one.
  if (!isKnown && !asking.isAdmitted) return [before, { type: 'admit', unknown: null }];
  const order = isKnown ? before : barKey(before, key, given);
  const attempt = findAttemptOfKey(order, key, nowMs);
  // The order has no room for another barred key.
  if (attempt === null) return [order, inProgress];
  if (attempt === 'barred') return [order, replyNotFound(order, asking, given)];
  if (attempt !== 'refused' && attempt.progress.state === 'unknown') {
    const first = lookUpCharge(order, attempt, asking);
    if (first) return [order, first];
    if (!asking.isAdmitted) return [order, { type: 'admit', unknown: attempt }];
  }
  const answer = toAttemptAnswer(order, attempt, nowMs);
  const unsure = answer.type === 'invoice' && lookUpPaidCreation(answer.invoice, asking);
  if (unsure) return [order, unsure];
  if (answer.type !== 'invoice' || answer.invoice.isPaid || !isHandedOut(answer.invoice))
    return [order, answer];
  return showAgain(order, answer.invoice, asking, given);
}

/**
 * Answers for a key that got a code so long ago that only this is known. No code is created with it any more, so it needs no
 * bar.
 */
function putRetiredKeyAsk(order: Order, asking: Asking, given: Given): Step<KeyReply> {
  const { offeredId } = order;
  const code = offeredId === null ? null : findPayableCode(order, offeredId, given.nowMs);
  return code
    ? showAgain(order, code, asking, given)
    : [order, replyNotFound(order, asking, given)];
}

/**
 * Hands out a code again. The payer may pay it however old it is, and close the page a moment later, so its look-ups begin
 * anew.
 */
function showAgain(order: Order, code: MadeInvoice, asking: Asking, given: Given): Step<KeyReply> {
  const other =
    findReasonToWithhold(order, asking, given.nowMs) ?? lookUpPaidCreation(code, asking);
  if (other) return [order, other];
  return [recordShown(order, code, given), { type: 'invoice', invoice: code }];
}

/**
 * Says `not_found`, unless another payment of the order answers. While a card is open, the page keeps asking and hears how it
 * ended.
 */
function replyNotFound(order: Order, asking: Asking, { nowMs }: Given): Answer | LookUp {
  const paid = findPaidInvoice(order);
  if (paid) return { type: 'paid', invoice: paid };
  const card = findBlockingCard(order, nowMs);
  return card ? awaitCard(order, card, asking) : refuse('not_found');
}
