/** What a request for a code may do, and which code its page gets. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { claimed } from '../../../src/proxy/order/attempts.js';
import { begun, madeCode } from '../../../src/proxy/order/creations.js';
import type { MadeCode } from '../../../src/proxy/order/creations.js';
import { heard } from '../../../src/proxy/order/heard.js';
import { shown, toUnsure } from '../../../src/proxy/order/invoices.js';
import { named } from '../../../src/proxy/order/due.js';
import { emptyOrder } from '../../../src/proxy/order/order.js';
import { leaving } from '../../../src/proxy/order/sends.js';
import { follow, paid, startMs, toCard, toHeard, toInvoice, toKey } from './samples.js';

const lookedUp = new Set(['pix-1', 'pix-2', 'pix-3']);
const asked = { attempt: null, holder: 'one', totalCents: 12_345, replaces: null, lookedUp };
const pix = { ...toCard(1), method: 'pix', scope: 'pix of order-1' } as const;
const minuteMs = 60_000;

const code = (id = 'pix-1', more: Partial<MadeCode> = {}): MadeCode => ({
  ...asked,
  invoice: toInvoice(id),
  known: 0,
  isAwaited: true,
  ...more,
});

/** An order whose code a page has. */
function withCode() {
  const life = follow(emptyOrder('order-1'));
  assert.deepEqual(life.tell(begun, asked), { is: 'begin', known: 0, isNewKey: true });
  assert.equal(life.tell(madeCode, code()).is, 'made');
  return life;
}

describe('a request for a code', () => {
  it('waits while another is at it, for six seconds', () => {
    const life = follow(emptyOrder('order-1'));
    life.tell(begun, asked);
    assert.deepEqual(life.order().making, { holder: 'one', untilMs: startMs + 6_000 });
    assert.deepEqual(life.tell(begun, { ...asked, holder: 'two' }), { is: 'making' });
    assert.equal(life.tell(begun, asked).is, 'begin', 'the same may go on');
    life.wait(6_000);
    assert.equal(life.tell(begun, { ...asked, holder: 'two' }).is, 'begin');
  });

  it('does not wait for one that began before the clock was set back, and died', () => {
    const life = follow(emptyOrder('order-1'));
    life.tell(begun, asked);
    life.wait(-60 * minuteMs);
    assert.equal(life.tell(begun, { ...asked, holder: 'two' }).is, 'begin');
  });

  it('gets the open code, also while another is being made', () => {
    const life = withCode();
    life.tell(begun, { ...asked, totalCents: 1 });
    const found = life.tell(begun, { ...asked, holder: 'two', attempt: pix });
    assert.ok(found.is === 'open' && found.invoice.invoiceId === 'pix-1');
    assert.deepEqual(life.order().attempts[0]?.progress, { state: 'created', invoiceId: 'pix-1' });
    assert.equal(life.order().offeredId, 'pix-1');
  });

  it('gets the open code although it was not looked up', () => {
    const life = withCode();
    assert.equal(life.tell(begun, { ...asked, lookedUp: new Set<string>() }).is, 'open');
  });

  it('is told by what the order is paid', () => {
    const life = withCode();
    life.tell(heard, toHeard(toInvoice('pix-1'), paid));
    const found = life.tell(begun, asked);
    assert.ok(found.is === 'paid' && found.invoice.invoiceId === 'pix-1');
  });

  it('is told that a card is open', () => {
    const life = withCode();
    life.tell(claimed, toCard(2));
    assert.deepEqual(life.tell(begun, asked), { is: 'card' });
  });

  it('is told when there were three codes in an hour', () => {
    const life = follow(emptyOrder('order-1'));
    for (const [known, id] of ['pix-1', 'pix-2', 'pix-3'].entries()) {
      life.tell(begun, { ...asked, replaces: life.order().offeredId });
      life.tell(
        madeCode,
        code(id, { known, invoice: toInvoice(id, { createdAtMs: life.nowMs() }) }),
      );
      life.wait(minuteMs);
    }
    const again = { ...asked, replaces: 'pix-3' };
    const freeAtMs = startMs + 60 * minuteMs;
    assert.deepEqual(life.tell(begun, again), { is: 'too_many', freeAtMs });
    life.wait(57 * minuteMs - 1);
    assert.equal(life.tell(begun, again).is, 'too_many');
    life.wait(1);
    assert.equal(life.tell(begun, again).is, 'begin');
  });

  it('has all else looked up first, the newest first, with what postbacks named', () => {
    const life = withCode();
    life.tell(named, { lookUpId: 'named', forMs: 0 });
    const none = { ...asked, replaces: 'pix-1', lookedUp: new Set<string>() };
    const [invoice] = life.order().invoices;
    assert.deepEqual(life.tell(begun, none), {
      is: 'unsure',
      invoices: [invoice],
      named: ['named'],
    });
    assert.equal(toUnsure(life.order(), lookedUp, null), null);
  });
});

describe('a code that was made', () => {
  it('is given up where a card came before it', () => {
    const life = follow(emptyOrder('order-1'));
    life.tell(begun, { ...asked, attempt: pix });
    life.tell(claimed, toCard(2));
    assert.deepEqual(life.tell(madeCode, code('pix-1', { attempt: pix })), { is: 'card' });
    assert.deepEqual(
      life.order().attempts.map(({ key }) => key),
      [toKey(2)],
    );
    assert.equal(life.order().invoices.length, 1, 'it may be paid all the same');
  });

  it('is that of an invoice which a postback named before', () => {
    const life = follow(emptyOrder('order-1'));
    life.tell(begun, asked);
    life.tell(heard, toHeard(toInvoice('pix-1'), { isNamed: true }));
    assert.equal(life.order().invoices[0]?.code, '');
    const found = life.tell(madeCode, code());
    assert.ok(found.is === 'made' && found.invoice.code === 'code of pix-1');
  });

  it('gives way to one that another request recorded meanwhile', () => {
    const life = withCode();
    const made = life.tell(madeCode, code('pix-2'));
    assert.ok(made.is === 'made' && made.invoice.invoiceId === 'pix-1');
    assert.equal(life.order().making, null);
  });
});

describe('a code that a page gets again', () => {
  it('begins anew after half an hour, not before', () => {
    for (const [afterMs, shownAtMs] of [
      [30 * minuteMs - 1, null],
      [30 * minuteMs, startMs + 30 * minuteMs],
    ] as const) {
      const life = withCode();
      life.wait(afterMs);
      assert.equal(life.tell(begun, asked).is, 'open');
      assert.equal(life.order().invoices[0]?.shownAtMs, shownAtMs);
    }
  });

  it('is not reminded of once the order is paid, by whatever', () => {
    const life = withCode();
    const second = toInvoice('pix-2');
    life.tell(heard, toHeard(second, { ...paid, isNamed: true }));
    life.tell(shown, { invoiceId: 'pix-1' });
    assert.deepEqual(life.kinds(), ['waiting dropped', 'paid']);
  });
});

it('what was sent is remembered once for each method and total', () => {
  const life = follow(emptyOrder('order-1'));
  const sends = [
    { method: 'pix', totalCents: 1 },
    { method: 'credit_card', totalCents: 1 },
    { method: 'pix', totalCents: 2 },
  ] as const;
  for (const sent of [...sends, ...sends]) life.tell(leaving, { ...sent, atMs: startMs });
  assert.deepEqual(life.order().sentAs, sends);
  assert.equal(life.order().sends.length, 6);
});
