/** What a look-up changes: `paid` only when everything agrees, and nothing but the next look-up otherwise. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { mismatchStatuses } from '../../../src/contract/types.js';
import { nextDueMs } from '../../../src/checkout/machine/transition.js';
import {
  checkAsked,
  checkout,
  createFailed,
  createdEvent,
  inPhase,
  invoiceId,
  key,
  lookedUp,
  names,
  newCodeAsked,
  paused,
  returned,
  submitted,
  named,
} from './samples.js';
import { awaiting } from './states.js';
import { dynamicCode } from '../../world/pix-code.js';
import { cardFailed } from './charge/cards.js';
import { at, found, lost, tell, wait } from './stories.js';

describe('paid', () => {
  it('when invoice, reference and total agree: told once, forgotten, nothing goes on', () => {
    const play = awaiting().play(lookedUp({ status: 'paid', order_code: 'NEW' }));
    const { invoice, paidAt } = inPhase(play, 'paid');
    assert.equal(invoice.status, 'paid');
    assert.equal(paidAt, '2026-03-02T12:05:00Z');
    const ids = { invoiceId, orderCode: 'NEW', externalId: 'order-1042' };
    const told = { ...ids, method: 'pix', totalCents: 12_990 };
    assert.deepEqual(play.commands, [
      { type: 'abort', what: 'all' },
      { type: 'forget', attemptKey: key, keepsKey: false },
      { type: 'emit', event: { name: 'paid', invoice: told } },
    ]);
    assert.equal(nextDueMs(play.state), Infinity);
  });

  it('and went back since: the state says so, and the page hears no payment', () => {
    const play = awaiting().play(lookedUp({ status: 'paid', returned: true }));
    assert.equal(inPhase(play, 'paid').returned, true);
    assert.ok(!play.commands.some((one) => one.type === 'emit' && one.event.name === 'paid'));
  });

  it('an answer that is not paid renews the order code', () => {
    const play = awaiting().play(lookedUp({ order_code: 'NEW' }));
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].orderCode, 'NEW');
  });

  it('an answer without an order code leaves the one that is known', () => {
    const play = awaiting().play(lookedUp({ order_code: '' }));
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].orderCode, 'ABC123');
    play.wait(8_000).play(lookedUp({ order_code: '', status: 'paid' }));
    assert.equal(inPhase(play, 'paid').invoice.orderCode, 'ABC123');
  });

  tell`
    absorbs whatever comes later
      ${at.paid} > ${found()} = paid > ${createdEvent()} = paid > ${createFailed('network')} = paid
      > ${checkAsked} = paid > ${returned} = paid > ${paused} = paid > ${lost('not_found')} = paid
      > ${newCodeAsked} = paid > ${submitted} = paid > ${cardFailed} = paid
    about another invoice than was asked for is a wrong answer
      ${at.awaiting} > ${found({ invoice_id: 'invoice-9999', status: 'paid' })} = awaiting [1]: error:invalid_answer
    late, after the deadline, is paid all the same
      ${at.expired} > ${wait(1_000)} > ${found({ status: 'paid' })} = paid: abort forget:a paid
    by a former code is paid as well
      ${at.replaced} > ${found()} = awaiting [1 0]: look_up:0
      > ${found({ status: 'paid' })} = paid: abort forget:b paid
    with another total, while a new code is being made: no code is shown any more
      ${at.replacing} > ${wait(8_000)}
      > ${found({ status: 'paid', total_cents: 1 })} = confirming (amount_mismatch) [1]: error:amount_mismatch
      > ${createdEvent({ invoice_id: 'invoice-2' })} = confirming (amount_mismatch) [1]
  `;

  for (const [code, change] of [
    ['amount_mismatch', { total_cents: 12_989 }],
    ['reference_mismatch', { external_id: 'order-1043' }],
  ] as const) {
    // The proxy answers a final status at once: it is asked on the schedule, and the page is not told again.
    tell`
      that disagrees is confirmed later, and nothing may be paid meanwhile: ${code}
        ${at.awaiting} > ${found({ status: 'paid', ...change })} = confirming (${code}) [1]: error:${code}
        > ${wait(7_999)} = confirming (${code}) [1] > ${wait(1)} = confirming (${code}) [1]: look_up:1
        > ${found({ status: 'paid', ...change })} = confirming (${code}) [1]
        > ${wait(4_000)} = confirming (${code}) [1]: look_up:1 > ${found()} = confirming (${code}) [1]
        > ${wait(8_000)} > ${found({ status: 'paid' })} = paid: abort forget:a paid
      not paid but different is a failed look-up that the merchant hears of once in a row: ${code}
        ${at.awaiting} > ${found(change)} = awaiting [1]: error:${code} > ${wait(30_000)}
        > ${found(change)} = awaiting [1]
    `;
  }

  for (const code of mismatchStatuses) {
    it(`that disagrees, as the proxy says that compared it, is confirmed later: ${code}`, () => {
      // Nothing to compare with, as where a page knows an invoice by its id alone; the proxy shows what was created.
      const alone = checkout({ externalId: null }).play({ ...named, totalCents: null });
      for (const play of [awaiting(), alone]) {
        play.play(lookedUp({ status: code }));
        const { error, watch } = inPhase(play, 'confirming');
        assert.deepEqual([error?.code, watch?.invoices[0].totalCents], [code, 12_990]);
        assert.deepEqual(names(play.commands), [`error ${code}`]);
        play.wait(8_000).play(lookedUp({ status: code }));
        assert.deepEqual(play.commands, []);
        inPhase(play.wait(4_000).play(lookedUp({ status: 'paid' })), 'paid');
      }
    });
  }
});

describe('not paid', () => {
  for (const status of ['pending', 'processing', 'PAID', 'Paid', 'paid ', 'cancelled', '???']) {
    it(`"${status}" keeps waiting, and is noted for pix-status`, () => {
      const play = awaiting().play(lookedUp({ status }));
      assert.equal(inPhase(play, 'awaiting').watch.invoices[0].status, status);
      assert.ok(nextDueMs(play.state) < Infinity);
    });
  }

  tell`
    another code in it is not compared with one that the proxy made for us
      ${at.awaiting} > ${found({ qr_code_pix: dynamicCode(12_990, 'v2/other') })} = awaiting [1]
    former invoices are asked for in turn, each right behind the newest
      ${at.replaced} = awaiting [1 0]: remember:b/1 created held:1 > ${found()} = awaiting [1 0]: look_up:0
      > ${found()} = awaiting [1 0] > ${wait(8_000)} = awaiting [1 0]: look_up:1
      > ${found()} = awaiting [1 0]: look_up:0 > ${found()} = awaiting [1 0]
      > ${wait(8_000)} = awaiting [1 0]: look_up:1 > ${found()} = awaiting [1 0]: look_up:0
    a former invoice that cannot be looked up neither hurries nor delays the newest
      ${at.replaced} > ${found()} = awaiting [1 0]: look_up:0 > ${lost('not_found')} = awaiting [1 0]
      > ${wait(7_999)} = awaiting [1 0] > ${wait(1)} = awaiting [1 0]: look_up:1
      > ${found()} = awaiting [1 0]: look_up:0 > ${lost('not_found')} = awaiting [1 0]
      > ${wait(3_999)} = awaiting [1 0] > ${wait(1)} = awaiting [1 0]: look_up:1
  `;
});

describe('a look-up failed', () => {
  for (const code of ['not_found', 'invalid_answer', 'invalid_request', 'configuration'] as const) {
    tell`
      ${code}: the merchant hears of it once in a row, the payer keeps the code
        ${at.given} > ${lost(code)} = awaiting [1]: error:${code} > ${wait(30_000)} = awaiting [1]: look_up:1
        > ${lost(code)} = awaiting [1] > ${wait(30_000)} > ${found()} > ${wait(30_000)}
        > ${lost(code)} = awaiting [1]: error:${code}
    `;
  }
  for (const code of ['network', 'service_unavailable', 'too_many_requests'] as const) {
    tell`
      ${code}: no news, only a later look-up
        ${at.awaiting} > ${lost(code)} = awaiting [1] > ${wait(5_999)} = awaiting [1]
        > ${wait(1)} = awaiting [1]: look_up:1
    `;
  }
  tell`
    Retry-After is kept
      ${at.awaiting} > ${lost('too_many_requests', { retryAfterSeconds: 120 })} = awaiting [1]
      > ${wait(119_999)} = awaiting [1] > ${wait(1)} = awaiting [1]: look_up:1
  `;
});

describe('the deadline', () => {
  tell`
    asks for one last look-up, and only its answer expires the code; a late payment still counts
      ${at.awaitingUntil60s} > ${found()} > ${wait(59_999)} > ${found()} = awaiting [1]
      > ${wait(1)} = awaiting closing [1]: look_up:1 > ${found()} = expired [1]: expired
      > ${wait(1_000)} = expired [1]: look_up:1 > ${found({ status: 'paid' })} = paid: abort forget:a paid
    the last look-up may say paid
      ${at.awaitingUntil60s} > ${found()} > ${wait(60_000)}
      > ${found({ status: 'paid' })} = paid: abort forget:a paid
    the last look-up fails: the code waits, and is looked up again
      ${at.awaitingUntil60s} > ${found()} > ${wait(60_000)} > ${lost('network')} = awaiting closing [1]
      > ${wait(1_000)} = awaiting closing [1]: look_up:1 > ${found()} = expired [1]: expired
    an answer about a former invoice does not expire the newest
      ${at.replaced} > ${found({ expires_in: 60 })} > ${found()}
      > ${wait(60_000)} = awaiting closing [1 0]: look_up:1 > ${lost('network')} > ${wait(1_000)}
      > ${lost('network')} > ${wait(2_000)} > ${lost('network')} > ${wait(4_000)} > ${lost('network')}
      > ${wait(8_000)} > ${lost('network')} > ${wait(30_000)} = awaiting closing [1 0]: look_up:0
      > ${found()} = awaiting closing [1 0]: look_up:1 > ${wait(0)} > ${found()} = expired [1 0]: expired look_up:0
    none: nothing expires
      ${at.awaiting} > ${found()} > ${wait(172_800_000)} > ${found()} = awaiting [1]
  `;

  it('comes nearer when an answer says so, and never goes away', () => {
    const play = awaiting({ expiresInSeconds: 60 }).play(lookedUp({ expires_in: 30 }));
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].deadlineMs, 30_000);
    play.wait(10_000).play(lookedUp({ expires_in: 600 }));
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].deadlineMs, 30_000);
  });
});
