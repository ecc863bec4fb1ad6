/** A card attempt whose outcome is not known: it is asked for by its key until the proxy's own word ends it. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { findNextDueMs } from '../../../../src/checkout/machine/transition.js';
import { toFailure } from '../../../../src/checkout/machine/state.js';
import {
  cardCents,
  cardId,
  cardKey,
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
  checkout,
  checkAsked,
  codes,
  createFailed,
  inPhase,
  invoiceId,
  lookedUp,
  names,
  newCodeAsked,
  paused,
  returned,
} from '../samples.js';
import { checkoutAt, paidBy, reset, submittedAnew } from '../checkout-at.js';

describe('the proxy knows the attempt', () => {
  for (const [start, pix] of [
    ['inquiry', []],
    ['inquiryBehindPix', [invoiceId]],
    ['resumedCard', []],
  ] as const) {
    it(`${start}: its invoice is followed; pix-created was for the POST`, () => {
      const checkout = checkoutAt(start);
      checkout.hears(charged()).is('confirming', {
        follows: [cardId, ...pix],
        commands: [{ remember: cardKey, invoice: cardId }, { lookUp: cardId }],
      });
      checkout
        .finds({ status: 'paid' })
        .is('paid', { commands: ['abort', { forget: cardKey }, 'paid'] });
    });

    it(`${start}: its total is not what was asked for: told, and followed`, () => {
      const checkout = checkoutAt(start);
      checkout.hears(charged({ total_cents: 1 })).is('confirming', {
        error: 'amount_mismatch',
        follows: [cardId, ...pix],
        commands: [
          { remember: cardKey, invoice: cardId },
          { error: 'amount_mismatch' },
          { lookUp: cardId },
        ],
      });
    });

    it(`${start}: its order is not what was asked for: told, and followed`, () => {
      const checkout = checkoutAt(start);
      checkout.hears(charged({ external_id: 'order-2' })).is('confirming', {
        error: 'reference_mismatch',
        follows: [cardId, ...pix],
        commands: [
          { remember: cardKey, invoice: cardId },
          { error: 'reference_mismatch' },
          { lookUp: cardId },
        ],
      });
    });

    it(`${start}: it was refused: the form, and another key`, () => {
      const checkout = checkoutAt(start);
      checkout.hears(createFailed('payment_refused')).is('form', {
        error: 'payment_refused',
        follows: pix,
        commands: [{ forget: cardKey }, { error: 'payment_refused' }],
      });
    });

    it(`${start}: the order is paid`, () => {
      const checkout = checkoutAt(start);
      checkout
        .hears(createFailed('order_paid', { invoice: paidBy('invoice-paid') }))
        .is('confirming', {
          follows: ['invoice-paid', ...pix],
          commands: [{ settle: cardKey }, { lookUpHeld: 'invoice-paid' }],
        });
      checkout.finds({ status: 'paid' }).is('paid', { commands: ['abort', 'forget', 'paid'] });
    });

    it(`${start}: it never arrived: the form, without its key, which is barred`, () => {
      const checkout = checkoutAt(start);
      checkout.hears(createFailed('not_found')).is('form', {
        error: 'network',
        follows: pix,
        commands: [{ forget: cardKey }, { error: 'network' }],
      });
    });
  }

  it('another device pays for the order, and this attempt was turned away: it says so, and its key is over', () => {
    const checkout = checkoutAt('sending');
    checkout
      .hears(createFailed('in_progress'))
      .waits(0)
      .is('confirming', { isAsking: true, commands: [{ recover: cardKey }] });
    checkout
      .hears(createFailed('network'))
      .waits(30_000)
      .hears(createFailed('not_found'))
      .is('form', {
        error: 'in_progress',
        commands: [{ forget: cardKey }, { error: 'in_progress' }],
      });
  });

  it('the proxy did not know, and then the attempt is none: it never arrived', () => {
    const checkout = checkoutAt('sending');
    checkout
      .hears(createFailed('outcome_unknown'))
      .waits(0)
      .hears(createFailed('not_found'))
      .is('form', { error: 'network', commands: [{ forget: cardKey }, { error: 'network' }] });
    checkout.hears(returned).is('form', { error: 'network' });
  });

  it('a proxy that is busy with this very attempt names its invoice in the end', () => {
    const checkout = checkoutAt('sending');
    checkout
      .hears(createFailed('in_progress'))
      .waits(0)
      .hears(charged())
      .is('confirming', {
        follows: [cardId],
        commands: [{ remember: cardKey, invoice: cardId }, { lookUp: cardId }],
      });
  });

  it('a look-up tells of something else while the card is on its way: a POST to nowhere is no word about it', () => {
    const checkout = checkoutAt('sendingBehindPix');
    checkout
      .waits(30_000)
      .finds({ status: 'paid', total_cents: 1 })
      .is('confirming', {
        error: 'amount_mismatch',
        isAsking: true,
        follows: [invoiceId],
        commands: [{ error: 'amount_mismatch' }],
      });
    checkout.hears(createFailed('not_found')).is('confirming', {
      error: 'amount_mismatch',
      isAsking: true,
      follows: [invoiceId],
      commands: [{ recover: cardKey }],
    });
  });

  it('the order is paid by an invoice it does not name: nothing is asked any more', () => {
    const checkout = checkoutAt('inquiryBehindPix');
    checkout.hears(createFailed('order_paid')).is('confirming', {
      error: 'order_paid',
      follows: [invoiceId],
      commands: [{ settle: cardKey }, { error: 'order_paid' }],
    });
    checkout.finds().is('confirming', { error: 'order_paid', follows: [invoiceId] });
    checkout.waits(8_000).is('confirming', {
      error: 'order_paid',
      follows: [invoiceId],
      commands: [{ lookUp: invoiceId }],
    });
  });

  it('the order is paid by a strange invoice, of which the page had heard: nothing is asked any more', () => {
    const checkout = checkoutAt('inquiryBehindPix');
    checkout
      .hears(returned)
      .finds({ status: 'paid', external_id: 'order-2' })
      .hears(createFailed('order_paid', { invoice: paidBy('foreign', 'order-2') }))
      .is('confirming', {
        error: 'reference_mismatch',
        follows: [invoiceId],
        commands: [{ settle: cardKey }],
      });
  });

  it('it never arrived: the payer may try again', () => {
    const play = inquiries.inquiry().play(createFailed('not_found'));
    assert.deepEqual(inPhase(play, 'form').error, { code: 'network', retryable: true });
  });

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
    const isPassing = passing.includes(code);
    const state = { error: isPassing ? null : said, isAsking: true } as const;
    const error = isPassing ? [] : [{ error: said } as const];
    it(`${name}: asked again, and the page hears once what is not known`, () => {
      const checkout = checkoutAt('inquiry');
      checkout.hears(failed).is('confirming', { ...state, commands: error });
      checkout.waits(30_000).is('confirming', { ...state, commands: [{ recover: cardKey }] });
      checkout.hears(failed).is('confirming', state);
      checkout.waits(30_000).is('confirming', { ...state, commands: [{ recover: cardKey }] });
      checkout.hears(failed).is('confirming', state);
    });
  }

  it('what was unknown stays so while the line is bad, and is told once', () => {
    const checkout = checkoutAt('sending');
    checkout.hears(createFailed('outcome_unknown')).is('confirming', {
      error: 'outcome_unknown',
      isAsking: true,
      commands: [{ error: 'outcome_unknown' }],
    });
    checkout
      .waits(30_000)
      .hears(createFailed('network'))
      .is('confirming', { error: 'outcome_unknown', isAsking: true });
    checkout
      .waits(30_000)
      .hears(createFailed('outcome_unknown'))
      .is('confirming', { error: 'outcome_unknown', isAsking: true });
    checkout
      .waits(30_000)
      .hears(createFailed('in_progress'))
      .is('confirming', { error: 'outcome_unknown', isAsking: true });
  });

  it('the order was closed meanwhile: told once, and asked for all the same, for the card may have been charged', () => {
    const checkout = checkoutAt('sending');
    checkout
      .hears(createFailed('outcome_unknown'))
      .waits(30_000)
      .hears(createFailed('order_closed'))
      .is('confirming', {
        error: 'order_closed',
        isAsking: true,
        commands: [{ error: 'order_closed' }],
      });
    checkout.waits(30_000).is('confirming', {
      error: 'order_closed',
      isAsking: true,
      commands: [{ recover: cardKey }],
    });
    checkout
      .hears(createFailed('order_closed'))
      .is('confirming', { error: 'order_closed', isAsking: true });
    checkout.waits(30_000).is('confirming', {
      error: 'order_closed',
      isAsking: true,
      commands: [{ recover: cardKey }],
    });
    checkout
      .hears(createFailed('outcome_unknown'))
      .is('confirming', { error: 'order_closed', isAsking: true });
    checkout.waits(30_000).is('confirming', {
      error: 'order_closed',
      isAsking: true,
      commands: [{ recover: cardKey }],
    });
    checkout
      .hears(createFailed('network'))
      .is('confirming', { error: 'order_closed', isAsking: true });
    checkout
      .waits(30_000)
      .hears(charged())
      .finds({ status: 'paid' })
      .is('paid', { commands: ['abort', { forget: cardKey }, 'paid'] });
  });

  it('Retry-After is kept', () => {
    const checkout = checkoutAt('inquiry');
    checkout
      .hears(createFailed('service_unavailable', { retryAfterSeconds: 120 }))
      .waits(119_999)
      .is('confirming', { isAsking: true });
    checkout.waits(1).is('confirming', { isAsking: true, commands: [{ recover: cardKey }] });
  });

  it('back on the page: it is asked for at once, for the request may have slept', () => {
    const checkout = checkoutAt('inquiry');
    checkout
      .hears(createFailed('network'))
      .hears(returned)
      .is('confirming', { isAsking: true, commands: [{ recover: cardKey }] });
    checkout.hears(returned).is('confirming', { isAsking: true, commands: [{ recover: cardKey }] });
  });

  it('"Já paguei": it is asked for at once', () => {
    const checkout = checkoutAt('inquiry');
    checkout
      .hears(createFailed('network'))
      .hears(checkAsked)
      .is('confirming', { isAsking: true, commands: [{ recover: cardKey }] });
    checkout
      .hears(checkAsked)
      .is('confirming', { isAsking: true, commands: [{ recover: cardKey }] });
  });

  it('nothing else may be paid meanwhile, and nothing forgotten', () => {
    const checkout = checkoutAt('inquiryBehindPix');
    checkout.hears(cardSubmitted).is('confirming', { isAsking: true, follows: [invoiceId] });
    checkout.hears(cardReady).is('confirming', { isAsking: true, follows: [invoiceId] });
    checkout.hears(chosen('pix')).is('confirming', { isAsking: true, follows: [invoiceId] });
    checkout
      .hears(chosen('credit_card'))
      .is('confirming', { isAsking: true, follows: [invoiceId] });
    checkout.hears(submittedAnew).is('confirming', { isAsking: true, follows: [invoiceId] });
    checkout.hears(reset).is('confirming', { isAsking: true, follows: [invoiceId] });
    checkout.hears(newCodeAsked).is('confirming', { isAsking: true, follows: [invoiceId] });
  });

  for (const [random, expected] of [
    [1, [2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]],
    // Whatever luck the jitter has, it is no hot loop.
    [0, [1_000, 2_000, 4_000]],
  ] as const) {
    it(`is asked ever more seldom, at most half a minute apart: random ${random}`, () => {
      const play = inquiries.inquiry();
      play.random = random;
      const pauses = expected.map(() => {
        const dueMs = findNextDueMs(play.play(createFailed('network')).state) - play.nowMs;
        assert.deepEqual(names(play.wait(dueMs).commands), ['recover']);
        return dueMs;
      });
      assert.deepEqual(pauses, expected);
    });
  }
});

it('a request that the page gave up is no answer of the proxy: its outcome is asked for', () => {
  for (const code of ['network', 'payment_refused'] as const) {
    const answer = { failure: toFailure(code) };
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
      if (answers.length === 0) play.wait(Math.max(0, findNextDueMs(play.state) - play.nowMs));
      for (const name of answers) {
        play.play(name === 'look_up' ? lookedUp() : createFailed('network'));
      }
    }
    for (const what of ['look_up', 'recover']) {
      assert.ok(asked.filter((name) => name === what).length > 3, `${what} in ${asked.join()}`);
    }
  });

  it("whose token ran out is not renewed: the answer would be taken for the card's", () => {
    const checkout = checkoutAt('inquiryBehindPix');
    checkout
      .hears(returned)
      .loses('unauthorized')
      .is('confirming', {
        isAsking: true,
        follows: [invoiceId],
        commands: [{ error: 'unauthorized' }],
      });
    checkout.waits(1_000).is('confirming', {
      isAsking: true,
      follows: [invoiceId],
      commands: [{ lookUp: invoiceId }],
    });
  });

  it('nor while the card is sent', () => {
    const checkout = checkoutAt('sendingBehindPix');
    checkout
      .hears(returned)
      .loses('unauthorized')
      .is('creating', { follows: [invoiceId], commands: [{ error: 'unauthorized' }] });
    checkout
      .waits(1_000)
      .is('creating', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
  });
});

describe('after a reload', () => {
  it('its total is the one that was stored, whatever method the page shows', () => {
    const play = checkout({ cardCents: 12_341 }).play(resumed, charged());
    assert.equal(inPhase(play, 'confirming').error, null);
    inPhase(play.play(cardLookedUp({ status: 'paid' })), 'paid');
  });

  it('an attempt of which only the key is stored is asked for, and never sent', () => {
    const checkout = checkoutAt('resumedCard');
    checkout.is('confirming', { isAsking: true, commands: [{ recover: cardKey }] });
  });

  it('in a second tab, put away and back: it is asked for again', () => {
    const checkout = checkoutAt('resumedCard');
    checkout.hears(paused).is('confirming', { isAsking: true });
    checkout.hears(returned).is('confirming', { isAsking: true, commands: [{ recover: cardKey }] });
  });

  for (const [name, code, told] of [
    ['unauthorized', 'unauthorized', true],
    ['not_found', 'not_found', true],
    ['unauthorized untold', 'unauthorized', false],
    ['not_found untold', 'not_found', false],
  ] as const) {
    it(`its invoice is refused, ${name}: it is asked for, never sent, and a later not_found proves nothing`, () => {
      const checkout = checkoutAt('followingCard');
      checkout
        .loses(code, { told })
        .is('confirming', { isAsking: true, commands: [{ recover: cardKey }] });
      checkout.hears(createFailed('not_found')).is('confirming', {
        error: 'outcome_unknown',
        isAsking: true,
        commands: [{ error: 'outcome_unknown' }],
      });
      checkout
        .waits(30_000)
        .hears(charged())
        .is('confirming', {
          follows: [cardId],
          commands: [{ remember: cardKey, invoice: cardId }, { lookUp: cardId }],
        });
    });
  }
});
