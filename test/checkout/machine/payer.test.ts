/** What the payer and the page do: "Já paguei", leaving and coming back, offline, reset. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { emptyForm } from '../../../src/checkout/machine/state.js';
import { nextDueMs } from '../../../src/checkout/machine/transition.js';
import {
  checkAsked,
  checkout,
  commandsOf,
  invoiceId,
  lookedUp,
  lookUpFailed,
  names,
  paused,
  returned,
  submitted,
} from './samples.js';
import { inquiries, cardSamples, pending } from './cards.js';
import { awaiting, expired, following, replacing, sampleOf, samples } from './states.js';
import type { Play } from './samples.js';

const quick = {
  type: 'look_up',
  invoiceId,
  lookupToken: 'token-1',
  waitSeconds: 0,
  timeoutMs: 6_000,
};

/** Answers every look-up at once, and lists when each was asked. */
function askedAt(play: Play, untilMs: number): number[] {
  const at: number[] = [];
  for (let turns = 0; turns < 1_000; turns += 1) {
    if (commandsOf(play.commands, 'look_up').length > 0) {
      at.push(play.nowMs);
      play.play(lookedUp());
      continue;
    }
    const dueMs = nextDueMs(play.state);
    if (dueMs === null || dueMs > untilMs) return at;
    play.wait(dueMs - play.nowMs);
  }
  throw new Error('a loop without end');
}

describe('back on the page', () => {
  it('looks at once without waiting, in place of what is in flight, for at most 6 s', () => {
    assert.deepEqual(awaiting().play(returned).commands, [quick]);
  });

  it('then after 1, 2, 4 and 8 s, then held again', () => {
    const play = awaiting().play(returned);
    assert.deepEqual(askedAt(play, 14_999), [0, 1_000, 3_000, 7_000]);
    play.wait(15_000 - play.nowMs);
    assert.deepEqual(play.commands, [quick]);
    play.play(lookedUp());
    assert.equal(commandsOf(play.commands, 'look_up')[0]?.waitSeconds, 25);
  });

  it('a failure in between changes nothing of that', () => {
    const play = awaiting().play(returned);
    for (const pauseMs of [1_000, 2_000, 4_000, 8_000]) {
      play.play(lookUpFailed('network')).wait(pauseMs - 1);
      assert.deepEqual(play.commands, []);
      assert.deepEqual(play.wait(1).commands, [quick]);
    }
  });

  for (const name of ['following', 'awaiting', 'confirming', 'expired', 'replacing', 'offline']) {
    it(`looks again wherever an invoice is followed: ${name}`, () => {
      const play = sampleOf(name).play(returned);
      assert.equal(commandsOf(play.commands, 'look_up').length, 1);
    });
  }

  it('asks for the new code again, too: its request may have slept as well', () => {
    assert.deepEqual(names(replacing().play(returned).commands), ['create', 'look_up']);
  });
});

describe('offline, or put away', () => {
  it('gives up the look-up in flight and waits without a timer', () => {
    const play = awaiting().play(paused);
    assert.deepEqual(play.commands, [{ type: 'abort', what: 'look_up' }]);
    assert.equal(nextDueMs(play.state), null);
  });

  it('between two look-ups there is nothing to give up', () => {
    const play = awaiting().play(lookedUp(), paused);
    assert.deepEqual(play.commands, []);
    assert.equal(nextDueMs(play.state), null);
  });

  it('only the deadline still comes', () => {
    const play = awaiting({ expiresInSeconds: 60 }).play(paused);
    assert.equal(nextDueMs(play.state), 60_000);
  });
});

it('"Já paguei" looks at once, in place of what is in flight', () => {
  assert.deepEqual(awaiting().play(lookedUp()).wait(2_000).play(checkAsked).commands, [quick]);
  assert.deepEqual(awaiting().play(checkAsked).commands, [quick]);
});

describe('a fresh start', () => {
  for (const [name, sample] of Object.entries({ ...samples, ...cardSamples })) {
    it(`reset in ${name}`, () => {
      const play = sample();
      const before = play.state;
      const open = name in inquiries || name in pending;
      play.play({ type: 'reset' });
      if (before.phase === 'creating' || open) {
        assert.equal(play.state, before, 'its outcome would be lost');
        assert.deepEqual(play.commands, []);
        return;
      }
      assert.deepEqual(play.state, emptyForm);
      assert.deepEqual(names(play.commands), ['abort', 'forget']);
    });

    it(`another order or price in ${name}: everything in flight goes, the record stays`, () => {
      const play = sample().play({ type: 'order_changed' });
      assert.deepEqual(play.state, emptyForm);
      assert.deepEqual(play.commands, [{ type: 'abort', what: 'all' }]);
    });
  }

  it('a page that is set up wrong shows it', () => {
    const error = { code: 'configuration', retryable: false } as const;
    for (const play of [checkout(), checkout().play(submitted), following()]) {
      play.play({ type: 'failed', error });
      assert.deepEqual(play.state, { phase: 'failed', error, invoiceId: null });
      assert.deepEqual(names(play.commands), ['abort', 'error configuration']);
    }
    assert.equal(expired().play({ type: 'failed', error }).state.phase, 'expired');
  });
});
