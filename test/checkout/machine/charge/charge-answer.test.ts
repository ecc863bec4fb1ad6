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
} from './cards.js';
import { checkout, inPhase, invoiceId } from '../samples.js';
import { tell } from '../stories.js';

/** With and without a Pix code that is followed behind the charge. */
const starts = { sending: '', sendingBehindPix: ' [1]' };

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

  tell(`
    another total was charged: told, followed, compared with what was asked for
      sending
      > charged total_cents=12990 = confirming (amount_mismatch) [card]: remember:ca/card created error:amount_mismatch look_up:card
      > found status=paid total_cents=12990 = confirming (amount_mismatch) [card]: held:card
      > found status=paid = paid: abort forget:ca paid
    another order was charged
      sending
      > charged external_id=order-2 = confirming (reference_mismatch) [card]: remember:ca/card created error:reference_mismatch look_up:card
    no order was charged
      sending
      > charged external_id=null = confirming (reference_mismatch) [card]: remember:ca/card created error:reference_mismatch look_up:card
  `);

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
  const codes = Object.entries(errorCodes).filter(([code]) => !open.includes(code));

  for (const [code, { binds }] of codes) {
    for (const [start, followed] of Object.entries(starts)) {
      const toForm = mended.includes(code) || followed !== '';
      const end = `${toForm ? 'form' : 'failed'} (${code})${followed}: forget:ca error:${code}`;
      const barred = `creating${followed}: recover:ca > fails not_found = ${end}`;
      tell(`
        ${code}, ${start}: the form once ${binds ? 'it is said' : 'the key is barred'}
          ${start} > fails ${code} = ${binds ? end : barred}
      `);
    }
  }

  tell(`
    a repeat of the request was charged all the same, before the key could be barred
      sending > fails service_unavailable = creating: recover:ca
      > charged = confirming [card]: remember:ca/card look_up:card
      > found status=paid = paid: abort forget:ca paid
    a repeat was refused
      sending > fails unauthorized > fails payment_refused = form (payment_refused): forget:ca error:payment_refused
    the order is paid by then
      sending > fails unauthorized > fails order_paid invoice=invoice-paid = confirming [paid]: settle:ca held:paid
    the key cannot be barred yet: nothing else is offered, and what was said first is said in the end
      sendingBehindPix > fails too_many_requests > fails network = confirming asking [1]
      > wait 2000 = confirming asking [1]: recover:ca look_up:1
      > fails not_found = form (too_many_requests) [1]: forget:ca error:too_many_requests
    the page's token is refused for both: it says so, and asks on
      sending > fails unauthorized > fails unauthorized = confirming (unauthorized) asking: error:unauthorized
      > wait 30000 = confirming (unauthorized) asking: recover:ca
      > fails not_found = failed (unauthorized): forget:ca error:unauthorized
    the code behind it is paid while the key is being barred
      sendingBehindPix > fails service_unavailable > returned > found status=paid = paid: abort forget:a paid
    the line goes while the key is being barred: it is asked for again on return
      sending > fails service_unavailable > paused = creating > fails network = confirming asking
      > returned = confirming asking: recover:ca
    the order is paid already: the invoice that paid it is looked up
      sending > fails order_paid invoice=invoice-paid = confirming [paid]: settle:ca held:paid
      > found status=paid = paid: abort forget paid
    the order is paid already, and a Pix code is followed
      sendingBehindPix > fails order_paid invoice=invoice-paid = confirming [paid 1]: settle:ca held:paid
      > found status=paid = paid: abort forget paid
    the order is paid already, by an invoice it does not name: nothing is offered any more
      sending > fails order_paid = failed (order_paid): settle:ca forget error:order_paid
    the same, and a Pix code is followed on
      sendingBehindPix > fails order_paid = confirming (order_paid) [1]: settle:ca error:order_paid
      > found = confirming (order_paid) [1] > wait 8000 = confirming (order_paid) [1]: look_up:1
  `);
});

describe('it is not known whether the card was charged', () => {
  const untold =
    'network invalid_answer service_unavailable payment_refused invalid_request not_found unauthorized too_many_requests'
      .split(' ')
      .map((code) => [`${code} told=false`, ''] as const);
  const cases = [['outcome_unknown', 'outcome_unknown'], ['in_progress', ''], ...untold] as const;

  for (const [failure, error] of cases) {
    for (const [start, followed] of Object.entries(starts)) {
      const state = `confirming${error && ` (${error})`} asking${followed}`;
      tell(`
        ${failure}, ${start}: it is asked for at once, and never sent again
          ${start} > fails ${failure} = ${state}${error && `: error:${error}`} > wait 0 = ${state}: recover:ca
      `);
    }
  }

  tell(`
    no sooner than the proxy wants to be asked
      sending > fails in_progress retryAfterSeconds=3 = confirming asking > wait 2999 = confirming asking
      > wait 1 = confirming asking: recover:ca
    sent by another page too: why this request was turned away does not end it
      sendingShared > fails unauthorized = creating: recover:ca
      > fails payment_refused = form (payment_refused): forget:ca error:payment_refused
    sent by another page too: a refusal ends it
      sendingShared > fails payment_refused = form (payment_refused): forget:ca error:payment_refused
  `);
});
