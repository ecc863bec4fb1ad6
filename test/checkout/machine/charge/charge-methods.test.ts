/** From one method to the other and back: nothing open is lost, and nothing is told twice. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { emptyForm } from '../../../../src/checkout/machine/state.js';
import { cardSubmitted, chosen } from './cards.js';
import { createFailed, inPhase, submitted } from '../samples.js';
import { awaiting } from '../states.js';
import { at, found, tell, wait } from '../stories.js';

describe('to the card and back to Pix', () => {
  it('the code is there again, and was followed all the while', () => {
    const { watch } = inPhase(awaiting(), 'awaiting');
    const play = awaiting().play(chosen('credit_card'));
    assert.deepEqual(play.state, { ...emptyForm, watch });
    assert.deepEqual(play.play(chosen('pix')).state, awaiting().state);
  });

  tell`
    the look-up under way goes on
      ${at.awaiting} > ${chosen('credit_card')} = form [1] > ${found()} = form [1]
      > ${wait(8_000)} = form [1]: look_up:1 > ${chosen('pix')} = awaiting [1]
    all codes come back, the newest in front
      ${at.cardFormBehindTwo} > ${chosen('pix')} = awaiting [1 0]
    the button of Pix shows the code there is, too
      ${at.cardForm} > ${submitted} = awaiting [1]
    the deadline passes meanwhile: nothing is told of a code that is not on the screen
      ${at.awaitingUntil60s} > ${found()} > ${chosen('credit_card')} > ${wait(61_000)} = form [1]: look_up:1
      > ${found()} = form [1]
    then one last look-up, and its answer expires the code
      ${at.awaitingUntil60s} > ${found()} > ${chosen('credit_card')} > ${wait(61_000)} > ${found()}
      > ${chosen('pix')} > ${wait(0)} = awaiting closing [1]: look_up:1 > ${found()} = expired [1]: expired
    of a code that had expired: it is followed, and expires again after a look-up
      ${at.expired} > ${chosen('credit_card')} = form [1] > ${chosen('pix')}
      > ${wait(0)} = awaiting closing [1]: look_up:1 > ${found()} = expired [1]: expired
    a refusal leads to Pix with the same order: the code of before is there
      ${at.sendingBehindPix}
      > ${createFailed('payment_refused')} = form (payment_refused) [1]: forget:ca error:payment_refused
      > ${chosen('pix')} = awaiting [1]
    a refusal where there was no code: the form, without the card's error
      ${at.sending} > ${createFailed('payment_refused')} = form (payment_refused): forget:ca error:payment_refused
      > ${chosen('pix')} = form > ${submitted} = creating: remember:a create:a
    the card form, chosen again: the code behind it stays there
      ${at.cardForm} > ${chosen('credit_card')} = form [1] > ${cardSubmitted} = creating [1]: tokenize
    an empty form: the choice changes nothing
      ${at.form} > ${chosen('credit_card')} = form > ${chosen('pix')} = form
    a code that is being made: the choice changes nothing
      ${at.posting} > ${chosen('credit_card')} = creating > ${chosen('pix')} = creating
    a card that is being made ready: the choice changes nothing
      ${at.tokenizing} > ${chosen('credit_card')} = creating > ${chosen('pix')} = creating
    a card that is being sent: the choice changes nothing
      ${at.sendingBehindPix} > ${chosen('credit_card')} = creating [1] > ${chosen('pix')} = creating [1]
  `;
});
