/** Which code a page gets, and when one is made for it. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { dayMs, minuteMs } from '../../../../src/domain/spans.js';
import { barred, leaving } from '../../../../src/proxy/order/attempts.js';
import { withEnded } from '../../../../src/proxy/order/order.js';
import { reported } from '../../../../src/proxy/order/due.js';
import { paid, startMs, toInvoice, toPix } from '../samples.js';
import { byKey, card, pix, said, story } from './story.js';
import { tell } from './told.js';
import { column } from '../../../world/rows.js';

describe('one code for an order and its price', () => {
  tell`
    is waited for while its maker may be at it, and as long as a page has patience; the same request may go on
      one: pix = create > pix, waited 7999 ms = wait > pix, waited 8000 ms = in_progress
      > one = create > wait 6 s > pix = create
    is not waited for where it began before the clock was set back by more than clocks differ
      pix = create > wait -60 s > pix = wait > wait -1 ms > pix = create
    is handed out although another is being made, and although it was not looked up
      shows A > pix 1, A open = create > pix = A
    is handed out again once its price comes back
      shows A > shows B for 1 > pix, B open = A
    that another request recorded first is the order’s; the other one is kept without its text, and may be paid
      one: pix = create > wait 6 s > two: pix = create > two makes B > one makes A > one, made A = B
      > invoices = B, A unseen > A is paid > pix = paid by A
    of another price that came first: its page asks again, and no second creation leaves
      one: pix = create > wait 6 s > two: pix 1 = create > two makes B > one makes A
      > one, made A, B open = service_unavailable after 1 s
    of another price is looked up first, and its request keeps its key meanwhile
      one: pix = create > wait 6 s > two: pix 1 = create > two makes B > one makes A
      > one, made A = look up B > attempts = claimed, claimed > key of one = in_progress
    is new where the payer wants another
      shows A > pix in place of A, A open = create > invoices = A
    is new where it ran out
      shows A > A runs out > pix, A open = create > invoices = A
    whose creation failed leaves nothing behind
      one: pix = create > one gives up > attempts = none > pix = create
    that is not awaited any more is not counted as shown
      one: pix = create > one makes A > one, made A, gone = A > events = none > pix = A > events = waiting
  `;

  it('is made by the first request, and the others wait and get the same', () => {
    const { asks, says, makes, order } = story();
    const [one, two] = [pix(), pix()];
    assert.deepEqual(asks(one), { type: 'create', known: 0, isNewKey: true });
    assert.deepEqual(order().making, { holder: one.holder, untilMs: startMs + 6_000 });
    assert.equal(says(two), 'wait');
    makes(one, 'A');
    assert.equal(order().making, null);
    assert.equal(says(one, { madeId: 'A' }), 'A');
    assert.equal(says(two), 'A');
    assert.equal(order().offeredId, 'A');
    assert.deepEqual(
      column(order().attempts, 'progress'),
      [one, two].map(() => ({ state: 'created', invoiceId: 'A' })),
    );
  });

  it('is the merchant’s own server’s, too, without a key', () => {
    const { asks, says, makes, order } = story();
    const own = toPix(null);
    assert.deepEqual(asks(own), { type: 'create', known: 0, isNewKey: true });
    makes(own, 'A');
    assert.equal(says(own, { madeId: 'A' }), 'A');
    assert.deepEqual(order().attempts, []);
  });

  it('that a postback named before gets its code from its creation', () => {
    const { asks, hears, makes } = story();
    const one = pix();
    asks(one);
    hears(toInvoice('A'), { isNamed: true });
    makes(one, 'A');
    const reply = asks(one, { madeId: 'A' });
    assert.ok(reply.type === 'invoice' && reply.invoice.code === 'code of A');
  });

  for (const [afterMs, shownAtMs] of [
    [30 * minuteMs - 1, null],
    [30 * minuteMs, startMs + 30 * minuteMs],
  ] as const) {
    it(`begins anew when it is shown again ${afterMs} ms later: ${shownAtMs !== null}`, () => {
      const { says, shows, wait, order } = story();
      shows('A');
      wait(afterMs);
      assert.equal(says(pix()), 'A');
      assert.equal(order().invoices[0]?.shownAtMs, shownAtMs);
    });
  }
});

describe('what was paid, or may be, comes before a code', () => {
  tell`
    a new price: the former code is looked up first, and paid is paid
      shows A > two: pix 6000 = look up A > two, A open = create > A is paid > two, A open = paid by A
    the newest is looked up first
      shows A > shows B for 1 > pix 2 = look up B, A > pix 2, B none = look up A
    a paid order makes no code, nor gives one out, and keeps no claim
      shows A > A is paid > pix = paid by A > pix 1 = paid by A > attempts = created A
    paid while its code was made: its page hears so, and its claim is gone
      shows A > two: pix 1, A open = create > A is paid > two makes B > two, made B, A open = paid by A
      > attempts = created A
    an open card is looked up once, and then in the way
      one: sent > pix = in_progress > one ends charged C > two: pix = look up C
      > two, C open = in_progress > C is refused > two, C refused = create
    a card that came while the code was made, which may be paid all the same
      one: pix = create > two: card = admit > one makes A > one, made A = in_progress
      > attempts = claimed > invoices = A
    a refused charge that a postback named and that is open
      refused C > pix = look up C > one: pix, C open = create > one gives up > C is named
      > pix, C open = in_progress
    a payment that differs stops the order, until a person gives it up
      shows A > A differs > pix = in_progress > not charged = heeded > pix, A mismatch = create
  `;

  it('though that could not be written', () => {
    const { asks, says, shows } = story();
    shows('A');
    const reply = asks(pix({ totalCents: 1 }), said(['A', 'paid']));
    assert.ok(reply.type === 'paid' && reply.invoice.status === 'paid');
    assert.equal(says(pix({ totalCents: 1 }), said(['A', 'mismatch'])), 'in_progress');
  });

  it('an order has twenty codes at most in a day, and the newest twenty are looked up', () => {
    const { says, shows, wait, hears, order } = story();
    for (let n = 1; n <= 20; n += 1) {
      shows(`code ${n}`, pix({ totalCents: n }));
      wait(60 * minuteMs);
    }
    const open = () => said(...order().invoices.map((one) => [one.invoiceId, 'open'] as const));
    assert.equal(says(pix({ totalCents: 99 }), open()), 'too_many_requests');
    wait(4 * 60 * minuteMs);
    shows('code 21', pix({ totalCents: 99 }));
    const reply = says(pix({ totalCents: 100 }));
    assert.equal(reply.split(', ').length, 20);
    assert.ok(reply.startsWith('look up code 21, ') && reply.endsWith(', code 2'), reply);
    hears(toInvoice('code 1', { totalCents: 1 }), paid);
    assert.equal(says(pix({ totalCents: 100 })), 'paid by code 1', 'it is watched all the same');
  });

  it('a day after its deadline a former code is looked up where a postback told of it', () => {
    const { says, shows, wait, changes } = story();
    shows('A');
    changes((order) => ({
      ...order,
      invoices: order.invoices.map((one) => ({
        ...one,
        deadlineMs: startMs + minuteMs,
        lookUpAtMs: startMs + 99 * dayMs,
      })),
    }));
    wait(dayMs + minuteMs - 1);
    assert.equal(says(pix()), 'look up A');
    wait(1);
    const nowMs = startMs + dayMs + minuteMs;
    assert.equal(says(pix()), 'create');
    changes((order) => reported({ ...order, making: null }, { lookUpId: 'A' }, { nowMs })[0]);
    assert.equal(says(pix()), 'look up A');
  });
});

describe('the key of a request for a code', () => {
  tell`
    gets its own code again, and makes none once that is gone
      one: shows A > one = A > one in place of A, A open = key_reused
    replayed after its code was replaced gets the open one, which is not replaced twice
      one: shows A > shows B in place of A > one, A open = B > pix in place of A, A open = B
  `;

  it('that was barred while its code was made gets none, and the code is kept without its text', () => {
    const { says, makes, changes, order } = story();
    const one = pix();
    says(one);
    const { key } = one.attempt!;
    changes((known) => barred({ ...known, attempts: [] }, key, { nowMs: startMs }));
    makes(one, 'A');
    assert.equal(says(one, { madeId: 'A' }), 'key_reused');
    assert.deepEqual(column(order().invoices, 'code'), ['']);
  });

  it('that ended with a code makes no second one', () => {
    const { says, changes } = story();
    const one = pix();
    changes((order) => withEnded(order, one.attempt!.key, 'made', { nowMs: startMs }));
    assert.equal(says(one), 'key_reused');
  });

  it('of a card, or of another price, is none of this request', () => {
    const { says, shows } = story();
    const one = shows('A');
    assert.equal(says({ ...one, attempt: { ...one.attempt!, totalCents: 1 } }), 'key_reused');
    const turned = card();
    says(turned);
    says(byKey(turned));
    assert.notEqual(says(pix({ attempt: { ...turned.attempt, method: 'pix' } })), 'create');
  });

  it('goes with its first creation, and not with a second', () => {
    const { asks, wait } = story();
    const one = pix();
    asks(one);
    wait(6_000);
    assert.deepEqual(asks(one), { type: 'create', known: 0, isNewKey: false });
  });
});

describe('the number of codes', () => {
  tell`
    is three in an hour
      shows A > wait 1 min > shows B in place of A > wait 1 min > shows C in place of B > wait 1 min
      > next: pix in place of C, A open, B open, C open = too_many_requests after 3420 s
      > wait 3419999 ms > next, A open, B open, C open = too_many_requests after 0.001 s
      > wait 1 ms > next, A open, B open, C open = create
  `;

  it('is ten sends in ten minutes, and what was sent is remembered once', () => {
    const { says, changes, order } = story();
    for (let n = 0; n < 10; n += 1) {
      const sent = { method: 'pix', totalCents: 12_345 } as const;
      changes((known) => leaving(known, sent, { nowMs: startMs }));
    }
    assert.equal(says(pix()), 'too_many_requests');
    assert.deepEqual([order().sends.length, order().sentAs.length], [10, 1]);
    for (let n = 0; n < 60; n += 1) {
      const sent = { method: 'credit_card', totalCents: 12_345 } as const;
      changes((known) => leaving(known, sent, { nowMs: startMs + n }));
    }
    assert.deepEqual([order().sends.length, order().sends[10]?.atMs], [60, startMs + 10]);
  });
});
