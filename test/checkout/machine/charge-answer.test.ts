/** What the answer to a charge leads to: an invoice that is followed, a refusal, or an outcome that nobody knows. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorCodes } from '../../../src/contract/codes.js';
import type { ErrorCode } from '../../../src/contract/codes.js';
import type { CheckoutErrorCode } from '../../../src/checkout/machine/state.js';
import { nextDueMs } from '../../../src/checkout/machine/transition.js';
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
import {
  checkout,
  created,
  createFailed,
  inPhase,
  invoiceId,
  lookedUp,
  names,
  ticked,
  request,
} from './samples.js';
import type { Play } from './samples.js';

/** With and without a Pix code that is followed behind the charge. */
const starts: Readonly<Record<string, () => Play>> = {
  'no Pix code': charging.sending,
  'a Pix code behind it': charging.sendingBehindPix,
};

describe('the card was charged, as far as the answer says', () => {
  it('the invoice is remembered, told of and looked up: paid is never believed from a POST', () => {
    for (const status of ['paid', 'pending', 'whatever']) {
      const play = charging.sending().play(charged({ status }));
      const { error, attempt } = inPhase(play, 'confirming');
      assert.deepEqual([error, attempt], [null, null]);
      const invoice = {
        invoiceId: cardId,
        orderCode: 'ABC123',
        externalId: 'order-1042',
        method: 'credit_card',
        totalCents: cardCents,
      };
      const lookupToken = 'token-card';
      assert.deepEqual(play.commands, [
        {
          type: 'remember',
          attemptKey: cardKey,
          method: 'credit_card',
          invoiceId: cardId,
          lookupToken,
          totalCents: cardCents,
        },
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

  for (const [code, changes] of [
    ['amount_mismatch', { total_cents: 12_990 }],
    ['reference_mismatch', { external_id: 'order-2' }],
    ['reference_mismatch', { external_id: null }],
  ] as const) {
    it(`something else was charged, ${code}: told, followed, compared with what was asked for`, () => {
      const play = charging.sending().play(charged(changes));
      const { error, watch } = inPhase(play, 'confirming');
      assert.deepEqual(error, { code, retryable: false });
      const invoice = watch?.invoices[0];
      assert.deepEqual([invoice?.totalCents, invoice?.externalId], [cardCents, 'order-1042']);
      assert.deepEqual(names(play.commands), ['remember', 'created', `error ${code}`, 'look_up']);
    });
  }

  it('what the page did not say is not compared', () => {
    const play = checkout({ externalId: null, pixCents: null, cardCents: null });
    play.play(cardSubmitted, cardReady);
    play.play(charged({ total_cents: 7, external_id: 'x' }));
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
  const again = new Set<ErrorCode>(['too_many_requests', 'service_unavailable']);
  const anew = new Set<ErrorCode>(['payment_refused', 'invalid_request', 'key_reused']);
  const open = new Set<ErrorCode>(['outcome_unknown', 'in_progress', 'order_paid']);
  const codes = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => !open.has(code));

  for (const code of codes) {
    for (const [name, start] of Object.entries(starts)) {
      const toForm = again.has(code) || anew.has(code) || name !== 'no Pix code';
      const forgets = !again.has(code);
      it(`${code}, ${name}: ${toForm ? 'the form' : 'the merchant has to help'}, ${forgets ? 'a new key' : 'the same key'}`, () => {
        const before = start();
        const watch = 'watch' in before.state ? before.state.watch : null;
        const play = before.play(createFailed(code, { retryable: true }));
        assert.deepEqual(names(play.commands), [forgets ? 'forget' : 'settle', `error ${code}`]);
        if (!toForm) {
          assert.equal(inPhase(play, 'failed').error.code, code);
          return;
        }
        const form = inPhase(play, 'form');
        assert.deepEqual(form.error, { code, retryable: true });
        assert.equal(form.watch, watch, 'the Pix code is followed as before');
      });
    }
  }

  it('the order is paid already: the invoice that paid it is looked up', () => {
    const invoice = created({ invoice_id: 'invoice-paid', status: 'paid', lookup_token: 'p' });
    for (const start of Object.values(starts)) {
      const play = start().play(createFailed('order_paid', { invoice }));
      assert.equal(inPhase(play, 'confirming').attempt, null);
      play.play(lookedUp({ invoice_id: 'invoice-paid', status: 'paid' }));
      assert.equal(inPhase(play, 'paid').invoice.invoiceId, 'invoice-paid');
    }
  });

  it('the order is paid already, by an invoice it does not name: nothing is offered any more', () => {
    const failed = charging.sending().play(createFailed('order_paid'));
    assert.equal(inPhase(failed, 'failed').error.code, 'order_paid');
    const play = charging.sendingBehindPix().play(createFailed('order_paid'));
    const { attempt, error } = inPhase(play, 'confirming');
    assert.deepEqual([attempt, error?.code], [null, 'order_paid']);
    assert.notEqual(nextDueMs(play.play(lookedUp()).state), null);
  });
});

describe('nobody knows whether the card was charged', () => {
  const untold: readonly CheckoutErrorCode[] = [
    'network',
    'invalid_answer',
    'service_unavailable',
    'payment_refused',
    'invalid_request',
    'not_found',
    'unauthorized',
    'too_many_requests',
  ];
  const cases = [
    ['outcome_unknown', true, 'outcome_unknown'],
    ['in_progress', true, null],
    ...untold.map((code) => [code, false, null] as const),
  ] as const;

  for (const [code, told, error] of cases) {
    for (const [name, start] of Object.entries(starts)) {
      it(`${code}${told ? '' : ', from a status or none'}, ${name}: it is asked for at once, and never sent again`, () => {
        const play = start().play(createFailed(code, { told }));
        const state = inPhase(play, 'confirming');
        assert.deepEqual(state.error, error && { code: error, retryable: false });
        assert.deepEqual(names(play.commands), error ? [`error ${error}`] : []);
        assert.equal(nextDueMs(play.state), play.nowMs);
        assert.deepEqual(play.play(ticked).commands, [request('recover', 'charge', cardKey)]);
      });
    }
  }

  it('no sooner than the proxy wants to be asked', () => {
    const play = charging.sending().play(createFailed('in_progress', { retryAfterSeconds: 3 }));
    assert.deepEqual(play.wait(2_999).commands, []);
    assert.deepEqual(names(play.wait(1).commands), ['recover']);
  });
});
