/** What a create answer leads to: a code on the screen, a refusal, a retry, or an order that is paid already. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { findNextDueMs } from '../../../src/checkout/machine/transition.js';
import { cardSubmitted } from './charge/cards.js';
import {
  checkout,
  codes,
  commandsOf,
  created,
  createdEvent,
  createFailed,
  inPhase,
  invoiceId,
  key,
  newCodeAsked,
  otherKey,
  paused,
  request,
  returned,
  submitted,
} from './samples.js';
import { expired, replaced, samples } from './states.js';
import { checkoutAt, paidBy, reset, submittedAnew } from './checkout-at.js';
import { dynamicCode, staticCode } from '../../support/pix-code.js';

describe('an invoice was made', () => {
  it('is remembered, told of, and looked up at once', () => {
    const { commands } = checkout().play(submitted, createdEvent());
    const known = { invoiceId, method: 'pix', totalCents: 12_990 };
    const lookupToken = 'token-1';
    const invoice = { ...known, orderCode: 'ABC123', externalId: 'order-1042' };
    assert.deepEqual(commands, [
      { type: 'remember', attemptKey: key, ...known, lookupToken },
      { type: 'emit', event: { name: 'created', invoice } },
      { type: 'look_up', invoiceId, lookupToken, waitSeconds: 25, timeoutMs: 33_000 },
    ]);
  });

  it('what the page did not say is not compared', () => {
    const play = checkout({ externalId: null, pixCents: null, cardCents: null });
    play.play(submitted, createdEvent({ total_cents: 500, qr_code_pix: dynamicCode(500) }));
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].totalCents, 500);
  });

  it('an invoice without a reference is told with an empty one', () => {
    const play = checkout({ externalId: null });
    play.play(submitted, createdEvent({ external_id: null }));
    const told = commandsOf(play.commands, 'emit').map(({ event }) => event);
    assert.equal(told[0]?.name === 'created' && told[0].invoice.externalId, '');
  });

  it('a new total is offered, unless its invoice may be paid already', () => {
    const offered = (status: string) => {
      const play = checkout();
      const qr_code_pix = dynamicCode(13_000);
      play.play(submitted, createdEvent({ status, total_cents: 13_000, qr_code_pix }));
      return inPhase(play, 'failed').totalCents;
    };
    assert.deepEqual(['pending', 'paid'].map(offered), [13_000, undefined]);
  });

  it('an answer that says paid is confirmed by a look-up before anything is shown as paid', () => {
    const checkout = checkoutAt('posting');
    checkout.hears(createdEvent({ status: 'paid' })).is('confirming', {
      follows: [invoiceId],
      commands: [{ remember: key, invoice: invoiceId }, 'created', { lookUpHeld: invoiceId }],
    });
  });

  it('for another price stops the checkout', () => {
    const checkout = checkoutAt('posting');
    checkout
      .hears(createdEvent({ total_cents: 13_000, qr_code_pix: dynamicCode(13_000) }))
      .is('failed', {
        error: 'amount_mismatch',
        commands: ['forget', { error: 'amount_mismatch' }],
      });
  });

  it('for another order stops the checkout', () => {
    const checkout = checkoutAt('posting');
    checkout.hears(createdEvent({ external_id: 'order-2' })).is('failed', {
      error: 'reference_mismatch',
      commands: ['forget', { error: 'reference_mismatch' }],
    });
  });

  it('for no order stops the checkout', () => {
    const checkout = checkoutAt('posting');
    checkout.hears(createdEvent({ external_id: null })).is('failed', {
      error: 'reference_mismatch',
      commands: ['forget', { error: 'reference_mismatch' }],
    });
  });

  it('a dynamic code that names another amount is shown, and the merchant warned', () => {
    const checkout = checkoutAt('posting');
    checkout.hears(createdEvent({ qr_code_pix: dynamicCode(100) })).is('awaiting', {
      follows: [invoiceId],
      commands: [
        { remember: key, invoice: invoiceId },
        'created',
        { error: 'code_amount_differs' },
        { lookUpHeld: invoiceId },
      ],
    });
  });

  for (const [name, text, error] of [
    ['no code', '', 'invalid_code'],
    ['a code that no payer should see', 'nonsense', 'invalid_code'],
    ['a static code of another amount', staticCode(100), 'code_amount_differs'],
  ] as const) {
    it(`${name}: another is asked for in its place`, () => {
      const checkout = checkoutAt('posting');
      checkout
        .hears(createdEvent({ qr_code_pix: text }))
        .is('form', { error, commands: ['forget', 'created', { error }] });
      checkout.hears(submittedAnew).is('creating', {
        commands: [{ remember: otherKey }, { create: otherKey, replaces: invoiceId }],
      });
    });
  }

  it('a wrong check sum', () => {
    const wrong = createdEvent({ qr_code_pix: dynamicCode().replace('129.90', '129.91') });
    const play = checkout().play(submitted, wrong);
    const { error, replaces } = inPhase(play, 'form');
    assert.deepEqual([error, replaces], [{ code: 'invalid_code', retryable: true }, invoiceId]);
  });
});

describe('a creation failed', () => {
  const retried = ['network', 'service_unavailable', 'in_progress'];
  const toForm = ['too_many_requests', 'invalid_answer', 'outcome_unknown'];
  const withNewKey = ['key_reused', 'payment_refused', 'invalid_request'];
  const ends = [...codes, 'invalid_answer'] as const;

  for (const code of ends.filter((code) => !retried.includes(code))) {
    const forget = toForm.includes(code) ? [] : (['forget'] as const);
    const phase = [...toForm, ...withNewKey].includes(code) ? 'form' : 'failed';
    it(`${code}: ${phase === 'form' ? 'back to the form' : 'the merchant has to help'}`, () => {
      const checkout = checkoutAt('posting');
      checkout
        .hears(createFailed(code))
        .is(phase, { error: code, commands: [...forget, { error: code }] });
    });
  }

  for (const code of retried.filter((code) => code !== 'in_progress')) {
    it(`${code}: made again twice by itself with the same key, then the form says so`, () => {
      const play = checkout().play(submitted);
      for (const spanMs of [1_500, 3_000]) {
        play.play(createFailed(code as 'network'));
        assert.deepEqual(play.commands, []);
        assert.equal(findNextDueMs(play.state), play.nowMs + spanMs * 0.75, 'jitter, random 0.5');
        assert.deepEqual(play.wait(spanMs * 0.75).commands, [request('create', 'invoice', key)]);
      }
      play.play(createFailed(code as 'network', { retryable: true }));
      assert.deepEqual(inPhase(play, 'form').error, { code, retryable: true });
    });
  }

  it('Retry-After is kept, and a long one is left to the payer', () => {
    const checkout = checkoutAt('posting');
    checkout.hears(createFailed('service_unavailable', { retryAfterSeconds: 5 })).is('creating');
    checkout.waits(4_999).is('creating');
    checkout.waits(1).is('creating', { commands: [{ create: key }] });
    checkout
      .hears(createFailed('service_unavailable', { retryAfterSeconds: 6 }))
      .is('form', { error: 'service_unavailable', commands: [{ error: 'service_unavailable' }] });
  });

  it('too many attempts: a short pause is waited out, and without a word of its length the payer is asked', () => {
    const checkout = checkoutAt('posting');
    checkout.hears(createFailed('too_many_requests', { retryAfterSeconds: 2 })).is('creating');
    checkout.waits(1_999).is('creating');
    checkout.waits(1).is('creating', { commands: [{ create: key }] });
    checkout
      .hears(createFailed('too_many_requests'))
      .is('form', { error: 'too_many_requests', commands: [{ error: 'too_many_requests' }] });
  });

  it('a return to the page asks at once, with the same key', () => {
    const checkout = checkoutAt('posting');
    checkout.hears(returned).is('creating', { commands: [{ create: key }] });
    checkout
      .hears(createFailed('network'))
      .hears(returned)
      .is('creating', { commands: [{ create: key }] });
    checkout.waits(60_000).is('creating');
  });

  it('what it was to replace is replaced by the next try', () => {
    const checkout = checkoutAt('posting');
    checkout
      .hears(createdEvent({ qr_code_pix: '' }))
      .hears(submittedAnew)
      .hears(createFailed('too_many_requests'))
      .is('form', { error: 'too_many_requests', commands: [{ error: 'too_many_requests' }] });
    checkout.hears(submittedAnew).is('creating', {
      commands: [{ remember: otherKey }, { create: otherKey, replaces: invoiceId }],
    });
  });
});

describe('a card of the order is open', () => {
  const busy = createFailed('in_progress');
  const turnedAway = () =>
    samples.posting().play(busy).wait(1_125).play(busy).wait(2_250).play(busy).wait(0);
  it('it is asked for once two repeats were turned away', () => {
    const checkout = checkoutAt('posting');
    checkout.hears(busy).is('creating');
    checkout.waits(1_125).is('creating', { commands: [{ create: key }] });
    checkout.hears(busy).is('creating');
    checkout.waits(2_250).is('creating', { commands: [{ create: key }] });
    checkout.hears(busy).is('confirming', { isAsking: true });
    checkout.waits(0).is('confirming', { isAsking: true, commands: [{ recover: key }] });
  });

  it('its outcome is waited for, and the order is paid: the receipt', () => {
    const checkout = checkoutAt(turnedAway);
    checkout.hears(createFailed('in_progress')).is('confirming', { isAsking: true });
    checkout.waits(30_000).is('confirming', { isAsking: true, commands: [{ recover: key }] });
    checkout
      .hears(createFailed('order_paid', { invoice: paidBy('invoice-paid') }))
      .is('confirming', {
        follows: ['invoice-paid'],
        commands: [{ settle: key }, { lookUpHeld: 'invoice-paid' }],
      });
    checkout.finds({ status: 'paid' }).is('paid', { commands: ['abort', 'forget', 'paid'] });
  });

  it('the order is paid, and by what is not known: nothing is offered any more', () => {
    const checkout = checkoutAt(turnedAway);
    checkout.hears(createFailed('order_paid')).is('failed', {
      error: 'order_paid',
      commands: [{ settle: key }, 'forget', { error: 'order_paid' }],
    });
  });

  it('it came to nothing: the form, and another key, for this one is barred', () => {
    const checkout = checkoutAt(turnedAway);
    checkout
      .hears(createFailed('not_found'))
      .is('form', { error: 'in_progress', commands: [{ forget: key }, { error: 'in_progress' }] });
    checkout
      .hears(submittedAnew)
      .is('creating', { commands: [{ remember: otherKey }, { create: otherKey }] });
  });

  it('it came to nothing, and the code was made after all: it is shown', () => {
    const checkout = checkoutAt(turnedAway);
    checkout.hears(createdEvent()).is('awaiting', {
      follows: [invoiceId],
      commands: [{ remember: key, invoice: invoiceId }, { lookUpHeld: invoiceId }],
    });
  });

  it('the code was made, and cannot be shown', () => {
    const checkout = checkoutAt(turnedAway);
    checkout
      .hears(createdEvent({ qr_code_pix: '' }))
      .is('form', { error: 'invalid_code', commands: ['forget', { error: 'invalid_code' }] });
    checkout.hears(submittedAnew).is('creating', {
      commands: [{ remember: otherKey }, { create: otherKey, replaces: invoiceId }],
    });
  });

  it('nothing else may be paid meanwhile, and nothing forgotten', () => {
    const checkout = checkoutAt(turnedAway);
    checkout.hears(cardSubmitted).is('confirming', { isAsking: true });
    checkout.hears(submittedAnew).is('confirming', { isAsking: true });
    checkout.hears(reset).is('confirming', { isAsking: true });
    checkout.hears(newCodeAsked).is('confirming', { isAsking: true });
    checkout.hears(returned).is('confirming', { isAsking: true, commands: [{ recover: key }] });
  });

  it('after a reload it is waited for in the same way', () => {
    const checkout = checkoutAt('recovering');
    checkout
      .hears(createFailed('in_progress'))
      .waits(30_000)
      .hears(createFailed('in_progress'))
      .waits(30_000)
      .hears(createFailed('in_progress'))
      .is('confirming', { isAsking: true });
    checkout.waits(0).is('confirming', { isAsking: true, commands: [{ recover: key }] });
  });

  it('a proxy that wants a long pause is not asked in silence', () => {
    const checkout = checkoutAt('posting');
    checkout
      .hears(createFailed('in_progress', { retryAfterSeconds: 60 }))
      .is('confirming', { isAsking: true });
    checkout.waits(59_999).is('confirming', { isAsking: true });
    checkout.waits(1).is('confirming', { isAsking: true, commands: [{ recover: key }] });
  });

  it('a gateway that says so knows nothing of the order', () => {
    const checkout = checkoutAt('posting');
    checkout
      .hears(createFailed('in_progress', { told: false }))
      .waits(30_000)
      .hears(createFailed('in_progress', { told: false }))
      .waits(30_000)
      .hears(createFailed('in_progress', { told: false }))
      .is('form', { error: 'in_progress', commands: [{ error: 'in_progress' }] });
  });

  it('another code is wanted: the former stays where it is', () => {
    const checkout = checkoutAt('replacing');
    checkout
      .hears(createFailed('in_progress'))
      .waits(1_125)
      .hears(createFailed('in_progress'))
      .waits(2_250)
      .hears(createFailed('in_progress'))
      .is('awaiting', {
        error: 'in_progress',
        follows: [invoiceId],
        commands: [{ error: 'in_progress' }],
      });
  });

  it('is over: the payer may try again', () => {
    const play = turnedAway().play(createFailed('not_found'));
    assert.deepEqual(inPhase(play, 'form').error, { code: 'in_progress', retryable: true });
  });
});

describe('the order is paid already', () => {
  for (const [start, behind] of [
    ['posting', []],
    ['recovering', []],
    ['replacing', [invoiceId]],
  ] as const) {
    const isFollowed = behind.length > 0;
    const error = 'reference_mismatch';
    const commands = [...(isFollowed ? [] : ['forget' as const]), { error }] as const;
    const end = [
      isFollowed ? 'confirming' : 'failed',
      { error, follows: behind, commands },
    ] as const;
    it(`${start}: the invoice that paid it is looked up and shown as receipt`, () => {
      const checkout = checkoutAt(start);
      checkout
        .hears(createFailed('order_paid', { invoice: paidBy('invoice-paid') }))
        .is('confirming', {
          follows: ['invoice-paid', ...behind],
          commands: [{ lookUpHeld: 'invoice-paid' }],
        });
      checkout.finds({ status: 'paid' }).is('paid', { commands: ['abort', 'forget', 'paid'] });
    });

    it(`${start}: that of another order is never followed`, () => {
      const checkout = checkoutAt(start);
      checkout
        .hears(createFailed('order_paid', { invoice: paidBy('foreign', 'order-2') }))
        .is(...end);
    });
  }

  it('a page without a reference follows the invoice that paid it', () => {
    const paid = createFailed('order_paid', { invoice: paidBy('invoice-paid', 'order-2') });
    const play = checkout({ externalId: null }).play(submitted, paid);
    assert.equal(inPhase(play, 'confirming').watch?.invoices[0].invoiceId, 'invoice-paid');
  });

  it('without an invoice no former code comes back: it could be paid a second time', () => {
    const checkout = checkoutAt('replacing');
    checkout.hears(createFailed('order_paid')).is('confirming', {
      error: 'order_paid',
      follows: [invoiceId],
      commands: [{ error: 'order_paid' }],
    });
    checkout
      .finds()
      .waits(30_000)
      .is('confirming', {
        error: 'order_paid',
        follows: [invoiceId],
        commands: [{ lookUp: invoiceId }],
      });
  });

  it('without an invoice no expired code comes back either', () => {
    const checkout = checkoutAt('expired');
    checkout
      .hears(newCodeAsked)
      .hears(createFailed('order_paid'))
      .is('confirming', {
        error: 'order_paid',
        follows: [invoiceId],
        commands: [{ error: 'order_paid' }],
      });
    checkout
      .finds()
      .waits(30_000)
      .is('confirming', {
        error: 'order_paid',
        follows: [invoiceId],
        commands: [{ lookUp: invoiceId }],
      });
  });
});

const foreign = created({ invoice_id: 'invoice-x', external_id: 'order-2' });
for (const [name, event, expected] of [
  ['another total', createdEvent({ total_cents: 1 }), invoiceId],
  ['no code', createdEvent({ qr_code_pix: '' }), invoiceId],
  ['paid by another order', createFailed('order_paid', { invoice: foreign }), 'invoice-x'],
  ['none known', createFailed('order_closed'), null],
  ['a shop that answers nonsense', createFailed('order_failed'), null],
] as const) {
  it(`an error names the invoice it is about ${name}: ${expected}`, () => {
    const play = checkout().play(submitted, event);
    const told = commandsOf(play.commands, 'emit').map((command) => command.event);
    const error = told.find((one) => one.name === 'error');
    assert.equal(error?.name === 'error' ? error.invoiceId : undefined, expected);
  });
}

describe('a new code', () => {
  const other = { invoice_id: 'invoice-2' };
  it('is asked for with a key of its own', () => {
    assert.deepEqual(replaced().play(newCodeAsked).commands, [
      request('create', 'invoice', otherKey, invoiceId),
    ]);
  });

  it('is asked for in place of the newest; the record stays until it is there', () => {
    const checkout = checkoutAt('offered');
    checkout.hears(newCodeAsked).is('creating', {
      follows: [invoiceId],
      commands: [{ create: otherKey, replaces: invoiceId }],
    });
  });

  it('takes the place of the former, which is followed still', () => {
    const checkout = checkoutAt('replacing');
    checkout.hears(createdEvent({ invoice_id: 'invoice-2' })).is('awaiting', {
      follows: ['invoice-2', invoiceId],
      commands: [
        { remember: otherKey, invoice: 'invoice-2' },
        'created',
        { lookUpHeld: 'invoice-2' },
      ],
    });
    checkout
      .finds()
      .is('awaiting', { follows: ['invoice-2', invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout.finds().is('awaiting', { follows: ['invoice-2', invoiceId] });
  });

  it('the former is paid while the new one is being made: paid', () => {
    const checkout = checkoutAt('replacing');
    checkout
      .waits(8_000)
      .is('creating', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout.finds({ status: 'paid' }).is('paid', { commands: ['abort', { forget: key }, 'paid'] });
  });

  it('cannot be had while look-ups stand still: they go on', () => {
    const checkout = checkoutAt('replacing');
    checkout.hears(paused).is('creating', { follows: [invoiceId] });
    checkout.hears(createFailed('too_many_requests')).is('awaiting', {
      error: 'too_many_requests',
      follows: [invoiceId],
      commands: [{ error: 'too_many_requests' }],
    });
    checkout.waits(6_000).is('awaiting', {
      error: 'too_many_requests',
      follows: [invoiceId],
      commands: [{ lookUp: invoiceId }],
    });
  });

  it('the deadline of the former passes meanwhile: it expires only after a look-up of its own', () => {
    const checkout = checkoutAt('awaitingUntil60s');
    checkout
      .finds()
      .hears(newCodeAsked)
      .waits(61_000)
      .is('creating', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout.hears(createFailed('too_many_requests')).is('awaiting', {
      error: 'too_many_requests',
      follows: [invoiceId],
      commands: [{ error: 'too_many_requests' }],
    });
    checkout.waits(0).is('awaiting', {
      error: 'too_many_requests',
      isClosing: true,
      follows: [invoiceId],
      commands: [{ lookUp: invoiceId }],
    });
    checkout.finds().is('expired', { follows: [invoiceId], commands: ['expired'] });
  });

  it('that is the former one again expires again', () => {
    const checkout = checkoutAt('expired');
    checkout
      .hears(newCodeAsked)
      .hears(createdEvent())
      .is('awaiting', {
        follows: [invoiceId],
        commands: [
          { remember: otherKey, invoice: invoiceId },
          'created',
          { lookUpHeld: invoiceId },
        ],
      });
    checkout
      .waits(0)
      .is('awaiting', { isClosing: true, follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout.finds().is('expired', { follows: [invoiceId], commands: ['expired'] });
  });

  for (const [name, event, code, told] of [
    ['too_many_requests', createFailed('too_many_requests'), 'too_many_requests', []],
    ['order_closed', createFailed('order_closed'), 'order_closed', []],
    ['another total', createdEvent({ ...other, total_cents: 1 }), 'amount_mismatch', []],
    ['no code in it', createdEvent({ ...other, qr_code_pix: '' }), 'invalid_code', ['created']],
  ] as const) {
    it(`cannot be had, ${name}: the former is where it was`, () => {
      const checkout = checkoutAt('replacing');
      checkout.hears(event).is('awaiting', {
        error: code,
        follows: [invoiceId],
        commands: [...told, { error: code }],
      });
      checkout
        .waits(8_000)
        .is('awaiting', { error: code, follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    });

    it(`cannot be had, ${name}, and the former had expired`, () => {
      const checkout = checkoutAt('expired');
      checkout
        .hears(newCodeAsked)
        .hears(event)
        .is('expired', { error: code, follows: [invoiceId], commands: [...told, { error: code }] });
      checkout
        .waits(30_000)
        .is('expired', { error: code, follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    });
  }

  it('that is the former one again keeps its code and its deadline', () => {
    const play = expired().play(newCodeAsked);
    const before = inPhase(expired(), 'expired').watch.invoices[0];
    const qr_code_pix = dynamicCode(12_990, 'v2/other');
    play.play(createdEvent({ qr_code_pix, lookup_token: 'token-2' }));
    const { invoices } = inPhase(play, 'awaiting').watch;
    assert.deepEqual(invoices, [{ ...before, lookupToken: 'token-2' }]);
  });
});

describe('without a line', () => {
  /** Asked for, and failed more often than a proxy is tried by itself. */
  const tried = (offline: boolean) => {
    const play = checkout();
    play.offline = offline;
    play.play(submitted);
    for (let tries = 0; tries < 6; tries++) play.play(createFailed('network')).wait(60_000);
    return play;
  };

  it('a creation waits for it, and is made again at once when it is back', () => {
    const play = tried(true).play(createFailed('network'));
    assert.equal(play.state.phase, 'creating');
    assert.ok(findNextDueMs(play.state) < Infinity, 'the browser may be wrong');
    play.offline = false;
    const [again] = commandsOf(play.play(returned).commands, 'request');
    assert.equal(again?.attemptKey, key);
  });

  it('that no browser knows of, the payer is asked, and is told until the next press', () => {
    const play = tried(false);
    assert.equal(inPhase(play, 'form').error?.code, 'network');
    assert.equal(inPhase(play.play(returned), 'form').error?.code, 'network');
  });

  it('but an answer shows that there is one: the payer is asked as ever', () => {
    const play = checkout();
    play.offline = true;
    play.play(submitted);
    for (let tries = 0; tries < 3; tries++)
      play.play(createFailed('service_unavailable')).wait(60_000);
    assert.equal(inPhase(play, 'form').error?.code, 'service_unavailable');
  });

  it('another error stays when the payer is back', () => {
    const play = checkout().play(submitted, createFailed('too_many_requests'), returned);
    assert.equal(inPhase(play, 'form').error?.code, 'too_many_requests');
  });
});
