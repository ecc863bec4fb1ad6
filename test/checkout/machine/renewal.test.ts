/** A look-up token that ran out is renewed by asking for the order again, and never in a loop. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { nextDueMs, transition } from '../../../src/checkout/machine/transition.js';
import { charging, inquiries } from './charge/cards.js';
import {
  commandsOf,
  createFailed,
  created,
  createdEvent,
  failure,
  lookUpFailed,
  newCodeAsked,
  returned,
} from './samples.js';
import { awaiting, following, replacing } from './states.js';
import { at, found, given, lost, paidBy, tell, wait } from './stories.js';

const again = (lookup_token: string) => createdEvent({ lookup_token });

describe('a look-up token that ran out', () => {
  it('is renewed, and the new one serves', () => {
    const play = awaiting().play(lookUpFailed('unauthorized'), again('token-2'));
    play.wait(nextDueMs(play.state) - play.nowMs);
    assert.equal(commandsOf(play.commands, 'look_up')[0]?.lookupToken, 'token-2');
  });

  tell`
    the new one is refused, too: the page is out of date, and says so
      ${at.awaiting} > ${lost('unauthorized')} > ${again('token-2')} > ${wait(30_000)}
      > ${lost('unauthorized')} = failed (unauthorized): abort error:unauthorized
    the new one serves for a time: then it is renewed again
      ${at.awaiting} > ${lost('unauthorized')} > ${again('token-2')} > ${wait(60_000)} > ${found()} = awaiting [1]: held:1
      > ${lost('unauthorized')} = awaiting [1]: create-renewal:a
    that of another invoice each time is refused, too
      ${at.awaiting} > ${lost('unauthorized')} > ${createdEvent({ invoice_id: 'invoice-2' })}
      > ${lost('unauthorized')} = failed (unauthorized): abort error:unauthorized
    that of the paid invoice is refused, too, whatever the creation answers: the page hears of it once, and no more are asked for
      ${at.awaiting} > ${lost('unauthorized')}
      > ${createFailed('order_paid', { invoice: paidBy('invoice-0001') })} = confirming [1]: held:1
      > ${lost('unauthorized')} = confirming (unauthorized) [1]: error:unauthorized > ${wait(4_000)}
      > ${lost('unauthorized')} = confirming (unauthorized) [1] > ${wait(8_000)}
      > ${found({ status: 'paid' })} = paid: abort forget paid
    behind the card form, too: the page hears of it once
      ${at.cardForm} > ${lost('unauthorized')} > ${again('token-2')} > ${wait(30_000)}
      > ${lost('unauthorized')} = form [1]: error:unauthorized > ${wait(30_000)} > ${lost('unauthorized')} = form [1]
  `;

  for (const code of ['network', 'in_progress', 'too_many_requests', 'key_reused'] as const) {
    const error = code === 'key_reused' ? `: error:${code}` : '';
    tell`
      renewal fails, ${code}: the code stays, look-ups go on, and the page hears once what is no passing fault
        ${at.awaiting} > ${lost('unauthorized')} > ${createFailed(code)} = awaiting [1]${error}
        > ${wait(30_000)} = awaiting [1]: look_up:1 > ${lost('unauthorized')} > ${createFailed(code)} = awaiting [1]
    `;
  }

  for (const code of [
    'unauthorized',
    'unknown_order',
    'order_closed',
    'order_failed',
    'amount_mismatch',
    'invalid_request',
  ] as const) {
    tell`
      the order is refused, too, ${code}: the page is out of date, and says so
        ${at.awaiting} > ${lost('unauthorized')} > ${createFailed(code)} = failed (unauthorized): abort error:unauthorized
      after the deadline, ${code}
        ${at.expired} > ${wait(1_000)} > ${lost('unauthorized')}
        > ${createFailed(code)} = failed (unauthorized): abort error:unauthorized
      while a payment is confirmed, ${code}: look-ups go on, and it says so once
        ${at.confirming} > ${lost('unauthorized')}
        > ${createFailed(code)} = confirming (unauthorized) [1]: error:unauthorized > ${wait(30_000)}
        > ${lost('unauthorized')} > ${createFailed(code)} = confirming (unauthorized) [1] > ${wait(30_000)}
        > ${found({ status: 'paid' })} = paid: abort forget:a paid
      while a payment disagrees, ${code}: that stays the news
        ${at.awaiting} > ${found({ status: 'paid', total_cents: 1 })} > ${wait(8_000)} > ${lost('unauthorized')}
        > ${createFailed(code)} = confirming (amount_mismatch) [1]
      behind the card form, ${code}: a card may be paid with all the same
        ${at.cardForm} > ${lost('unauthorized')} > ${createFailed(code)} = form [1]
    `;
  }

  tell`
    is renewed by asking for the order again with the same key
      ${at.awaiting} > ${lost('unauthorized')} = awaiting [1]: create-renewal:a
      > ${createdEvent({ lookup_token: 'token-2' })} = awaiting [1]: remember:a/1
    brings another invoice: its code is shown, the former is followed
      ${at.awaiting} > ${lost('unauthorized')}
      > ${createdEvent({ invoice_id: 'invoice-2' })} = awaiting [2 1]: remember:a/2 created held:2
    brings another invoice after the deadline
      ${at.expired} > ${wait(1_000)} > ${lost('unauthorized')}
      > ${createdEvent({ invoice_id: 'invoice-2' })} = awaiting [2 1]: remember:a/2 created held:2
    brings another invoice that cannot be shown: the former goes on
      ${at.awaiting} > ${lost('unauthorized')} > ${createdEvent({ invoice_id: 'invoice-2', total_cents: 1 })}
      = awaiting (amount_mismatch) [1]: error:amount_mismatch
      > ${wait(30_000)} = awaiting (amount_mismatch) [1]: look_up:1
    brings another invoice where a payment may have been made: its code is not shown
      ${at.awaiting} > ${found({ status: 'paid', total_cents: 1 })} > ${wait(8_000)}
      > ${lost('unauthorized')} = confirming (amount_mismatch) [1]: create-renewal:a
      > ${createdEvent({ invoice_id: 'invoice-2' })} = confirming (amount_mismatch) [1]: error:invalid_answer
      > ${wait(30_000)} = confirming (amount_mismatch) [1]: look_up:1
    the order turns out to be paid: no code is shown any more, and the page hears of it once
      ${at.awaiting} > ${lost('unauthorized')}
      > ${createFailed('order_paid')} = confirming (order_paid) [1]: error:order_paid > ${wait(30_000)}
      > ${lost('unauthorized')} = confirming (order_paid) [1]: error:unauthorized > ${wait(30_000)}
      > ${lost('unauthorized')} = confirming (order_paid) [1]
    gives way to a new code that is asked for: the former is looked up all the same
      ${at.awaiting} > ${lost('unauthorized')} > ${newCodeAsked} > ${createFailed('network')}
      > ${wait(30_000)} = creating [1]: create:b/1 look_up:1
    waits while a new code is being asked for: one creation at a time
      ${at.replacing} > ${wait(8_000)} > ${lost('unauthorized')} = creating [1]: error:unauthorized
    of a former invoice cannot be had by asking for the order: the newest would come
      ${at.replaced} > ${found()} > ${lost('unauthorized')} = awaiting [1 0]
      > ${wait(8_000)} = awaiting [1 0]: look_up:1
  `;

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
  tell`
    is refused: the order is asked for anew, by one key
      ${at.givenAnew} > ${lost('unauthorized')} = awaiting [1]: create-renewal:f > ${createFailed('network')}
      > ${wait(60_000)} > ${lost('unauthorized')} = awaiting [1]: create-renewal:f
      > ${createdEvent({ lookup_token: 'token-2' })} = awaiting [1]: remember:f/1 > ${wait(30_000)}
      > ${lost('unauthorized')} = failed (unauthorized): abort error:unauthorized
    is refused, and the order has another invoice: its code is shown, the former is followed
      ${at.givenAnew} > ${lost('unauthorized')}
      > ${createdEvent({ invoice_id: 'invoice-2' })} = awaiting [2 1]: remember:f/2 created held:2
    is refused, and the order is paid: the receipt
      ${at.givenAnew} > ${lost('unauthorized')}
      > ${createFailed('order_paid', { invoice: paidBy('invoice-paid') })} = confirming [paid 1]: held:paid
      > ${found({ status: 'paid' })} = paid: abort forget paid
    is refused after the payment was told: the receipt all the same
      ${at.formAnew} > ${given({ status: 'paid', qr_code_pix: '' })}
      > ${lost('unauthorized')} = confirming [1]: create-renewal:f
      > ${createFailed('order_paid', { invoice: paidBy('invoice-0001') })} = confirming [1]: held:1
      > ${found({ status: 'paid' })} = paid: abort forget paid
    is refused, and so is the order: the page is out of date
      ${at.givenAnew} > ${lost('unauthorized')}
      > ${createFailed('unauthorized')} = failed (unauthorized): abort error:unauthorized
    is refused for an id: the order is asked for anew, and nothing is shown before
      ${at.namedAnew} > ${lost('unauthorized')} = creating: remember:f create:f
      > ${createdEvent()} = awaiting [1]: remember:f/1 created held:1
    is refused for an id, and the order is paid
      ${at.namedAnew} > ${lost('unauthorized')}
      > ${createFailed('order_paid', { invoice: paidBy('invoice-paid') })} = confirming [paid]: held:paid
    is refused for an id later
      ${at.namedAnew} > ${found()} > ${wait(1_000)} > ${lost('unauthorized')} = awaiting [1]: create-renewal:f
    is refused for a card that was found by its id: no Pix code is asked for in its place
      ${at.namedAnew} > ${found({ is_pix: false })} > ${wait(1_000)}
      > ${lost('unauthorized')} = confirming [1]: error:unauthorized > ${wait(30_000)}
      > ${lost('unauthorized')} = confirming (unauthorized) [1]: error:unauthorized
    is refused without a reference: by several machines one may be late, twice is the end
      ${at.givenUnnamed} > ${lost('unauthorized')} = awaiting [1]: error:unauthorized > ${wait(30_000)}
      > ${lost('unauthorized')} = failed (unauthorized): abort error:unauthorized
    is refused once, and then taken
      ${at.givenUnnamed} > ${lost('unauthorized')} > ${wait(30_000)} > ${found()} = awaiting [1]: held:1
      > ${lost('unauthorized')} = awaiting [1]: error:unauthorized
    is refused for an id without a reference
      ${at.namedUnnamed} > ${lost('unauthorized')} = failed (unauthorized): error:unauthorized
  `;
});
