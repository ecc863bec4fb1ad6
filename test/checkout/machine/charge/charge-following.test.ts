/** A card that the service has and may still refuse: followed like a Pix code, and the Pix code behind it with it. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { findCurrentInvoice } from '../../../../src/checkout/machine/state.js';
import { findNextDueMs } from '../../../../src/checkout/machine/transition.js';
import {
  behindPix,
  cardCents,
  cardFailed,
  cardId,
  cardKey,
  cardLookedUp,
  cardReady,
  cardSamples,
  cardSubmitted,
  charged,
  chosen,
  lookUpRefused,
  pending,
  soughtCard,
} from './cards.js';
import {
  checkout,
  commandsOf,
  createdEvent,
  createFailed,
  formerId,
  inPhase,
  invoiceId,
  lookedUp,
  lookUpFailed,
  names,
  returned,
} from '../samples.js';
import type { Play } from '../samples.js';
import { replaced } from '../states.js';
import { column } from '../../../support/rows.js';
import {
  assertIs,
  checkoutAt,
  namedCard,
  orderChanged,
  paidBy,
  reset,
  submittedAnew,
} from '../checkout-at.js';

const lateOfCard = [cardReady, cardFailed, charged(), createFailed('network'), cardSubmitted];

/** Plays until an invoice is being looked up; all others are pending. */
function untilAsked(play: Play, id: string): Play {
  for (let steps = 0; steps < 20; steps += 1) {
    const [look] = commandsOf(play.commands, 'look_up');
    if (look?.invoiceId === id) return play;
    if (!look) play.wait(Math.max(0, findNextDueMs(play.state) - play.nowMs));
    else if (look.invoiceId === cardId) play.play(cardLookedUp());
    else play.play(lookedUp({ invoice_id: look.invoiceId }));
  }
  throw new Error(`${id} is not asked for`);
}

describe('pending', () => {
  it('waits as long as it takes, then is paid as a card', () => {
    const play = pending.cardPending();
    for (let round = 0; round < 20; round += 1) {
      inPhase(untilAsked(play.play(cardLookedUp()), cardId), 'confirming');
    }
    const { invoice } = inPhase(play.play(cardLookedUp({ status: 'paid' })), 'paid');
    assert.deepEqual([invoice.method, invoice.totalCents], ['credit_card', cardCents]);
  });

  it('paid, but not what was asked for: told once, followed on', () => {
    const checkout = checkoutAt('cardPending');
    checkout.finds({ status: 'paid', total_cents: 1 }).is('confirming', {
      error: 'amount_mismatch',
      follows: [cardId],
      commands: [{ error: 'amount_mismatch' }, { lookUpHeld: cardId }],
    });
    checkout
      .finds({ status: 'paid', total_cents: 1 })
      .is('confirming', { error: 'amount_mismatch', follows: [cardId] });
    checkout
      .waits(30_000)
      .finds({ status: 'paid' })
      .is('paid', { commands: ['abort', { forget: cardKey }, 'paid'] });
  });

  for (const told of [true, false]) {
    it(`token refused${told ? '' : ' by a gateway'}: the attempt is asked for, never sent, never a Pix code`, () => {
      const checkout = checkoutAt('cardPending');
      checkout
        .loses('unauthorized', { told })
        .is('confirming', { follows: [cardId], commands: [{ recoverToRenew: cardKey }] });
      checkout
        .hears(createdEvent({ lookup_token: 'token-2', invoice_id: 'invoice-card' }))
        .is('confirming', {
          follows: [cardId],
          commands: [{ remember: cardKey, invoice: cardId }],
        });
    });
  }

  it('nothing may be paid meanwhile', () => {
    const checkout = checkoutAt('cardPendingBehindPix');
    checkout.hears(cardSubmitted).is('confirming', { follows: [cardId, invoiceId] });
    checkout.hears(cardReady).is('confirming', { follows: [cardId, invoiceId] });
    checkout.hears(chosen('pix')).is('confirming', { follows: [cardId, invoiceId] });
    checkout.hears(reset).is('confirming', { follows: [cardId, invoiceId] });
    checkout.hears(submittedAnew).is('confirming', { follows: [cardId, invoiceId] });
  });

  it('with its new token it is a card as before', () => {
    const play = pending.cardPending().play(lookUpFailed('unauthorized', {}, cardId));
    play.play(charged({ lookup_token: 'token-2' }));
    const [invoice] = inPhase(play, 'confirming').watch!.invoices;
    assert.deepEqual([invoice.lookupToken, invoice.method], ['token-2', 'credit_card']);
    assert.equal(commandsOf(play.commands, 'remember')[0]?.method, 'credit_card');
  });
});

describe('refused at last', () => {
  it('the form, with a new key', () => {
    const checkout = checkoutAt('cardPending');
    checkout.loses('payment_refused').is('form', {
      error: 'payment_refused',
      commands: ['abort', { forget: cardKey }, { error: 'payment_refused' }],
    });
  });

  it('the form, with a new key; the Pix code is followed on, and no other is asked for with the key of the card', () => {
    const checkout = checkoutAt('cardPendingBehindPix');
    checkout.loses('payment_refused').is('form', {
      error: 'payment_refused',
      follows: [invoiceId],
      commands: [
        'abort',
        { forget: cardKey },
        { error: 'payment_refused' },
        { lookUpHeld: invoiceId },
      ],
    });
    checkout.loses('unauthorized').is('form', {
      error: 'payment_refused',
      follows: [invoiceId],
      commands: [{ error: 'unauthorized' }],
    });
    checkout.waits(30_000).is('form', {
      error: 'payment_refused',
      follows: [invoiceId],
      commands: [{ lookUp: invoiceId }],
    });
  });

  it('the Pix code may be paid all the same', () => {
    const checkout = checkoutAt('cardPendingBehindPix');
    checkout
      .loses('payment_refused')
      .finds({ status: 'paid' })
      .is('paid', { commands: ['abort', 'forget', 'paid'] });
  });

  it('two Pix codes are followed on', () => {
    const checkout = checkoutAt('cardFormBehindTwo');
    checkout
      .hears(cardSubmitted)
      .hears(cardReady)
      .finds()
      .hears(charged())
      .loses('payment_refused')
      .is('form', {
        error: 'payment_refused',
        follows: [invoiceId, formerId],
        commands: [
          'abort',
          { forget: cardKey },
          { error: 'payment_refused' },
          { lookUpHeld: invoiceId },
        ],
      });
  });

  it("by a status without a word: not the proxy's, and it waits", () => {
    const checkout = checkoutAt('cardPending');
    checkout.loses('payment_refused', { told: false }).is('confirming', { follows: [cardId] });
    checkout.waits(8_000).is('confirming', { follows: [cardId], commands: [{ lookUp: cardId }] });
  });

  it('but it was said of the Pix code behind it: the card is as open as before', () => {
    const checkout = checkoutAt('cardPendingBehindPix');
    checkout
      .finds()
      .is('confirming', { follows: [cardId, invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout
      .loses('payment_refused')
      .is('confirming', { follows: [cardId, invoiceId], commands: [{ lookUpHeld: cardId }] });
  });

  it('when the attempt is asked for because the token ran out', () => {
    const checkout = checkoutAt('cardPendingBehindPix');
    checkout
      .loses('unauthorized')
      .is('confirming', { follows: [cardId, invoiceId], commands: [{ recoverToRenew: cardKey }] });
    checkout.hears(createFailed('payment_refused')).is('form', {
      error: 'payment_refused',
      follows: [invoiceId],
      commands: [
        'abort',
        { forget: cardKey },
        { error: 'payment_refused' },
        { lookUpHeld: invoiceId },
      ],
    });
  });

  it('where the order turned out to be paid by another invoice: it is not reopened', () => {
    const checkout = checkoutAt('cardPending');
    checkout
      .loses('unauthorized')
      .hears(createFailed('order_paid', { invoice: paidBy('invoice-paid') }))
      .is('confirming', {
        follows: ['invoice-paid', cardId],
        commands: [{ lookUpHeld: 'invoice-paid' }],
      });
    checkout
      .finds()
      .is('confirming', { follows: ['invoice-paid', cardId], commands: [{ lookUp: cardId }] });
    checkout.loses('payment_refused').is('confirming', { follows: ['invoice-paid', cardId] });
  });

  for (const disagreeing of [{ status: 'paid', total_cents: 1 }, { status: 'amount_mismatch' }]) {
    it(`but the Pix code is ${disagreeing.status}, and disagrees: nothing may be paid again`, () => {
      const play = untilAsked(pending.cardPendingBehindPix(), invoiceId);
      untilAsked(play.play(lookedUp(disagreeing)), cardId).play(lookUpRefused);
      assertIs(play, 'confirming', {
        error: 'amount_mismatch',
        follows: [invoiceId],
        commands: [
          'abort',
          { forget: cardKey },
          { error: 'payment_refused' },
          { lookUpHeld: invoiceId },
        ],
      });
      inPhase(play.play(lookedUp({ status: 'paid' })), 'paid');
    });
  }

  it('but one of two Pix codes is paid, and disagrees: nothing may be paid again', () => {
    const two = behindPix(replaced()).play(cardSubmitted, cardReady, lookedUp(), charged());
    const play = untilAsked(two, invoiceId).play(lookedUp({ status: 'paid', total_cents: 1 }));
    inPhase(untilAsked(play, cardId).play(lookUpRefused), 'confirming');
  });
});

/** Every step in which a Pix code is followed behind the card. */
const behind = [
  'cardForm',
  'tokenizingBehindPix',
  'checking',
  'sendingBehindPix',
  'inquiryBehindPix',
  'cardPendingBehindPix',
] as const;

describe('a late payment of the Pix code behind it', () => {
  for (const name of behind) {
    const start = () => untilAsked(cardSamples[name]().play({ type: 'returned' }), invoiceId);
    const isOpen = name === 'sendingBehindPix' || name === 'inquiryBehindPix';

    it(`${name}: paid, whatever is said of the card later`, () => {
      const play = start().play(lookedUp({ status: 'paid' }));
      assert.equal(inPhase(play, 'paid').invoice.invoiceId, invoiceId);
      const { state } = play;
      play.play(...lateOfCard);
      assert.equal(play.state, state);
      assert.deepEqual(play.commands, []);
    });

    it(`${name}: paid, and it disagrees: nothing may be paid, and the card is not lost`, () => {
      const play = start().play(lookedUp({ status: 'paid', total_cents: 1 }));
      const { error, attempt } = inPhase(play, 'confirming');
      assert.equal(error?.code, 'amount_mismatch');
      assert.equal(attempt?.attemptKey, isOpen ? cardKey : undefined);
      assert.ok(!names(play.commands).includes('charge'));
      if (!isOpen) return;
      const after = inPhase(play.play(charged()), 'confirming');
      assert.deepEqual([after.error, after.attempt], [null, null]);
      assert.deepEqual(column(after.watch?.invoices ?? [], 'invoiceId'), [cardId, invoiceId]);
    });

    it(`${name}: the screen of a card is not about it`, () => {
      const invoice = findCurrentInvoice(cardSamples[name]().state);
      assert.equal(invoice?.invoiceId ?? null, name.startsWith('cardPending') ? cardId : null);
    });
  }

  it('disagrees while the card is asked for, and then not_found: nothing may be paid again', () => {
    const checkout = checkoutAt('inquiryBehindPix');
    checkout
      .hears(returned)
      .finds({ status: 'paid', total_cents: 1 })
      .is('confirming', {
        error: 'amount_mismatch',
        isAsking: true,
        follows: [invoiceId],
        commands: [{ error: 'amount_mismatch' }],
      });
    checkout.hears(createFailed('not_found')).is('confirming', {
      error: 'amount_mismatch',
      follows: [invoiceId],
      commands: [{ forget: cardKey }, { error: 'network' }],
    });
    checkout.waits(8_000).is('confirming', {
      error: 'amount_mismatch',
      follows: [invoiceId],
      commands: [{ lookUp: invoiceId }],
    });
  });

  it('disagrees while the card is asked for, and then a refusal: nothing may be paid again', () => {
    const checkout = checkoutAt('inquiryBehindPix');
    checkout
      .hears(returned)
      .finds({ status: 'paid', total_cents: 1 })
      .hears(createFailed('payment_refused'))
      .is('confirming', {
        error: 'amount_mismatch',
        follows: [invoiceId],
        commands: [{ forget: cardKey }, { error: 'payment_refused' }],
      });
    checkout.waits(8_000).is('confirming', {
      error: 'amount_mismatch',
      follows: [invoiceId],
      commands: [{ lookUp: invoiceId }],
    });
  });
});

describe('after a reload', () => {
  it('is looked up, and followed where it was', () => {
    const checkout = checkoutAt('followingCard');
    checkout.is('creating', { follows: [cardId], commands: [{ lookUp: cardId }] });
    checkout.finds().is('confirming', { follows: [cardId] });
    checkout.waits(30_000).is('confirming', { follows: [cardId], commands: [{ lookUp: cardId }] });
    checkout
      .finds({ status: 'paid' })
      .is('paid', { commands: ['abort', { forget: cardKey }, 'paid'] });
  });

  it('was refused meanwhile: the form, and a new key', () => {
    const checkout = checkoutAt('followingCard');
    checkout.loses('payment_refused').is('form', {
      error: 'payment_refused',
      commands: [{ forget: cardKey }, { error: 'payment_refused' }],
    });
  });

  it('was refused by a status without a word: it is asked again', () => {
    const checkout = checkoutAt('followingCard');
    checkout.loses('payment_refused', { told: false }).is('creating', { follows: [cardId] });
    checkout.waits(30_000).is('creating', { follows: [cardId], commands: [{ lookUp: cardId }] });
  });

  it('one that the page named and that is not known fails', () => {
    const checkout = checkoutAt('form');
    checkout
      .hears(namedCard)
      .loses('not_found')
      .is('failed', { error: 'not_found', commands: [{ error: 'not_found' }] });
  });

  it("one that the page named and that was refused fails: it is the page's affair", () => {
    const checkout = checkoutAt('form');
    checkout
      .hears(namedCard)
      .loses('payment_refused')
      .is('failed', { error: 'payment_refused', commands: [{ error: 'payment_refused' }] });
  });

  it('differs in its total: it stays open, and nothing is forgotten', () => {
    const checkout = checkoutAt('followingCard');
    checkout.finds({ total_cents: 1 }).is('confirming', {
      error: 'amount_mismatch',
      follows: [cardId],
      commands: [{ error: 'amount_mismatch' }],
    });
    checkout.hears(reset).is('confirming', { error: 'amount_mismatch', follows: [cardId] });
  });

  it('differs in its order: it stays open, and nothing is forgotten', () => {
    const checkout = checkoutAt('followingCard');
    checkout.finds({ external_id: 'order-2' }).is('confirming', {
      error: 'reference_mismatch',
      follows: [cardId],
      commands: [{ error: 'reference_mismatch' }],
    });
    checkout.hears(reset).is('confirming', { error: 'reference_mismatch', follows: [cardId] });
  });

  it('is said to be Pix: it stays a card, and no code is asked for with its key', () => {
    const checkout = checkoutAt('followingCard');
    checkout.finds({ is_pix: true }).is('confirming', { follows: [cardId] });
    checkout.waits(30_000).is('confirming', { follows: [cardId], commands: [{ lookUp: cardId }] });
    checkout
      .loses('unauthorized')
      .is('confirming', { follows: [cardId], commands: [{ recoverToRenew: cardKey }] });
  });

  it('is sent, and the page shows another order: the record stays for its return', () => {
    const checkout = checkoutAt('sending');
    checkout.hears(orderChanged).is('form', { commands: ['abort'] });
    checkout.hears(charged()).is('form');
    checkout.hears(createFailed('network')).is('form');
  });

  it('its total is the one that was stored', () => {
    const play = checkout().play(soughtCard, cardLookedUp({ total_cents: 1 }));
    assert.equal(inPhase(play, 'confirming').watch?.invoices[0].totalCents, cardCents);
  });
});
