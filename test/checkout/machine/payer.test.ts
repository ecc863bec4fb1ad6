/** What the payer and the page do: "Já paguei", trouble, copying, leaving and coming back, offline, reset. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CheckoutEvent } from '../../../src/checkout/machine/events-and-commands.js';
import { emptyForm } from '../../../src/checkout/machine/state.js';
import { nextDueMs } from '../../../src/checkout/machine/transition.js';
import {
  checkAsked,
  checkout,
  commandsOf,
  createdEvent,
  inPhase,
  invoiceId,
  lookedUp,
  lookUpFailed,
  names,
  newCodeAsked,
  paused,
  returned,
  submitted,
  troubleReported,
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
const copied = (it: boolean): CheckoutEvent => ({ type: 'copied', copied: it });

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

  it('says "Conferindo…" for ten seconds at most, and then nothing to a payer who has not copied', () => {
    const play = awaiting().play(returned, lookedUp());
    assert.equal(inPhase(play, 'awaiting').check, 'checking');
    askedAt(play, 9_999);
    assert.equal(inPhase(play, 'awaiting').check, 'checking');
    play.wait(10_000 - play.nowMs);
    assert.equal(inPhase(play, 'awaiting').check, 'none');
  });

  it('a payer who has copied is told "not yet"', () => {
    const play = awaiting().play(copied(true), returned).wait(10_000);
    assert.equal(inPhase(play, 'awaiting').check, 'not_yet');
  });

  for (const name of ['following', 'awaiting', 'confirming', 'expired', 'replacing', 'offline']) {
    it(`looks again wherever an invoice is followed: ${name}`, () => {
      const play = sampleOf(name).play(returned);
      assert.equal(commandsOf(play.commands, 'look_up').length, 1);
    });
  }

  it('asks for the new code again, too: its request may have slept as well', () => {
    assert.deepEqual(names(replacing().play(returned).commands), ['look_up', 'create']);
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

describe('"Já paguei"', () => {
  it('looks at once, says so for ten seconds at most, then "not yet"', () => {
    const play = awaiting().play(lookedUp()).wait(2_000).play(checkAsked);
    assert.deepEqual(play.commands, [quick]);
    assert.equal(inPhase(play, 'awaiting').check, 'checking');
    play.play(lookedUp()).wait(9_999);
    assert.equal(inPhase(play, 'awaiting').check, 'checking');
    play.wait(1);
    assert.equal(inPhase(play, 'awaiting').check, 'not_yet');
  });

  it('again: again ten seconds', () => {
    const play = awaiting().play(checkAsked).wait(10_000).play(checkAsked);
    assert.equal(inPhase(play, 'awaiting').check, 'checking');
    assert.equal(inPhase(play, 'awaiting').checkUntilMs, 20_000);
  });
});

describe('"O código não funcionou?"', () => {
  it('looks up first, then offers a new code', () => {
    const play = awaiting().play(lookedUp(), troubleReported);
    assert.deepEqual(play.commands, [quick]);
    assert.equal(inPhase(play, 'awaiting').trouble, 'checking');
    assert.deepEqual(play.play(newCodeAsked).commands, [], 'not before the answer');
    play.play(lookedUp());
    assert.equal(inPhase(play, 'awaiting').trouble, 'offered');
  });

  it('paid after all: no new code', () => {
    const play = awaiting().play(troubleReported, lookedUp({ status: 'paid' }));
    inPhase(play, 'paid');
  });

  it('no answer within ten seconds: it may be reported again', () => {
    const play = awaiting().play(troubleReported, lookUpFailed('network')).wait(10_000);
    assert.equal(inPhase(play, 'awaiting').trouble, 'none');
    play.play(troubleReported);
    assert.equal(inPhase(play, 'awaiting').trouble, 'checking');
  });

  it('an answer about a former code says nothing about this one', () => {
    const play = sampleOf('replacing').play(createdEvent({ invoice_id: 'invoice-2' }));
    play.play(lookedUp({ invoice_id: 'invoice-2' }), {
      type: 'trouble_reported',
    });
    play.play(lookedUp({ invoice_id: invoiceId }));
    assert.equal(inPhase(play, 'awaiting').trouble, 'checking');
  });
});

describe('copying', () => {
  for (const done of [true, false]) {
    it(`${done ? 'worked' : 'failed'}: noted, and told`, () => {
      const play = awaiting().play(copied(done));
      assert.equal(inPhase(play, 'awaiting').copy, done ? 'copied' : 'failed');
      assert.deepEqual(play.commands, [{ type: 'emit', event: { name: 'copy', copied: done } }]);
    });
  }

  const checks = [
    [true, 'none'],
    [false, 'not_yet'],
  ] as const;
  for (const [done, check] of checks) {
    it(`leaves "not yet" behind it only if it worked: ${done}`, () => {
      const play = awaiting().play({ type: 'check_asked' }).wait(10_000);
      assert.equal(inPhase(play, 'awaiting').check, 'not_yet');
      assert.equal(inPhase(play.play(copied(done)), 'awaiting').check, check);
    });
  }

  it('does not hide that a look-up is under way', () => {
    const play = awaiting().play({ type: 'check_asked' }, copied(true));
    assert.equal(inPhase(play, 'awaiting').check, 'checking');
  });
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
