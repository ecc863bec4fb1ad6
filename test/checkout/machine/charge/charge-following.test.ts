/** A card that the service has and may still refuse: followed like a Pix code, and the Pix code behind it with it. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { currentInvoice } from '../../../../src/checkout/machine/state.js';
import { nextDueMs } from '../../../../src/checkout/machine/transition.js';
import {
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
  createFailed,
  createdEvent,
  inPhase,
  invoiceId,
  lookUpFailed,
  lookedUp,
  names,
  returned,
} from '../samples.js';
import type { Play } from '../samples.js';
import {
  at,
  found,
  lost,
  namedCard,
  orderChanged,
  paidBy,
  reset,
  seen,
  submittedAnew,
  tell,
  wait,
} from '../stories.js';

const lateOfCard = [cardReady, cardFailed, charged(), createFailed('network'), cardSubmitted];

/** Plays until an invoice is being looked up; all others are pending. */
function untilAsked(play: Play, id: string): Play {
  for (let steps = 0; steps < 20; steps += 1) {
    const [look] = commandsOf(play.commands, 'look_up');
    if (look?.invoiceId === id) return play;
    if (!look) play.wait(Math.max(0, nextDueMs(play.state) - play.nowMs));
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

  tell`
    paid, but not what was asked for: told once, followed on
      ${at.cardPending} > ${found({ status: 'paid', total_cents: 1 })}
      = confirming (amount_mismatch) [card]: error:amount_mismatch held:card
      > ${found({ status: 'paid', total_cents: 1 })} = confirming (amount_mismatch) [card] > ${wait(30_000)}
      > ${found({ status: 'paid' })} = paid: abort forget:ca paid
    token refused: the attempt is asked for, never sent, never a Pix code
      ${at.cardPending} > ${lost('unauthorized', { told: false })} = confirming [card]: recover-renewal:ca
      > ${createdEvent({ lookup_token: 'token-2', invoice_id: 'invoice-card' })} = confirming [card]: remember:ca/card
    token refused in so many words
      ${at.cardPending} > ${lost('unauthorized')} = confirming [card]: recover-renewal:ca
      > ${createdEvent({ lookup_token: 'token-2', invoice_id: 'invoice-card' })} = confirming [card]: remember:ca/card
    nothing may be paid meanwhile
      ${at.cardPendingBehindPix} > ${cardSubmitted} = confirming [card 1] > ${cardReady} = confirming [card 1]
      > ${chosen('pix')} = confirming [card 1] > ${reset} = confirming [card 1]
      > ${submittedAnew} = confirming [card 1]
  `;

  it('with its new token it is a card as before', () => {
    const play = pending.cardPending().play(lookUpFailed('unauthorized', {}, cardId));
    play.play(charged({ lookup_token: 'token-2' }));
    const [invoice] = inPhase(play, 'confirming').watch!.invoices;
    assert.deepEqual([invoice.lookupToken, invoice.method], ['token-2', 'credit_card']);
    assert.equal(commandsOf(play.commands, 'remember')[0]?.method, 'credit_card');
  });
});

describe('refused at last', () => {
  tell`
    the form, with a new key
      ${at.cardPending} > ${lost('payment_refused')} = form (payment_refused): abort forget:ca error:payment_refused
    the form, with a new key; the Pix code is followed on, and no other is asked for with the key of the card
      ${at.cardPendingBehindPix}
      > ${lost('payment_refused')} = form (payment_refused) [1]: abort forget:ca error:payment_refused held:1
      > ${lost('unauthorized')} = form (payment_refused) [1]: error:unauthorized
      > ${wait(30_000)} = form (payment_refused) [1]: look_up:1
    the Pix code may be paid all the same
      ${at.cardPendingBehindPix} > ${lost('payment_refused')}
      > ${found({ status: 'paid' })} = paid: abort forget paid
    two Pix codes are followed on
      ${at.cardFormBehindTwo} > ${cardSubmitted} > ${cardReady} > ${found()} > ${charged()}
      > ${lost('payment_refused')} = form (payment_refused) [1 0]: abort forget:ca error:payment_refused held:1
    by a status without a word: not the proxy's, and it waits
      ${at.cardPending} > ${lost('payment_refused', { told: false })} = confirming [card]
      > ${wait(8_000)} = confirming [card]: look_up:card
    but it was said of the Pix code behind it: the card is as open as before
      ${at.cardPendingBehindPix} > ${found()} = confirming [card 1]: look_up:1
      > ${lost('payment_refused')} = confirming [card 1]: held:card
    when the attempt is asked for because the token ran out
      ${at.cardPendingBehindPix} > ${lost('unauthorized')} = confirming [card 1]: recover-renewal:ca
      > ${createFailed('payment_refused')} = form (payment_refused) [1]: abort forget:ca error:payment_refused held:1
    where the order turned out to be paid by another invoice: it is not reopened
      ${at.cardPending} > ${lost('unauthorized')}
      > ${createFailed('order_paid', { invoice: paidBy('invoice-paid') })} = confirming [paid card]: held:paid
      > ${found()} = confirming [paid card]: look_up:card > ${lost('payment_refused')} = confirming [paid card]
  `;

  for (const disagreeing of [{ status: 'paid', total_cents: 1 }, { status: 'amount_mismatch' }]) {
    it(`but the Pix code is ${disagreeing.status}, and disagrees: nothing may be paid again`, () => {
      const play = untilAsked(pending.cardPendingBehindPix(), invoiceId);
      untilAsked(play.play(lookedUp(disagreeing)), cardId).play(lookUpRefused);
      const refused = 'abort forget:ca error:payment_refused look_up:1';
      assert.equal(
        seen(play).replace('held', 'look_up'),
        `confirming (amount_mismatch) [1]: ${refused}`,
      );
      inPhase(play.play(lookedUp({ status: 'paid' })), 'paid');
    });
  }
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
      if (isOpen) assert.match(seen(play.play(charged())), /^confirming \[card 1\]/);
    });

    it(`${name}: the screen of a card is not about it`, () => {
      const invoice = currentInvoice(cardSamples[name]().state);
      assert.equal(invoice?.invoiceId ?? null, name.startsWith('cardPending') ? cardId : null);
    });
  }

  tell`
    disagrees while the card is asked for, and then not_found: nothing may be paid again
      ${at.inquiryBehindPix} > ${returned}
      > ${found({ status: 'paid', total_cents: 1 })} = confirming (amount_mismatch) asking [1]: error:amount_mismatch
      > ${createFailed('not_found')} = confirming (amount_mismatch) [1]: forget:ca error:network
      > ${wait(8_000)} = confirming (amount_mismatch) [1]: look_up:1
    disagrees while the card is asked for, and then a refusal: nothing may be paid again
      ${at.inquiryBehindPix} > ${returned} > ${found({ status: 'paid', total_cents: 1 })}
      > ${createFailed('payment_refused')} = confirming (amount_mismatch) [1]: forget:ca error:payment_refused
      > ${wait(8_000)} = confirming (amount_mismatch) [1]: look_up:1
  `;
});

describe('after a reload', () => {
  tell`
    is looked up, and followed where it was
      ${at.followingCard} = creating [card]: look_up:card > ${found()} = confirming [card]
      > ${wait(30_000)} = confirming [card]: look_up:card > ${found({ status: 'paid' })} = paid: abort forget:ca paid
    was refused meanwhile: the form, and a new key
      ${at.followingCard} > ${lost('payment_refused')} = form (payment_refused): forget:ca error:payment_refused
    was refused by a status without a word: it is asked again
      ${at.followingCard} > ${lost('payment_refused', { told: false })} = creating [card]
      > ${wait(30_000)} = creating [card]: look_up:card
    one that the page named and that was refused fails: it is the page's affair
      ${at.form} > ${namedCard} > ${lost('payment_refused')} = failed (payment_refused): error:payment_refused
    differs in its total: it stays open, and nothing is forgotten
      ${at.followingCard} > ${found({ total_cents: 1 })} = confirming (amount_mismatch) [card]: error:amount_mismatch
      > ${reset} = confirming (amount_mismatch) [card]
    differs in its order: it stays open, and nothing is forgotten
      ${at.followingCard}
      > ${found({ external_id: 'order-2' })} = confirming (reference_mismatch) [card]: error:reference_mismatch
      > ${reset} = confirming (reference_mismatch) [card]
    is said to be Pix: it stays a card, and no code is asked for with its key
      ${at.followingCard} > ${found({ is_pix: true })} = confirming [card]
      > ${wait(30_000)} = confirming [card]: look_up:card
      > ${lost('unauthorized')} = confirming [card]: recover-renewal:ca
    is sent, and the page shows another order: the record stays for its return
      ${at.sending} > ${orderChanged} = form: abort > ${charged()} = form > ${createFailed('network')} = form
    is asked for, and the page shows another order
      ${at.inquiry} > ${orderChanged} = form: abort > ${charged()} = form > ${createFailed('network')} = form
    is pending, and the page shows another order
      ${at.cardPending} > ${orderChanged} = form: abort > ${charged()} = form > ${createFailed('network')} = form
    a card form that nothing was sent from knows no invoice
      ${at.form} > ${createdEvent()} = form > ${charged()} = form > ${createFailed('payment_refused')} = form
  `;

  it('its total is the one that was stored', () => {
    const play = checkout().play(soughtCard, cardLookedUp({ total_cents: 1 }));
    assert.equal(inPhase(play, 'confirming').watch?.invoices[0].totalCents, cardCents);
  });
});
