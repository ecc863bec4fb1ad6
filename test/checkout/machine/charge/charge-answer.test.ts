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
import { codes, checkout, createFailed, inPhase, invoiceId, paused, returned } from '../samples.js';
import { at, found, paidBy, tell, wait } from '../stories.js';

/** With and without a Pix code that is followed behind the charge. */
const starts = [
  ['sending', ''],
  ['sendingBehindPix', ' [1]'],
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

  tell`
    another total was charged: told, followed, compared with what was asked for
      ${at.sending} > ${charged({ total_cents: 12_990 })}
      = confirming (amount_mismatch) [card]: remember:ca/card created error:amount_mismatch look_up:card
      > ${found({ status: 'paid', total_cents: 12_990 })} = confirming (amount_mismatch) [card]: held:card
      > ${found({ status: 'paid' })} = paid: abort forget:ca paid
    another order was charged
      ${at.sending} > ${charged({ external_id: 'order-2' })}
      = confirming (reference_mismatch) [card]: remember:ca/card created error:reference_mismatch look_up:card
    no order was charged
      ${at.sending} > ${charged({ external_id: null })}
      = confirming (reference_mismatch) [card]: remember:ca/card created error:reference_mismatch look_up:card
  `;

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
      const toForm = mended.includes(code) || followed !== '';
      const end = `${toForm ? 'form' : 'failed'} (${code})${followed}: forget:ca error:${code}`;
      if (binds) {
        tell`
          ${code}, ${start}: the form once it is said
            ${at[start]} > ${createFailed(code)} = ${end}
        `;
      } else {
        tell`
          ${code}, ${start}: the form once the key is barred
            ${at[start]} > ${createFailed(code)} = creating${followed}: recover:ca
            > ${createFailed('not_found')} = ${end}
        `;
      }
    }
  }

  tell`
    a repeat of the request was charged all the same, before the key could be barred
      ${at.sending} > ${createFailed('service_unavailable')} = creating: recover:ca
      > ${charged()} = confirming [card]: remember:ca/card look_up:card
      > ${found({ status: 'paid' })} = paid: abort forget:ca paid
    a repeat was refused
      ${at.sending} > ${createFailed('unauthorized')}
      > ${createFailed('payment_refused')} = form (payment_refused): forget:ca error:payment_refused
    the order is paid by then
      ${at.sending} > ${createFailed('unauthorized')}
      > ${createFailed('order_paid', { invoice: paidBy('invoice-paid') })} = confirming [paid]: settle:ca held:paid
    the key cannot be barred yet: nothing else is offered, and what was said first is said in the end
      ${at.sendingBehindPix} > ${createFailed('too_many_requests')}
      > ${createFailed('network')} = confirming asking [1]
      > ${wait(2_000)} = confirming asking [1]: recover:ca look_up:1
      > ${createFailed('not_found')} = form (too_many_requests) [1]: forget:ca error:too_many_requests
    the page's token is refused for both: it says so, and asks on
      ${at.sending} > ${createFailed('unauthorized')}
      > ${createFailed('unauthorized')} = confirming (unauthorized) asking: error:unauthorized
      > ${wait(30_000)} = confirming (unauthorized) asking: recover:ca
      > ${createFailed('not_found')} = failed (unauthorized): forget:ca error:unauthorized
    the shop does not know the order: the proxy keeps nothing of it, and has no card with this key
      ${at.sending} > ${createFailed('unknown_order')}
      > ${createFailed('unknown_order')} = failed (unknown_order): forget:ca error:unknown_order
    the code behind it is paid while the key is being barred
      ${at.sendingBehindPix} > ${createFailed('service_unavailable')} > ${returned}
      > ${found({ status: 'paid' })} = paid: abort forget:a paid
    the line goes while the key is being barred: it is asked for again on return
      ${at.sending} > ${createFailed('service_unavailable')} > ${paused} = creating
      > ${createFailed('network')} = confirming asking > ${returned} = confirming asking: recover:ca
    the order is paid already: the invoice that paid it is looked up
      ${at.sending}
      > ${createFailed('order_paid', { invoice: paidBy('invoice-paid') })} = confirming [paid]: settle:ca held:paid
      > ${found({ status: 'paid' })} = paid: abort forget paid
    the order is paid already, and a Pix code is followed
      ${at.sendingBehindPix}
      > ${createFailed('order_paid', { invoice: paidBy('invoice-paid') })} = confirming [paid 1]: settle:ca held:paid
      > ${found({ status: 'paid' })} = paid: abort forget paid
    the order is paid already, by an invoice it does not name: nothing is offered any more
      ${at.sending} > ${createFailed('order_paid')} = failed (order_paid): settle:ca forget error:order_paid
    the same, and a Pix code is followed on
      ${at.sendingBehindPix}
      > ${createFailed('order_paid')} = confirming (order_paid) [1]: settle:ca error:order_paid
      > ${found()} = confirming (order_paid) [1] > ${wait(8_000)} = confirming (order_paid) [1]: look_up:1
  `;
});

describe('it is not known whether the card was charged', () => {
  const cases = [
    ['outcome_unknown', ' (outcome_unknown)', createFailed('outcome_unknown')],
    ['in_progress', '', createFailed('in_progress')],
    ...untold.map((code) => [`${code} untold`, '', createFailed(code, { told: false })] as const),
  ] as const;

  for (const [name, error, failure] of cases) {
    for (const [start, followed] of starts) {
      const state = `confirming${error} asking${followed}`;
      tell`
        ${name}, ${start}: it is asked for at once, and never sent again
          ${at[start]} > ${failure} = ${state}${error && ': error:outcome_unknown'} > ${wait(0)} = ${state}: recover:ca
      `;
    }
  }

  tell`
    no sooner than the proxy wants to be asked
      ${at.sending} > ${createFailed('in_progress', { retryAfterSeconds: 3 })} = confirming asking
      > ${wait(2_999)} = confirming asking > ${wait(1)} = confirming asking: recover:ca
    turned away for a short time: the form comes back when that is over, and the card is not sent again
      ${at.sending} > ${createFailed('too_many_requests', { retryAfterSeconds: 3 })} = creating
      > ${wait(2_999)} = creating > ${wait(1)} = creating: recover:ca > ${returned} = creating
      > ${createFailed('not_found')} = form (too_many_requests): forget:ca error:too_many_requests
    and sooner where the payer comes back to the page
      ${at.sending} > ${createFailed('too_many_requests', { retryAfterSeconds: 3 })} = creating
      > ${returned} = creating: recover:ca
    and at once where it takes longer
      ${at.sending} > ${createFailed('too_many_requests', { retryAfterSeconds: 6 })} = creating: recover:ca
    why a request was turned away does not end it: another page may have sent the card too
      ${at.sending} > ${createFailed('unauthorized')} = creating: recover:ca
      > ${createFailed('payment_refused')} = form (payment_refused): forget:ca error:payment_refused
    a refusal ends it
      ${at.sending} > ${createFailed('payment_refused')} = form (payment_refused): forget:ca error:payment_refused
  `;
});
