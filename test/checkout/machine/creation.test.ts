/** What a create answer leads to: a code on the screen, a refusal, a retry, or an order that is paid already. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorCodes } from '../../../src/contract/codes.js';
import type { CheckoutErrorCode } from '../../../src/checkout/machine/state.js';
import { nextDueMs } from '../../../src/checkout/machine/transition.js';
import {
  checkout,
  commandsOf,
  created,
  createdEvent,
  createFailed,
  dynamicCode,
  formerId,
  inPhase,
  invoiceId,
  key,
  lookedUp,
  names,
  newCodeAsked,
  otherKey,
  paused,
  recovering,
  returned,
  staticCode,
  submitted,
  request,
} from './samples.js';
import { expired, offered, replaced, replacing } from './states.js';

describe('an invoice was made', () => {
  it('is remembered, told of, and looked up at once', () => {
    const play = checkout().play(submitted, createdEvent());
    inPhase(play, 'awaiting');
    assert.deepEqual(play.commands, [
      {
        type: 'remember',
        attemptKey: key,
        method: 'pix',
        invoiceId,
        lookupToken: 'token-1',
        totalCents: 12_990,
      },
      {
        type: 'emit',
        event: {
          name: 'created',
          invoice: {
            invoiceId,
            orderCode: 'ABC123',
            externalId: 'order-1042',
            method: 'pix',
            totalCents: 12_990,
          },
        },
      },
      { type: 'look_up', invoiceId, lookupToken: 'token-1', waitSeconds: 25, timeoutMs: 33_000 },
    ]);
  });

  it('an answer that says paid is confirmed by a look-up before anything is shown as paid', () => {
    const play = checkout().play(submitted, createdEvent({ status: 'paid' }));
    inPhase(play, 'confirming');
    assert.deepEqual(names(play.commands), ['remember', 'created', 'look_up']);
  });

  for (const [code, changes] of [
    ['amount_mismatch', { total_cents: 13_000, qr_code_pix: dynamicCode('130.00') }],
    ['reference_mismatch', { external_id: 'order-2' }],
    ['reference_mismatch', { external_id: null }],
  ] as const) {
    it(`for another order or price stops the checkout: ${code}`, () => {
      const play = checkout().play(submitted, createdEvent(changes));
      assert.equal(inPhase(play, 'failed').error.code, code);
      assert.deepEqual(names(play.commands), ['forget', `error ${code}`]);
    });
  }

  it('what the page did not say is not compared', () => {
    const play = checkout({ externalId: null, pixCents: null, cardCents: null });
    play.play(submitted, createdEvent({ total_cents: 500, qr_code_pix: dynamicCode('5.00') }));
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].totalCents, 500);
  });

  it('an invoice without a reference is told with an empty one', () => {
    const play = checkout({ externalId: null });
    play.play(submitted, createdEvent({ external_id: null }));
    const told = commandsOf(play.commands, 'emit').map(({ event }) => event);
    assert.equal(told[0]?.name === 'created' && told[0].invoice.externalId, '');
  });

  for (const [code, text] of [
    ['invalid_code', ''],
    ['invalid_code', 'not a code'],
    ['invalid_code', dynamicCode().replace('129.90', '129.91')],
    ['code_amount_differs', staticCode('1.00')],
  ] as const) {
    it(`a code that no payer should see asks for another in its place: ${code} ${text.slice(-4)}`, () => {
      const play = checkout().play(submitted, createdEvent({ qr_code_pix: text }));
      const { error, replaces } = inPhase(play, 'form');
      assert.deepEqual([error?.code, replaces], [code, invoiceId]);
      assert.deepEqual(names(play.commands), ['forget', 'created', `error ${code}`]);
      play.play({ ...submitted, attemptKey: otherKey });
      assert.deepEqual(commandsOf(play.commands, 'request'), [
        request('create', 'invoice', otherKey, invoiceId),
      ]);
    });
  }

  it('a dynamic code that names another amount is shown, and the merchant warned', () => {
    const play = checkout().play(submitted, createdEvent({ qr_code_pix: dynamicCode('1.00') }));
    inPhase(play, 'awaiting');
    assert.deepEqual(names(play.commands), [
      'remember',
      'created',
      'error code_amount_differs',
      'look_up',
    ]);
  });
});

describe('a creation failed', () => {
  const retried = new Set<CheckoutErrorCode>(['network', 'service_unavailable', 'in_progress']);
  const toForm = new Set<CheckoutErrorCode>([
    'too_many_requests',
    'invalid_answer',
    'invalid_request',
    'key_reused',
    'payment_refused',
    'outcome_unknown',
  ]);
  const withNewKey = new Set<CheckoutErrorCode>(['key_reused', 'payment_refused']);
  const codes = [...Object.keys(errorCodes), 'network', 'invalid_answer'] as CheckoutErrorCode[];

  for (const code of codes.filter((code) => !retried.has(code))) {
    it(`${code}: ${toForm.has(code) ? 'back to the form' : 'the merchant has to help'}`, () => {
      const play = checkout().play(submitted, createFailed(code));
      const forgets = !toForm.has(code) || withNewKey.has(code);
      assert.equal(play.state.phase, toForm.has(code) ? 'form' : 'failed');
      assert.deepEqual(names(play.commands), [...(forgets ? ['forget'] : []), `error ${code}`]);
    });
  }

  for (const code of retried) {
    it(`${code}: made again twice by itself with the same key, then the form says so`, () => {
      const play = checkout().play(submitted);
      for (const spanMs of [1_500, 3_000]) {
        play.play(createFailed(code));
        assert.deepEqual(play.commands, []);
        assert.equal(nextDueMs(play.state), play.nowMs + spanMs / 2, 'full jitter, random 0.5');
        play.wait(spanMs / 2);
        assert.deepEqual(play.commands, [request('create', 'invoice', key)]);
      }
      play.play(createFailed(code, { retryable: true }));
      assert.deepEqual(inPhase(play, 'form').error, { code, retryable: true });
      assert.deepEqual(names(play.commands), [`error ${code}`]);
    });
  }

  it('Retry-After is kept, and a long one is left to the payer', () => {
    const play = checkout().play(submitted);
    play.play(createFailed('service_unavailable', { retryAfterSeconds: 10 }));
    assert.equal(nextDueMs(play.state), 10_000);
    assert.deepEqual(play.wait(9_999).commands, []);
    assert.equal(play.wait(1).commands.length, 1);
    play.play(createFailed('service_unavailable', { retryAfterSeconds: 11 }));
    inPhase(play, 'form');
  });

  it('a return to the page asks at once, with the same key', () => {
    const again = request('create', 'invoice', key);
    const play = checkout().play(submitted, returned);
    assert.deepEqual(play.commands, [again]);
    play.play(createFailed('network'), returned);
    assert.deepEqual(play.commands, [again]);
    assert.equal(nextDueMs(play.state), null, 'the retry that was waited for is made');
  });
});

describe('the order is paid already', () => {
  const invoice = created({ invoice_id: 'invoice-paid', status: 'paid', lookup_token: 'token-p' });
  const orderPaid = createFailed('order_paid', { invoice });
  const starts = {
    creation: () => checkout().play(submitted),
    recovery: () => checkout().play(recovering),
    replacement: replacing,
  };

  for (const [name, start] of Object.entries(starts)) {
    it(`${name}: the invoice that paid it is looked up and shown as receipt`, () => {
      const play = start().play(orderPaid);
      inPhase(play, 'confirming');
      const [look] = commandsOf(play.commands, 'look_up');
      assert.deepEqual([look?.invoiceId, look?.lookupToken], ['invoice-paid', 'token-p']);
      play.play(lookedUp({ invoice_id: 'invoice-paid', status: 'paid' }));
      assert.equal(inPhase(play, 'paid').invoice.invoiceId, 'invoice-paid');
    });

    it(`${name}: that of another order is never followed`, () => {
      const foreign = created({ ...invoice, external_id: 'order-2' });
      const play = start().play(createFailed('order_paid', { invoice: foreign }));
      assert.equal(play.state.phase, name === 'replacement' ? 'confirming' : 'failed');
      assert.deepEqual(names(play.commands).at(-1), 'error reference_mismatch');
      assert.deepEqual(commandsOf(play.commands, 'look_up'), []);
    });
  }

  it('without an invoice nothing is offered any more: the merchant has to help', () => {
    const play = checkout().play(submitted, createFailed('order_paid'));
    assert.equal(inPhase(play, 'failed').error.code, 'order_paid');
  });

  it('without an invoice no former code comes back: it could be paid a second time', () => {
    for (const play of [replacing(), expired().play(newCodeAsked)]) {
      play.play(createFailed('order_paid'));
      assert.equal(inPhase(play, 'confirming').error?.code, 'order_paid');
      assert.notEqual(nextDueMs(play.state), null, 'the former code is still followed');
    }
  });
});

describe('a new code', () => {
  it('is asked for in place of the newest, with a key of its own; the record stays until it is there', () => {
    assert.deepEqual(offered().play(newCodeAsked).commands, [
      request('create', 'invoice', otherKey, invoiceId),
    ]);
  });

  it('takes the place of the former, which is followed still', () => {
    const play = replaced();
    const { watch } = inPhase(play, 'awaiting');
    assert.deepEqual(
      watch.invoices.map((invoice) => invoice.invoiceId),
      [invoiceId, formerId],
    );
    assert.equal(watch.attemptKey, otherKey);
    assert.deepEqual(names(play.commands), ['remember', 'created', 'look_up']);
  });

  it('the former is paid while the new one is being made: paid', () => {
    const play = replacing().wait(8_000);
    play.play(lookedUp({ status: 'paid' }));
    inPhase(play, 'paid');
    assert.deepEqual(names(play.commands), ['abort', 'forget', 'paid']);
  });

  for (const [code, next] of [
    ['too_many_requests', createFailed('too_many_requests')],
    ['order_closed', createFailed('order_closed')],
    ['amount_mismatch', createdEvent({ invoice_id: 'invoice-0002', total_cents: 1 })],
    ['invalid_code', createdEvent({ invoice_id: 'invoice-0002', qr_code_pix: '' })],
  ] as const) {
    it(`cannot be had: the former is where it was, ${code}`, () => {
      const open = replacing().play(next);
      assert.equal(inPhase(open, 'awaiting').error?.code, code);
      const over = expired().play(newCodeAsked).play(next);
      assert.equal(inPhase(over, 'expired').error?.code, code);
      for (const play of [open, over]) {
        assert.ok(names(play.commands).includes(`error ${code}`));
        assert.notEqual(nextDueMs(play.state), null, 'the former code is still followed');
      }
    });
  }

  it('cannot be had while look-ups stand still: they go on', () => {
    const play = replacing().play(paused, createFailed('too_many_requests'));
    inPhase(play, 'awaiting');
    assert.notEqual(nextDueMs(play.state), null);
  });

  it('the deadline of the former passes meanwhile: it expires only after a look-up of its own', () => {
    const play = checkout({ expiresInSeconds: 60 });
    play.play(submitted, createdEvent(), lookedUp());
    play.play(newCodeAsked);
    play.nowMs = 61_000;
    play.play(createFailed('too_many_requests'));
    inPhase(play, 'awaiting');
    play.wait(0).play(lookedUp());
    inPhase(play, 'expired');
    assert.ok(names(play.commands).includes('expired'));
  });

  it('that is the former one again keeps its code and its deadline', () => {
    const play = expired().play(newCodeAsked);
    const before = inPhase(expired(), 'expired').watch.invoices[0];
    play.play(
      createdEvent({ qr_code_pix: dynamicCode('129.90', 'v2/other'), lookup_token: 'token-2' }),
    );
    const [invoice, ...others] = inPhase(play, 'awaiting').watch.invoices;
    assert.deepEqual(invoice, { ...before, lookupToken: 'token-2' });
    assert.deepEqual(others, []);
    play.wait(0).play(lookedUp());
    inPhase(play, 'expired');
  });
});
