/** A look-up token that ran out is renewed by asking for the order again, and never in a loop. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { findNextDueMs, transition } from '../../../src/checkout/machine/transition.js';
import { charging, inquiries } from './charge/cards.js';
import {
  commandsOf,
  created,
  createdEvent,
  createFailed,
  failure,
  formerId,
  freshKey,
  invoiceId,
  key,
  lookUpFailed,
  newCodeAsked,
  otherKey,
  returned,
} from './samples.js';
import { awaiting, following, replacing } from './states.js';
import { checkoutAt, given, paidBy } from './checkout-at.js';

const again = (lookup_token: string) => createdEvent({ lookup_token });

describe('a look-up token that ran out', () => {
  it('is renewed, and the new one serves', () => {
    const play = awaiting().play(lookUpFailed('unauthorized'), again('token-2'));
    play.wait(findNextDueMs(play.state) - play.nowMs);
    assert.equal(commandsOf(play.commands, 'look_up')[0]?.lookupToken, 'token-2');
  });

  it('the new one is refused, too: the page is out of date, and says so', () => {
    const checkout = checkoutAt('awaiting');
    checkout
      .loses('unauthorized')
      .hears(again('token-2'))
      .waits(30_000)
      .loses('unauthorized')
      .is('failed', { error: 'unauthorized', commands: ['abort', { error: 'unauthorized' }] });
  });

  it('the new one serves for a time: then it is renewed again', () => {
    const checkout = checkoutAt('awaiting');
    checkout
      .loses('unauthorized')
      .hears(again('token-2'))
      .waits(60_000)
      .finds()
      .is('awaiting', { follows: [invoiceId], commands: [{ lookUpHeld: invoiceId }] });
    checkout
      .loses('unauthorized')
      .is('awaiting', { follows: [invoiceId], commands: [{ renew: key }] });
  });

  it('that of another invoice each time is refused, too', () => {
    const checkout = checkoutAt('awaiting');
    checkout
      .loses('unauthorized')
      .hears(createdEvent({ invoice_id: 'invoice-2' }))
      .loses('unauthorized')
      .is('failed', { error: 'unauthorized', commands: ['abort', { error: 'unauthorized' }] });
  });

  it('that of the paid invoice is refused, too, whatever the creation answers: the page hears of it once, and no more are asked for', () => {
    const checkout = checkoutAt('awaiting');
    checkout
      .loses('unauthorized')
      .hears(createFailed('order_paid', { invoice: paidBy('invoice-0001') }))
      .is('confirming', { follows: [invoiceId], commands: [{ lookUpHeld: invoiceId }] });
    checkout.loses('unauthorized').is('confirming', {
      error: 'unauthorized',
      follows: [invoiceId],
      commands: [{ error: 'unauthorized' }],
    });
    checkout
      .waits(4_000)
      .loses('unauthorized')
      .is('confirming', { error: 'unauthorized', follows: [invoiceId] });
    checkout
      .waits(8_000)
      .finds({ status: 'paid' })
      .is('paid', { commands: ['abort', 'forget', 'paid'] });
  });

  it('behind the card form, too: the page hears of it once', () => {
    const checkout = checkoutAt('cardForm');
    checkout
      .loses('unauthorized')
      .hears(again('token-2'))
      .waits(30_000)
      .loses('unauthorized')
      .is('form', { follows: [invoiceId], commands: [{ error: 'unauthorized' }] });
    checkout
      .waits(30_000)
      .loses('unauthorized')
      .is('form', { follows: [invoiceId] });
  });

  for (const code of ['network', 'in_progress', 'too_many_requests', 'key_reused'] as const) {
    const error = code === 'key_reused' ? [{ error: code }] : [];
    it(`renewal fails, ${code}: the code stays, look-ups go on, and the page hears once what is no passing fault`, () => {
      const checkout = checkoutAt('awaiting');
      checkout
        .loses('unauthorized')
        .hears(createFailed(code))
        .is('awaiting', { follows: [invoiceId], commands: error });
      checkout
        .waits(30_000)
        .is('awaiting', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
      checkout
        .loses('unauthorized')
        .hears(createFailed(code))
        .is('awaiting', { follows: [invoiceId] });
    });
  }

  for (const code of [
    'unauthorized',
    'unknown_order',
    'order_closed',
    'order_failed',
    'amount_mismatch',
    'invalid_request',
  ] as const) {
    it(`the order is refused, too, ${code}: the page is out of date, and says so`, () => {
      const checkout = checkoutAt('awaiting');
      checkout
        .loses('unauthorized')
        .hears(createFailed(code))
        .is('failed', { error: 'unauthorized', commands: ['abort', { error: 'unauthorized' }] });
    });

    it(`after the deadline, ${code}`, () => {
      const checkout = checkoutAt('expired');
      checkout
        .waits(1_000)
        .loses('unauthorized')
        .hears(createFailed(code))
        .is('failed', { error: 'unauthorized', commands: ['abort', { error: 'unauthorized' }] });
    });

    it(`while a payment is confirmed, ${code}: look-ups go on, and it says so once`, () => {
      const checkout = checkoutAt('confirming');
      checkout
        .loses('unauthorized')
        .hears(createFailed(code))
        .is('confirming', {
          error: 'unauthorized',
          follows: [invoiceId],
          commands: [{ error: 'unauthorized' }],
        });
      checkout
        .waits(30_000)
        .loses('unauthorized')
        .hears(createFailed(code))
        .is('confirming', { error: 'unauthorized', follows: [invoiceId] });
      checkout
        .waits(30_000)
        .finds({ status: 'paid' })
        .is('paid', { commands: ['abort', { forget: key }, 'paid'] });
    });

    it(`while a payment disagrees, ${code}: that stays the news`, () => {
      const checkout = checkoutAt('awaiting');
      checkout
        .finds({ status: 'paid', total_cents: 1 })
        .waits(8_000)
        .loses('unauthorized')
        .hears(createFailed(code))
        .is('confirming', { error: 'amount_mismatch', follows: [invoiceId] });
    });

    it(`behind the card form, ${code}: a card may be paid with all the same`, () => {
      const checkout = checkoutAt('cardForm');
      checkout
        .loses('unauthorized')
        .hears(createFailed(code))
        .is('form', { follows: [invoiceId] });
    });
  }

  it('is renewed by asking for the order again with the same key', () => {
    const checkout = checkoutAt('awaiting');
    checkout
      .loses('unauthorized')
      .is('awaiting', { follows: [invoiceId], commands: [{ renew: key }] });
    checkout
      .hears(createdEvent({ lookup_token: 'token-2' }))
      .is('awaiting', { follows: [invoiceId], commands: [{ remember: key, invoice: invoiceId }] });
  });

  it('brings another invoice: its code is shown, the former is followed', () => {
    const checkout = checkoutAt('awaiting');
    checkout
      .loses('unauthorized')
      .hears(createdEvent({ invoice_id: 'invoice-2' }))
      .is('awaiting', {
        follows: ['invoice-2', invoiceId],
        commands: [{ remember: key, invoice: 'invoice-2' }, 'created', { lookUpHeld: 'invoice-2' }],
      });
  });

  it('brings another invoice after the deadline', () => {
    const checkout = checkoutAt('expired');
    checkout
      .waits(1_000)
      .loses('unauthorized')
      .hears(createdEvent({ invoice_id: 'invoice-2' }))
      .is('awaiting', {
        follows: ['invoice-2', invoiceId],
        commands: [{ remember: key, invoice: 'invoice-2' }, 'created', { lookUpHeld: 'invoice-2' }],
      });
  });

  it('brings another invoice that cannot be shown: the former goes on', () => {
    const checkout = checkoutAt('awaiting');
    checkout
      .loses('unauthorized')
      .hears(createdEvent({ invoice_id: 'invoice-2', total_cents: 1 }))
      .is('awaiting', {
        error: 'amount_mismatch',
        follows: [invoiceId],
        commands: [{ error: 'amount_mismatch' }],
      });
    checkout.waits(30_000).is('awaiting', {
      error: 'amount_mismatch',
      follows: [invoiceId],
      commands: [{ lookUp: invoiceId }],
    });
  });

  it('brings another invoice that cannot be shown, after the deadline: no code comes back', () => {
    const checkout = checkoutAt('expired');
    checkout
      .waits(1_000)
      .loses('unauthorized')
      .hears(createdEvent({ invoice_id: 'invoice-2', total_cents: 1 }))
      .is('expired', {
        error: 'amount_mismatch',
        follows: [invoiceId],
        commands: [{ error: 'amount_mismatch' }],
      });
  });

  it('brings another invoice where a payment may have been made: its code is not shown', () => {
    const checkout = checkoutAt('awaiting');
    checkout
      .finds({ status: 'paid', total_cents: 1 })
      .waits(8_000)
      .loses('unauthorized')
      .is('confirming', {
        error: 'amount_mismatch',
        follows: [invoiceId],
        commands: [{ renew: key }],
      });
    checkout.hears(createdEvent({ invoice_id: 'invoice-2' })).is('confirming', {
      error: 'amount_mismatch',
      follows: [invoiceId],
      commands: [{ error: 'invalid_answer' }],
    });
    checkout.waits(30_000).is('confirming', {
      error: 'amount_mismatch',
      follows: [invoiceId],
      commands: [{ lookUp: invoiceId }],
    });
  });

  it('the order turns out to be paid: no code is shown any more, and the page hears of it once', () => {
    const checkout = checkoutAt('awaiting');
    checkout
      .loses('unauthorized')
      .hears(createFailed('order_paid'))
      .is('confirming', {
        error: 'order_paid',
        follows: [invoiceId],
        commands: [{ error: 'order_paid' }],
      });
    checkout
      .waits(30_000)
      .loses('unauthorized')
      .is('confirming', {
        error: 'order_paid',
        follows: [invoiceId],
        commands: [{ error: 'unauthorized' }],
      });
    checkout
      .waits(30_000)
      .loses('unauthorized')
      .is('confirming', { error: 'order_paid', follows: [invoiceId] });
  });

  it('gives way to a new code that is asked for: the former is looked up all the same', () => {
    const checkout = checkoutAt('awaiting');
    checkout
      .loses('unauthorized')
      .hears(newCodeAsked)
      .hears(createFailed('network'))
      .waits(30_000)
      .is('creating', {
        follows: [invoiceId],
        commands: [{ create: otherKey, replaces: invoiceId }, { lookUp: invoiceId }],
      });
  });

  it('waits while a new code is being asked for: one creation at a time', () => {
    const checkout = checkoutAt('replacing');
    checkout
      .waits(8_000)
      .loses('unauthorized')
      .is('creating', { follows: [invoiceId], commands: [{ error: 'unauthorized' }] });
  });

  it('of a former invoice cannot be had by asking for the order: the newest would come', () => {
    const checkout = checkoutAt('replaced');
    checkout
      .finds()
      .loses('unauthorized')
      .is('awaiting', { follows: [invoiceId, formerId] });
    checkout
      .waits(8_000)
      .is('awaiting', { follows: [invoiceId, formerId], commands: [{ lookUp: invoiceId }] });
  });

  it('the order turns out to be paid once more: nothing changes', () => {
    const play = awaiting().play(lookUpFailed('unauthorized'), createFailed('order_paid'));
    const { state } = play.wait(30_000).play(lookUpFailed('unauthorized'), returned);
    assert.equal(play.play(createFailed('order_paid')).state, state);
  });

  for (const [name, start, purpose] of [
    ['a renewal, once a new code is asked for', replacing, 'renewal'],
    ['a renewal, once a card is sent', charging.sendingBehindPix, 'renewal'],
    ['a renewal, once a card is asked for', inquiries.inquiryBehindPix, 'renewal'],
    ['an invoice, once a card is sent', charging.sendingBehindPix, 'invoice'],
    ['a charge, once an invoice is followed by its id', following, 'charge'],
    ['a renewal, once an invoice is followed by its id', following, 'renewal'],
    ['an invoice, once a code is shown', awaiting, 'invoice'],
    ['a charge, once a code is shown', awaiting, 'charge'],
  ] as const) {
    it(`the answer to ${name}: changes nothing`, () => {
      const { state, ...given } = start();
      const invoice = created({ lookup_token: 'token-2' });
      for (const answer of [{ invoice }, { failure: failure('network') }]) {
        const event = { type: 'answered', purpose, answer } as const;
        assert.equal(transition(state, event, given).state, state);
      }
    });
  }
});

describe('the look-up token of an invoice that the page named', () => {
  it('is refused: the order is asked for anew, by one key', () => {
    const checkout = checkoutAt('givenAnew');
    checkout
      .loses('unauthorized')
      .is('awaiting', { follows: [invoiceId], commands: [{ renew: freshKey }] });
    checkout
      .hears(createFailed('network'))
      .waits(60_000)
      .loses('unauthorized')
      .is('awaiting', { follows: [invoiceId], commands: [{ renew: freshKey }] });
    checkout.hears(createdEvent({ lookup_token: 'token-2' })).is('awaiting', {
      follows: [invoiceId],
      commands: [{ remember: freshKey, invoice: invoiceId }],
    });
    checkout
      .waits(30_000)
      .loses('unauthorized')
      .is('failed', { error: 'unauthorized', commands: ['abort', { error: 'unauthorized' }] });
  });

  it('is refused, and the order has another invoice: its code is shown, the former is followed', () => {
    const checkout = checkoutAt('givenAnew');
    checkout
      .loses('unauthorized')
      .hears(createdEvent({ invoice_id: 'invoice-2' }))
      .is('awaiting', {
        follows: ['invoice-2', invoiceId],
        commands: [
          { remember: freshKey, invoice: 'invoice-2' },
          'created',
          { lookUpHeld: 'invoice-2' },
        ],
      });
  });

  it('is refused, and the order is paid: the receipt', () => {
    const checkout = checkoutAt('givenAnew');
    checkout
      .loses('unauthorized')
      .hears(createFailed('order_paid', { invoice: paidBy('invoice-paid') }))
      .is('confirming', {
        follows: ['invoice-paid', invoiceId],
        commands: [{ lookUpHeld: 'invoice-paid' }],
      });
    checkout.finds({ status: 'paid' }).is('paid', { commands: ['abort', 'forget', 'paid'] });
  });

  it('is refused after the payment was told: the receipt all the same', () => {
    const checkout = checkoutAt('formAnew');
    checkout
      .hears(given({ status: 'paid', qr_code_pix: '' }))
      .loses('unauthorized')
      .is('confirming', { follows: [invoiceId], commands: [{ renew: freshKey }] });
    checkout
      .hears(createFailed('order_paid', { invoice: paidBy('invoice-0001') }))
      .is('confirming', { follows: [invoiceId], commands: [{ lookUpHeld: invoiceId }] });
    checkout.finds({ status: 'paid' }).is('paid', { commands: ['abort', 'forget', 'paid'] });
  });

  it('is refused, and so is the order: the page is out of date', () => {
    const checkout = checkoutAt('givenAnew');
    checkout
      .loses('unauthorized')
      .hears(createFailed('unauthorized'))
      .is('failed', { error: 'unauthorized', commands: ['abort', { error: 'unauthorized' }] });
  });

  it('is refused for an id: the order is asked for anew, and nothing is shown before', () => {
    const checkout = checkoutAt('namedAnew');
    checkout
      .loses('unauthorized')
      .is('creating', { commands: [{ remember: freshKey }, { create: freshKey }] });
    checkout.hears(createdEvent()).is('awaiting', {
      follows: [invoiceId],
      commands: [{ remember: freshKey, invoice: invoiceId }, 'created', { lookUpHeld: invoiceId }],
    });
  });

  it('is refused for an id, and the order is paid', () => {
    const checkout = checkoutAt('namedAnew');
    checkout
      .loses('unauthorized')
      .hears(createFailed('order_paid', { invoice: paidBy('invoice-paid') }))
      .is('confirming', { follows: ['invoice-paid'], commands: [{ lookUpHeld: 'invoice-paid' }] });
  });

  it('is refused for an id later', () => {
    const checkout = checkoutAt('namedAnew');
    checkout
      .finds()
      .waits(1_000)
      .loses('unauthorized')
      .is('awaiting', { follows: [invoiceId], commands: [{ renew: freshKey }] });
  });

  it('is refused for a card that was found by its id: no Pix code is asked for in its place', () => {
    const checkout = checkoutAt('namedAnew');
    checkout
      .finds({ is_pix: false })
      .waits(1_000)
      .loses('unauthorized')
      .is('confirming', { follows: [invoiceId], commands: [{ error: 'unauthorized' }] });
    checkout
      .waits(30_000)
      .loses('unauthorized')
      .is('confirming', {
        error: 'unauthorized',
        follows: [invoiceId],
        commands: [{ error: 'unauthorized' }],
      });
  });

  it('is refused without a reference: by several machines one may be late, twice is the end', () => {
    const checkout = checkoutAt('givenUnnamed');
    checkout
      .loses('unauthorized')
      .is('awaiting', { follows: [invoiceId], commands: [{ error: 'unauthorized' }] });
    checkout
      .waits(30_000)
      .loses('unauthorized')
      .is('failed', { error: 'unauthorized', commands: ['abort', { error: 'unauthorized' }] });
  });

  it('is refused once, and then taken', () => {
    const checkout = checkoutAt('givenUnnamed');
    checkout
      .loses('unauthorized')
      .waits(30_000)
      .finds()
      .is('awaiting', { follows: [invoiceId], commands: [{ lookUpHeld: invoiceId }] });
    checkout
      .loses('unauthorized')
      .is('awaiting', { follows: [invoiceId], commands: [{ error: 'unauthorized' }] });
  });

  it('is refused for an id without a reference', () => {
    const checkout = checkoutAt('namedUnnamed');
    checkout
      .loses('unauthorized')
      .is('failed', { error: 'unauthorized', commands: [{ error: 'unauthorized' }] });
  });
});
