/**
 * A page asks to charge a card. An order has one card at a time, and a key is charged once: `claimed`, then `sent`, and after that
 * nothing charges it again. When a card may leave, the first and the second one, is decided here.
 */

import { advanced, claimed, findRepeated, withdrawn } from '../attempts.js';
import { leaving } from '../sends.js';
import { blockingCardOf, findInvoice, isCard, isOpen, standing } from '../questions.js';
import type { Attempt, Given, KeptAttempt, Order, Step } from '../order.js';
import { toAttemptAnswer } from './attempt-answer.js';
import { awaitCard, findPaid, isStopped, lookAtCharge, lookUpFormer } from './former.js';
import { inProgress, refuse } from './reply.js';
import type { Admit, Answer, Asking, Charge, LookUp } from './reply.js';

/** A request to charge a card. The card itself stays with the runner. */
export interface CardAsk {
  readonly kind: 'card';
  readonly externalId: string;
  readonly attempt: Attempt;
  /** The time in which its outcome will be recorded, milliseconds. After it, that is unknown. */
  readonly sentForMs: number;
}

export type CardReply = Answer | LookUp | Admit | Charge;

export function askedCard(
  order: Order,
  ask: CardAsk,
  asking: Asking,
  given: Given,
): Step<CardReply> {
  const { nowMs } = given;
  const { attempt } = ask;

  // It has left, and this is what the service made of it.
  const own = findInvoice(order, asking.madeId);
  if (own && isCard(own)) return [order, { type: 'invoice', invoice: own }];

  // A repeated request is answered by its attempt, and so is this one once its card has left.
  const [held, claim] = claimed(order, attempt, given);
  if (claim === 'reused') return [order, refuse('key_reused')];
  const known = findRepeated(order, attempt, nowMs);
  if (known && (known.holder !== attempt.holder || known.progress.state !== 'claimed'))
    return [order, answerAgain(order, known, asking, nowMs)];

  // From here on it is the first of its key: the claim keeps other cards of the order out.
  const end = (reply: CardReply): Step<CardReply> => [withdrawn(order, attempt), reply];
  const paid = findPaid(order, asking);
  if (paid) return end({ type: 'paid', invoice: paid });
  const other = claim === 'busy' ? blockingCardOf(order, nowMs) : undefined;
  if (other) return [order, awaitCard(order, other, asking)];
  if (!asking.isAdmitted) return [held, { type: 'admit', unknown: null }];

  // It was admitted with a claim that has run out since: another request may be charging.
  if (claim === 'new') return end(inProgress);
  const first = lookUpFormer(order, asking, null, nowMs);
  if (first) return first.type === 'look_up' ? [order, first] : end(first);
  if (isStopped(order, asking)) return end(inProgress);
  // Clocks disagree: to this one the claim may stand, to another it ran out, and a former card was opened again.
  const isOther = standing(order, nowMs).some(
    (one) => isCard(one) && isOpen(one) && one.key !== attempt.key,
  );
  if (isOther) return end(inProgress);

  const { sentForMs } = ask;
  const [sent, isSent] = advanced(order, attempt, { state: 'sent' }, { nowMs, sentForMs });
  if (!isSent) return end(inProgress);
  return [leaving(sent, attempt, given), { type: 'charge' }];
}

function answerAgain(
  order: Order,
  known: KeptAttempt,
  asking: Asking,
  nowMs: number,
): Answer | LookUp {
  const isUnknown = known.progress.state === 'unknown' && !asking.hasLeft;
  const first = isUnknown ? lookAtCharge(order, known, asking) : null;
  return first ?? toAttemptAnswer(order, known, nowMs);
}
