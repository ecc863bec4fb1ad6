/** A card attempt whose outcome is not known: it is asked for by its key until the proxy's own word ends it. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { errorCodes } from '../../../../src/contract/codes.js';
import { nextDueMs } from '../../../../src/checkout/machine/transition.js';
import { failureOf } from '../../../../src/checkout/machine/outcome.js';
import { cardCents, cardLookedUp, charged, charging, inquiries, resumed } from './cards.js';
import { checkout, createFailed, inPhase, lookedUp, names } from '../samples.js';
import { tell } from '../stories.js';

describe('the proxy knows the attempt', () => {
  for (const [start, behind] of [
    ['inquiry', ''],
    ['inquiryBehindPix', ' 1'],
    ['resumedCard', ''],
  ] as const) {
    const pix = behind && ' [1]';
    tell(`
      ${start}: its invoice is followed; pix-created was for the POST
        ${start} > charged = confirming [card${behind}]: remember:ca/card look_up:card
        > found status=paid = paid: abort forget:ca paid
      ${start}: its total is not what was asked for: told, and followed
        ${start} > charged total_cents=1
        = confirming (amount_mismatch) [card${behind}]: remember:ca/card error:amount_mismatch look_up:card
      ${start}: its order is not what was asked for: told, and followed
        ${start} > charged external_id=order-2
        = confirming (reference_mismatch) [card${behind}]: remember:ca/card error:reference_mismatch look_up:card
      ${start}: it was refused: the form, and another key
        ${start} > fails payment_refused = form (payment_refused)${pix}: forget:ca error:payment_refused
      ${start}: the order is paid
        ${start} > fails order_paid invoice=invoice-paid = confirming [paid${behind}]: settle:ca held:paid
        > found status=paid = paid: abort forget paid
      ${start}: it never arrived: the form, without its key, which is barred
        ${start} > fails not_found = form (network)${pix}: forget:ca error:network
    `);
  }

  tell(`
    another device pays for the order, and this attempt was turned away: it says so, and its key is over
      sending > fails in_progress > wait 0 = confirming asking: recover:ca > fails network > wait 30000
      > fails not_found = form (in_progress): forget:ca error:in_progress
    the proxy did not know, and then the attempt is none: it never arrived
      sending > fails outcome_unknown > wait 0 > fails not_found = form (network): forget:ca error:network
      > returned = form (network)
    a proxy that is busy with this very attempt names its invoice in the end
      sending > fails in_progress > wait 0 > charged = confirming [card]: remember:ca/card look_up:card
    the order is paid by an invoice it does not name: nothing is asked any more
      inquiryBehindPix > fails order_paid = confirming (order_paid) [1]: settle:ca error:order_paid
      > found = confirming (order_paid) [1] > wait 8000 = confirming (order_paid) [1]: look_up:1
  `);

  it('its total is the one that was asked for', () => {
    const play = inquiries.inquiry().play(charged({ total_cents: 1 }));
    assert.equal(inPhase(play, 'confirming').watch?.invoices[0].totalCents, cardCents);
  });
});

describe('the proxy does not tell', () => {
  const ends = ['not_found', 'payment_refused', 'order_paid'];
  const passing = ['network', 'service_unavailable', 'in_progress', 'too_many_requests'];
  const told = Object.keys(errorCodes).filter((code) => !ends.includes(code));
  // A proxy without this route, a gateway, a log-in page: they say nothing of the attempt.
  const untold =
    'network invalid_answer service_unavailable too_many_requests not_found invalid_request payment_refused unauthorized'
      .split(' ')
      .map((code) => `${code} told=false`);

  for (const failure of [...told, ...untold]) {
    const [code = ''] = failure.split(' ');
    const said = /^(order_closed|unauthorized)$/.test(failure) ? code : 'outcome_unknown';
    const state = passing.includes(code) ? 'confirming asking' : `confirming (${said}) asking`;
    const error = passing.includes(code) ? '' : `: error:${said}`;
    tell(`
      ${failure}: asked again, and the page hears once what is not known
        inquiry > fails ${failure} = ${state}${error} > wait 30000 = ${state}: recover:ca
        > fails ${failure} = ${state} > wait 30000 = ${state}: recover:ca > fails ${failure} = ${state}
    `);
  }

  tell(`
    what was unknown stays so while the line is bad, and is told once
      sending > fails outcome_unknown = confirming (outcome_unknown) asking: error:outcome_unknown > wait 30000
      > fails network = confirming (outcome_unknown) asking
      > wait 30000 > fails outcome_unknown = confirming (outcome_unknown) asking > wait 30000
      > fails in_progress = confirming (outcome_unknown) asking
    the order was closed meanwhile: told once, and asked for all the same, for the card may have been charged
      sending > fails outcome_unknown > wait 30000
      > fails order_closed = confirming (order_closed) asking: error:order_closed
      > wait 30000 = confirming (order_closed) asking: recover:ca
      > fails order_closed = confirming (order_closed) asking
      > wait 30000 = confirming (order_closed) asking: recover:ca
      > fails outcome_unknown = confirming (order_closed) asking
      > wait 30000 = confirming (order_closed) asking: recover:ca
      > fails network = confirming (order_closed) asking > wait 30000 > charged
      > found status=paid = paid: abort forget:ca paid
    Retry-After is kept
      inquiry > fails service_unavailable retryAfterSeconds=120 > wait 119999 = confirming asking
      > wait 1 = confirming asking: recover:ca
    back on the page: it is asked for at once, for the request may have slept
      inquiry > fails network > returned = confirming asking: recover:ca
      > returned = confirming asking: recover:ca
    "Já paguei": it is asked for at once
      inquiry > fails network > check = confirming asking: recover:ca > check = confirming asking: recover:ca
    nothing else may be paid meanwhile, and nothing forgotten
      inquiryBehindPix > submit card = confirming asking [1] > card ready = confirming asking [1]
      > to pix = confirming asking [1] > to card = confirming asking [1]
      > submit b = confirming asking [1] > reset = confirming asking [1] > new code = confirming asking [1]
  `);

  for (const [random, expected] of [
    [1, [2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]],
    // Whatever luck the jitter has, it is no hot loop.
    [0, [250, 250, 250]],
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

  tell(`
    whose token ran out is not renewed: the answer would be taken for the card's
      inquiryBehindPix > returned > lost unauthorized = confirming asking [1]: error:unauthorized
      > wait 1000 = confirming asking [1]: look_up:1
    nor while the card is sent
      sendingBehindPix > returned > lost unauthorized = creating [1]: error:unauthorized
      > wait 1000 = creating [1]: look_up:1
  `);
});

describe('after a reload', () => {
  it('its total is the one that was stored, whatever method the page shows', () => {
    const play = checkout({ cardCents: 12_341 }).play(resumed, charged());
    assert.equal(inPhase(play, 'confirming').error, null);
    inPhase(play.play(cardLookedUp({ status: 'paid' })), 'paid');
  });

  tell(`
    an attempt of which only the key is stored is asked for, and never sent
      resumedCard = confirming asking: recover:ca
    in a second tab, put away and back: it is asked for again
      resumedCard > paused = confirming asking > returned = confirming asking: recover:ca
  `);

  for (const failure of [
    'unauthorized',
    'not_found',
    'unauthorized told=false',
    'not_found told=false',
  ]) {
    tell(`
      its invoice is refused, ${failure}: it is asked for, never sent, and a later not_found proves nothing
        followingCard > lost ${failure} = confirming asking: recover:ca
        > fails not_found = confirming (outcome_unknown) asking: error:outcome_unknown
        > wait 30000 > charged = confirming [card]: remember:ca/card look_up:card
    `);
  }
});
