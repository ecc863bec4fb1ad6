/** From one method to the other and back: nothing open is lost, and nothing is told twice. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { emptyForm } from '../../../src/checkout/machine/state.js';
import { nextDueMs } from '../../../src/checkout/machine/transition.js';
import { behindPix, cardForm, cardSubmitted, charging, chosen } from './cards.js';
import {
  checkout,
  createFailed,
  inPhase,
  invoiceId,
  lookedUp,
  names,
  submitted,
} from './samples.js';
import { awaiting, awaitingUntil60s, expired, replaced } from './states.js';

describe('to the card and back to Pix', () => {
  it('the code is there again, and was followed all the while', () => {
    const play = awaiting();
    const { watch } = inPhase(play, 'awaiting');
    play.play(chosen('credit_card'));
    assert.deepEqual(play.state, { ...emptyForm, watch });
    assert.deepEqual(play.commands, []);
    play.play(lookedUp()).wait(8_000);
    assert.deepEqual(names(play.commands), ['look_up']);
    play.play(chosen('pix'));
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].invoiceId, invoiceId);
    assert.deepEqual(play.commands, [], 'the look-up under way goes on');
  });

  it('all codes come back, the newest in front', () => {
    const before = inPhase(replaced(), 'awaiting').watch.invoices;
    const play = behindPix(replaced()).play(chosen('pix'));
    assert.deepEqual(inPhase(play, 'awaiting').watch.invoices, before);
  });

  it('the button of Pix shows the code there is, too', () => {
    const play = behindPix().play(submitted);
    inPhase(play, 'awaiting');
    assert.deepEqual(play.commands, []);
  });

  it('the deadline passes meanwhile: one last look-up, and its answer expires the code', () => {
    const play = behindPix(awaitingUntil60s().play(lookedUp()));
    play.wait(61_000).play(lookedUp());
    inPhase(play, 'form');
    assert.deepEqual(play.commands, [], 'nothing is told of a code that is not on the screen');
    play.play(chosen('pix')).wait(0);
    assert.equal(inPhase(play, 'awaiting').closing, true);
    assert.deepEqual(names(play.commands), ['look_up']);
    play.play(lookedUp());
    inPhase(play, 'expired');
    assert.deepEqual(names(play.commands), ['expired']);
  });

  it('of a code that had expired: it is followed, and expires again after a look-up', () => {
    const play = behindPix(expired());
    play.play(chosen('pix')).wait(0).play(lookedUp());
    inPhase(play, 'expired');
    assert.equal(inPhase(behindPix(expired()), 'form').watch?.invoices[0].invoiceId, invoiceId);
  });

  it('a refusal leads to Pix with the same order: the code of before is there', () => {
    const play = charging.sendingBehindPix().play(createFailed('payment_refused'), chosen('pix'));
    assert.equal(inPhase(play, 'awaiting').error, null);
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].invoiceId, invoiceId);
    assert.notEqual(nextDueMs(play.state), null);
  });

  it('a refusal leads to Pix where there was no code: the form, without the card’s error', () => {
    const play = charging.sending().play(createFailed('payment_refused'), chosen('pix'));
    assert.deepEqual(play.state, emptyForm);
    play.play(submitted);
    assert.deepEqual(names(play.commands), ['remember', 'create']);
  });
});

describe('where the choice changes nothing', () => {
  for (const [name, start] of Object.entries({
    'an empty form': cardForm,
    'a code that is being made': () => checkout().play(submitted),
    'a card that is being made ready': charging.tokenizing,
    'a card that is being sent': charging.sendingBehindPix,
  })) {
    it(name, () => {
      const play = start();
      const { state } = play;
      assert.equal(play.play(chosen('credit_card'), chosen('pix')).state, state);
      assert.deepEqual(play.commands, []);
    });
  }

  it('the card form, chosen again: the code behind it stays there', () => {
    const play = behindPix();
    const { state } = play;
    assert.equal(play.play(chosen('credit_card')).state, state);
    assert.deepEqual(names(play.play(cardSubmitted).commands), ['tokenize']);
  });
});
