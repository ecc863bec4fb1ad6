/** What a page is told that lost the answer to its creation, and one whose card failed. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { minuteMs } from '../../../../src/domain/spans.js';
import { withEnded } from '../../../../src/proxy/order/order.js';
import { gaveUpPix } from '../../../../src/proxy/order/asks/pix.js';
import { isLastWord, needsBar } from '../../../../src/proxy/order/asks/card.js';
import type { CardFailedAsk } from '../../../../src/proxy/order/asks/card.js';
import { paid, startMs, toInvoice } from '../samples.js';
import { byKey, card, created, pix, said, story, unknownAs } from './story.js';
import { tell } from './told.js';

const admitted = { isAdmitted: true };

describe('a key that nothing is known of', () => {
  tell`
    is barred only for a page that may pay the order
      key of one = admit > keys = none > key of one, admitted = not_found > keys = b > key of one = not_found
    of a claim that ran out is barred, too
      one: card = admit > key of one = in_progress > wait 30 s > key of one, admitted = not_found
      > keys = g > again one = key_reused
    hears how another card of the order ends
      one: sent > key of two, admitted = in_progress > key of two = in_progress > one ends charged C
      > key of two = look up C > key of two, C open = in_progress > C is paid > key of two, C paid = paid by C
    is not found once the other card was refused
      one: sent > key of two, admitted = in_progress > one ends refused C > key of two = not_found
  `;

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
});

describe('a key whose attempt stands', () => {
  tell`
    is answered by what became of it
      one: card = admit > key of one = in_progress > one, admitted = charge > key of one = in_progress
      > one ends charged C > key of one = C > C is refused > key of one = payment_refused
    is told of the payment, where another invoice paid the order
      shows A > one: refused > A is paid > key of one = paid by A
    gets the code that is offered now, in place of its own, unless a person has to look at its own or it is paid
      one: shows A > key of one = A > shows B in place of A > key of one = B
      > A differs > key of one = in_progress > A is paid > key of one = A
    gets its own code where the price changed and the newer one is gone
      one: shows A > shows B for 1 > key of one = B > B runs out > key of one = A
    gets no code beside a card, which is looked up, nor beside a payment that differs
      one: shows A > two: sent > key of one = in_progress > two ends charged C > key of one = look up C
      > key of one, C open = in_progress > key of one, A paid = paid by A > C is refused > key of one = A
      > shows B for 1 > B differs > key of one = in_progress
  `;

  it('of unknown outcome: its match is looked up, then the merchant is asked', () => {
    const { asks, says, charged } = story();
    const one = charged(unknownAs('C'));
    assert.equal(says(byKey(one)), 'look up C');
    const reply = asks(byKey(one), said(['C', 'open']));
    assert.ok(reply.type === 'admit' && reply.unknown?.key === one.attempt.key);
    assert.equal(says(byKey(one), { ...admitted, ...said(['C', 'open']) }), 'outcome_unknown');
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
    const passing = ['service_unavailable', 'too_many_requests', 'in_progress'] as const;
    assert.deepEqual([...passing, 'order_closed' as const].map(isLastWord), [
      false,
      false,
      false,
      true,
    ]);
    assert.ok(needsBar('service_unavailable') && needsBar('in_progress') && needsBar('order_paid'));
  });
});
