/** Which code a page gets, and when one is made for it. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { barred } from '../../../../src/proxy/order/attempts.js';
import { givingUp } from '../../../../src/proxy/order/asks/asked.js';
import { named } from '../../../../src/proxy/order/due/due.js';
import { withEnded } from '../../../../src/proxy/order/keys.js';
import { leaving } from '../../../../src/proxy/order/sends.js';
import { reported } from '../../../../src/proxy/order/due/reports.js';
import { dayMs, paid, refused, startMs, toCharge, toInvoice, toPix } from '../samples.js';
import { byKey, card, created, pix, refusedAs, said, story, word } from './story.js';
import { column, columns } from '../../../world/rows.js';

const minuteMs = 60_000;
const mismatch = { meaning: 'mismatch', field: 'total_cents', word: 'paid' } as const;

describe('one code for an order and its price', () => {
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

  it('is waited for while its maker may be at it, and as long as a page has patience', () => {
    const { says, wait } = story();
    const one = pix();
    says(one);
    assert.equal(says(pix(), { waitedMs: 7_999 }), 'wait');
    assert.equal(says(pix(), { waitedMs: 8_000 }), 'in_progress');
    assert.equal(says(one), 'create', 'the same may go on');
    wait(6_000);
    assert.equal(says(pix()), 'create');
  });

  it('is not waited for where it began before the clock was set back', () => {
    const { says, wait } = story();
    says(pix());
    wait(-60 * minuteMs);
    assert.equal(says(pix()), 'create');
  });

  it('is handed out although another is being made, and although it was not looked up', () => {
    const { says, shows } = story();
    shows('A');
    assert.equal(says(pix({ totalCents: 1 }), said(['A', 'open'])), 'create');
    assert.equal(says(pix()), 'A');
  });

  it('is handed out again once its price comes back', () => {
    const { says, shows } = story();
    shows('A');
    shows('B', pix({ totalCents: 1 }));
    assert.equal(says(pix(), said(['B', 'open'])), 'A');
  });

  it('that another request recorded first is the order’s', () => {
    const { says, makes, wait, hears, order } = story();
    const [one, two] = [pix(), pix()];
    says(one);
    wait(6_000);
    says(two);
    makes(two, 'B');
    makes(one, 'A');
    assert.equal(says(one, { madeId: 'A' }), 'B');
    assert.deepEqual(
      columns(order().invoices, 'invoiceId', 'code'),
      [
        ['B', 'code of B'],
        ['A', ''],
      ],
      'the other one is kept without its code',
    );
    assert.notEqual(order().invoices[1]?.lookUpAtMs, null);
    hears(toInvoice('A'), paid);
    assert.equal(says(pix()), 'paid by A');
  });

  it('of another price that came first: its page asks again, and no second creation leaves', () => {
    const { asks, says, makes, wait } = story();
    const [one, two] = [pix(), pix({ totalCents: 1 })];
    says(one);
    wait(6_000);
    says(two);
    makes(two, 'B');
    makes(one, 'A');
    assert.deepEqual(asks(one, { madeId: 'A', ...said(['B', 'open']) }), {
      type: 'refusal',
      code: 'service_unavailable',
      afterMs: 1_000,
    });
  });

  it('is new where the payer wants another, or where it ran out', () => {
    const { says, shows, changes, order } = story();
    shows('A');
    const open = said(['A', 'open']);
    assert.equal(says(pix({ replaces: 'A' }), open), 'create');
    changes((known) => ({
      ...known,
      making: null,
      invoices: known.invoices.map((one) => ({ ...one, deadlineMs: startMs })),
    }));
    assert.equal(says(pix(), open), 'create');
    assert.equal(order().invoices.length, 1);
  });

  it('is the merchant’s own server’s, too, without a key', () => {
    const { asks, says, makes, order } = story();
    const own = toPix(null);
    assert.deepEqual(asks(own), { type: 'create', known: 0, isNewKey: true });
    makes(own, 'A');
    assert.equal(says(own, { madeId: 'A' }), 'A');
    assert.deepEqual(order().attempts, []);
  });

  it('whose creation failed leaves nothing behind', () => {
    const { asks, says, changes, order } = story();
    const one = pix();
    asks(one);
    changes(givingUp(one) ?? assert.fail());
    assert.deepEqual([order().making, order().attempts], [null, []]);
    assert.equal(says(pix()), 'create');
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

  it('that is not awaited any more is not counted as shown', () => {
    const { asks, makes, order } = story();
    const one = pix();
    asks(one);
    makes(one, 'A');
    asks(one, { madeId: 'A', isAwaited: false });
    assert.deepEqual(order().events, []);
    asks(pix());
    assert.deepEqual(column(order().events, 'kind'), ['waiting']);
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
  it('a new price: the former code is looked up first, and paid is paid', () => {
    const { says, shows, hears } = story();
    shows('A');
    const two = pix({ totalCents: 6_000 });
    assert.equal(says(two), 'look up A');
    assert.equal(says(two, said(['A', 'open'])), 'create');
    hears(toInvoice('A'), paid);
    assert.equal(says(two, said(['A', 'open'])), 'paid by A');
  });

  it('though that could not be written', () => {
    const { asks, says, shows } = story();
    shows('A');
    const reply = asks(pix({ totalCents: 1 }), said(['A', 'paid']));
    assert.ok(reply.type === 'paid' && reply.invoice.status === 'paid');
    assert.equal(says(pix({ totalCents: 1 }), said(['A', 'mismatch'])), 'in_progress');
  });

  it('the newest is looked up first', () => {
    const { says, shows } = story();
    shows('A');
    shows('B', pix({ totalCents: 1 }));
    assert.equal(says(pix({ totalCents: 2 })), 'look up B, A');
    assert.equal(says(pix({ totalCents: 2 }), said(['B', 'none'])), 'look up A');
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

  it('a paid order makes no code, nor gives one out', () => {
    const { says, shows, hears, order } = story();
    shows('A');
    hears(toInvoice('A'), paid);
    assert.equal(says(pix()), 'paid by A');
    assert.equal(says(pix({ totalCents: 1 })), 'paid by A');
    assert.equal(order().attempts.length, 1, 'its claim is gone');
  });

  it('paid while its code was made: its page hears so, and its claim is gone', () => {
    const { says, shows, hears, makes } = story();
    shows('A');
    const two = pix({ totalCents: 1 });
    says(two, said(['A', 'open']));
    hears(toInvoice('A'), paid);
    makes(two, 'B', 1);
    assert.equal(says(two, { madeId: 'B', ...said(['A', 'open']) }), 'paid by A');
  });

  it('an open card is looked up once, and then in the way', () => {
    const { says, charged, ends, hears } = story();
    const one = charged();
    assert.equal(says(pix()), 'in_progress', 'its answer is awaited');
    ends(one, created('C'));
    const two = pix();
    assert.equal(says(two), 'look up C');
    assert.equal(says(two, said(['C', 'open'])), 'in_progress');
    hears(toCharge('C'), refused);
    assert.equal(says(two, said(['C', 'refused'])), 'create');
  });

  it('a card that came while the code was made', () => {
    const { says, makes, order } = story();
    const [one, two] = [pix(), card()];
    says(one);
    says(two);
    makes(one, 'A');
    assert.equal(says(one, { madeId: 'A' }), 'in_progress');
    assert.deepEqual(column(order().attempts, 'key'), [two.attempt.key]);
    assert.equal(order().invoices.length, 1, 'it may be paid all the same');
  });

  it('a refused charge that a postback named and that is open', () => {
    const { says, charged, changes } = story();
    charged(refusedAs('C'));
    assert.equal(says(pix()), 'look up C');
    assert.equal(says(pix(), said(['C', 'open'])), 'create');
    changes((order) => ({
      ...named(order, { lookUpId: 'C', forMs: 0 }, { nowMs: startMs })[0],
      making: null,
    }));
    assert.equal(says(pix(), said(['C', 'open'])), 'in_progress');
  });

  it('a payment that differs stops the order, until a person gives it up', () => {
    const { says, shows, hears, order } = story();
    shows('A');
    hears(toInvoice('A'), mismatch);
    assert.equal(says(pix()), 'in_progress');
    assert.equal(says(word(order(), null)), 'heeded');
    assert.equal(says(pix(), said(['A', 'mismatch'])), 'create', 'a new one');
  });
});

describe('the key of a request for a code', () => {
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

  it('gets its own code again, and makes none once that is gone', () => {
    const { says, shows } = story();
    const one = shows('A');
    assert.equal(says(one), 'A');
    assert.equal(says({ ...one, replaces: 'A' }, said(['A', 'open'])), 'key_reused');
  });

  it('replayed after its code was replaced gets the open one', () => {
    const { says, shows } = story();
    const one = shows('A');
    shows('B', pix({ replaces: 'A' }));
    assert.equal(says(one, said(['A', 'open'])), 'B');
    assert.equal(
      says(pix({ replaces: 'A' }), said(['A', 'open'])),
      'B',
      'and is not replaced twice',
    );
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
  it('is three in an hour', () => {
    const { asks, says, shows, wait } = story();
    for (const id of ['A', 'B', 'C']) {
      shows(id, pix({ replaces: lastOf(id) }));
      wait(minuteMs);
    }
    const all = said(['A', 'open'], ['B', 'open'], ['C', 'open']);
    const next = pix({ replaces: 'C' });
    const afterMs = 57 * minuteMs;
    assert.deepEqual(asks(next, all), { type: 'refusal', code: 'too_many_requests', afterMs });
    wait(afterMs - 1);
    assert.equal(says(next, all), 'too_many_requests');
    wait(1);
    assert.equal(says(next, all), 'create');
  });

  it('is ten sends in ten minutes, and what was sent is remembered once', () => {
    const { says, changes, order } = story();
    for (let n = 0; n < 10; n += 1) {
      const sent = { method: 'pix', totalCents: 12_345 } as const;
      changes((known) => leaving(known, sent, { nowMs: startMs }));
    }
    assert.equal(says(pix()), 'too_many_requests');
    assert.deepEqual([order().sends.length, order().sentAs.length], [10, 1]);
  });
});

function lastOf(id: string): string | null {
  return id === 'A' ? null : String.fromCharCode(id.charCodeAt(0) - 1);
}
