/** A card attempt whose outcome is not known: it is asked for by its key until the proxy's own word ends it. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { nextDueMs } from '../../../../src/checkout/machine/transition.js';
import { failureOf } from '../../../../src/checkout/machine/state.js';
import {
  cardCents,
  cardLookedUp,
  cardReady,
  cardSubmitted,
  charged,
  charging,
  chosen,
  inquiries,
  resumed,
  untold,
} from './cards.js';
import {
  codes,
  checkAsked,
  checkout,
  createFailed,
  inPhase,
  lookedUp,
  names,
  newCodeAsked,
  paused,
  returned,
} from '../samples.js';
import { at, found, lost, paidBy, reset, submittedAnew, tell, wait } from '../stories.js';

describe('the proxy knows the attempt', () => {
  for (const [start, behind] of [
    ['inquiry', ''],
    ['inquiryBehindPix', ' 1'],
    ['resumedCard', ''],
  ] as const) {
    const pix = behind && ' [1]';
    tell`
      ${start}: its invoice is followed; pix-created was for the POST
        ${at[start]} > ${charged()} = confirming [card${behind}]: remember:ca/card look_up:card
        > ${found({ status: 'paid' })} = paid: abort forget:ca paid
      ${start}: its total is not what was asked for: told, and followed
        ${at[start]} > ${charged({ total_cents: 1 })}
        = confirming (amount_mismatch) [card${behind}]: remember:ca/card error:amount_mismatch look_up:card
      ${start}: its order is not what was asked for: told, and followed
        ${at[start]} > ${charged({ external_id: 'order-2' })}
        = confirming (reference_mismatch) [card${behind}]: remember:ca/card error:reference_mismatch look_up:card
      ${start}: it was refused: the form, and another key
        ${at[start]}
        > ${createFailed('payment_refused')} = form (payment_refused)${pix}: forget:ca error:payment_refused
      ${start}: the order is paid
        ${at[start]} > ${createFailed('order_paid', { invoice: paidBy('invoice-paid') })}
        = confirming [paid${behind}]: settle:ca held:paid > ${found({ status: 'paid' })} = paid: abort forget paid
      ${start}: it never arrived: the form, without its key, which is barred
        ${at[start]} > ${createFailed('not_found')} = form (network)${pix}: forget:ca error:network
    `;
  }

  tell`
    another device pays for the order, and this attempt was turned away: it says so, and its key is over
      ${at.sending} > ${createFailed('in_progress')} > ${wait(0)} = confirming asking: recover:ca
      > ${createFailed('network')} > ${wait(30_000)}
      > ${createFailed('not_found')} = form (in_progress): forget:ca error:in_progress
    the proxy did not know, and then the attempt is none: it never arrived
      ${at.sending} > ${createFailed('outcome_unknown')} > ${wait(0)}
      > ${createFailed('not_found')} = form (network): forget:ca error:network > ${returned} = form (network)
    a proxy that is busy with this very attempt names its invoice in the end
      ${at.sending} > ${createFailed('in_progress')} > ${wait(0)}
      > ${charged()} = confirming [card]: remember:ca/card look_up:card
    a look-up tells of something else while the card is on its way: a POST to nowhere is no word about it
      ${at.sendingBehindPix} > ${wait(30_000)} > ${found({ status: 'paid', total_cents: 1 })}
      = confirming (amount_mismatch) asking [1]: error:amount_mismatch
      > ${createFailed('not_found')} = confirming (amount_mismatch) asking [1]: recover:ca
    the order is paid by an invoice it does not name: nothing is asked any more
      ${at.inquiryBehindPix}
      > ${createFailed('order_paid')} = confirming (order_paid) [1]: settle:ca error:order_paid
      > ${found()} = confirming (order_paid) [1] > ${wait(8_000)} = confirming (order_paid) [1]: look_up:1
  `;

  it('its total is the one that was asked for', () => {
    const play = inquiries.inquiry().play(charged({ total_cents: 1 }));
    assert.equal(inPhase(play, 'confirming').watch?.invoices[0].totalCents, cardCents);
  });
});

describe('the proxy does not tell', () => {
  const ends = ['not_found', 'payment_refused', 'order_paid'];
  const passing = ['network', 'service_unavailable', 'in_progress', 'too_many_requests'];
  const told = codes.filter((code) => !ends.includes(code));

  for (const [code, name, failed] of [
    ...told.map((one) => [one, one as string, createFailed(one)] as const),
    ...untold.map((one) => [one, `${one} untold`, createFailed(one, { told: false })] as const),
  ]) {
    const said = /^(order_closed|unauthorized)$/.test(name) ? code : 'outcome_unknown';
    const state = passing.includes(code) ? 'confirming asking' : `confirming (${said}) asking`;
    const error = passing.includes(code) ? '' : `: error:${said}`;
    tell`
      ${name}: asked again, and the page hears once what is not known
        ${at.inquiry} > ${failed} = ${state}${error} > ${wait(30_000)} = ${state}: recover:ca
        > ${failed} = ${state} > ${wait(30_000)} = ${state}: recover:ca
        > ${failed} = ${state}
    `;
  }

  tell`
    what was unknown stays so while the line is bad, and is told once
      ${at.sending} > ${createFailed('outcome_unknown')} = confirming (outcome_unknown) asking: error:outcome_unknown
      > ${wait(30_000)} > ${createFailed('network')} = confirming (outcome_unknown) asking > ${wait(30_000)}
      > ${createFailed('outcome_unknown')} = confirming (outcome_unknown) asking > ${wait(30_000)}
      > ${createFailed('in_progress')} = confirming (outcome_unknown) asking
    the order was closed meanwhile: told once, and asked for all the same, for the card may have been charged
      ${at.sending} > ${createFailed('outcome_unknown')} > ${wait(30_000)}
      > ${createFailed('order_closed')} = confirming (order_closed) asking: error:order_closed
      > ${wait(30_000)} = confirming (order_closed) asking: recover:ca
      > ${createFailed('order_closed')} = confirming (order_closed) asking
      > ${wait(30_000)} = confirming (order_closed) asking: recover:ca
      > ${createFailed('outcome_unknown')} = confirming (order_closed) asking
      > ${wait(30_000)} = confirming (order_closed) asking: recover:ca
      > ${createFailed('network')} = confirming (order_closed) asking > ${wait(30_000)} > ${charged()}
      > ${found({ status: 'paid' })} = paid: abort forget:ca paid
    Retry-After is kept
      ${at.inquiry} > ${createFailed('service_unavailable', { retryAfterSeconds: 120 })}
      > ${wait(119_999)} = confirming asking > ${wait(1)} = confirming asking: recover:ca
    back on the page: it is asked for at once, for the request may have slept
      ${at.inquiry} > ${createFailed('network')} > ${returned} = confirming asking: recover:ca
      > ${returned} = confirming asking: recover:ca
    "Já paguei": it is asked for at once
      ${at.inquiry} > ${createFailed('network')} > ${checkAsked} = confirming asking: recover:ca
      > ${checkAsked} = confirming asking: recover:ca
    nothing else may be paid meanwhile, and nothing forgotten
      ${at.inquiryBehindPix} > ${cardSubmitted} = confirming asking [1] > ${cardReady} = confirming asking [1]
      > ${chosen('pix')} = confirming asking [1] > ${chosen('credit_card')} = confirming asking [1]
      > ${submittedAnew} = confirming asking [1] > ${reset} = confirming asking [1]
      > ${newCodeAsked} = confirming asking [1]
  `;

  for (const [random, expected] of [
    [1, [2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]],
    // Whatever luck the jitter has, it is no hot loop.
    [0, [1_000, 2_000, 4_000]],
  ] as const) {
    it(`is asked ever more seldom, at most half a minute apart: random ${random}`, () => {
      const play = inquiries.inquiry();
      play.random = random;
      const pauses = expected.map(() => {
        const dueMs = nextDueMs(play.play(createFailed('network')).state) - play.nowMs;
        assert.deepEqual(names(play.wait(dueMs).commands), ['recover']);
        return dueMs;
      });
      assert.deepEqual(pauses, expected);
    });
  }
});

it('a request that the page gave up is no answer of the proxy: its outcome is asked for', () => {
  for (const code of ['network', 'payment_refused'] as const) {
    const answer = { failure: failureOf(code) };
    const play = charging.sending().play({ type: 'answered', purpose: 'charge', answer });
    assert.notEqual(inPhase(play, 'confirming').attempt, null);
  }
});

describe('a Pix code behind it', () => {
  it('is followed while the attempt is asked for', () => {
    const play = inquiries.inquiryBehindPix().play(createFailed('network'));
    const asked: string[] = [];
    for (let round = 0; round < 40; round += 1) {
      const answers = names(play.commands);
      asked.push(...answers);
      if (answers.length === 0) play.wait(Math.max(0, nextDueMs(play.state) - play.nowMs));
      for (const name of answers) {
        play.play(name === 'look_up' ? lookedUp() : createFailed('network'));
      }
    }
    for (const what of ['look_up', 'recover']) {
      assert.ok(asked.filter((name) => name === what).length > 3, `${what} in ${asked.join()}`);
    }
  });

  tell`
    whose token ran out is not renewed: the answer would be taken for the card's
      ${at.inquiryBehindPix} > ${returned} > ${lost('unauthorized')} = confirming asking [1]: error:unauthorized
      > ${wait(1_000)} = confirming asking [1]: look_up:1
    nor while the card is sent
      ${at.sendingBehindPix} > ${returned} > ${lost('unauthorized')} = creating [1]: error:unauthorized
      > ${wait(1_000)} = creating [1]: look_up:1
  `;
});

describe('after a reload', () => {
  it('its total is the one that was stored, whatever method the page shows', () => {
    const play = checkout({ cardCents: 12_341 }).play(resumed, charged());
    assert.equal(inPhase(play, 'confirming').error, null);
    inPhase(play.play(cardLookedUp({ status: 'paid' })), 'paid');
  });

  tell`
    an attempt of which only the key is stored is asked for, and never sent
      ${at.resumedCard} = confirming asking: recover:ca
    in a second tab, put away and back: it is asked for again
      ${at.resumedCard} > ${paused} = confirming asking > ${returned} = confirming asking: recover:ca
  `;

  for (const [name, failure] of [
    ['unauthorized', lost('unauthorized')],
    ['not_found', lost('not_found')],
    ['unauthorized untold', lost('unauthorized', { told: false })],
    ['not_found untold', lost('not_found', { told: false })],
  ] as const) {
    tell`
      its invoice is refused, ${name}: it is asked for, never sent, and a later not_found proves nothing
        ${at.followingCard} > ${failure} = confirming asking: recover:ca
        > ${createFailed('not_found')} = confirming (outcome_unknown) asking: error:outcome_unknown > ${wait(30_000)}
        > ${charged()} = confirming [card]: remember:ca/card look_up:card
    `;
  }
});
