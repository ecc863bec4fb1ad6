/** One sample of each state the machine can be in, each reached by the events that lead to it. */

import type { State } from '../../../src/checkout/machine/state.js';
import {
  checkout,
  created,
  createdEvent,
  createFailed,
  formerId,
  lookedUp,
  newCodeAsked,
  paused,
  recovering,
  stored,
  submitted,
} from './samples.js';
import type { Play } from './samples.js';

/** A code on the screen, its first look-up in flight. */
export function awaiting(changes: Parameters<typeof checkout>[0] = {}): Play {
  return checkout(changes).play(submitted, createdEvent());
}

/** The same with a deadline 60 s after the code was made. */
export const awaitingUntil60s = (): Play => awaiting({ expiresInSeconds: 60 });

/** The deadline has passed, and a look-up after it said not paid. */
export const expired = (): Play => awaitingUntil60s().wait(60_000).play(lookedUp());

/** A look-up said not paid, and the next is due. */
const offered = (): Play => awaiting().play(lookedUp());

/** A second code is being asked for, and the first one is still followed. */
export const replacing = (): Play => offered().play(newCodeAsked);

/** A second code is on the screen; the first, `formerId`, is followed too. */
export function replaced(): Play {
  return checkout()
    .play(submitted, createdEvent({ invoice_id: formerId }))
    .play(lookedUp({ invoice_id: formerId }), newCodeAsked, createdEvent());
}

/** A stored invoice, known by its id. */
export function following(changes: Parameters<typeof checkout>[0] = {}): Play {
  return checkout(changes).play(stored);
}

/** Each state by a name of its own. */
export const samples = {
  form: () => checkout(),
  posting: () => checkout().play(submitted),
  retrying: () => checkout().play(submitted, createFailed('network')),
  replacing,
  recovering: () => checkout().play(recovering),
  promised: () => checkout().play({ type: 'promised' }),
  following: () => following(),
  awaiting: () => awaiting(),
  offered,
  offline: () => awaiting().play(paused),
  given: () => checkout().play({ type: 'given', invoice: created() }),
  confirming: () => checkout().play(submitted, createdEvent({ status: 'paid' })),
  expired,
  paid: () => awaiting().play(lookedUp({ status: 'paid' })),
  failed: () => checkout().play(submitted, createFailed('unknown_order')),
} as const;

/** A copy that shares nothing, to prove that an event changed nothing in place. */
export const snapshot = (state: State): State => structuredClone(state);
