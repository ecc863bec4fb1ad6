/** With what a checkout begins: the form, a stored attempt, an invoice known by its id, one the page hands in. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import {
  attempted,
  checkout,
  createFailed,
  created,
  createdEvent,
  inPhase,
  invoiceId,
  key,
  lookedUp,
  named,
  paused,
  request,
  returned,
  stored,
  submitted,
} from './samples.js';
import { dynamicCode, staticCode } from '../../world/pix-code.js';
import { following } from './states.js';
import { chosen } from './charge/cards.js';
import { at, found, given, lost, submittedAnew, tell, wait } from './stories.js';

describe('the form', () => {
  it('stores the attempt before it asks for an invoice: a reload must find its key', () => {
    const remembered = { attemptKey: key, method: 'pix', totalCents: 12_990 };
    assert.deepEqual(checkout().play(submitted).commands, [
      { type: 'remember', ...remembered, invoiceId: null, lookupToken: null },
      request('create', 'invoice', key),
    ]);
  });

  tell`
    a double click is one attempt
      ${at.posting} > ${submitted} = creating
  `;
});

describe('a stored attempt without an invoice', () => {
  tell`
    is asked for by its key, and never created anew by itself
      ${at.recovering} = creating: recover:a
    its invoice is shown, remembered and followed; pix-created was for the POST
      ${at.recovering} > ${createdEvent()} = awaiting [1]: remember:a/1 held:1
    a bad line is tried twice more, then the form says so
      ${at.recovering} > ${createFailed('network')} = creating > ${wait(60_000)} = creating: recover:a
      > ${createFailed('network')} = creating > ${wait(60_000)} = creating: recover:a
      > ${createFailed('network')} = form (network): error:network
    a return to the page asks anew: the request may have died with the connection
      ${at.recovering} > ${returned} = creating: recover:a
  `;
  tell`
    not_found: the form, without an error; its key is barred, and used no more
      ${at.recovering} > ${createFailed('not_found')} = form: forget:a
  `;
  for (const [name, failure] of [
    ['not_found of a gateway', createFailed('not_found', { told: false })],
    ['invalid_request', createFailed('invalid_request')],
    ['unauthorized', createFailed('unauthorized')],
    ['outcome_unknown', createFailed('outcome_unknown')],
  ] as const) {
    tell`
      ${name}: the form, without an error, and the key stays stored
        ${at.recovering} > ${failure} = form
    `;
  }
});

describe('an invoice known by its id', () => {
  it('is looked up with the token that is known, not held: nothing is on the screen yet', () => {
    assert.deepEqual(following().commands, [
      { type: 'look_up', invoiceId, lookupToken: 'token-1', waitSeconds: 0, timeoutMs: 6_000 },
    ]);
  });

  it('is shown with the code that the look-up brings, and its own key', () => {
    const { invoices, attemptKey } = inPhase(following().play(lookedUp()), 'awaiting').watch;
    assert.equal(invoices[0].code?.text, dynamicCode());
    assert.equal(attemptKey, key);
  });

  it('shows a receipt when it is paid already', () => {
    const play = following().play(lookedUp({ status: 'paid' }));
    assert.equal(inPhase(play, 'paid').paidAt, '2026-03-02T12:05:00Z');
  });

  it('a card is told of as a card', () => {
    const play = following()
      .play(lookedUp({ is_pix: false }))
      .wait(8_000);
    play.play(lookedUp({ is_pix: false, status: 'paid' }));
    assert.equal(inPhase(play, 'paid').invoice.method, 'credit_card');
  });

  for (const [name, event, deadlineMs] of [
    ['when the code was made', { ...stored, createdAtMs: 10_000 }, 70_000],
    ['when it is first shown, if the page named it', named, 105_000 + 60_000],
  ] as const) {
    it(`counts the deadline from ${name}, and looks once more before it is over`, () => {
      const play = checkout({ expiresInSeconds: 60 });
      play.nowMs = 100_000;
      play.play(event).wait(5_000).play(lookedUp());
      assert.equal(inPhase(play, 'awaiting').watch.invoices[0].deadlineMs, deadlineMs);
      play.wait(60_000);
      assert.equal(inPhase(play, 'awaiting').closing, true);
      inPhase(play.play(lookedUp()), 'expired');
    });
  }

  it('what is not known is not compared', () => {
    const play = checkout({ externalId: null }).play({ ...named, totalCents: null });
    play.play(lookedUp({ total_cents: 500, external_id: 'x', qr_code_pix: dynamicCode(500) }));
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].totalCents, 500);
  });

  it('and is told as the look-up named it', () => {
    const play = checkout({ externalId: null }).play({ ...named, totalCents: null });
    const { invoice } = inPhase(play.play(lookedUp({ total_cents: 500, status: 'paid' })), 'paid');
    assert.deepEqual([invoice.totalCents, invoice.externalId], [500, 'order-1042']);
  });

  for (const [name, change, code] of [
    ['another total', { total_cents: 100 }, 'amount_mismatch'],
    ['another reference', { external_id: 'order-1' }, 'reference_mismatch'],
    ['no reference', { external_id: null }, 'reference_mismatch'],
  ] as const) {
    const confirming = `confirming (${code}) [1]`;
    for (const [start, forget] of [
      [at.following, ':a'],
      [() => checkout().play(named), ''],
    ] as const) {
      tell`
        ${name} and paid, ${forget ? 'stored' : 'named'}: nothing is shown as paid, and nothing may be paid again
          ${start} > ${found({ status: 'paid', ...change })} = ${confirming}: error:${code} > ${wait(8_000)}
          > ${found({ status: 'paid', ...change })} = ${confirming} > ${wait(8_000)}
          > ${found({ status: 'paid' })} = paid: abort forget${forget} paid
      `;
    }
    tell`
      ${name}: a stored one is forgotten
        ${at.following} > ${found(change)} = form: forget:a
      ${name}: one that the page named fails
        ${at.form} > ${named} > ${found(change)} = failed (${code}): error:${code}
    `;
  }

  tell`
    is followed when it is shown
      ${at.following} > ${found()} = awaiting [1] > ${wait(1_000)} = awaiting [1]: look_up:1
    paid already: the record goes
      ${at.following} > ${found({ status: 'paid' })} = paid: abort forget:a paid
    a stored one without its code in the answer asks for the order again, with the same key
      ${at.following} > ${found({ qr_code_pix: '' })} = creating: remember:a create:a
    a stored one whose token is refused is asked for again
      ${at.following} > ${lost('unauthorized')} = creating: remember:a create:a
    a stored one that is not known is forgotten
      ${at.following} > ${lost('not_found')} = form: forget:a
    one that the page named and the proxy refuses fails: unauthorized
      ${at.form} > ${named} > ${lost('unauthorized')} = failed (unauthorized): error:unauthorized
    one that the page named and the proxy refuses fails: not_found
      ${at.form} > ${named} > ${lost('network')} > ${wait(30_000)}
      > ${lost('not_found')} = failed (not_found): error:not_found
    a bad line is waited out: looked up again, and again when the payer is back
      ${at.following} > ${lost('network')} > ${wait(30_000)} = creating [1]: look_up:1
      > ${paused} = creating [1]: abort:look_up > ${returned} = creating [1]: look_up:1
    a code that cannot be read is refused: another is asked for in its place
      ${at.following} > ${found({ qr_code_pix: 'nonsense' })} = form (invalid_code): forget:a error:invalid_code
      > ${submittedAnew} = creating: remember:b create:b/1
    a code that cannot be read of one that the page named
      ${at.form} > ${named}
      > ${found({ qr_code_pix: staticCode(100) })} = failed (code_amount_differs): error:code_amount_differs
    a card that the page named is followed
      ${at.form} > ${named} > ${found({ is_pix: false })} = confirming [1]
    a card that the page named, of another total
      ${at.form} > ${named}
      > ${found({ is_pix: false, total_cents: 1 })} = failed (amount_mismatch): error:amount_mismatch
    no code of one that the page named
      ${at.form} > ${named} > ${found({ qr_code_pix: '' })} = failed (invalid_code): error:invalid_code
  `;
});

it('a payer whose stored code cannot be read may ask for another', () => {
  const play = following().play(lookedUp({ qr_code_pix: 'nonsense' }));
  assert.deepEqual(inPhase(play, 'form').error, { code: 'invalid_code', retryable: true });
});

describe('an invoice that the page hands in', () => {
  it('is believed once a look-up has named the same code', () => {
    for (const [changes, verified] of [
      [{}, true],
      [{ qr_code_pix: '' }, false],
    ] as const) {
      const play = checkout().play({ type: 'given', invoice: created() });
      assert.equal(inPhase(play, 'awaiting').watch.invoices[0].verified, false);
      play.play(lookedUp(changes));
      assert.equal(inPhase(play, 'awaiting').watch.invoices[0].verified, verified);
    }
  });

  tell`
    is shown at once, and followed
      ${at.form} > ${given()} = awaiting [1]: look_up:1 > ${found()} > ${wait(8_000)} = awaiting [1]
    is shown at once after a promise, and followed
      ${at.promised} > ${given()} = awaiting [1]: look_up:1
    a promise that is not kept ends in half a minute, and is still good when it is kept later
      ${at.promised} > ${wait(29_999)} = creating > ${wait(1)} = failed (network): error:network
      > ${given()} = awaiting [1]: look_up:1
    an answer without the code vouches for nothing
      ${at.given} > ${found({ qr_code_pix: '' })} > ${wait(8_000)}
      > ${found({ qr_code_pix: dynamicCode(12_990, 'v2/other') })} = failed (invalid_code): abort error:invalid_code
    that disagrees behind the card form is a failed look-up: nothing of it is on the screen
      ${at.given} > ${chosen('credit_card')} > ${found({ total_cents: 1 })} = form [1]: error:amount_mismatch
    that says paid is looked up first
      ${at.form} > ${given({ status: 'paid', qr_code_pix: '' })} = confirming [1]: look_up:1
      > ${found({ status: 'paid' })} = paid: abort forget paid
    another dynamic amount is shown, and the merchant warned
      ${at.form} > ${given({ qr_code_pix: dynamicCode(100) })} = awaiting [1]: error:code_amount_differs look_up:1
  `;

  for (const [code, change] of [
    ['invalid_code', { qr_code_pix: dynamicCode(12_990, 'v2/other') }],
    ['amount_mismatch', { total_cents: 1 }],
    ['reference_mismatch', { external_id: 'order-1' }],
  ] as const) {
    tell`
      a first look-up that disagrees hides the code: ${code}
        ${at.given} > ${found(change)} = failed (${code}): abort error:${code}
      a first look-up that disagrees and says paid: ${code}
        ${at.given} > ${found({ status: 'paid', ...change })} = confirming (${code}) [1]: error:${code} held:1
    `;
  }

  for (const [code, change] of [
    ['amount_mismatch', { total_cents: 1 }],
    ['reference_mismatch', { external_id: 'order-1' }],
    ['invalid_code', { qr_code_pix: '' }],
    ['code_amount_differs', { qr_code_pix: staticCode(100) }],
  ] as const) {
    tell`
      is not shown at all when it is not this order's: ${code}
        ${at.promised} > ${given(change)} = failed (${code}): forget error:${code}
    `;
  }
});

it('an attempt that names nothing is none', () => {
  assert.equal(checkout().play({ ...attempted, attemptKey: null }).state.phase, 'form');
});
