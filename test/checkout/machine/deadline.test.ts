/** The merchant's deadline: a last look-up, then `expired`, and a late payment that still counts. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextDueMs } from '../../../src/checkout/machine/transition.js';
import {
  commandsOf,
  formerId,
  inPhase,
  invoiceId,
  lookedUp,
  lookUpFailed,
  names,
} from './samples.js';
import { awaiting, awaitingUntil60s, replaced } from './states.js';

describe('the deadline', () => {
  it('asks for one last look-up, and only its answer expires the code', () => {
    const play = awaitingUntil60s().play(lookedUp());
    assert.equal(nextDueMs(play.state), 8_000);
    play.wait(60_000);
    assert.equal(inPhase(play, 'awaiting').closing, true);
    assert.equal(commandsOf(play.commands, 'look_up')[0]?.waitSeconds, 0);
    play.play(lookedUp());
    inPhase(play, 'expired');
    assert.deepEqual(names(play.commands), ['expired']);
    assert.notEqual(nextDueMs(play.state), null, 'a late payment still counts');
  });

  it('the last look-up may say paid', () => {
    const play = awaitingUntil60s().play(lookedUp()).wait(60_000);
    play.play(lookedUp({ status: 'paid' }));
    inPhase(play, 'paid');
  });

  it('the last look-up fails: the code waits, and is looked up again', () => {
    const play = awaitingUntil60s().play(lookedUp()).wait(60_000).play(lookUpFailed('network'));
    assert.equal(inPhase(play, 'awaiting').closing, true);
    assert.equal(nextDueMs(play.state), 61_000);
    play.wait(1_000).play(lookedUp());
    inPhase(play, 'expired');
  });

  it('an answer about a former invoice does not expire the newest', () => {
    const play = replaced();
    play.terms = { ...play.terms, expiresInSeconds: 60 };
    play.play(lookedUp({ expires_in: 60 }), lookedUp({ invoice_id: formerId })).wait(60_000);
    // Nobody can be reached: after the quick look-ups the former one's turn comes, too.
    for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 30_000]) {
      assert.equal(commandsOf(play.commands, 'look_up')[0]?.invoiceId, invoiceId);
      play.play(lookUpFailed('network')).wait(pauseMs);
      if (play.commands.length === 0) play.wait(0);
    }
    assert.equal(commandsOf(play.commands, 'look_up')[0]?.invoiceId, formerId);
    play.play(lookedUp({ invoice_id: formerId }));
    assert.equal(inPhase(play, 'awaiting').closing, true);
    play.wait(0).play(lookedUp());
    inPhase(play, 'expired');
  });

  it('comes nearer when an answer says so, and never goes away', () => {
    const play = awaitingUntil60s().play(lookedUp({ expires_in: 30 }));
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].deadlineMs, 30_000);
    play.wait(10_000).play(lookedUp({ expires_in: 600 }));
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].deadlineMs, 30_000);
  });

  it('none: nothing expires', () => {
    const play = awaiting().play(lookedUp());
    for (let hour = 0; hour < 48; hour += 1) play.wait(3_600_000).play(lookedUp());
    inPhase(play, 'awaiting');
  });
});
