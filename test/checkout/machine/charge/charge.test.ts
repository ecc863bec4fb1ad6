/** How a card gets on its way: made ready, an open Pix code looked up first, then sent, once. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { behindPix, cardCents, cardForm, cardKey, cardReady, cardSubmitted } from './cards.js';
import { commandsOf, createdEvent, lookUpFailed, request } from '../samples.js';
import { tell } from '../stories.js';

describe('a card is made ready', () => {
  it('and stored before it is sent: a reload must find its key', () => {
    const stored = { attemptKey: cardKey, method: 'credit_card', totalCents: cardCents };
    assert.deepEqual(cardForm().play(cardSubmitted, cardReady).commands, [
      { type: 'remember', ...stored, invoiceId: null, lookupToken: null },
      request('charge', 'charge', cardKey),
    ]);
  });

  tell(`
    before anything is stored or sent
      tokenizing = creating: tokenize
    once, however often the button is pressed
      tokenizing > submit card = creating
    is sent once, whatever is said again
      sending > card ready = creating > submit card = creating > card fails = creating
    cannot be made ready: nothing is stored or sent
      tokenizing > card fails = form (tokenization_failed): error:tokenization_failed
      > submit card = creating: tokenize
    cannot be made ready: the Pix code behind it is followed on
      tokenizingBehindPix > card fails = form (tokenization_failed) [1]: error:tokenization_failed > found
      > wait 8000 = form (tokenization_failed) [1]: look_up:1
    too late, on another screen
      tokenizing > order changed = form: abort > card ready = form > card fails = form
  `);
});

describe('an open Pix code', () => {
  tell(`
    is looked up before the card is sent, plainly, in place of a look-up under way
      checking = creating [1]: look_up:1 > found = creating [1]: remember:ca charge:ca
    is looked up when the next look-up was not yet due, too
      cardForm > found = form [1] > submit card > card ready = creating [1]: look_up:1
    was replaced: the newest is asked for, and all are followed on
      cardFormBehindTwo > submit card > card ready = creating [1 0]: look_up:1
      > found = creating [1 0]: remember:ca charge:ca look_up:0
    is paid: that wins, and no card is sent
      checking > found status=paid = paid: abort forget:a paid
    is paid with another total: no card is sent
      checking > found status=paid total_cents=1 = confirming (amount_mismatch) [1]: error:amount_mismatch
      > card ready = confirming (amount_mismatch) [1] > submit card = confirming (amount_mismatch) [1]
    is paid for another order: no card is sent
      checking
      > found status=paid external_id=order-2 = confirming (reference_mismatch) [1]: error:reference_mismatch
      > card ready = confirming (reference_mismatch) [1] > submit card = confirming (reference_mismatch) [1]
    that disagrees, unpaid: nothing is sent
      checking > found total_cents=1 = form (amount_mismatch) [1]: error:amount_mismatch
    another answer than the one asked for sends nothing
      checking > found invoice_id=invoice-9 = form (invalid_answer) [1]: error:invalid_answer
    another request's failure sends nothing
      checking > fails network = creating [1]
    the line goes down meanwhile: asked again when it is back, and only then sent
      checking > paused = creating [1]: abort:look_up > returned = creating [1]: look_up:1
      > found = creating [1]: remember:ca charge:ca
    is renewed behind the form, and the form stays
      cardForm > lost unauthorized = form [1]: create-renewal:a
      > answered lookup_token=token-2 = form [1]: remember:a/1
    renewed into another invoice: no other code is offered behind the form
      cardForm > lost unauthorized > answered invoice_id=invoice-2 = form [1]: error:invalid_answer
      > wait 8000 = form [1]: look_up:1
    turns out to be paid while its token is renewed: no card is sent
      cardForm > lost unauthorized > submit card
      > fails order_paid invoice=invoice-0001 = confirming [1]: held:1
      > card ready = confirming [1] > found status=paid = paid: abort forget paid
  `);

  for (const code of 'network service_unavailable too_many_requests unauthorized not_found invalid_answer payment_refused'.split(
    ' ',
  )) {
    tell(`
      cannot be looked up, ${code}: the form says so, nothing is sent, and it is followed on
        checking > lost ${code} = form (${code}) [1]: error:${code} > wait 1000 = form (${code}) [1]: look_up:1
        > lost unauthorized = form (${code}) [1]: create-renewal:a
    `);
  }

  const renewed = createdEvent({ lookup_token: 'token-2' });
  for (const events of [
    [renewed, cardSubmitted],
    [cardSubmitted, renewed],
  ]) {
    it(`is looked up with a token that came ${events[0] === renewed ? 'before' : 'after'} the press`, () => {
      const play = behindPix().play(lookUpFailed('unauthorized'), ...events, cardReady);
      assert.equal(commandsOf(play.commands, 'look_up')[0]?.lookupToken, 'token-2');
    });
  }
});
