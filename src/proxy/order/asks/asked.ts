/** Puts an ask to an order. One file for each kind of ask: each is the list of its rules, from the first to the last. */

import { withdrawn } from '../attempts.js';
import type { Given, Order, Step } from '../order.js';
import { askedByKey } from './by-key.js';
import type { KeyAsk, KeyReply } from './by-key.js';
import { askedCardFailed } from './card-failed.js';
import type { CardFailedAsk, CardFailedReply } from './card-failed.js';
import { askedCard } from './card.js';
import type { CardAsk, CardReply } from './card.js';
import { askedNamed } from './named.js';
import type { NamedAsk, NamedReply } from './named.js';
import { askedPix, gaveUpPix } from './pix.js';
import type { PixAsk, PixReply } from './pix.js';
import type { Asking, Command, Learned } from './reply.js';
import { askedWord } from './word.js';
import type { WordAsk, WordReply } from './word.js';

export type Ask = PixAsk | CardAsk | KeyAsk | CardFailedAsk | WordAsk | NamedAsk;

/** All that may be replied to each kind of ask. */
interface Replies {
  readonly pix: PixReply;
  readonly card: CardReply;
  readonly by_key: KeyReply;
  readonly card_failed: CardFailedReply;
  readonly word: WordReply;
  readonly named: NamedReply;
}

/** What a kind of ask may end with. */
export type AnswerTo<A extends Ask> = Exclude<Replies[A['kind']], Command>;

/** What a kind of ask may want done first. */
export type CommandOf<A extends Ask> = Extract<Replies[A['kind']], Command>;

export function asked(
  order: Order,
  ask: Ask,
  asking: Asking,
  given: Given,
): Step<Replies[Ask['kind']]> {
  switch (ask.kind) {
    case 'pix':
      return askedPix(order, ask, asking, given);
    case 'card':
      return askedCard(order, ask, asking, given);
    case 'by_key':
      return askedByKey(order, ask, asking, given);
    case 'card_failed':
      return askedCardFailed(order, ask, given);
    case 'word':
      return askedWord(order, ask, asking, given);
    case 'named':
      return askedNamed(order, ask, asking, given);
    default:
      return ask satisfies never;
  }
}

/** What a power cut may undo of an asking: a claim, a code that is sent for but not made yet, and that a code was shown again. */
export function mayBeLost({ kind }: Ask, { isAdmitted }: Learned): boolean {
  return kind === 'pix' || ((kind === 'card' || kind === 'by_key') && !isAdmitted);
}

/** What had to be done for it failed: it leaves nothing behind that keeps others waiting. Null: it left nothing. */
export function givingUp(ask: Ask): ((order: Order) => Order) | null {
  if (ask.kind === 'pix') return (order) => gaveUpPix(order, ask);
  return ask.kind === 'card' ? (order) => withdrawn(order, ask.attempt) : null;
}
