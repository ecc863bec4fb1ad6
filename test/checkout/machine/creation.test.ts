/** What a create answer leads to: a code on the screen, a refusal, a retry, or an order that is paid already. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { errorCodes } from '../../../src/contract/codes.js';
import { nextDueMs } from '../../../src/checkout/machine/transition.js';
import {
  checkout,
  commandsOf,
  created,
  createdEvent,
  createFailed,
  dynamicCode,
  inPhase,
  invoiceId,
  key,
  lookedUp,
  newCodeAsked,
  otherKey,
  request,
  returned,
  submitted,
} from './samples.js';
import { expired, replaced } from './states.js';
import { tell } from './stories.js';

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
    play.play(submitted, createdEvent({ total_cents: 500, qr_code_pix: dynamicCode('5.00') }));
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].totalCents, 500);
  });

  it('an invoice without a reference is told with an empty one', () => {
    const play = checkout({ externalId: null });
    play.play(submitted, createdEvent({ external_id: null }));
    const told = commandsOf(play.commands, 'emit').map(({ event }) => event);
    assert.equal(told[0]?.name === 'created' && told[0].invoice.externalId, '');
  });

  tell(`
    an answer that says paid is confirmed by a look-up before anything is shown as paid
      posting > answered status=paid = confirming [1]: remember:a/1 created held:1
    for another price stops the checkout
      posting
      > answered total_cents=13000 qr_code_pix=dynamic:130.00 = failed (amount_mismatch): forget error:amount_mismatch
    for another order stops the checkout
      posting > answered external_id=order-2 = failed (reference_mismatch): forget error:reference_mismatch
    for no order stops the checkout
      posting > answered external_id=null = failed (reference_mismatch): forget error:reference_mismatch
    a dynamic code that names another amount is shown, and the merchant warned
      posting
      > answered qr_code_pix=dynamic:1.00 = awaiting [1]: remember:a/1 created error:code_amount_differs held:1
    no code: another is asked for in its place
      posting > answered qr_code_pix= = form (invalid_code): forget created error:invalid_code
      > submit b = creating: remember:b create:b/1
    a code that no payer should see
      posting > answered qr_code_pix=nonsense = form (invalid_code): forget created error:invalid_code
      > submit b = creating: remember:b create:b/1
    a static code of another amount
      posting
      > answered qr_code_pix=static:1.00 = form (code_amount_differs): forget created error:code_amount_differs
      > submit b = creating: remember:b create:b/1
  `);

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
  const codes = [...Object.keys(errorCodes), 'invalid_answer'];

  for (const code of codes.filter((code) => !retried.includes(code))) {
    const forget = toForm.includes(code) ? '' : 'forget ';
    const phase = [...toForm, ...withNewKey].includes(code) ? 'form' : 'failed';
    tell(`
      ${code}: ${phase === 'form' ? 'back to the form' : 'the merchant has to help'}
        posting > fails ${code} = ${phase} (${code}): ${forget}error:${code}
    `);
  }

  for (const code of retried.filter((code) => code !== 'in_progress')) {
    it(`${code}: made again twice by itself with the same key, then the form says so`, () => {
      const play = checkout().play(submitted);
      for (const spanMs of [1_500, 3_000]) {
        play.play(createFailed(code as 'network'));
        assert.deepEqual(play.commands, []);
        assert.equal(nextDueMs(play.state), play.nowMs + spanMs / 2, 'full jitter, random 0.5');
        assert.deepEqual(play.wait(spanMs / 2).commands, [request('create', 'invoice', key)]);
      }
      play.play(createFailed(code as 'network', { retryable: true }));
      assert.deepEqual(inPhase(play, 'form').error, { code, retryable: true });
    });
  }

  tell(`
    Retry-After is kept, and a long one is left to the payer
      posting > fails service_unavailable retryAfterSeconds=10 = creating > wait 9999 = creating
      > wait 1 = creating: create:a
      > fails service_unavailable retryAfterSeconds=11 = form (service_unavailable): error:service_unavailable
    a return to the page asks at once, with the same key
      posting > returned = creating: create:a > fails network > returned = creating: create:a
      > wait 60000 = creating
    what it was to replace is replaced by the next try
      posting > answered qr_code_pix= > submit b
      > fails too_many_requests = form (too_many_requests): error:too_many_requests
      > submit b = creating: remember:b create:b/1
  `);
});

describe('a card of the order is open', () => {
  const turnedAway = `posting > fails in_progress = creating > wait 750 = creating: create:a
        > fails in_progress = creating > wait 1500 = creating: create:a
        > fails in_progress = confirming asking > wait 0 = confirming asking: recover:a`;
  tell(`
    its outcome is waited for, and the order is paid: the receipt
      ${turnedAway}
      > fails in_progress = confirming asking > wait 30000 = confirming asking: recover:a
      > fails order_paid invoice=invoice-paid = confirming [paid]: settle:a held:paid
      > found status=paid = paid: abort forget paid
    the order is paid, and by what is not known: nothing is offered any more
      ${turnedAway} > fails order_paid = failed (order_paid): settle:a forget error:order_paid
    it came to nothing: the form, and another key, for this one is barred
      ${turnedAway} > fails not_found = form (in_progress): forget:a error:in_progress
      > submit b = creating: remember:b create:b
    it came to nothing, and the code was made after all: it is shown
      ${turnedAway} > answered = awaiting [1]: remember:a/1 held:1
    the code was made, and cannot be shown
      ${turnedAway} > answered qr_code_pix= = form (invalid_code): forget error:invalid_code
      > submit b = creating: remember:b create:b/1
    nothing else may be paid meanwhile, and nothing forgotten
      ${turnedAway} > submit card = confirming asking > submit b = confirming asking > reset = confirming asking
      > new code = confirming asking > returned = confirming asking: recover:a
    after a reload it is waited for in the same way
      recovering > fails in_progress > wait 30000 > fails in_progress > wait 30000
      > fails in_progress = confirming asking > wait 0 = confirming asking: recover:a
    a proxy that wants a long pause is not asked in silence
      posting > fails in_progress retryAfterSeconds=60 = confirming asking > wait 59999 = confirming asking
      > wait 1 = confirming asking: recover:a
    a gateway that says so knows nothing of the order
      posting > fails in_progress told=false > wait 30000 > fails in_progress told=false > wait 30000
      > fails in_progress told=false = form (in_progress): error:in_progress
    another code is wanted: the former stays where it is
      replacing > fails in_progress > wait 750 > fails in_progress > wait 1500
      > fails in_progress = awaiting (in_progress) [1]: error:in_progress
  `);
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
    tell(`
      ${start}: the invoice that paid it is looked up and shown as receipt
        ${start} > fails order_paid invoice=invoice-paid = confirming [paid${behind}]: held:paid
        > found status=paid = paid: abort forget paid
      ${start}: that of another order is never followed
        ${start} > fails order_paid invoice=foreign = ${end} error:reference_mismatch
    `);
  }

  tell(`
    without an invoice nothing is offered any more: the merchant has to help
      posting > fails order_paid = failed (order_paid): forget error:order_paid
    without an invoice no former code comes back: it could be paid a second time
      replacing > fails order_paid = confirming (order_paid) [1]: error:order_paid > found
      > wait 30000 = confirming (order_paid) [1]: look_up:1
    without an invoice no expired code comes back either
      expired > new code > fails order_paid = confirming (order_paid) [1]: error:order_paid > found
      > wait 30000 = confirming (order_paid) [1]: look_up:1
  `);
});

describe('an error names the invoice it is about', () => {
  const foreign = created({ invoice_id: 'invoice-x', external_id: 'order-2' });
  for (const [name, event, expected] of [
    ['another total', createdEvent({ total_cents: 1 }), invoiceId],
    ['no code', createdEvent({ qr_code_pix: '' }), invoiceId],
    ['paid by another order', createFailed('order_paid', { invoice: foreign }), 'invoice-x'],
    ['none known', createFailed('order_closed'), null],
    ['a shop that answers nonsense', createFailed('order_failed'), null],
  ] as const) {
    it(`${name}: ${expected}`, () => {
      const play = checkout().play(submitted, event);
      const told = commandsOf(play.commands, 'emit').map((command) => command.event);
      const error = told.find((one) => one.name === 'error');
      assert.equal(error?.name === 'error' ? error.invoiceId : undefined, expected);
    });
  }
});

describe('a new code', () => {
  it('is asked for with a key of its own', () => {
    assert.deepEqual(replaced().play(newCodeAsked).commands, [
      request('create', 'invoice', otherKey, invoiceId),
    ]);
  });

  tell(`
    is asked for in place of the newest; the record stays until it is there
      offered > new code = creating [1]: create:b/1
    takes the place of the former, which is followed still
      replacing > answered invoice_id=invoice-2 = awaiting [2 1]: remember:b/2 created held:2
      > found = awaiting [2 1]: look_up:1 > found = awaiting [2 1]
    the former is paid while the new one is being made: paid
      replacing > wait 8000 = creating [1]: look_up:1 > found status=paid = paid: abort forget:a paid
    cannot be had: the former is where it was, too_many_requests
      replacing > fails too_many_requests = awaiting (too_many_requests) [1]: error:too_many_requests
      > wait 8000 = awaiting (too_many_requests) [1]: look_up:1
    cannot be had: order_closed
      replacing > fails order_closed = awaiting (order_closed) [1]: error:order_closed
      > wait 8000 = awaiting (order_closed) [1]: look_up:1
    cannot be had: another total
      replacing
      > answered invoice_id=invoice-2 total_cents=1 = awaiting (amount_mismatch) [1]: error:amount_mismatch
      > wait 8000 = awaiting (amount_mismatch) [1]: look_up:1
    cannot be had: no code in it
      replacing
      > answered invoice_id=invoice-2 qr_code_pix= = awaiting (invalid_code) [1]: created error:invalid_code
      > wait 8000 = awaiting (invalid_code) [1]: look_up:1
    cannot be had, and the former had expired: too_many_requests
      expired > new code > fails too_many_requests = expired (too_many_requests) [1]: error:too_many_requests
      > wait 30000 = expired (too_many_requests) [1]: look_up:1
    cannot be had, and the former had expired: order_closed
      expired > new code > fails order_closed = expired (order_closed) [1]: error:order_closed
      > wait 30000 = expired (order_closed) [1]: look_up:1
    cannot be had, and the former had expired: another total
      expired > new code
      > answered invoice_id=invoice-2 total_cents=1 = expired (amount_mismatch) [1]: error:amount_mismatch
      > wait 30000 = expired (amount_mismatch) [1]: look_up:1
    cannot be had, and the former had expired: no code in it
      expired > new code
      > answered invoice_id=invoice-2 qr_code_pix= = expired (invalid_code) [1]: created error:invalid_code
      > wait 30000 = expired (invalid_code) [1]: look_up:1
    cannot be had while look-ups stand still: they go on
      replacing > paused = creating [1]
      > fails too_many_requests = awaiting (too_many_requests) [1]: error:too_many_requests
      > wait 2000 = awaiting (too_many_requests) [1]: look_up:1
    the deadline of the former passes meanwhile: it expires only after a look-up of its own
      awaitingUntil60s > found > new code > wait 61000 = creating [1]: look_up:1
      > fails too_many_requests = awaiting (too_many_requests) [1]: error:too_many_requests
      > wait 0 = awaiting (too_many_requests) closing [1]: look_up:1 > found = expired [1]: expired
    that is the former one again expires again
      expired > new code > answered = awaiting [1]: remember:b/1 created held:1
      > wait 0 = awaiting closing [1]: look_up:1 > found = expired [1]: expired
  `);

  it('that is the former one again keeps its code and its deadline', () => {
    const play = expired().play(newCodeAsked);
    const before = inPhase(expired(), 'expired').watch.invoices[0];
    const qr_code_pix = dynamicCode('129.90', 'v2/other');
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
