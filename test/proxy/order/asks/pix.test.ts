/** Which code a page gets, and when one is made for it. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { dayMs, hourMs, minuteMs, secondMs } from '../../../../src/domain/spans.js';
import { barKey, recordSending } from '../../../../src/proxy/order/attempts.js';
import { column } from '../../../support/rows.js';
import { byKey, card, created, openOrder, pix, refusedAs } from '../open-order.js';
import { differs, paid, refused, startMs, toPix } from '../samples.js';

describe('one code for an order and its price', () => {
  it('is made by the first request, and the others wait and get the same', () => {
    const order = openOrder();
    const [one, two] = [pix(), pix()];
    assert.deepEqual(order.asked(one).reply, { type: 'create', known: 0, isNewKey: true });
    assert.deepEqual(order.known().making, { holder: one.holder, untilMs: startMs + 6_000 });
    order.asked(two).replies('wait');
    order.makes(one, 'A');
    assert.equal(order.known().making, null);
    order.asked(one, { madeId: 'A' }).replies({ invoice: 'A' });
    order.asked(two).replies({ invoice: 'A' });
    assert.equal(order.known().offeredId, 'A');
    order.has({ attempts: [{ created: 'A' }, { created: 'A' }] });
  });

  it('is waited for while its maker may be at it, and as long as a page has patience; the same request may go on', () => {
    const order = openOrder();
    const one = pix();
    order.asked(one).replies('create');
    order.asked(pix(), { waitedMs: 7_999 }).replies('wait');
    order.asked(pix(), { waitedMs: 8_000 }).replies('in_progress');
    order.asked(one).replies('create');
    order.wait(6 * secondMs);
    order.asked(pix()).replies('create');
  });

  it('is not waited for where it began before the clock was set back by more than clocks differ', () => {
    const order = openOrder();
    order.asked(pix()).replies('create');
    order.wait(-minuteMs);
    order.asked(pix()).replies('wait');
    order.wait(-1);
    order.asked(pix()).replies('create');
  });

  it('is handed out although another is being made, and although it was not looked up', () => {
    const order = openOrder();
    order.shows('A');
    order.asked(pix({ totalCents: 1 }), { said: { A: 'open' } }).replies('create');
    order.asked(pix()).replies({ invoice: 'A' });
  });

  it('is handed out again once its price comes back', () => {
    const order = openOrder();
    order.shows('A');
    order.shows('B', pix({ totalCents: 1 }));
    order.asked(pix(), { said: { B: 'open' } }).replies({ invoice: 'A' });
  });

  it('that another request recorded first is the order’s; the other one is kept without its text, and may be paid', () => {
    const order = openOrder();
    const [one, two] = [pix(), pix()];
    order.asked(one).replies('create');
    order.wait(6 * secondMs);
    order.asked(two).replies('create');
    order.makes(two, 'B');
    order.makes(one, 'A');
    order.asked(one, { madeId: 'A' }).replies({ invoice: 'B' });
    order.has({ invoices: [{ id: 'B' }, { id: 'A', isUnseen: true }] });
    order.hears('A', paid);
    order.asked(pix()).replies({ paidBy: 'A' });
  });

  describe('of another price that came first', () => {
    function openWithCheaper() {
      const order = openOrder();
      const [one, two] = [pix(), pix({ totalCents: 1 })];
      order.asked(one).replies('create');
      order.wait(6 * secondMs);
      order.asked(two).replies('create');
      order.makes(two, 'B');
      order.makes(one, 'A');
      return { order, one };
    }

    it('has its page ask again, and no second creation leaves', () => {
      const { order, one } = openWithCheaper();
      const reply = { refusal: 'service_unavailable', afterMs: secondMs } as const;
      order.asked(one, { madeId: 'A', said: { B: 'open' } }).replies(reply);
    });

    it('is looked up first, and the request keeps its key meanwhile', () => {
      const { order, one } = openWithCheaper();
      order.asked(one, { madeId: 'A' }).replies({ lookUp: ['B'] });
      order.has({ attempts: ['claimed', 'claimed'] });
      order.asked(byKey(one)).replies('in_progress');
    });
  });

  it('is new where the payer wants another', () => {
    const order = openOrder();
    order.shows('A');
    order.asked(pix({ replaces: 'A' }), { said: { A: 'open' } }).replies('create');
    order.has({ invoices: [{ id: 'A' }] });
  });

  it('is new where it ran out', () => {
    const order = openOrder();
    order.shows('A');
    order.runsOut('A');
    order.asked(pix(), { said: { A: 'open' } }).replies('create');
  });

  it('whose creation failed leaves nothing behind', () => {
    const order = openOrder();
    const one = pix();
    order.asked(one).replies('create');
    order.givesUp(one);
    order.has({ attempts: [] });
    order.asked(pix()).replies('create');
  });

  it('that is not awaited any more is not counted as shown', () => {
    const order = openOrder();
    const one = pix();
    order.asked(one).replies('create');
    order.makes(one, 'A');
    order.asked(one, { madeId: 'A', isAwaited: false }).replies({ invoice: 'A' });
    order.has({ events: [] });
    order.asked(pix()).replies({ invoice: 'A' });
    order.has({ events: ['waiting'] });
  });

  it('is the merchant’s own server’s, too, without a key', () => {
    const order = openOrder();
    const own = toPix(null);
    assert.deepEqual(order.asked(own).reply, { type: 'create', known: 0, isNewKey: true });
    order.makes(own, 'A');
    order.asked(own, { madeId: 'A' }).replies({ invoice: 'A' });
    order.has({ attempts: [] });
  });

  it('that a postback named before gets its code from its creation', () => {
    const order = openOrder();
    const one = pix();
    order.asked(one);
    order.hears('A', { isNamed: true });
    order.makes(one, 'A');
    const { reply } = order.asked(one, { madeId: 'A' });
    assert.ok(reply.type === 'invoice' && reply.invoice.code === 'code of A');
  });

  it.each([
    [30 * minuteMs - 1, null],
    [30 * minuteMs, startMs + 30 * minuteMs],
  ])('that is shown again %i ms later begins anew after half an hour: %s', (afterMs, shownAtMs) => {
    const order = openOrder();
    order.shows('A');
    order.wait(afterMs);
    order.asked(pix()).replies({ invoice: 'A' });
    assert.deepEqual(column(order.known().invoices, 'shownAtMs'), [shownAtMs]);
  });
});

describe('what was paid, or may be, comes before a code', () => {
  it('a new price: the former code is looked up first, and paid is paid', () => {
    const order = openOrder();
    order.shows('A');
    const two = pix({ totalCents: 6_000 });
    order.asked(two).replies({ lookUp: ['A'] });
    order.asked(two, { said: { A: 'open' } }).replies('create');
    order.hears('A', paid);
    order.asked(two, { said: { A: 'open' } }).replies({ paidBy: 'A' });
  });

  it('the newest is looked up first', () => {
    const order = openOrder();
    order.shows('A');
    order.shows('B', pix({ totalCents: 1 }));
    order.asked(pix({ totalCents: 2 })).replies({ lookUp: ['B', 'A'] });
    order.asked(pix({ totalCents: 2 }), { said: { B: 'none' } }).replies({ lookUp: ['A'] });
  });

  it('a paid order makes no code, nor gives one out, and keeps no claim', () => {
    const order = openOrder();
    order.shows('A');
    order.hears('A', paid);
    order.asked(pix()).replies({ paidBy: 'A' });
    order.asked(pix({ totalCents: 1 })).replies({ paidBy: 'A' });
    order.has({ attempts: [{ created: 'A' }] });
  });

  it('paid while its code was made: its page hears so, and its claim is gone', () => {
    const order = openOrder();
    order.shows('A');
    const two = pix({ totalCents: 1 });
    order.asked(two, { said: { A: 'open' } }).replies('create');
    order.hears('A', paid);
    order.makes(two, 'B');
    order.asked(two, { madeId: 'B', said: { A: 'open' } }).replies({ paidBy: 'A' });
    order.has({ attempts: [{ created: 'A' }] });
  });

  it('an open card is looked up once, and then in the way', () => {
    const order = openOrder();
    const one = order.charges();
    order.asked(pix()).replies('in_progress');
    order.ends(one, created('C'));
    const two = pix();
    order.asked(two).replies({ lookUp: ['C'] });
    order.asked(two, { said: { C: 'open' } }).replies('in_progress');
    order.hears('C', refused);
    order.asked(two, { said: { C: 'refused' } }).replies('create');
  });

  it('a card that came while the code was made, which may be paid all the same', () => {
    const order = openOrder();
    const one = pix();
    order.asked(one).replies('create');
    order.asked(card()).replies('admit');
    order.makes(one, 'A');
    order.asked(one, { madeId: 'A' }).replies('in_progress');
    order.has({ attempts: ['claimed'], invoices: [{ id: 'A' }] });
  });

  it('a refused charge that a postback named and that is open', () => {
    const order = openOrder();
    order.charges(refusedAs('C'));
    order.asked(pix()).replies({ lookUp: ['C'] });
    const one = pix();
    order.asked(one, { said: { C: 'open' } }).replies('create');
    order.givesUp(one);
    order.hearsName('C');
    order.asked(pix(), { said: { C: 'open' } }).replies('in_progress');
  });

  it('a payment that differs stops the order, until a person gives it up', () => {
    const order = openOrder();
    order.shows('A');
    order.hears('A', differs);
    order.asked(pix()).replies('in_progress');
    order.asked(order.notCharged()).replies('heeded');
    order.asked(pix(), { said: { A: 'mismatch' } }).replies('create');
  });

  it('though that could not be written', () => {
    const order = openOrder();
    order.shows('A');
    const { reply } = order.asked(pix({ totalCents: 1 }), { said: { A: 'paid' } });
    assert.ok(reply.type === 'paid' && reply.invoice.status === 'paid');
    order.asked(pix({ totalCents: 1 }), { said: { A: 'mismatch' } }).replies('in_progress');
  });

  it('an order has twenty codes at most in a day, and the newest twenty are looked up', () => {
    const order = openOrder();
    for (let n = 1; n <= 20; n += 1) {
      order.shows(`code ${n}`, pix({ totalCents: n }));
      order.wait(hourMs);
    }
    const ids = column(order.known().invoices, 'invoiceId');
    const said = Object.fromEntries(ids.map((id) => [id, 'open' as const]));
    const reply = { refusal: 'too_many_requests', afterMs: 4 * hourMs } as const;
    order.asked(pix({ totalCents: 99 }), { said }).replies(reply);
    order.wait(4 * hourMs);
    order.shows('code 21', pix({ totalCents: 99 }));
    const lookUp = [...ids.slice(1), 'code 21'].toReversed();
    order.asked(pix({ totalCents: 100 })).replies({ lookUp });
    order.hears('code 1', paid);
    order.asked(pix({ totalCents: 100 })).replies({ paidBy: 'code 1' });
  });

  it('a day after its deadline a former code is looked up where a postback told of it', () => {
    const order = openOrder();
    order.shows('A');
    const times = { deadlineMs: startMs + minuteMs, lookUpAtMs: startMs + 99 * dayMs };
    order.change((before) => ({
      ...before,
      invoices: before.invoices.map((one) => ({ ...one, ...times })),
    }));
    order.wait(dayMs + minuteMs - 1);
    order.asked(pix()).replies({ lookUp: ['A'] });
    order.wait(1);
    const one = pix();
    order.asked(one).replies('create');
    order.givesUp(one);
    order.hearsOf('A');
    order.asked(pix()).replies({ lookUp: ['A'] });
  });
});

describe('the key of a request for a code', () => {
  it('gets its own code again, and makes none once that is gone', () => {
    const order = openOrder();
    const one = order.shows('A');
    order.asked(one).replies({ invoice: 'A' });
    order.asked({ ...one, replaces: 'A' }, { said: { A: 'open' } }).replies('key_reused');
  });

  it('replayed after its code was replaced gets the open one, which is not replaced twice', () => {
    const order = openOrder();
    const one = order.shows('A');
    order.shows('B', pix({ replaces: 'A' }));
    order.asked(one, { said: { A: 'open' } }).replies({ invoice: 'B' });
    order.asked(pix({ replaces: 'A' }), { said: { A: 'open' } }).replies({ invoice: 'B' });
  });

  it('that was barred while its code was made gets none, and the code is kept without its text', () => {
    const order = openOrder();
    const one = pix();
    order.asked(one);
    order.change((before) => ({ ...before, attempts: [] }));
    order.tell(barKey, byKey(one).key);
    order.makes(one, 'A');
    order.asked(one, { madeId: 'A' }).replies('key_reused');
    order.has({ invoices: [{ id: 'A', isUnseen: true }] });
  });

  it('that ended with a code makes no second one', () => {
    const order = openOrder();
    const one = pix();
    order.endsKey(one, 'made');
    order.asked(one).replies('key_reused');
  });

  it('of a card, or of another price, is none of this request', () => {
    const order = openOrder();
    const { attempt, ...one } = order.shows('A');
    order.asked({ ...one, attempt: { ...attempt!, totalCents: 1 } }).replies('key_reused');
    const turned = card();
    order.asked(turned);
    order.asked(byKey(turned));
    order.asked(pix({ attempt: { ...turned.attempt, method: 'pix' } })).replies('in_progress');
  });

  it('goes with its first creation, and not with a second', () => {
    const order = openOrder();
    const one = pix();
    order.asked(one);
    order.wait(6 * secondMs);
    assert.deepEqual(order.asked(one).reply, { type: 'create', known: 0, isNewKey: false });
  });
});

describe('the number of codes', () => {
  it('is three in an hour', () => {
    const order = openOrder();
    order.shows('A');
    order.wait(minuteMs);
    order.shows('B', pix({ replaces: 'A' }));
    order.wait(minuteMs);
    order.shows('C', pix({ replaces: 'B' }));
    order.wait(minuteMs);
    const next = pix({ replaces: 'C' });
    const said = { A: 'open', B: 'open', C: 'open' } as const;
    const tooManyFor = (afterMs: number) => ({ refusal: 'too_many_requests' as const, afterMs });
    order.asked(next, { said }).replies(tooManyFor(57 * minuteMs));
    order.wait(57 * minuteMs - 1);
    order.asked(next, { said }).replies(tooManyFor(1));
    order.wait(1);
    order.asked(next, { said }).replies('create');
  });

  it('is ten sends in ten minutes, and what was sent is remembered once', () => {
    const order = openOrder();
    for (let n = 0; n < 10; n += 1)
      order.tell(recordSending, { method: 'pix', totalCents: 12_345 });
    order.asked(pix()).replies({ refusal: 'too_many_requests', afterMs: 10 * minuteMs });
    assert.deepEqual([order.known().sends.length, order.known().sentAs.length], [10, 1]);
    for (let n = 0; n < 60; n += 1) {
      order.tell(recordSending, { method: 'credit_card', totalCents: 12_345 });
      order.wait(1);
    }
    const { sends } = order.known();
    assert.deepEqual([sends.length, sends[10]?.atMs], [60, startMs + 10]);
  });
});
