/** What a create answer leads to: a code on the screen, a refusal, a retry, or an order that is paid already. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { nextDueMs } from '../../../src/checkout/machine/transition.js';
import {
  codes,
  checkout,
  commandsOf,
  createFailed,
  created,
  createdEvent,
  inPhase,
  invoiceId,
  key,
  lookedUp,
  newCodeAsked,
  otherKey,
  paused,
  request,
  returned,
  submitted,
} from './samples.js';
import { dynamicCode, staticCode } from '../../world/pix-code.js';
import { expired, replaced } from './states.js';
import { cardSubmitted } from './charge/cards.js';
import { at, found, paidBy, reset, submittedAnew, tell, wait } from './stories.js';

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

  tell`
    an answer that says paid is confirmed by a look-up before anything is shown as paid
      ${at.posting} > ${createdEvent({ status: 'paid' })} = confirming [1]: remember:a/1 created held:1
    for another price stops the checkout
      ${at.posting} > ${createdEvent({ total_cents: 13_000, qr_code_pix: dynamicCode(13_000) })}
      = failed (amount_mismatch): forget error:amount_mismatch
    for another order stops the checkout
      ${at.posting}
      > ${createdEvent({ external_id: 'order-2' })} = failed (reference_mismatch): forget error:reference_mismatch
    for no order stops the checkout
      ${at.posting}
      > ${createdEvent({ external_id: null })} = failed (reference_mismatch): forget error:reference_mismatch
    a dynamic code that names another amount is shown, and the merchant warned
      ${at.posting} > ${createdEvent({ qr_code_pix: dynamicCode(100) })}
      = awaiting [1]: remember:a/1 created error:code_amount_differs held:1
    no code: another is asked for in its place
      ${at.posting} > ${createdEvent({ qr_code_pix: '' })} = form (invalid_code): forget created error:invalid_code
      > ${submittedAnew} = creating: remember:b create:b/1
    a code that no payer should see
      ${at.posting}
      > ${createdEvent({ qr_code_pix: 'nonsense' })} = form (invalid_code): forget created error:invalid_code
      > ${submittedAnew} = creating: remember:b create:b/1
    a static code of another amount
      ${at.posting} > ${createdEvent({ qr_code_pix: staticCode(100) })}
      = form (code_amount_differs): forget created error:code_amount_differs
      > ${submittedAnew} = creating: remember:b create:b/1
  `;

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
    const forget = toForm.includes(code) ? '' : 'forget ';
    const phase = [...toForm, ...withNewKey].includes(code) ? 'form' : 'failed';
    tell`
      ${code}: ${phase === 'form' ? 'back to the form' : 'the merchant has to help'}
        ${at.posting} > ${createFailed(code)} = ${phase} (${code}): ${forget}error:${code}
    `;
  }

  for (const code of retried.filter((code) => code !== 'in_progress')) {
    it(`${code}: made again twice by itself with the same key, then the form says so`, () => {
      const play = checkout().play(submitted);
      for (const spanMs of [1_500, 3_000]) {
        play.play(createFailed(code as 'network'));
        assert.deepEqual(play.commands, []);
        assert.equal(nextDueMs(play.state), play.nowMs + spanMs * 0.75, 'jitter, random 0.5');
        assert.deepEqual(play.wait(spanMs * 0.75).commands, [request('create', 'invoice', key)]);
      }
      play.play(createFailed(code as 'network', { retryable: true }));
      assert.deepEqual(inPhase(play, 'form').error, { code, retryable: true });
    });
  }

  tell`
    Retry-After is kept, and a long one is left to the payer
      ${at.posting} > ${createFailed('service_unavailable', { retryAfterSeconds: 5 })} = creating
      > ${wait(4_999)} = creating > ${wait(1)} = creating: create:a
      > ${createFailed('service_unavailable', { retryAfterSeconds: 6 })}
      = form (service_unavailable): error:service_unavailable
    too many attempts: a short pause is waited out, and without a word of its length the payer is asked
      ${at.posting} > ${createFailed('too_many_requests', { retryAfterSeconds: 2 })} = creating
      > ${wait(1_999)} = creating > ${wait(1)} = creating: create:a
      > ${createFailed('too_many_requests')} = form (too_many_requests): error:too_many_requests
    a return to the page asks at once, with the same key
      ${at.posting} > ${returned} = creating: create:a > ${createFailed('network')}
      > ${returned} = creating: create:a > ${wait(60_000)} = creating
    what it was to replace is replaced by the next try
      ${at.posting} > ${createdEvent({ qr_code_pix: '' })} > ${submittedAnew}
      > ${createFailed('too_many_requests')} = form (too_many_requests): error:too_many_requests
      > ${submittedAnew} = creating: remember:b create:b/1
  `;
});

describe('a card of the order is open', () => {
  const busy = createFailed('in_progress');
  const turnedAway = () =>
    at.posting().play(busy).wait(1_125).play(busy).wait(2_250).play(busy).wait(0);
  tell`
    it is asked for once two repeats were turned away
      ${at.posting} > ${busy} = creating > ${wait(1_125)} = creating: create:a
      > ${busy} = creating > ${wait(2_250)} = creating: create:a
      > ${busy} = confirming asking > ${wait(0)} = confirming asking: recover:a
    its outcome is waited for, and the order is paid: the receipt
      ${turnedAway} > ${createFailed('in_progress')} = confirming asking
      > ${wait(30_000)} = confirming asking: recover:a
      > ${createFailed('order_paid', { invoice: paidBy('invoice-paid') })} = confirming [paid]: settle:a held:paid
      > ${found({ status: 'paid' })} = paid: abort forget paid
    the order is paid, and by what is not known: nothing is offered any more
      ${turnedAway} > ${createFailed('order_paid')} = failed (order_paid): settle:a forget error:order_paid
    it came to nothing: the form, and another key, for this one is barred
      ${turnedAway} > ${createFailed('not_found')} = form (in_progress): forget:a error:in_progress
      > ${submittedAnew} = creating: remember:b create:b
    it came to nothing, and the code was made after all: it is shown
      ${turnedAway} > ${createdEvent()} = awaiting [1]: remember:a/1 held:1
    the code was made, and cannot be shown
      ${turnedAway} > ${createdEvent({ qr_code_pix: '' })} = form (invalid_code): forget error:invalid_code
      > ${submittedAnew} = creating: remember:b create:b/1
    nothing else may be paid meanwhile, and nothing forgotten
      ${turnedAway} > ${cardSubmitted} = confirming asking > ${submittedAnew} = confirming asking
      > ${reset} = confirming asking > ${newCodeAsked} = confirming asking
      > ${returned} = confirming asking: recover:a
    after a reload it is waited for in the same way
      ${at.recovering} > ${createFailed('in_progress')} > ${wait(30_000)} > ${createFailed('in_progress')}
      > ${wait(30_000)} > ${createFailed('in_progress')} = confirming asking
      > ${wait(0)} = confirming asking: recover:a
    a proxy that wants a long pause is not asked in silence
      ${at.posting} > ${createFailed('in_progress', { retryAfterSeconds: 60 })} = confirming asking
      > ${wait(59_999)} = confirming asking > ${wait(1)} = confirming asking: recover:a
    a gateway that says so knows nothing of the order
      ${at.posting} > ${createFailed('in_progress', { told: false })} > ${wait(30_000)}
      > ${createFailed('in_progress', { told: false })} > ${wait(30_000)}
      > ${createFailed('in_progress', { told: false })} = form (in_progress): error:in_progress
    another code is wanted: the former stays where it is
      ${at.replacing} > ${createFailed('in_progress')} > ${wait(1_125)} > ${createFailed('in_progress')}
      > ${wait(2_250)} > ${createFailed('in_progress')} = awaiting (in_progress) [1]: error:in_progress
  `;

  it('is over: the payer may try again', () => {
    const play = turnedAway().play(createFailed('not_found'));
    assert.deepEqual(inPhase(play, 'form').error, { code: 'in_progress', retryable: true });
  });
});

describe('the order is paid already', () => {
  for (const [start, behind] of [
    ['posting', ''],
    ['recovering', ''],
    ['replacing', ' 1'],
  ] as const) {
    const end = behind
      ? 'confirming (reference_mismatch) [1]:'
      : 'failed (reference_mismatch): forget';
    tell`
      ${start}: the invoice that paid it is looked up and shown as receipt
        ${at[start]}
        > ${createFailed('order_paid', { invoice: paidBy('invoice-paid') })} = confirming [paid${behind}]: held:paid
        > ${found({ status: 'paid' })} = paid: abort forget paid
      ${start}: that of another order is never followed
        ${at[start]}
        > ${createFailed('order_paid', { invoice: paidBy('foreign', 'order-2') })} = ${end} error:reference_mismatch
    `;
  }

  tell`
    without an invoice nothing is offered any more: the merchant has to help
      ${at.posting} > ${createFailed('order_paid')} = failed (order_paid): forget error:order_paid
    without an invoice no former code comes back: it could be paid a second time
      ${at.replacing} > ${createFailed('order_paid')} = confirming (order_paid) [1]: error:order_paid > ${found()}
      > ${wait(30_000)} = confirming (order_paid) [1]: look_up:1
    without an invoice no expired code comes back either
      ${at.expired} > ${newCodeAsked} > ${createFailed('order_paid')} = confirming (order_paid) [1]: error:order_paid
      > ${found()} > ${wait(30_000)} = confirming (order_paid) [1]: look_up:1
  `;
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

  tell`
    is asked for in place of the newest; the record stays until it is there
      ${at.offered} > ${newCodeAsked} = creating [1]: create:b/1
    takes the place of the former, which is followed still
      ${at.replacing} > ${createdEvent({ invoice_id: 'invoice-2' })} = awaiting [2 1]: remember:b/2 created held:2
      > ${found()} = awaiting [2 1]: look_up:1 > ${found()} = awaiting [2 1]
    the former is paid while the new one is being made: paid
      ${at.replacing} > ${wait(8_000)} = creating [1]: look_up:1
      > ${found({ status: 'paid' })} = paid: abort forget:a paid
    cannot be had while look-ups stand still: they go on
      ${at.replacing} > ${paused} = creating [1]
      > ${createFailed('too_many_requests')} = awaiting (too_many_requests) [1]: error:too_many_requests
      > ${wait(6_000)} = awaiting (too_many_requests) [1]: look_up:1
    the deadline of the former passes meanwhile: it expires only after a look-up of its own
      ${at.awaitingUntil60s} > ${found()} > ${newCodeAsked} > ${wait(61_000)} = creating [1]: look_up:1
      > ${createFailed('too_many_requests')} = awaiting (too_many_requests) [1]: error:too_many_requests
      > ${wait(0)} = awaiting (too_many_requests) closing [1]: look_up:1 > ${found()} = expired [1]: expired
    that is the former one again expires again
      ${at.expired} > ${newCodeAsked} > ${createdEvent()} = awaiting [1]: remember:b/1 created held:1
      > ${wait(0)} = awaiting closing [1]: look_up:1 > ${found()} = expired [1]: expired
  `;

  for (const [name, event, code, told] of [
    ['too_many_requests', createFailed('too_many_requests'), 'too_many_requests', ''],
    ['order_closed', createFailed('order_closed'), 'order_closed', ''],
    ['another total', createdEvent({ ...other, total_cents: 1 }), 'amount_mismatch', ''],
    ['no code in it', createdEvent({ ...other, qr_code_pix: '' }), 'invalid_code', 'created '],
  ] as const) {
    tell`
      cannot be had, ${name}: the former is where it was
        ${at.replacing} > ${event} = awaiting (${code}) [1]: ${told}error:${code}
        > ${wait(8_000)} = awaiting (${code}) [1]: look_up:1
      cannot be had, ${name}, and the former had expired
        ${at.expired} > ${newCodeAsked} > ${event} = expired (${code}) [1]: ${told}error:${code}
        > ${wait(30_000)} = expired (${code}) [1]: look_up:1
    `;
  }

  it('that is the former one again keeps its code and its deadline', () => {
    const play = expired().play(newCodeAsked);
    const before = inPhase(expired(), 'expired').watch.invoices[0];
    const qr_code_pix = dynamicCode(12_990, 'v2/other');
    play.play(createdEvent({ qr_code_pix, lookup_token: 'token-2' }));
    const { invoices } = inPhase(play, 'awaiting').watch;
    assert.deepEqual(invoices, [{ ...before, lookupToken: 'token-2' }]);
  });

  it('that is in front belongs to its own key', () => {
    assert.equal(inPhase(replaced().play(lookedUp()), 'awaiting').watch.attemptKey, otherKey);
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
    assert.ok(nextDueMs(play.state) < Infinity, 'the browser may be wrong');
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
