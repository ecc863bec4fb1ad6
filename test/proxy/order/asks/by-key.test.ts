/** What a page is told that lost the answer to its creation, and one whose card failed. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { minuteMs, secondMs } from '../../../../src/domain/spans.js';
import { findKeyEnding } from '../../../../src/proxy/order/attempts.js';
import { isFinalError, isBarNeeded } from '../../../../src/proxy/order/asks/card.js';
import type { CardFailedAsk } from '../../../../src/proxy/order/asks/card.js';
import { column } from '../../../support/rows.js';
import {
  again,
  byKey,
  card,
  created,
  openOrder,
  pix,
  refusedAs,
  unknownAs,
} from '../open-order.js';
import { differs, paid, refused, startMs } from '../samples.js';

const isAdmitted = true;

describe('a key that nothing is known of', () => {
  it('is barred only for a page that may pay the order', () => {
    const order = openOrder();
    const ask = byKey(card());
    order.asked(ask).replies('admit');
    assert.deepEqual(order.known().keys, []);
    order.asked(ask, { isAdmitted }).replies('not_found');
    assert.equal(findKeyEnding(order.known(), ask.key), 'barred');
    order.asked(ask).replies('not_found');
  });

  it('of a claim that ran out is barred, too', () => {
    const order = openOrder();
    const one = card();
    order.asked(one).replies('admit');
    order.asked(byKey(one)).replies('in_progress');
    order.wait(30 * secondMs);
    order.asked(byKey(one), { isAdmitted }).replies('not_found');
    assert.equal(findKeyEnding(order.known(), one.attempt.key), 'given_up');
    order.asked(again(one)).replies('key_reused');
  });

  it('hears how another card of the order ends', () => {
    const order = openOrder();
    const one = order.charges();
    const ask = byKey(card());
    order.asked(ask, { isAdmitted }).replies('in_progress');
    order.asked(ask).replies('in_progress');
    order.ends(one, created('C'));
    order.asked(ask).replies({ lookUp: ['C'] });
    order.asked(ask, { said: { C: 'open' } }).replies('in_progress');
    order.hears('C', paid);
    order.asked(ask, { said: { C: 'paid' } }).replies({ paidBy: 'C' });
  });

  it('is not found once the other card was refused', () => {
    const order = openOrder();
    const one = order.charges();
    const ask = byKey(card());
    order.asked(ask, { isAdmitted }).replies('in_progress');
    order.ends(one, refusedAs('C'));
    order.asked(ask).replies('not_found');
  });

  it('but that it got a code long ago is answered by what is so, and writes nothing', () => {
    const order = openOrder();
    const one = order.shows('A');
    /** What the order replies, which leaves it as it is. */
    const asked = () => {
      const before = order.known();
      const replied = order.asked(byKey(one));
      assert.equal(order.known(), before);
      return replied;
    };
    order.change((before) => ({ ...before, attempts: [] }));
    order.endsKey(one, 'made');
    asked().replies({ invoice: 'A' });
    order.wait(minuteMs);
    order.hears('A', paid);
    asked().replies({ paidBy: 'A' });
    order.change((before) => ({ ...before, paidId: null, offeredId: null }));
    assert.deepEqual(asked().reply, { type: 'refusal', code: 'not_found' });
  });
});

describe('a key whose attempt stands', () => {
  it('is answered by what became of it', () => {
    const order = openOrder();
    const one = card();
    order.asked(one).replies('admit');
    order.asked(byKey(one)).replies('in_progress');
    order.asked(one, { isAdmitted }).replies('charge');
    order.asked(byKey(one)).replies('in_progress');
    order.ends(one, created('C'));
    order.asked(byKey(one)).replies({ invoice: 'C' });
    order.hears('C', refused);
    order.asked(byKey(one)).replies('payment_refused');
  });

  it('is told of the payment, where another invoice paid the order', () => {
    const order = openOrder();
    order.shows('A');
    const one = order.charges(refusedAs());
    order.hears('A', paid);
    order.asked(byKey(one)).replies({ paidBy: 'A' });
  });

  it('gets the code that is offered now, in place of its own, unless a person has to look at its own or it is paid', () => {
    const order = openOrder();
    const one = order.shows('A');
    order.asked(byKey(one)).replies({ invoice: 'A' });
    order.shows('B', pix({ replaces: 'A' }));
    order.asked(byKey(one)).replies({ invoice: 'B' });
    order.hears('A', differs);
    order.asked(byKey(one)).replies('in_progress');
    order.hears('A', paid);
    order.asked(byKey(one)).replies({ invoice: 'A' });
  });

  it('gets its own code where the price changed and the newer one is gone', () => {
    const order = openOrder();
    const one = order.shows('A');
    order.shows('B', pix({ totalCents: 1 }));
    order.asked(byKey(one)).replies({ invoice: 'B' });
    order.runsOut('B');
    order.asked(byKey(one)).replies({ invoice: 'A' });
  });

  it('gets no code beside a card, which is looked up, nor beside a payment that differs', () => {
    const order = openOrder();
    const one = order.shows('A');
    const two = order.charges();
    order.asked(byKey(one)).replies('in_progress');
    order.ends(two, created('C'));
    order.asked(byKey(one)).replies({ lookUp: ['C'] });
    order.asked(byKey(one), { said: { C: 'open' } }).replies('in_progress');
    order.asked(byKey(one), { said: { A: 'paid' } }).replies({ paidBy: 'A' });
    order.hears('C', refused);
    order.asked(byKey(one)).replies({ invoice: 'A' });
    order.shows('B', pix({ totalCents: 1 }));
    order.hears('B', differs);
    order.asked(byKey(one)).replies('in_progress');
  });

  it('of unknown outcome: its match is looked up, then the merchant is asked', () => {
    const order = openOrder();
    const one = order.charges(unknownAs('C'));
    order.asked(byKey(one)).replies({ lookUp: ['C'] });
    const { reply } = order.asked(byKey(one), { said: { C: 'open' } });
    assert.ok(reply.type === 'admit' && reply.unknown?.key === one.attempt.key);
    order.asked(byKey(one), { isAdmitted, said: { C: 'open' } }).replies('outcome_unknown');
  });

  it('shows its code again, which begins anew after half an hour', () => {
    const order = openOrder();
    const one = order.shows('A');
    order.wait(30 * minuteMs);
    order.asked(byKey(one));
    assert.deepEqual(column(order.known().invoices, 'shownAtMs'), [startMs + 30 * minuteMs]);
  });
});

describe('a card’s request that failed before it could leave', () => {
  const failed = (of: ReturnType<typeof card>, code: CardFailedAsk['code']): CardFailedAsk => {
    return { kind: 'card_failed', externalId: 'order-1', key: of.attempt.key, code };
  };

  it('has its key barred before its page is told', () => {
    const order = openOrder();
    const one = card();
    order.asked(failed(one, 'amount_mismatch')).replies('as_it_failed');
    order.asked(one).replies('key_reused');
  });

  it('is answered by the attempt of its key, if one stands', () => {
    const order = openOrder();
    const one = order.charges();
    order.asked(failed(one, 'order_closed')).replies('in_progress');
    order.ends(one, created('C'));
    order.asked(failed(one, 'order_closed')).replies({ invoice: 'C' });
    order.asked(failed(one, 'order_paid')).replies('as_it_failed');
  });

  it('hears of no code: a key that a code was made with charges no card', () => {
    const order = openOrder();
    const two = card({ key: byKey(order.shows('A')).key });
    order.asked(failed(two, 'order_closed')).replies('as_it_failed');
    order.asked(two).replies('key_reused');
  });

  it('with the key of a code’s request charges no card, whatever becomes of that request', () => {
    for (const isLater of [false, true]) {
      const order = openOrder();
      const one = pix();
      order.asked(one);
      const two = card({ key: byKey(one).key });
      order.asked(two).replies('key_reused');
      if (isLater) order.givesUp(one);
      order.asked(failed(two, 'key_reused')).replies('as_it_failed');
      order.givesUp(one);
      order.asked(two).replies('key_reused');
      order.has({ attempts: [] });
    }
  });

  it('with the key of a card’s request for another total bars nothing', () => {
    const order = openOrder();
    const one = order.charges(created('C'));
    const other = { ...one, attempt: { ...one.attempt, totalCents: 1 } };
    order.asked(failed(other, 'key_reused')).replies('as_it_failed');
    order.asked(byKey(one)).replies({ invoice: 'C' });
  });

  it('needs no bar where it heard of an attempt, or of a key that ended', () => {
    const codes = ['payment_refused', 'outcome_unknown', 'unknown_order'] as const;
    assert.deepEqual(codes.map(isBarNeeded), [false, false, false]);
    const passing = ['service_unavailable', 'too_many_requests', 'in_progress'] as const;
    assert.deepEqual([...passing, 'order_closed' as const].map(isFinalError), [
      false,
      false,
      false,
      true,
    ]);
    assert.ok(
      isBarNeeded('service_unavailable') && isBarNeeded('in_progress') && isBarNeeded('order_paid'),
    );
  });
});
