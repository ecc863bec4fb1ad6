/**
 * A checkout that follows its invoices at a proxy which exists only as a function, in virtual time: hours in a moment.
 *
 * Owns the order of things (what comes first, an answer or a wake-up) and what the client adds: its time-out. Knows
 * nothing of HTTP.
 */

import assert from 'node:assert/strict';
import type {
  CheckoutEvent,
  Command,
  Failure,
  State,
} from '../../../../src/checkout/machine/state.js';
import { findNextDueMs, transition } from '../../../../src/checkout/machine/transition.js';
import { failure, status, terms } from '../samples.js';

type LookUp = Extract<Command, { type: 'look_up' }>;

/** What the proxy does with a look-up: after how long it answers, and what. */
export interface Reply {
  readonly afterMs: number;
  readonly answer: 'pending' | 'paid' | Failure;
}

export type VirtualProxy = (look: LookUp, atMs: number) => Reply;

/** A look-up as it was asked. */
export interface Asked {
  readonly atMs: number;
  readonly invoiceId: string;
  readonly waitSeconds: number;
}

interface Arrival {
  readonly atMs: number;
  readonly event: CheckoutEvent;
}

export interface Run {
  readonly state: State;
  readonly nowMs: number;
  readonly asked: readonly Asked[];
}

/**
 * Follows what an event brings, until it is paid or the time is over. Fails if two look-ups are ever in flight, or if
 * it turns in circles.
 */
export function run(
  start: State,
  event: CheckoutEvent,
  proxy: VirtualProxy,
  { untilMs, random }: { readonly untilMs: number; readonly random: () => number },
): Run {
  const asked: Asked[] = [];
  let state = start;
  let nowMs = 0;
  let coming: Arrival | null = null;

  const apply = (event: CheckoutEvent) => {
    const outcome = transition(state, event, { nowMs, random: random(), terms });
    state = outcome.state;
    for (const command of outcome.commands) {
      if (command.type !== 'look_up') continue;
      assert.equal(coming, null, 'two look-ups in flight');
      const { invoiceId, waitSeconds } = command;
      asked.push({ atMs: nowMs, invoiceId, waitSeconds });
      coming = toArrival(command, proxy(command, nowMs), nowMs);
    }
  };

  apply(event);
  for (let steps = 0; ; steps += 1) {
    assert.ok(steps < 100_000, 'a loop without end');
    const dueMs = findNextDueMs(state);
    // Narrowed anew: `apply` writes it.
    const next = coming as Arrival | null;
    const atMs = Math.max(nowMs, Math.min(dueMs, next?.atMs ?? Infinity));
    if (atMs > untilMs || state.phase === 'paid') return { state, nowMs, asked };
    nowMs = atMs;
    if (next && next.atMs <= dueMs) {
      coming = null;
      apply(next.event);
    } else {
      apply({ type: 'ticked' });
    }
  }
}

/** What comes of a look-up, and when: the client gives up at its time-out. */
function toArrival(look: LookUp, reply: Reply, nowMs: number): Arrival {
  const { invoiceId, timeoutMs } = look;
  const answer = reply.afterMs > timeoutMs ? failure('network') : reply.answer;
  return {
    atMs: nowMs + Math.min(reply.afterMs, timeoutMs),
    event:
      typeof answer === 'string'
        ? {
            type: 'looked_up',
            invoiceId,
            answer: { invoice: status({ invoice_id: invoiceId, status: answer }) },
          }
        : { type: 'looked_up', invoiceId, answer: { failure: answer } },
  };
}

/** Numbers from 0 to 1, the same for a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
