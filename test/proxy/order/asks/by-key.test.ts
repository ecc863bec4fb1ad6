/** What a page is told that lost the answer to its creation, and one whose card failed. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { withEnded } from '../../../../src/proxy/order/keys.js';
import { gaveUpPix } from '../../../../src/proxy/order/asks/pix.js';
import { needsBar } from '../../../../src/proxy/order/asks/card-failed.js';
import type { CardFailedAsk } from '../../../../src/proxy/order/asks/card-failed.js';
import { paid, refused, startMs, toCharge, toInvoice } from '../samples.js';
import { again, byKey, card, created, pix, refusedAs, said, story, unknownAs } from './story.js';

const admitted = { isAdmitted: true };
const mismatch = { meaning: 'mismatch', field: 'total_cents', word: 'paid' } as const;
const minuteMs = 60_000;

describe('a key that nothing is known of', () => {
  it('is barred only for a page that may pay the order', () => {
    const { asks, says, order } = story();
    const one = byKey(card());
    assert.deepEqual(asks(one), { type: 'admit', unknown: null });
    assert.deepEqual(order().keys, []);
    assert.equal(says(one, admitted), 'not_found');
    assert.equal(order().keys.length, 1);
    assert.equal(says(one), 'not_found', 'and again, without a guard');
  });

  it('but that it got a code long ago is answered by what is so, and writes nothing', () => {
    const { asks, says, shows, changes, hears, wait, order } = story();
    const one = shows('A');
    changes((before) =>
      withEnded({ ...before, attempts: [] }, one.attempt?.key ?? assert.fail(), 'made', {
        nowMs: startMs,
      }),
    );
    const before = order();
    assert.equal(says(byKey(one)), 'A');
    assert.equal(order(), before);
    wait(minuteMs);
    hears(toInvoice('A'), paid);
    const after = order();
    assert.equal(says(byKey(one)), 'paid by A');
    assert.equal(order(), after);
    changes((known) => ({ ...known, paidId: null, offeredId: null }));
    const closed = order();
    assert.deepEqual(asks(byKey(one)), { type: 'refusal', code: 'not_found' });
    assert.equal(order(), closed);
  });

  it('of a claim that ran out is barred, too', () => {
    const { says, wait } = story();
    const one = card();
    says(one);
    assert.equal(says(byKey(one)), 'in_progress');
    wait(30_000);
    assert.equal(says(byKey(one), admitted), 'not_found');
    assert.equal(says(again(one)), 'key_reused');
  });

  it('hears how another card of the order ends', () => {
    const { says, charged, ends, hears } = story();
    const [one, two] = [charged(), card()];
    says(byKey(two), admitted);
    assert.equal(says(byKey(two)), 'in_progress');
    ends(one, created('C'));
    assert.equal(says(byKey(two)), 'look up C');
    assert.equal(says(byKey(two), said(['C', 'open'])), 'in_progress');
    hears(toCharge('C'), paid);
    assert.equal(says(byKey(two), said(['C', 'paid'])), 'paid by C');
  });

  it('is not found once the other card was refused', () => {
    const { says, charged, ends } = story();
    const [one, two] = [charged(), card()];
    says(byKey(two), admitted);
    ends(one, refusedAs('C'));
    assert.equal(says(byKey(two)), 'not_found');
  });
});

describe('a key whose attempt stands', () => {
  it('is answered by what became of it', () => {
    const { says, charges, ends, hears } = story();
    const one = card();
    says(one);
    assert.equal(says(byKey(one)), 'in_progress');
    charges(one);
    assert.equal(says(byKey(one)), 'in_progress');
    ends(one, created('C'));
    assert.equal(says(byKey(one)), 'C');
    hears(toCharge('C'), refused);
    assert.equal(says(byKey(one)), 'payment_refused');
  });

  it('of unknown outcome: its match is looked up, then the merchant is asked', () => {
    const { asks, says, charged } = story();
    const one = charged(unknownAs('C'));
    assert.equal(says(byKey(one)), 'look up C');
    const reply = asks(byKey(one), said(['C', 'open']));
    assert.ok(reply.type === 'admit' && reply.unknown?.key === one.attempt.key);
    assert.equal(says(byKey(one), { ...admitted, ...said(['C', 'open']) }), 'outcome_unknown');
  });

  it('is told of the payment, where another invoice paid the order', () => {
    const { says, shows, charged, hears } = story();
    shows('A');
    const one = charged(refusedAs(null));
    hears(toInvoice('A'), paid);
    assert.equal(says(byKey(one)), 'paid by A');
  });

  it('gets the code that is offered now, in place of its own', () => {
    const { says, shows, hears } = story();
    const one = shows('A');
    assert.equal(says(byKey(one)), 'A');
    shows('B', pix({ replaces: 'A' }));
    assert.equal(says(byKey(one)), 'B');
    hears(toInvoice('A'), mismatch);
    assert.equal(says(byKey(one)), 'in_progress', 'a person has to look at it');
    hears(toInvoice('A'), paid);
    assert.equal(says(byKey(one)), 'A');
  });

  it('gets its own code where the price changed and the newer one is gone', () => {
    const { says, shows, changes } = story();
    const one = shows('A');
    shows('B', pix({ totalCents: 1 }));
    assert.equal(says(byKey(one)), 'B');
    changes((order) => ({
      ...order,
      invoices: order.invoices.map((invoice) =>
        invoice.invoiceId === 'B' ? { ...invoice, deadlineMs: startMs } : invoice,
      ),
    }));
    assert.equal(says(byKey(one)), 'A');
  });

  it('gets no code beside a card, which is looked up, nor beside a payment that differs', () => {
    const { says, shows, charged, ends, hears } = story();
    const one = shows('A');
    const two = charged();
    assert.equal(says(byKey(one)), 'in_progress', 'in flight');
    ends(two, created('C'));
    assert.equal(says(byKey(one)), 'look up C');
    assert.equal(says(byKey(one), said(['C', 'open'])), 'in_progress', 'pending');
    assert.equal(says(byKey(one), said(['A', 'paid'])), 'paid by A', 'not written yet');
    hears(toCharge('C'), refused);
    assert.equal(says(byKey(one)), 'A', 'refused');
    shows('B', pix({ totalCents: 1 }));
    hears(toInvoice('B', { totalCents: 1 }), mismatch);
    assert.equal(says(byKey(one)), 'in_progress', 'a person has to look at the other code');
  });

  it('shows its code again, which begins anew after half an hour', () => {
    const { says, shows, wait, order } = story();
    const one = shows('A');
    wait(30 * minuteMs);
    says(byKey(one));
    assert.equal(order().invoices[0]?.shownAtMs, startMs + 30 * minuteMs);
  });
});

describe('a card’s request that failed before it could leave', () => {
  const failed = (of: ReturnType<typeof card>, code: CardFailedAsk['code']): CardFailedAsk => {
    return { kind: 'card_failed', externalId: 'order-1', key: of.attempt.key, code };
  };

  it('has its key barred before its page is told', () => {
    const { says } = story();
    const one = card();
    assert.equal(says(failed(one, 'amount_mismatch')), 'as_it_failed');
    assert.equal(says(one), 'key_reused');
  });

  it('is answered by the attempt of its key, if one stands', () => {
    const { says, charged, ends } = story();
    const one = charged();
    assert.equal(says(failed(one, 'order_closed')), 'in_progress');
    ends(one, created('C'));
    assert.equal(says(failed(one, 'order_closed')), 'C');
    assert.equal(says(failed(one, 'order_paid')), 'as_it_failed');
  });

  it('hears of no code: a key that a code was made with charges no card', () => {
    const { says, shows } = story();
    const { attempt } = shows('A');
    const two = card({ key: attempt!.key });
    assert.equal(says(failed(two, 'order_closed')), 'as_it_failed');
    assert.equal(says(two), 'key_reused');
  });

  it('with the key of a code’s request charges no card, whatever becomes of that request', () => {
    for (const isLater of [false, true]) {
      const { says, changes, order } = story();
      const one = pix();
      says(one);
      const two = card({ key: one.attempt!.key });
      assert.equal(says(two), 'key_reused');
      if (isLater) changes((known) => gaveUpPix(known, one));
      assert.equal(says(failed(two, 'key_reused')), 'as_it_failed');
      changes((known) => gaveUpPix(known, one));
      assert.equal(says(two), 'key_reused');
      assert.deepEqual(order().attempts, []);
    }
  });

  it('with the key of a card’s request for another total bars nothing', () => {
    const { says, charged } = story();
    const one = charged(created('C'));
    const other = { ...one, attempt: { ...one.attempt, totalCents: 1 } };
    assert.equal(says(failed(other, 'key_reused')), 'as_it_failed');
    assert.equal(says(byKey(one)), 'C');
  });

  it('needs no bar where it heard of an attempt, or of a key that ended', () => {
    const codes = ['payment_refused', 'outcome_unknown', 'unknown_order'] as const;
    assert.deepEqual(codes.map(needsBar), [false, false, false]);
    assert.ok(needsBar('service_unavailable') && needsBar('in_progress') && needsBar('order_paid'));
  });
});
