/** What a look-up changes: `paid` only when everything agrees, and nothing but the next look-up otherwise. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mismatchStatuses } from '../../../src/contract/types.js';
import { nextDueMs } from '../../../src/checkout/machine/transition.js';
import {
  checkAsked,
  checkout,
  commandsOf,
  createdEvent,
  createFailed,
  formerId,
  inPhase,
  invoiceId,
  key,
  lookedUp,
  lookUpFailed,
  named,
  names,
  newCodeAsked,
  paused,
  returned,
  submitted,
} from './samples.js';
import { awaiting, expired, replaced, sampleOf } from './states.js';

const disagreements = {
  amount_mismatch: { total_cents: 12_989 },
  reference_mismatch: { external_id: 'order-1043' },
} as const;

describe('paid', () => {
  it('when invoice, reference and total agree: told once, forgotten, nothing goes on', () => {
    const play = awaiting().play(lookedUp({ status: 'paid', order_code: 'NEW' }));
    const { invoice, paidAt } = inPhase(play, 'paid');
    assert.equal(invoice.status, 'paid');
    assert.equal(paidAt, '2026-03-02T12:05:00Z');
    assert.deepEqual(play.commands, [
      { type: 'abort', what: 'all' },
      { type: 'forget', attemptKey: key, keepsKey: false },
      {
        type: 'emit',
        event: {
          name: 'paid',
          invoice: {
            invoiceId,
            orderCode: 'NEW',
            externalId: 'order-1042',
            method: 'pix',
            totalCents: 12_990,
          },
        },
      },
    ]);
    assert.equal(nextDueMs(play.state), null);
  });

  it('absorbs whatever comes later', () => {
    const play = awaiting().play(lookedUp({ status: 'paid' }));
    const { state } = play;
    const late = [lookedUp(), createdEvent(), createFailed('network'), checkAsked, returned];
    play.play(...late, paused, lookUpFailed('not_found'), newCodeAsked, submitted);
    assert.equal(play.state, state);
  });

  for (const [code, changes] of Object.entries(disagreements)) {
    it(`that disagrees is confirmed later, and nothing may be paid meanwhile: ${code}`, () => {
      const play = awaiting().play(lookedUp({ ...changes, status: 'paid' }));
      assert.equal(inPhase(play, 'confirming').error?.code, code);
      assert.deepEqual(names(play.commands), [`error ${code}`]);
      // The proxy answers a final status at once: it is asked on the schedule, and the page is not told again.
      assert.equal(nextDueMs(play.state), 8_000);
      play.wait(8_000).play(lookedUp({ ...changes, status: 'paid' }));
      assert.deepEqual(play.commands, []);
      assert.equal(nextDueMs(play.state), 12_000);
      // A late answer of before changes nothing; one that agrees does.
      play.wait(4_000).play(lookedUp());
      inPhase(play, 'confirming');
      play.wait(8_000).play(lookedUp({ status: 'paid' }));
      inPhase(play, 'paid');
    });
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
        play.wait(4_000).play(lookedUp({ status: 'paid' }));
        inPhase(play, 'paid');
      }
    });
  }

  it('about another invoice than was asked for is a wrong answer', () => {
    const play = awaiting().play(
      lookedUp({ invoice_id: 'invoice-9999', status: 'paid' }, invoiceId),
    );
    inPhase(play, 'awaiting');
    assert.deepEqual(names(play.commands), ['error invalid_answer']);
  });

  it('late, after the deadline, is paid all the same', () => {
    const play = expired()
      .wait(1_000)
      .play(lookedUp({ status: 'paid' }));
    inPhase(play, 'paid');
  });

  it('by a former code is paid as well', () => {
    const play = replaced().play(lookedUp());
    assert.deepEqual(commandsOf(play.commands, 'look_up')[0]?.invoiceId, formerId);
    play.play(lookedUp({ invoice_id: formerId, status: 'paid' }));
    assert.equal(inPhase(play, 'paid').invoice.invoiceId, formerId);
  });

  it('with another total, while a new code is being made: no code is shown any more', () => {
    const play = sampleOf('replacing').wait(8_000);
    play.play(
      lookedUp({ total_cents: 1, status: 'paid' }),
      createdEvent({ invoice_id: 'invoice-2' }),
    );
    inPhase(play, 'confirming');
  });
});

describe('not paid', () => {
  for (const status of ['pending', 'processing', 'PAID', 'Paid', 'paid ', 'cancelled', '???']) {
    it(`"${status}" keeps waiting, and is noted for pix-status`, () => {
      const play = awaiting().play(lookedUp({ status }));
      assert.equal(inPhase(play, 'awaiting').watch.invoices[0].status, status);
      assert.notEqual(nextDueMs(play.state), null);
    });
  }

  for (const [code, changes] of Object.entries(disagreements)) {
    it(`but different: a failed look-up that the merchant hears of once in a row: ${code}`, () => {
      const play = awaiting().play(lookedUp(changes));
      inPhase(play, 'awaiting');
      assert.deepEqual(names(play.commands), [`error ${code}`]);
      play.wait(30_000).play(lookedUp(changes));
      assert.deepEqual(play.commands, []);
    });
  }

  it('former invoices are asked for in turn, each right behind the newest', () => {
    const play = replaced();
    const asked: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      const [look] = commandsOf(play.commands, 'look_up');
      if (look) asked.push(look.invoiceId);
      play.play(lookedUp({ invoice_id: look?.invoiceId ?? '' }));
      if (play.commands.length === 0) play.wait(8_000);
    }
    assert.deepEqual(asked, [invoiceId, formerId, invoiceId, formerId, invoiceId, formerId]);
  });

  it('a former invoice that cannot be looked up neither hurries nor delays the newest', () => {
    const play = replaced();
    for (const dueMs of [8_000, 12_000, 16_000]) {
      play.play(lookedUp()).play(lookUpFailed('not_found', {}, formerId));
      assert.deepEqual(play.commands, []);
      assert.equal(nextDueMs(play.state), dueMs);
      play.wait(dueMs - play.nowMs);
    }
  });
});

describe('a look-up failed', () => {
  const loud = [
    'not_found',
    'invalid_answer',
    'invalid_request',
    'unauthorized',
    'configuration',
  ] as const;
  for (const code of loud) {
    it(`${code}: the merchant hears of it once in a row, the payer keeps the code`, () => {
      const play = sampleOf('given');
      play.play(lookUpFailed(code));
      inPhase(play, 'awaiting');
      assert.deepEqual(names(play.commands), [`error ${code}`]);
      play.wait(30_000).play(lookUpFailed(code));
      assert.deepEqual(play.commands, []);
    });
  }

  for (const code of ['network', 'service_unavailable', 'too_many_requests'] as const) {
    it(`${code}: no news, only a later look-up`, () => {
      const play = awaiting().play(lookUpFailed(code));
      assert.deepEqual(play.commands, []);
      assert.equal(nextDueMs(play.state), 2_000);
    });
  }

  it('Retry-After is kept', () => {
    const play = awaiting().play(lookUpFailed('too_many_requests', { retryAfterSeconds: 120 }));
    assert.equal(nextDueMs(play.state), 120_000);
  });
});
