/** Puts an ask to an order. One file for each kind of ask: each is the list of its rules, from the first to the last. */

import { withdrawAttempt } from '../attempts.js';
import type { Given, Order, Step } from '../order.js';
import { putKeyAsk } from './by-key.js';
import { putCardFailedAsk, putCardAsk } from './card.js';
import { putNamedIdAsk } from './named-id.js';
import { putPixAsk, giveUpPix } from './pix.js';
import type { Asking, Command, Learned } from './ask.js';
import { putResolutionAsk } from './resolution.js';

const rulesOf = {
  pix: putPixAsk,
  card: putCardAsk,
  by_key: putKeyAsk,
  card_failed: putCardFailedAsk,
  resolution: putResolutionAsk,
  named: putNamedIdAsk,
};

type Kind = keyof typeof rulesOf;

export type Ask = Parameters<(typeof rulesOf)[Kind]>[1];

/** All that may be replied to a kind of ask. */
type ReplyTo<K extends Kind> = ReturnType<(typeof rulesOf)[K]>[1];

/** What a kind of ask may end with. */
export type AnswerTo<A extends Ask> = Exclude<ReplyTo<A['kind']>, Command>;

/** What a kind of ask may want done first. */
export type CommandOf<A extends Ask> = Extract<ReplyTo<A['kind']>, Command>;

type Rules = (order: Order, ask: Ask, asking: Asking, given: Given) => Step<ReplyTo<Kind>>;

export function putAsk(order: Order, ask: Ask, asking: Asking, given: Given): Step<ReplyTo<Kind>> {
  return (rulesOf[ask.kind] as Rules)(order, ask, asking, given);
}

/** What a power cut may undo of an asking: a claim, a code that is sent for but not made yet, and that a code was shown again. */
export function mayBeLost({ kind }: Ask, { isAdmitted }: Learned): boolean {
  return kind === 'pix' || ((kind === 'card' || kind === 'by_key') && !isAdmitted);
}

/** What had to be done for it failed: it leaves nothing behind that keeps others waiting. Null: it left nothing. */
export function findGiveUp(ask: Ask): ((order: Order) => Order) | null {
  if (ask.kind === 'pix') return (order) => giveUpPix(order, ask);
  return ask.kind === 'card' ? (order) => withdrawAttempt(order, ask.attempt) : null;
}
