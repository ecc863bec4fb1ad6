/** How a card gets on its way: made ready, an open Pix code looked up first, then sent, once. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CheckoutErrorCode } from '../../../src/checkout/machine/state.js';
import { nextDueMs } from '../../../src/checkout/machine/transition.js';
import {
  behindPix,
  cardCents,
  cardFailed,
  cardForm,
  cardKey,
  cardReady,
  cardSubmitted,
  charging,
} from './cards.js';
import {
  commandsOf,
  created,
  createdEvent,
  createFailed,
  formerId,
  inPhase,
  invoiceId,
  key,
  lookedUp,
  lookUpFailed,
  names,
  paused,
  returned,
  request,
} from './samples.js';
import { replaced } from './states.js';

const remembered = {
  type: 'remember',
  attemptKey: cardKey,
  method: 'credit_card',
  invoiceId: null,
  lookupToken: null,
  totalCents: cardCents,
};
const sent = [remembered, request('charge', 'charge', cardKey)];

describe('a card is made ready', () => {
  it('before anything is stored or sent', () => {
    assert.deepEqual(charging.tokenizing().commands, [{ type: 'tokenize' }]);
  });

  it('once, however often the button is pressed', () => {
    const play = charging.tokenizing();
    const { state } = play;
    assert.equal(play.play(cardSubmitted).state, state);
    assert.deepEqual(play.commands, []);
  });

  it('is stored and sent when it is ready', () => {
    assert.deepEqual(cardForm().play(cardSubmitted, cardReady).commands, sent);
  });

  it('is sent once, whatever is said again', () => {
    const play = charging.sending();
    const { state } = play;
    play.play(cardReady, cardSubmitted, cardFailed);
    assert.equal(play.state, state);
    assert.deepEqual(play.commands, []);
  });

  it('cannot be made ready: the form says so, and nothing is stored or sent', () => {
    const play = charging.tokenizing().play(cardFailed);
    const { error, watch } = inPhase(play, 'form');
    assert.deepEqual([error, watch], [{ code: 'tokenization_failed', retryable: true }, null]);
    assert.deepEqual(names(play.commands), ['error tokenization_failed']);
    assert.deepEqual(play.play(cardSubmitted).commands, [{ type: 'tokenize' }], 'and again');
  });

  it('cannot be made ready: the Pix code behind it is followed on', () => {
    const play = charging.tokenizingBehindPix().play(cardFailed);
    assert.equal(inPhase(play, 'form').watch?.invoices[0].invoiceId, invoiceId);
    assert.notEqual(nextDueMs(play.play(lookedUp()).state), null);
  });

  it('too late, on another screen: nothing happens', () => {
    const play = charging.tokenizing().play({ type: 'order_changed' });
    const { state } = play;
    assert.equal(play.play(cardReady, cardFailed).state, state);
    assert.deepEqual(play.commands, []);
  });
});

describe('an open Pix code', () => {
  it('is looked up before the card is sent, plainly, in place of a look-up under way', () => {
    const play = charging.checking();
    assert.deepEqual(play.commands, [
      { type: 'look_up', invoiceId, lookupToken: 'token-1', waitSeconds: 0, timeoutMs: 6_000 },
    ]);
    assert.deepEqual(play.play(lookedUp()).commands, sent);
  });

  it('is looked up when the next look-up was not yet due, too', () => {
    const play = behindPix().play(lookedUp());
    assert.deepEqual(names(play.play(cardSubmitted, cardReady).commands), ['look_up']);
  });

  it('was replaced: the newest is asked for, and all are followed on', () => {
    const play = behindPix(replaced()).play(cardSubmitted, cardReady);
    assert.equal(commandsOf(play.commands, 'look_up')[0]?.invoiceId, invoiceId);
    play.play(lookedUp());
    assert.equal(commandsOf(play.commands, 'look_up')[0]?.invoiceId, formerId);
  });

  it('is paid: that wins, and no card is sent', () => {
    const play = charging.checking().play(lookedUp({ status: 'paid' }));
    assert.equal(inPhase(play, 'paid').invoice.method, 'pix');
    assert.deepEqual(names(play.commands), ['abort', 'forget', 'paid']);
  });

  for (const [code, changes] of [
    ['amount_mismatch', { total_cents: 1 }],
    ['reference_mismatch', { external_id: 'order-2' }],
  ] as const) {
    it(`is paid, and something disagrees: no card is sent, ${code}`, () => {
      const play = charging.checking().play(lookedUp({ ...changes, status: 'paid' }));
      const { attempt, error } = inPhase(play, 'confirming');
      assert.deepEqual([attempt, error?.code], [null, code]);
      assert.deepEqual(names(play.commands), [`error ${code}`]);
      assert.equal(play.play(cardReady, cardSubmitted).state.phase, 'confirming');
      assert.deepEqual(play.commands, []);
    });
  }

  const failures: readonly CheckoutErrorCode[] = [
    'network',
    'service_unavailable',
    'too_many_requests',
    'unauthorized',
    'not_found',
    'invalid_answer',
    'payment_refused',
  ];
  for (const code of failures) {
    it(`cannot be looked up, ${code}: the form says so, nothing is sent, and it is followed on`, () => {
      const play = charging.checking().play(lookUpFailed(code));
      const { error, watch } = inPhase(play, 'form');
      assert.deepEqual(error, { code, retryable: true });
      assert.deepEqual(names(play.commands), [`error ${code}`]);
      assert.equal(watch?.attemptKey, key);
      play.wait(nextDueMs(play.state)! - play.nowMs);
      assert.deepEqual(names(play.commands), ['look_up']);
    });
  }

  it('that disagrees, unpaid: nothing is sent', () => {
    const play = charging.checking().play(lookedUp({ total_cents: 1 }));
    assert.equal(inPhase(play, 'form').error?.code, 'amount_mismatch');
  });

  it('another answer than the one asked for sends nothing', () => {
    const play = charging.checking();
    const { state } = play;
    assert.equal(play.play(lookedUp({ invoice_id: formerId })).state, state);
    assert.equal(play.play(createFailed('network')).state, state);
    assert.deepEqual(play.commands, []);
  });

  it('the line goes down meanwhile: asked again when it is back, and only then sent', () => {
    const play = charging.checking().play(paused);
    assert.deepEqual(play.commands, [{ type: 'abort', what: 'look_up' }]);
    assert.equal(nextDueMs(play.state), null);
    assert.deepEqual(names(play.play(returned).commands), ['look_up']);
    assert.deepEqual(play.play(lookedUp()).commands, sent);
  });

  it('whose token ran out behind the form is renewed there, and the form stays', () => {
    const play = behindPix().play(lookUpFailed('unauthorized'));
    assert.deepEqual(play.commands, [request('create', 'renewal', key)]);
    play.play(createdEvent({ lookup_token: 'token-2' }));
    assert.equal(inPhase(play, 'form').watch?.invoices[0].lookupToken, 'token-2');
    play.play(cardSubmitted, cardReady);
    assert.equal(commandsOf(play.commands, 'look_up')[0]?.lookupToken, 'token-2');
  });

  it('renewed into another invoice: no other code is offered behind the form', () => {
    const play = behindPix().play(lookUpFailed('unauthorized'));
    play.play(createdEvent({ invoice_id: 'invoice-2' }));
    assert.equal(inPhase(play, 'form').watch?.invoices[0].invoiceId, invoiceId);
    assert.deepEqual(names(play.commands), ['error invalid_answer']);
    assert.notEqual(nextDueMs(play.state), null);
  });

  it('renewed while the card is made ready: the new token serves', () => {
    const play = behindPix().play(lookUpFailed('unauthorized'), cardSubmitted);
    play.play(createdEvent({ lookup_token: 'token-2' }), cardReady);
    assert.equal(commandsOf(play.commands, 'look_up')[0]?.lookupToken, 'token-2');
  });

  it('turns out to be paid while its token is renewed: no card is sent', () => {
    const invoice = created({ status: 'paid' });
    const play = behindPix().play(lookUpFailed('unauthorized'), cardSubmitted);
    play.play(createFailed('order_paid', { invoice }));
    inPhase(play, 'confirming');
    assert.deepEqual(names(play.play(cardReady).commands), []);
    inPhase(play.play(lookedUp({ status: 'paid' })), 'paid');
  });
});
