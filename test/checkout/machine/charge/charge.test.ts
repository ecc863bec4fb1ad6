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
  createdEvent,
  createFailed,
  formerId,
  inPhase,
  invoiceId,
  key,
  lookUpFailed,
  paused,
  request,
  returned,
} from '../samples.js';
import { checkoutAt, orderChanged, paidBy } from '../checkout-at.js';
import { tell } from '../../../../src/checkout/machine/state.js';

describe('a card is made ready', () => {
  it('and stored before it is sent: a reload must find its key', () => {
    const stored = { attemptKey: cardKey, method: 'credit_card', totalCents: cardCents };
    assert.deepEqual(cardForm().play(cardSubmitted, cardReady).commands, [
      { type: 'remember', ...stored, invoiceId: null, lookupToken: null },
      request('charge', 'charge', cardKey),
    ]);
  });

  it('before anything is stored or sent', () => {
    const checkout = checkoutAt('tokenizing');
    checkout.is('creating', { commands: ['tokenize'] });
  });

  it('once, however often the button is pressed', () => {
    const checkout = checkoutAt('tokenizing');
    checkout.hears(cardSubmitted).is('creating');
  });

  it('is sent once, whatever is said again', () => {
    const checkout = checkoutAt('sending');
    checkout.hears(cardReady).is('creating');
    checkout.hears(cardSubmitted).is('creating');
    checkout.hears(cardFailed).is('creating');
  });

  it('cannot be made ready: nothing is stored or sent', () => {
    const checkout = checkoutAt('tokenizing');
    checkout
      .hears(cardFailed)
      .is('form', { error: 'tokenization_failed', commands: [{ error: 'tokenization_failed' }] });
    checkout.hears(cardSubmitted).is('creating', { commands: ['tokenize'] });
  });

  it('cannot be made ready: the Pix code behind it is followed on', () => {
    const checkout = checkoutAt('tokenizingBehindPix');
    checkout.hears(cardFailed).is('form', {
      error: 'tokenization_failed',
      follows: [invoiceId],
      commands: [{ error: 'tokenization_failed' }],
    });
    checkout
      .finds()
      .waits(8_000)
      .is('form', {
        error: 'tokenization_failed',
        follows: [invoiceId],
        commands: [{ lookUp: invoiceId }],
      });
  });

  it('too late, on another screen', () => {
    const checkout = checkoutAt('tokenizing');
    checkout.hears(orderChanged).is('form', { commands: ['abort'] });
    checkout.hears(cardReady).is('form');
    checkout.hears(cardFailed).is('form');
  });
});

describe('an open Pix code', () => {
  it('is looked up before the card is sent, plainly, in place of a look-up under way', () => {
    const checkout = checkoutAt('checking');
    checkout.is('creating', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout.finds().is('creating', {
      follows: [invoiceId],
      commands: [{ remember: cardKey }, { charge: cardKey }],
    });
  });

  it('is looked up when the next look-up was not yet due, too', () => {
    const checkout = checkoutAt('cardForm');
    checkout.finds().is('form', { follows: [invoiceId] });
    checkout
      .hears(cardSubmitted)
      .hears(cardReady)
      .is('creating', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
  });

  it('was replaced: the newest is asked for, and all are followed on', () => {
    const checkout = checkoutAt('cardFormBehindTwo');
    checkout
      .hears(cardSubmitted)
      .hears(cardReady)
      .is('creating', { follows: [invoiceId, formerId], commands: [{ lookUp: invoiceId }] });
    checkout.finds().is('creating', {
      follows: [invoiceId, formerId],
      commands: [{ remember: cardKey }, { charge: cardKey }, { lookUp: formerId }],
    });
  });

  it('is paid: that wins, and no card is sent', () => {
    const checkout = checkoutAt('checking');
    checkout.finds({ status: 'paid' }).is('paid', { commands: ['abort', { forget: key }, 'paid'] });
  });

  it('is paid with another total: no card is sent', () => {
    const checkout = checkoutAt('checking');
    checkout.finds({ status: 'paid', total_cents: 1 }).is('confirming', {
      error: 'amount_mismatch',
      follows: [invoiceId],
      commands: [{ error: 'amount_mismatch' }],
    });
    checkout.hears(cardReady).is('confirming', { error: 'amount_mismatch', follows: [invoiceId] });
    checkout
      .hears(cardSubmitted)
      .is('confirming', { error: 'amount_mismatch', follows: [invoiceId] });
  });

  it('is paid for another order: no card is sent', () => {
    const checkout = checkoutAt('checking');
    checkout.finds({ status: 'paid', external_id: 'order-2' }).is('confirming', {
      error: 'reference_mismatch',
      follows: [invoiceId],
      commands: [{ error: 'reference_mismatch' }],
    });
    checkout
      .hears(cardReady)
      .is('confirming', { error: 'reference_mismatch', follows: [invoiceId] });
    checkout
      .hears(cardSubmitted)
      .is('confirming', { error: 'reference_mismatch', follows: [invoiceId] });
  });

  it('that disagrees, unpaid: nothing is sent', () => {
    const checkout = checkoutAt('checking');
    checkout.finds({ total_cents: 1 }).is('form', {
      error: 'amount_mismatch',
      follows: [invoiceId],
      commands: [{ error: 'amount_mismatch' }],
    });
  });

  it('another answer than the one asked for sends nothing', () => {
    const checkout = checkoutAt('checking');
    checkout.finds({ invoice_id: 'invoice-9' }).is('form', {
      error: 'invalid_answer',
      follows: [invoiceId],
      commands: [{ error: 'invalid_answer' }],
    });
  });

  it("another request's failure sends nothing", () => {
    const checkout = checkoutAt('checking');
    checkout.hears(createFailed('network')).is('creating', { follows: [invoiceId] });
  });

  it('the line goes down meanwhile: asked again when it is back, and only then sent', () => {
    const checkout = checkoutAt('checking');
    checkout.hears(paused).is('creating', { follows: [invoiceId], commands: ['abort_look_up'] });
    checkout
      .hears(returned)
      .is('creating', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout.finds().is('creating', {
      follows: [invoiceId],
      commands: [{ remember: cardKey }, { charge: cardKey }],
    });
  });

  it('is renewed behind the form, and the form stays', () => {
    const checkout = checkoutAt('cardForm');
    checkout.loses('unauthorized').is('form', { follows: [invoiceId], commands: [{ renew: key }] });
    checkout
      .hears(createdEvent({ lookup_token: 'token-2' }))
      .is('form', { follows: [invoiceId], commands: [{ remember: key, invoice: invoiceId }] });
  });

  it('renewed into another invoice: no other code is offered behind the form', () => {
    const checkout = checkoutAt('cardForm');
    checkout
      .loses('unauthorized')
      .hears(createdEvent({ invoice_id: 'invoice-2' }))
      .is('form', { follows: [invoiceId], commands: [{ error: 'invalid_answer' }] });
    checkout.waits(30_000).is('form', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
  });

  it('turns out to be paid while its token is renewed: no card is sent', () => {
    const checkout = checkoutAt('cardForm');
    checkout
      .loses('unauthorized')
      .hears(cardSubmitted)
      .hears(createFailed('order_paid', { invoice: paidBy('invoice-0001') }))
      .is('confirming', { follows: [invoiceId], commands: [{ lookUpHeld: invoiceId }] });
    checkout.hears(cardReady).is('confirming', { follows: [invoiceId] });
    checkout.finds({ status: 'paid' }).is('paid', { commands: ['abort', 'forget', 'paid'] });
  });

  for (const code of [
    'network',
    'service_unavailable',
    'too_many_requests',
    'unauthorized',
    'not_found',
    'invalid_answer',
    'payment_refused',
  ] as const) {
    it(`cannot be looked up, ${code}: the form says so, nothing is sent, and it is followed on`, () => {
      const checkout = checkoutAt('checking');
      checkout
        .loses(code)
        .is('form', { error: code, follows: [invoiceId], commands: [{ error: code }] });
      checkout
        .waits(1_000)
        .is('form', { error: code, follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
      checkout
        .loses('unauthorized')
        .is('form', { error: code, follows: [invoiceId], commands: [{ renew: key }] });
    });
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

describe('a card that was not sent may be tried again, and the page hears so', () => {
  for (const [name, play, code] of [
    [
      'it could not be made ready',
      cardForm().play(cardSubmitted, cardFailed),
      'tokenization_failed',
    ],
    [
      'the Pix code behind it could not be looked up',
      behindPix().play(cardSubmitted, cardReady, lookUpFailed('network')),
      'network',
    ],
  ] as const) {
    it(name, () => {
      const error = { code, retryable: true } as const;
      assert.deepEqual(inPhase(play, 'form').error, error);
      assert.deepEqual(commandsOf(play.commands, 'emit'), [tell(error, null)]);
    });
  }
});
