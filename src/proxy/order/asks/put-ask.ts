/** Puts an ask to an order. Each kind of ask has a file that lists its rules in their order. */

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

/** Everything that may be replied to a kind of ask. */
type ReplyTo<K extends Kind> = ReturnType<(typeof rulesOf)[K]>[1];

/** The answers that end a kind of ask. */
export type AnswerTo<A extends Ask> = Exclude<ReplyTo<A['kind']>, Command>;

/** The commands that a kind of ask may reply. */
export type CommandOf<A extends Ask> = Extract<ReplyTo<A['kind']>, Command>;

type Rules = (order: Order, ask: Ask, asking: Asking, given: Given) => Step<ReplyTo<Kind>>;

export function putAsk(order: Order, ask: Ask, asking: Asking, given: Given): Step<ReplyTo<Kind>> {
  return (rulesOf[ask.kind] as Rules)(order, ask, asking, given);
}

/**
 * Whether a power cut may undo the change of this asking: a claim, a creation that is about to be sent, or that a code was
 * shown again. The first asking of a card never sends it.
 */
export function mayBeLost({ kind }: Ask, { isAdmitted }: Learned): boolean {
  return kind === 'pix' || ((kind === 'card' || kind === 'by_key') && !isAdmitted);
}

/** Finds the change that frees the order if a command of the ask failed. @returns null if the ask claimed nothing */
export function findGiveUp(ask: Ask): ((order: Order) => Order) | null {
  if (ask.kind === 'pix') return (order) => giveUpPix(order, ask);
  return ask.kind === 'card' ? (order) => withdrawAttempt(order, ask.attempt) : null;
}
