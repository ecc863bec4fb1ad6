/** From one method to the other and back: nothing open is lost, and nothing is told twice. */

import { describe, it } from 'vitest';
import { cardKey, cardSubmitted, chosen } from './cards.js';
import { createFailed, formerId, invoiceId, key, submitted } from '../samples.js';
import { checkoutAt } from '../checkout-at.js';

describe('to the card and back to Pix', () => {
  it('the look-up under way goes on', () => {
    const checkout = checkoutAt('awaiting');
    checkout.hears(chosen('credit_card')).is('form', { follows: [invoiceId] });
    checkout.finds().is('form', { follows: [invoiceId] });
    checkout.waits(8_000).is('form', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout.hears(chosen('pix')).is('awaiting', { follows: [invoiceId] });
  });

  it('all codes come back, the newest in front', () => {
    const checkout = checkoutAt('cardFormBehindTwo');
    checkout.hears(chosen('pix')).is('awaiting', { follows: [invoiceId, formerId] });
  });

  it('the button of Pix shows the code there is, too', () => {
    const checkout = checkoutAt('cardForm');
    checkout.hears(submitted).is('awaiting', { follows: [invoiceId] });
  });

  it('the deadline passes meanwhile: nothing is told of a code that is not on the screen', () => {
    const checkout = checkoutAt('awaitingUntil60s');
    checkout
      .finds()
      .hears(chosen('credit_card'))
      .waits(61_000)
      .is('form', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout.finds().is('form', { follows: [invoiceId] });
  });

  it('then one last look-up, and its answer expires the code', () => {
    const checkout = checkoutAt('awaitingUntil60s');
    checkout
      .finds()
      .hears(chosen('credit_card'))
      .waits(61_000)
      .finds()
      .hears(chosen('pix'))
      .waits(0)
      .is('awaiting', { isClosing: true, follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout.finds().is('expired', { follows: [invoiceId], commands: ['expired'] });
  });

  it('of a code that had expired: it is followed, and expires again after a look-up', () => {
    const checkout = checkoutAt('expired');
    checkout.hears(chosen('credit_card')).is('form', { follows: [invoiceId] });
    checkout
      .hears(chosen('pix'))
      .waits(0)
      .is('awaiting', { isClosing: true, follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout.finds().is('expired', { follows: [invoiceId], commands: ['expired'] });
  });

  it('a refusal leads to Pix with the same order: the code of before is there', () => {
    const checkout = checkoutAt('sendingBehindPix');
    checkout.hears(createFailed('payment_refused')).is('form', {
      error: 'payment_refused',
      follows: [invoiceId],
      commands: [{ forget: cardKey }, { error: 'payment_refused' }],
    });
    checkout.hears(chosen('pix')).is('awaiting', { follows: [invoiceId] });
  });

  it("a refusal where there was no code: the form, without the card's error", () => {
    const checkout = checkoutAt('sending');
    checkout.hears(createFailed('payment_refused')).is('form', {
      error: 'payment_refused',
      commands: [{ forget: cardKey }, { error: 'payment_refused' }],
    });
    checkout.hears(chosen('pix')).is('form');
    checkout.hears(submitted).is('creating', { commands: [{ remember: key }, { create: key }] });
  });

  it('the card form, chosen again: the code behind it stays there', () => {
    const checkout = checkoutAt('cardForm');
    checkout.hears(chosen('credit_card')).is('form', { follows: [invoiceId] });
    checkout.hears(cardSubmitted).is('creating', { follows: [invoiceId], commands: ['tokenize'] });
  });
});
