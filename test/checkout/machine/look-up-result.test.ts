/** What a look-up changes: `paid` only when everything agrees, and nothing but the next look-up otherwise. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { mismatchStatuses } from '../../../src/contract/types.js';
import { tell } from '../../../src/checkout/machine/state.js';
import { findNextDueMs } from '../../../src/checkout/machine/transition.js';
import { cardFailed } from './charge/cards.js';
import {
  checkout,
  checkAsked,
  commandsOf,
  createdEvent,
  createFailed,
  formerId,
  inPhase,
  invoiceId,
  key,
  lookedUp,
  named,
  names,
  newCodeAsked,
  otherKey,
  paused,
  returned,
  submitted,
} from './samples.js';
import { awaiting } from './states.js';
import { checkoutAt } from './checkout-at.js';
import { dynamicCode } from '../../support/pix-code.js';

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
    assert.equal(findNextDueMs(play.state), Infinity);
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

  it('absorbs whatever comes later', () => {
    const checkout = checkoutAt('paid');
    checkout.finds().is('paid');
    checkout.hears(createdEvent()).is('paid');
    checkout.hears(createFailed('network')).is('paid');
    checkout.hears(checkAsked).is('paid');
    checkout.hears(returned).is('paid');
    checkout.hears(paused).is('paid');
    checkout.loses('not_found').is('paid');
    checkout.hears(newCodeAsked).is('paid');
    checkout.hears(submitted).is('paid');
    checkout.hears(cardFailed).is('paid');
  });

  it('as the creation said, and a look-up of the code says refused: nothing may be paid again', () => {
    const checkout = checkoutAt('confirming');
    checkout.loses('payment_refused').is('confirming', { follows: [invoiceId] });
  });

  it('about another invoice than was asked for is a wrong answer', () => {
    const checkout = checkoutAt('awaiting');
    checkout
      .finds({ invoice_id: 'invoice-9999', status: 'paid' })
      .is('awaiting', { follows: [invoiceId], commands: [{ error: 'invalid_answer' }] });
  });

  it('by a former code is paid as well', () => {
    const checkout = checkoutAt('replaced');
    checkout
      .finds()
      .is('awaiting', { follows: [invoiceId, formerId], commands: [{ lookUp: formerId }] });
    checkout
      .finds({ status: 'paid' })
      .is('paid', { commands: ['abort', { forget: otherKey }, 'paid'] });
  });

  it('with another total, while a new code is being made: no code is shown any more', () => {
    const checkout = checkoutAt('replacing');
    checkout
      .waits(8_000)
      .finds({ status: 'paid', total_cents: 1 })
      .is('confirming', {
        error: 'amount_mismatch',
        follows: [invoiceId],
        commands: [{ error: 'amount_mismatch' }],
      });
    checkout
      .hears(createdEvent({ invoice_id: 'invoice-2' }))
      .is('confirming', { error: 'amount_mismatch', follows: [invoiceId] });
  });

  for (const [code, change] of [
    ['amount_mismatch', { total_cents: 12_989 }],
    ['reference_mismatch', { external_id: 'order-1043' }],
  ] as const) {
    // The proxy answers a final status at once: it is asked on the schedule, and the page is not told again.
    it(`that disagrees is confirmed later, and nothing may be paid meanwhile: ${code}`, () => {
      const checkout = checkoutAt('awaiting');
      checkout
        .finds({ status: 'paid', ...change })
        .is('confirming', { error: code, follows: [invoiceId], commands: [{ error: code }] });
      checkout.waits(7_999).is('confirming', { error: code, follows: [invoiceId] });
      checkout
        .waits(1)
        .is('confirming', { error: code, follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
      checkout
        .finds({ status: 'paid', ...change })
        .is('confirming', { error: code, follows: [invoiceId] });
      checkout
        .waits(4_000)
        .is('confirming', { error: code, follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
      checkout.finds().is('confirming', { error: code, follows: [invoiceId] });
      checkout
        .waits(8_000)
        .finds({ status: 'paid' })
        .is('paid', { commands: ['abort', { forget: key }, 'paid'] });
    });

    it(`not paid but different is a failed look-up that the merchant hears of once in a row: ${code}`, () => {
      const checkout = checkoutAt('awaiting');
      checkout.finds(change).is('awaiting', { follows: [invoiceId], commands: [{ error: code }] });
      checkout
        .waits(30_000)
        .finds(change)
        .is('awaiting', { follows: [invoiceId] });
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
      assert.ok(findNextDueMs(play.state) < Infinity);
    });
  }

  it('another code in it is not compared with one that the proxy made for us', () => {
    const checkout = checkoutAt('awaiting');
    checkout
      .finds({ qr_code_pix: dynamicCode(12_990, 'v2/other') })
      .is('awaiting', { follows: [invoiceId] });
  });

  it('former invoices are asked for in turn, each right behind the newest', () => {
    const checkout = checkoutAt('replaced');
    checkout.is('awaiting', {
      follows: [invoiceId, formerId],
      commands: [{ remember: otherKey, invoice: invoiceId }, 'created', { lookUpHeld: invoiceId }],
    });
    checkout
      .finds()
      .is('awaiting', { follows: [invoiceId, formerId], commands: [{ lookUp: formerId }] });
    checkout.finds().is('awaiting', { follows: [invoiceId, formerId] });
    checkout
      .waits(8_000)
      .is('awaiting', { follows: [invoiceId, formerId], commands: [{ lookUp: invoiceId }] });
    checkout
      .finds()
      .is('awaiting', { follows: [invoiceId, formerId], commands: [{ lookUp: formerId }] });
    checkout.finds().is('awaiting', { follows: [invoiceId, formerId] });
    checkout
      .waits(8_000)
      .is('awaiting', { follows: [invoiceId, formerId], commands: [{ lookUp: invoiceId }] });
    checkout
      .finds()
      .is('awaiting', { follows: [invoiceId, formerId], commands: [{ lookUp: formerId }] });
  });

  it('a former invoice that cannot be looked up neither hurries nor delays the newest', () => {
    const checkout = checkoutAt('replaced');
    checkout
      .finds()
      .is('awaiting', { follows: [invoiceId, formerId], commands: [{ lookUp: formerId }] });
    checkout.loses('not_found').is('awaiting', { follows: [invoiceId, formerId] });
    checkout.waits(7_999).is('awaiting', { follows: [invoiceId, formerId] });
    checkout
      .waits(1)
      .is('awaiting', { follows: [invoiceId, formerId], commands: [{ lookUp: invoiceId }] });
    checkout
      .finds()
      .is('awaiting', { follows: [invoiceId, formerId], commands: [{ lookUp: formerId }] });
    checkout.loses('not_found').is('awaiting', { follows: [invoiceId, formerId] });
    checkout.waits(3_999).is('awaiting', { follows: [invoiceId, formerId] });
    checkout
      .waits(1)
      .is('awaiting', { follows: [invoiceId, formerId], commands: [{ lookUp: invoiceId }] });
  });
});

describe('a look-up failed', () => {
  for (const code of ['not_found', 'invalid_answer', 'invalid_request', 'configuration'] as const) {
    it(`${code}: the merchant hears of it once in a row, the payer keeps the code`, () => {
      const checkout = checkoutAt('given');
      checkout.loses(code).is('awaiting', { follows: [invoiceId], commands: [{ error: code }] });
      checkout
        .waits(30_000)
        .is('awaiting', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
      checkout.loses(code).is('awaiting', { follows: [invoiceId] });
      checkout
        .waits(30_000)
        .finds()
        .waits(30_000)
        .loses(code)
        .is('awaiting', { follows: [invoiceId], commands: [{ error: code }] });
    });
  }
  for (const code of ['network', 'service_unavailable', 'too_many_requests'] as const) {
    it(`${code}: no news, only a later look-up`, () => {
      const checkout = checkoutAt('awaiting');
      checkout.loses(code).is('awaiting', { follows: [invoiceId] });
      checkout.waits(5_999).is('awaiting', { follows: [invoiceId] });
      checkout.waits(1).is('awaiting', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    });
  }
  it('an answer about another order: the page hears that it may pass', () => {
    const play = awaiting().play(lookedUp({ external_id: 'order-2' }));
    const error = { code: 'reference_mismatch', retryable: true } as const;
    assert.deepEqual(commandsOf(play.commands, 'emit'), [tell(error, invoiceId)]);
  });

  it('Retry-After is kept', () => {
    const checkout = checkoutAt('awaiting');
    checkout
      .loses('too_many_requests', { retryAfterSeconds: 120 })
      .is('awaiting', { follows: [invoiceId] });
    checkout.waits(119_999).is('awaiting', { follows: [invoiceId] });
    checkout.waits(1).is('awaiting', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
  });
});

describe('the deadline', () => {
  it('asks for one last look-up, and only its answer expires the code; a late payment still counts', () => {
    const checkout = checkoutAt('awaitingUntil60s');
    checkout
      .finds()
      .waits(59_999)
      .finds()
      .is('awaiting', { follows: [invoiceId] });
    checkout
      .waits(1)
      .is('awaiting', { isClosing: true, follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout.finds().is('expired', { follows: [invoiceId], commands: ['expired'] });
    checkout
      .waits(1_000)
      .is('expired', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout.finds({ status: 'paid' }).is('paid', { commands: ['abort', { forget: key }, 'paid'] });
  });

  it('the last look-up may say paid', () => {
    const checkout = checkoutAt('awaitingUntil60s');
    checkout
      .finds()
      .waits(60_000)
      .finds({ status: 'paid' })
      .is('paid', { commands: ['abort', { forget: key }, 'paid'] });
  });

  it('the last look-up fails: the code waits, and is looked up again', () => {
    const checkout = checkoutAt('awaitingUntil60s');
    checkout
      .finds()
      .waits(60_000)
      .loses('network')
      .is('awaiting', { isClosing: true, follows: [invoiceId] });
    checkout
      .waits(1_000)
      .is('awaiting', { isClosing: true, follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout.finds().is('expired', { follows: [invoiceId], commands: ['expired'] });
  });

  it('an answer about a former invoice does not expire the newest', () => {
    const checkout = checkoutAt('replaced');
    checkout
      .finds({ expires_in: 60 })
      .finds()
      .waits(60_000)
      .is('awaiting', {
        isClosing: true,
        follows: [invoiceId, formerId],
        commands: [{ lookUp: invoiceId }],
      });
    checkout
      .loses('network')
      .waits(1_000)
      .loses('network')
      .waits(2_000)
      .loses('network')
      .waits(4_000)
      .loses('network')
      .waits(8_000)
      .loses('network')
      .waits(30_000)
      .is('awaiting', {
        isClosing: true,
        follows: [invoiceId, formerId],
        commands: [{ lookUp: formerId }],
      });
    checkout.finds().is('awaiting', {
      isClosing: true,
      follows: [invoiceId, formerId],
      commands: [{ lookUp: invoiceId }],
    });
    checkout
      .waits(0)
      .finds()
      .is('expired', {
        follows: [invoiceId, formerId],
        commands: ['expired', { lookUp: formerId }],
      });
  });

  it('none: nothing expires', () => {
    const checkout = checkoutAt('awaiting');
    checkout
      .finds()
      .waits(172_800_000)
      .finds()
      .is('awaiting', { follows: [invoiceId] });
  });

  it('comes nearer when an answer says so, and never goes away', () => {
    const play = awaiting({ expiresInSeconds: 60 }).play(lookedUp({ expires_in: 30 }));
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].deadlineMs, 30_000);
    play.wait(10_000).play(lookedUp({ expires_in: 600 }));
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].deadlineMs, 30_000);
  });
});
