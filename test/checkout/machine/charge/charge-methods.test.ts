/** From one method to the other and back: nothing open is lost, and nothing is told twice. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { emptyForm } from '../../../../src/checkout/machine/state.js';
import { chosen } from './cards.js';
import { inPhase } from '../samples.js';
import { awaiting } from '../states.js';
import { tell } from '../stories.js';

describe('to the card and back to Pix', () => {
  it('the code is there again, and was followed all the while', () => {
    const { watch } = inPhase(awaiting(), 'awaiting');
    const play = awaiting().play(chosen('credit_card'));
    assert.deepEqual(play.state, { ...emptyForm, watch });
    assert.deepEqual(play.play(chosen('pix')).state, awaiting().state);
  });

  tell(`
    the look-up under way goes on
      awaiting > to card = form [1] > found = form [1] > wait 8000 = form [1]: look_up:1 > to pix = awaiting [1]
    all codes come back, the newest in front
      cardFormBehindTwo > to pix = awaiting [1 0]
    the button of Pix shows the code there is, too
      cardForm > submit = awaiting [1]
    the deadline passes meanwhile: nothing is told of a code that is not on the screen
      awaitingUntil60s > found > to card > wait 61000 = form [1]: look_up:1 > found = form [1]
    then one last look-up, and its answer expires the code
      awaitingUntil60s > found > to card > wait 61000 > found > to pix
      > wait 0 = awaiting closing [1]: look_up:1 > found = expired [1]: expired
    of a code that had expired: it is followed, and expires again after a look-up
      expired > to card = form [1] > to pix > wait 0 = awaiting closing [1]: look_up:1
      > found = expired [1]: expired
    a refusal leads to Pix with the same order: the code of before is there
      sendingBehindPix > fails payment_refused = form (payment_refused) [1]: forget:ca error:payment_refused
      > to pix = awaiting [1]
    a refusal where there was no code: the form, without the card's error
      sending > fails payment_refused = form (payment_refused): forget:ca error:payment_refused > to pix = form
      > submit = creating: remember:a create:a
    the card form, chosen again: the code behind it stays there
      cardForm > to card = form [1] > submit card = creating [1]: tokenize
    an empty form: the choice changes nothing
      form > to card = form > to pix = form
    a code that is being made: the choice changes nothing
      posting > to card = creating > to pix = creating
    a card that is being made ready: the choice changes nothing
      tokenizing > to card = creating > to pix = creating
    a card that is being sent: the choice changes nothing
      sendingBehindPix > to card = creating [1] > to pix = creating [1]
  `);
});
