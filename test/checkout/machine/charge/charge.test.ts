/** How a card gets on its way: made ready, an open Pix code looked up first, then sent, once. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import {
  behindPix,
  cardCents,
  cardFailed,
  cardForm,
  cardKey,
  cardReady,
  cardSubmitted,
} from './cards.js';
import {
  commandsOf,
  createFailed,
  createdEvent,
  lookUpFailed,
  paused,
  request,
  returned,
} from '../samples.js';
import { at, found, lost, orderChanged, paidBy, tell, wait } from '../stories.js';

describe('a card is made ready', () => {
  it('and stored before it is sent: a reload must find its key', () => {
    const stored = { attemptKey: cardKey, method: 'credit_card', totalCents: cardCents };
    assert.deepEqual(cardForm().play(cardSubmitted, cardReady).commands, [
      { type: 'remember', ...stored, invoiceId: null, lookupToken: null },
      request('charge', 'charge', cardKey),
    ]);
  });

  tell`
    before anything is stored or sent
      ${at.tokenizing} = creating: tokenize
    once, however often the button is pressed
      ${at.tokenizing} > ${cardSubmitted} = creating
    is sent once, whatever is said again
      ${at.sending} > ${cardReady} = creating > ${cardSubmitted} = creating > ${cardFailed} = creating
    cannot be made ready: nothing is stored or sent
      ${at.tokenizing} > ${cardFailed} = form (tokenization_failed): error:tokenization_failed
      > ${cardSubmitted} = creating: tokenize
    cannot be made ready: the Pix code behind it is followed on
      ${at.tokenizingBehindPix} > ${cardFailed} = form (tokenization_failed) [1]: error:tokenization_failed
      > ${found()} > ${wait(8_000)} = form (tokenization_failed) [1]: look_up:1
    too late, on another screen
      ${at.tokenizing} > ${orderChanged} = form: abort > ${cardReady} = form > ${cardFailed} = form
  `;
});

describe('an open Pix code', () => {
  tell`
    is looked up before the card is sent, plainly, in place of a look-up under way
      ${at.checking} = creating [1]: look_up:1 > ${found()} = creating [1]: remember:ca charge:ca
    is looked up when the next look-up was not yet due, too
      ${at.cardForm} > ${found()} = form [1] > ${cardSubmitted} > ${cardReady} = creating [1]: look_up:1
    was replaced: the newest is asked for, and all are followed on
      ${at.cardFormBehindTwo} > ${cardSubmitted} > ${cardReady} = creating [1 0]: look_up:1
      > ${found()} = creating [1 0]: remember:ca charge:ca look_up:0
    is paid: that wins, and no card is sent
      ${at.checking} > ${found({ status: 'paid' })} = paid: abort forget:a paid
    is paid with another total: no card is sent
      ${at.checking}
      > ${found({ status: 'paid', total_cents: 1 })} = confirming (amount_mismatch) [1]: error:amount_mismatch
      > ${cardReady} = confirming (amount_mismatch) [1] > ${cardSubmitted} = confirming (amount_mismatch) [1]
    is paid for another order: no card is sent
      ${at.checking} > ${found({ status: 'paid', external_id: 'order-2' })}
      = confirming (reference_mismatch) [1]: error:reference_mismatch
      > ${cardReady} = confirming (reference_mismatch) [1] > ${cardSubmitted} = confirming (reference_mismatch) [1]
    that disagrees, unpaid: nothing is sent
      ${at.checking} > ${found({ total_cents: 1 })} = form (amount_mismatch) [1]: error:amount_mismatch
    another answer than the one asked for sends nothing
      ${at.checking} > ${found({ invoice_id: 'invoice-9' })} = form (invalid_answer) [1]: error:invalid_answer
    another request's failure sends nothing
      ${at.checking} > ${createFailed('network')} = creating [1]
    the line goes down meanwhile: asked again when it is back, and only then sent
      ${at.checking} > ${paused} = creating [1]: abort:look_up > ${returned} = creating [1]: look_up:1
      > ${found()} = creating [1]: remember:ca charge:ca
    is renewed behind the form, and the form stays
      ${at.cardForm} > ${lost('unauthorized')} = form [1]: create-renewal:a
      > ${createdEvent({ lookup_token: 'token-2' })} = form [1]: remember:a/1
    renewed into another invoice: no other code is offered behind the form
      ${at.cardForm} > ${lost('unauthorized')}
      > ${createdEvent({ invoice_id: 'invoice-2' })} = form [1]: error:invalid_answer
      > ${wait(30_000)} = form [1]: look_up:1
    turns out to be paid while its token is renewed: no card is sent
      ${at.cardForm} > ${lost('unauthorized')} > ${cardSubmitted}
      > ${createFailed('order_paid', { invoice: paidBy('invoice-0001') })} = confirming [1]: held:1
      > ${cardReady} = confirming [1] > ${found({ status: 'paid' })} = paid: abort forget paid
  `;

  for (const code of [
    'network',
    'service_unavailable',
    'too_many_requests',
    'unauthorized',
    'not_found',
    'invalid_answer',
    'payment_refused',
  ] as const) {
    tell`
      cannot be looked up, ${code}: the form says so, nothing is sent, and it is followed on
        ${at.checking} > ${lost(code)} = form (${code}) [1]: error:${code}
        > ${wait(1_000)} = form (${code}) [1]: look_up:1
        > ${lost('unauthorized')} = form (${code}) [1]: create-renewal:a
    `;
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
