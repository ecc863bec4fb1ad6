/**
 * Following invoices at any proxy whatever: no loop, no silence, no invoice left out.
 *
 * The virtual proxy repeats a random pattern of replies (at once, slow, held, never; good or failed). The runner itself
 * fails if two look-ups are ever in flight.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import type { CheckoutEvent, State } from '../../../../src/checkout/machine/state.js';
import {
  checkout,
  createdEvent,
  failure,
  formerId,
  invoiceId,
  lookedUp,
  newCodeAsked,
  submitted,
} from '../samples.js';
import { replaced, replacing } from '../states.js';
import { run, seeded } from './virtual-proxy.js';
import type { Asked, Reply } from './virtual-proxy.js';
import { forAny } from '../../../support/tables.js';

const untilMs = 1_800_000;
const newestId = 'invoice-0002';

/** What leads to one, two or three invoices, and the event that brings the newest. */
const starts: Readonly<Record<number, () => readonly [State, CheckoutEvent]>> = {
  1: () => [checkout().play(submitted).state, createdEvent({ invoice_id: newestId })],
  2: () => [replacing().state, createdEvent({ invoice_id: newestId })],
  3: () => {
    const answers = [lookedUp(), lookedUp({ invoice_id: formerId })];
    const play = replaced().play(...answers, ...answers, newCodeAsked);
    return [play.state, createdEvent({ invoice_id: newestId })];
  },
};
const ids = [newestId, invoiceId, formerId];

/** Milliseconds until it answers: at once, slowly, held for half or all of the wait, cut, never. */
const afterMs = fc.constantFrom(0, 1, 150, 5_000, 7_999, 12_499, 12_500, 25_000, 30_000, 1e9);

const patterns = (longestRetryAfter: number) => {
  const retryAfterSeconds = fc.option(fc.integer({ min: 1, max: longestRetryAfter }), {
    nil: null,
  });
  const code = fc.constantFrom('network', 'too_many_requests', 'not_found', 'invalid_answer');
  const failed = fc
    .record({ code, retryAfterSeconds })
    .map(({ code, ...rest }) => failure(code, rest));
  const answer = fc.oneof(fc.constant<Reply['answer']>('pending'), failed);
  return fc.array(fc.record({ afterMs, answer }), { minLength: 1, maxLength: 6 });
};

function follow(invoices: number, replies: readonly Reply[], random: () => number) {
  const [state, event] = starts[invoices]!();
  let turn = 0;
  const { asked } = run(state, event, () => replies[turn++ % replies.length]!, { untilMs, random });
  return asked;
}

/** The most look-ups in any minute. */
function mostPerMinute(asked: readonly Asked[]): number {
  let [most, from] = [0, 0];
  for (const [index, { atMs }] of asked.entries()) {
    while (asked[from]!.atMs <= atMs - 60_000) from += 1;
    most = Math.max(most, index - from + 1);
  }
  return most;
}

/** The longest time without a look-up, at the end too. */
function longestGapMs(asked: readonly Asked[]): number {
  const at = [0, ...asked.map(({ atMs }) => atMs), untilMs];
  return Math.max(...at.slice(1).map((atMs, index) => atMs - at[index]!));
}

const invoices = fc.constantFrom(1, 2, 3);
const seed = fc.nat();

/** Longest look-up (33 s) and longest back-off (30 s), and per former invoice its own time-out and interval. */
const longestGapsMs: Readonly<Record<number, number>> = { 1: 63_000, 2: 81_000, 3: 162_000 };

describe('whatever the proxy does', () => {
  it('it is asked at most 40 times a minute', () => {
    forAny(200, invoices, patterns(120), seed, (count, replies, seed) => {
      assert.ok(mostPerMinute(follow(count, replies, seeded(seed))) <= 40);
    });
  });

  it('even the worst luck with each jitter is no hot loop', () => {
    forAny(50, invoices, patterns(120), (count, replies) => {
      assert.ok(mostPerMinute(follow(count, replies, () => 0)) <= 485);
    });
  });

  it('every invoice is asked for, again and again', () => {
    forAny(200, invoices, patterns(1), seed, (count, replies, seed) => {
      const asked = follow(count, replies, seeded(seed));
      for (const id of ids.slice(0, count)) {
        const gapMs = longestGapMs(asked.filter((one) => one.invoiceId === id));
        assert.ok(gapMs <= longestGapsMs[count]!, `${id}: ${gapMs} ms without a look-up`);
      }
    });
  });

  it('Retry-After is kept, whatever invoice it was said about', () => {
    forAny(100, invoices, patterns(120), seed, (count, replies, seed) => {
      const asked = follow(count, replies, seeded(seed));
      for (const [index, { atMs }] of asked.slice(1).entries()) {
        const { afterMs, answer } = replies[index % replies.length]!;
        const { waitSeconds } = asked[index]!;
        if (typeof answer === 'string' || afterMs > waitSeconds * 1_000 + 8_000) continue;
        const pauseMs = atMs - asked[index]!.atMs - afterMs;
        assert.ok(pauseMs >= (answer.retryAfterSeconds ?? 0) * 1_000);
      }
    });
  });
});
