/** What the payer and the page do: "Já paguei", leaving and coming back, offline, reset. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { emptyForm, mayBePaid } from '../../../src/checkout/machine/state.js';
import { findNextDueMs } from '../../../src/checkout/machine/transition.js';
import { cardSamples } from './charge/cards.js';
import {
  checkAsked,
  commandsOf,
  invoiceId,
  lookedUp,
  otherKey,
  paused,
  returned,
} from './samples.js';
import { awaiting, samples } from './states.js';
import { assertIs, checkoutAt } from './checkout-at.js';

describe('back on the page', () => {
  it('and "Já paguei": looks at once without waiting, in place of what is in flight, for at most 6 s', () => {
    const quick = { invoiceId, lookupToken: 'token-1', waitSeconds: 0, timeoutMs: 6_000 };
    for (const event of [returned, checkAsked]) {
      assert.deepEqual(awaiting().play(event).commands, [{ type: 'look_up', ...quick }]);
    }
    assert.deepEqual(awaiting().play(lookedUp()).wait(2_000).play(checkAsked).commands, [
      { type: 'look_up', ...quick },
    ]);
  });

  it('then after 1, 2, 4 and 8 s, then held again', () => {
    const checkout = checkoutAt('awaiting');
    checkout
      .hears(returned)
      .finds()
      .waits(999)
      .is('awaiting', { follows: [invoiceId] });
    checkout.waits(1).is('awaiting', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout
      .finds()
      .waits(1_999)
      .is('awaiting', { follows: [invoiceId] });
    checkout.waits(1).is('awaiting', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout
      .finds()
      .waits(3_999)
      .is('awaiting', { follows: [invoiceId] });
    checkout.waits(1).is('awaiting', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout
      .finds()
      .waits(7_999)
      .is('awaiting', { follows: [invoiceId] });
    checkout.waits(1).is('awaiting', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout
      .finds()
      .is('awaiting', { follows: [invoiceId], commands: [{ lookUpHeld: invoiceId }] });
  });

  it('a failure in between changes nothing of that', () => {
    const checkout = checkoutAt('awaiting');
    checkout
      .hears(returned)
      .loses('network')
      .waits(999)
      .is('awaiting', { follows: [invoiceId] });
    checkout.waits(1).is('awaiting', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout
      .loses('network')
      .waits(1_999)
      .is('awaiting', { follows: [invoiceId] });
    checkout.waits(1).is('awaiting', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout
      .loses('network')
      .waits(3_999)
      .is('awaiting', { follows: [invoiceId] });
    checkout.waits(1).is('awaiting', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout
      .loses('network')
      .waits(7_999)
      .is('awaiting', { follows: [invoiceId] });
    checkout.waits(1).is('awaiting', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
  });

  it('asks for the new code again, too: its request may have slept as well', () => {
    const checkout = checkoutAt('replacing');
    checkout.hears(returned).is('creating', {
      follows: [invoiceId],
      commands: [{ create: otherKey, replaces: invoiceId }, { lookUp: invoiceId }],
    });
  });

  it('"Já paguei" leaves that request alone', () => {
    const checkout = checkoutAt('replacing');
    checkout
      .hears(checkAsked)
      .is('creating', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
  });

  for (const name of [
    'following',
    'awaiting',
    'confirming',
    'expired',
    'replacing',
    'offline',
  ] as const) {
    it(`looks again wherever an invoice is followed: ${name}`, () => {
      assert.equal(commandsOf(samples[name]().play(returned).commands, 'look_up').length, 1);
    });
  }
});

describe('offline, or put away', () => {
  for (const [name, play, commands] of [
    ['gives up the look-up in flight', awaiting(), ['abort_look_up']],
    ['between two look-ups there is nothing to give up', awaiting().play(lookedUp()), []],
  ] as const) {
    it(`${name}, and waits without a timer`, () => {
      assertIs(play.play(paused), 'awaiting', { follows: [invoiceId], commands });
      assert.equal(findNextDueMs(play.state), Infinity);
    });
  }

  it('only the deadline still comes', () => {
    const play = awaiting({ expiresInSeconds: 60 }).play(paused);
    assert.equal(findNextDueMs(play.state), 60_000);
  });
});

it('a new price, or the end of the sale, changes nothing once the order may be paid', () => {
  const all = { ...samples, ...cardSamples };
  const names = Object.keys(all) as (keyof typeof all)[];
  assert.deepEqual(
    names.filter((name) => mayBePaid(all[name]().state)),
    [
      'confirming',
      'paid',
      'sending',
      'sendingBehindPix',
      'inquiry',
      'inquiryBehindPix',
      'cardPending',
      'cardPendingBehindPix',
    ],
  );
});

describe('a fresh start', () => {
  for (const [name, sample] of Object.entries({ ...samples, ...cardSamples })) {
    it(`reset in ${name}`, () => {
      const play = sample();
      const before = play.state;
      const isOpen = /^(inquiry|cardPending|resumedCard)/.test(name);
      play.play({ type: 'reset' });
      if (before.phase === 'creating' || isOpen) {
        assert.equal(play.state, before, 'its outcome would be lost');
        assert.deepEqual(play.commands, []);
      } else {
        assert.deepEqual(play.state, emptyForm);
        assertIs(play, 'form', { commands: ['abort', 'forget'] });
      }
    });

    it(`another order or price in ${name}: everything in flight goes, the record stays`, () => {
      const play = sample().play({ type: 'order_changed' });
      assert.deepEqual(play.state, emptyForm);
      assertIs(play, 'form', { commands: ['abort'] });
    });
  }

  it('a page that is set up wrong shows it', () => {
    const error = { code: 'configuration', retryable: false } as const;
    for (const name of ['form', 'posting', 'following'] as const) {
      const play = samples[name]().play({ type: 'failed', code: error.code });
      assert.deepEqual(play.state, { phase: 'failed', error });
      assertIs(play, 'failed', { error: error.code, commands: ['abort', { error: error.code }] });
    }
    assert.equal(
      samples.expired().play({ type: 'failed', code: error.code }).state.phase,
      'expired',
    );
  });
});
