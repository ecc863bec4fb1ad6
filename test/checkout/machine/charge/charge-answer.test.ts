/** What the answer to a charge leads to: an invoice that is followed, a refusal, or an outcome that is not known. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { errorCodes } from '../../../../src/contract/codes.js';
import {
  cardCents,
  cardId,
  cardKey,
  cardReady,
  cardSubmitted,
  charged,
  charging,
  pending,
  untold,
} from './cards.js';
import {
  checkout,
  codes,
  createFailed,
  inPhase,
  invoiceId,
  key,
  paused,
  returned,
} from '../samples.js';
import { checkoutAt, paidBy } from '../checkout-at.js';

/** With and without a Pix code that is followed behind the charge. */
const starts = [
  ['sending', []],
  ['sendingBehindPix', [invoiceId]],
] as const;

describe('the card was charged, as far as the answer says', () => {
  it('the invoice is remembered, told of and looked up: paid is never believed from a POST', () => {
    for (const status of ['paid', 'pending', 'whatever']) {
      const play = charging.sending().play(charged({ status }));
      const { error, attempt } = inPhase(play, 'confirming');
      assert.deepEqual([error, attempt], [null, null]);
      const { lookupToken, ...ids } = { invoiceId: cardId, lookupToken: 'token-card' };
      const known = { ...ids, method: 'credit_card', totalCents: cardCents };
      const invoice = { ...known, orderCode: 'ABC123', externalId: 'order-1042' };
      assert.deepEqual(play.commands, [
        { type: 'remember', attemptKey: cardKey, ...known, lookupToken },
        { type: 'emit', event: { name: 'created', invoice } },
        { type: 'look_up', invoiceId: cardId, lookupToken, waitSeconds: 0, timeoutMs: 6_000 },
      ]);
    }
  });

  it('the Pix code of before is followed behind it', () => {
    const { watch } = inPhase(pending.cardPendingBehindPix(), 'confirming');
    assert.deepEqual(
      watch?.invoices.map((invoice) => [invoice.invoiceId, invoice.method]),
      [
        [cardId, 'credit_card'],
        [invoiceId, 'pix'],
      ],
    );
    assert.equal(watch?.attemptKey, cardKey);
  });

  it('a code or a deadline in the answer is not a card’s', () => {
    const play = charging.sending().play(charged({ qr_code_pix: 'x', expires_in: 5 }));
    const invoice = inPhase(play, 'confirming').watch?.invoices[0];
    assert.deepEqual([invoice?.code, invoice?.deadlineMs], [null, null]);
  });

  it('what was asked for is what counts, whatever was charged', () => {
    const play = charging.sending().play(charged({ total_cents: 12_990, external_id: 'order-2' }));
    const invoice = inPhase(play, 'confirming').watch?.invoices[0];
    assert.deepEqual([invoice?.totalCents, invoice?.externalId], [cardCents, 'order-1042']);
  });

  it('another total was charged: told, followed, compared with what was asked for', () => {
    const checkout = checkoutAt('sending');
    checkout.hears(charged({ total_cents: 12_990 })).is('confirming', {
      error: 'amount_mismatch',
      follows: [cardId],
      commands: [
        { remember: cardKey, invoice: cardId },
        'created',
        { error: 'amount_mismatch' },
        { lookUp: cardId },
      ],
    });
    checkout.finds({ status: 'paid', total_cents: 12_990 }).is('confirming', {
      error: 'amount_mismatch',
      follows: [cardId],
      commands: [{ lookUpHeld: cardId }],
    });
    checkout
      .finds({ status: 'paid' })
      .is('paid', { commands: ['abort', { forget: cardKey }, 'paid'] });
  });

  it('another order was charged', () => {
    const checkout = checkoutAt('sending');
    checkout.hears(charged({ external_id: 'order-2' })).is('confirming', {
      error: 'reference_mismatch',
      follows: [cardId],
      commands: [
        { remember: cardKey, invoice: cardId },
        'created',
        { error: 'reference_mismatch' },
        { lookUp: cardId },
      ],
    });
  });

  it('no order was charged', () => {
    const checkout = checkoutAt('sending');
    checkout.hears(charged({ external_id: null })).is('confirming', {
      error: 'reference_mismatch',
      follows: [cardId],
      commands: [
        { remember: cardKey, invoice: cardId },
        'created',
        { error: 'reference_mismatch' },
        { lookUp: cardId },
      ],
    });
  });

  it('what the page did not say is not compared', () => {
    const play = checkout({ externalId: null, pixCents: null, cardCents: null });
    play.play(cardSubmitted, cardReady).play(charged({ total_cents: 7, external_id: 'x' }));
    const { error, watch } = inPhase(play, 'confirming');
    assert.deepEqual([error, watch?.invoices[0].totalCents], [null, 7]);
  });

  it('the page shows another price meanwhile, that of Pix: what was sent is what counts', () => {
    const play = charging.sending();
    play.terms = { ...play.terms, cardCents: 12_341 };
    assert.equal(inPhase(play.play(charged()), 'confirming').error, null);
  });
});

describe('the proxy says that nothing was charged', () => {
  const mended = 'payment_refused invalid_request key_reused too_many_requests service_unavailable';
  const open = ['outcome_unknown', 'in_progress', 'order_paid'];
  for (const code of codes.filter((code) => !open.includes(code))) {
    const { binds } = errorCodes[code];
    for (const [start, followed] of starts) {
      const toForm = mended.includes(code) || followed.length > 0;
      const commands = [{ forget: cardKey }, { error: code }];
      const end = [
        toForm ? 'form' : 'failed',
        { error: code, follows: followed, commands },
      ] as const;
      if (binds) {
        it(`${code}, ${start}: the form once it is said`, () => {
          const checkout = checkoutAt(start);
          checkout.hears(createFailed(code)).is(...end);
        });
      } else {
        it(`${code}, ${start}: the form once the key is barred`, () => {
          const checkout = checkoutAt(start);
          checkout
            .hears(createFailed(code))
            .is('creating', { follows: followed, commands: [{ recover: cardKey }] });
          checkout.hears(createFailed('not_found')).is(...end);
        });
      }
    }
  }

  it('when the next try is welcome is kept until the form is there', () => {
    const busy = { code: 'too_many_requests', retryable: true, retryAtMs: 60_000 } as const;
    const turnedAway = createFailed(busy.code, { ...busy, retryAfterSeconds: 60 });
    const play = charging.sending().play(turnedAway, createFailed('not_found'));
    assert.deepEqual(inPhase(play, 'form').error, busy);
  });

  it('a repeat of the request was charged all the same, before the key could be barred', () => {
    const checkout = checkoutAt('sending');
    checkout
      .hears(createFailed('service_unavailable'))
      .is('creating', { commands: [{ recover: cardKey }] });
    checkout.hears(charged()).is('confirming', {
      follows: [cardId],
      commands: [{ remember: cardKey, invoice: cardId }, { lookUp: cardId }],
    });
    checkout
      .finds({ status: 'paid' })
      .is('paid', { commands: ['abort', { forget: cardKey }, 'paid'] });
  });

  it('the order is paid by then', () => {
    const checkout = checkoutAt('sending');
    checkout
      .hears(createFailed('unauthorized'))
      .hears(createFailed('order_paid', { invoice: paidBy('invoice-paid') }))
      .is('confirming', {
        follows: ['invoice-paid'],
        commands: [{ settle: cardKey }, { lookUpHeld: 'invoice-paid' }],
      });
  });

  it('the key cannot be barred yet: nothing else is offered, and what was said first is said in the end', () => {
    const checkout = checkoutAt('sendingBehindPix');
    checkout
      .hears(createFailed('too_many_requests'))
      .hears(createFailed('network'))
      .is('confirming', { isAsking: true, follows: [invoiceId] });
    checkout.waits(2_000).is('confirming', {
      isAsking: true,
      follows: [invoiceId],
      commands: [{ recover: cardKey }, { lookUp: invoiceId }],
    });
    checkout.hears(createFailed('not_found')).is('form', {
      error: 'too_many_requests',
      follows: [invoiceId],
      commands: [{ forget: cardKey }, { error: 'too_many_requests' }],
    });
  });

  it("the page's token is refused for both: it says so, and asks on", () => {
    const checkout = checkoutAt('sending');
    checkout
      .hears(createFailed('unauthorized'))
      .hears(createFailed('unauthorized'))
      .is('confirming', {
        error: 'unauthorized',
        isAsking: true,
        commands: [{ error: 'unauthorized' }],
      });
    checkout.waits(30_000).is('confirming', {
      error: 'unauthorized',
      isAsking: true,
      commands: [{ recover: cardKey }],
    });
    checkout.hears(createFailed('not_found')).is('failed', {
      error: 'unauthorized',
      commands: [{ forget: cardKey }, { error: 'unauthorized' }],
    });
  });

  it('the shop does not know the order: the proxy keeps nothing of it, and has no card with this key', () => {
    const checkout = checkoutAt('sending');
    checkout
      .hears(createFailed('unknown_order'))
      .hears(createFailed('unknown_order'))
      .is('failed', {
        error: 'unknown_order',
        commands: [{ forget: cardKey }, { error: 'unknown_order' }],
      });
  });

  it('the code behind it is paid while the key is being barred', () => {
    const checkout = checkoutAt('sendingBehindPix');
    checkout
      .hears(createFailed('service_unavailable'))
      .hears(returned)
      .finds({ status: 'paid' })
      .is('paid', { commands: ['abort', { forget: key }, 'paid'] });
  });

  it('the line goes while the key is being barred: it is asked for again on return', () => {
    const checkout = checkoutAt('sending');
    checkout.hears(createFailed('service_unavailable')).hears(paused).is('creating');
    checkout.hears(createFailed('network')).is('confirming', { isAsking: true });
    checkout.hears(returned).is('confirming', { isAsking: true, commands: [{ recover: cardKey }] });
  });

  it('the order is paid already: the invoice that paid it is looked up', () => {
    const checkout = checkoutAt('sending');
    checkout
      .hears(createFailed('order_paid', { invoice: paidBy('invoice-paid') }))
      .is('confirming', {
        follows: ['invoice-paid'],
        commands: [{ settle: cardKey }, { lookUpHeld: 'invoice-paid' }],
      });
    checkout.finds({ status: 'paid' }).is('paid', { commands: ['abort', 'forget', 'paid'] });
  });

  it('the order is paid already, by an invoice it does not name: nothing is offered any more', () => {
    const checkout = checkoutAt('sending');
    checkout.hears(createFailed('order_paid')).is('failed', {
      error: 'order_paid',
      commands: [{ settle: cardKey }, 'forget', { error: 'order_paid' }],
    });
  });
});

describe('it is not known whether the card was charged', () => {
  const cases = [
    ['outcome_unknown', 'outcome_unknown', createFailed('outcome_unknown')],
    ['in_progress', null, createFailed('in_progress')],
    ...untold.map((code) => [`${code} untold`, null, createFailed(code, { told: false })] as const),
  ] as const;

  for (const [name, error, failure] of cases) {
    for (const [start, followed] of starts) {
      const state = { error, isAsking: true, follows: followed } as const;
      it(`${name}, ${start}: it is asked for at once, and never sent again`, () => {
        const checkout = checkoutAt(start);
        checkout
          .hears(failure)
          .is('confirming', { ...state, commands: error === null ? [] : [{ error }] });
        checkout.waits(0).is('confirming', { ...state, commands: [{ recover: cardKey }] });
      });
    }
  }

  it('no sooner than the proxy wants to be asked', () => {
    const checkout = checkoutAt('sending');
    checkout
      .hears(createFailed('in_progress', { retryAfterSeconds: 3 }))
      .is('confirming', { isAsking: true });
    checkout.waits(2_999).is('confirming', { isAsking: true });
    checkout.waits(1).is('confirming', { isAsking: true, commands: [{ recover: cardKey }] });
  });

  it('turned away for a short time: the form comes back when that is over, and the card is not sent again', () => {
    const checkout = checkoutAt('sending');
    checkout.hears(createFailed('too_many_requests', { retryAfterSeconds: 3 })).is('creating');
    checkout.waits(2_999).is('creating');
    checkout.waits(1).is('creating', { commands: [{ recover: cardKey }] });
    checkout.hears(returned).is('creating');
    checkout.hears(createFailed('not_found')).is('form', {
      error: 'too_many_requests',
      commands: [{ forget: cardKey }, { error: 'too_many_requests' }],
    });
  });

  it('and sooner where the payer comes back to the page', () => {
    const checkout = checkoutAt('sending');
    checkout.hears(createFailed('too_many_requests', { retryAfterSeconds: 3 })).is('creating');
    checkout.hears(returned).is('creating', { commands: [{ recover: cardKey }] });
  });

  it('and at once where it takes longer', () => {
    const checkout = checkoutAt('sending');
    checkout
      .hears(createFailed('too_many_requests', { retryAfterSeconds: 6 }))
      .is('creating', { commands: [{ recover: cardKey }] });
  });

  it('why a request was turned away does not end it: another page may have sent the card too', () => {
    const checkout = checkoutAt('sending');
    checkout
      .hears(createFailed('unauthorized'))
      .is('creating', { commands: [{ recover: cardKey }] });
    checkout.hears(createFailed('payment_refused')).is('form', {
      error: 'payment_refused',
      commands: [{ forget: cardKey }, { error: 'payment_refused' }],
    });
  });
});
