/**
 * A page lost the answer to its creation, and asks with its key. `not_found` is a promise, because the payer then pays in
 * another way. So the order bars the key first: no process that still holds a request with it can claim or send it any more.
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
  // Each key that is barred is written down: only for those who may pay the order.
  if (!isKnown && !asking.isAdmitted) return [before, { type: 'admit', unknown: null }];
  const order = isKnown ? before : barKey(before, key, given);
  const attempt = findAttemptOfKey(order, key, nowMs);
  // There is no room for another bar.
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

/** A key that got a code so long ago that only that is known: no code is made with it any more, so it needs no bar. */
function putRetiredKeyAsk(order: Order, asking: Asking, given: Given): Step<KeyReply> {
  const { offeredId } = order;
  const code = offeredId === null ? null : findPayableCode(order, offeredId, given.nowMs);
  return code
    ? showAgain(order, code, asking, given)
    : [order, replyNotFound(order, asking, given)];
}

/** A code that is shown again may be paid however old it is, and its page may be closed a moment later. */
function showAgain(order: Order, code: MadeInvoice, asking: Asking, given: Given): Step<KeyReply> {
  const other =
    findReasonToWithhold(order, asking, given.nowMs) ?? lookUpPaidCreation(code, asking);
  if (other) return [order, other];
  return [recordShown(order, code, given), { type: 'invoice', invoice: code }];
}

/** Another card of the order is open: a page that was turned away goes on asking, and hears how that ended. */
function replyNotFound(order: Order, asking: Asking, { nowMs }: Given): Answer | LookUp {
  const paid = findPaidInvoice(order);
  if (paid) return { type: 'paid', invoice: paid };
  const card = findBlockingCard(order, nowMs);
  return card ? awaitCard(order, card, asking) : refuse('not_found');
}
