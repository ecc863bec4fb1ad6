/** What a look-up's answer means for an order. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { advanceAttempt, claimAttempt, recordSending } from '../../../src/proxy/order/attempts.js';
import { applyAnswer } from '../../../src/proxy/order/apply-answer.js';
import { createEmptyOrder, findOpenCode } from '../../../src/proxy/order/order.js';
import {
  follow,
  paid,
  recorded,
  refused,
  returned,
  startMs,
  toCard,
  toCharge,
  toHeard,
  toInvoice,
} from './samples.js';

const code = toInvoice('pix-1');

function withCode() {
  const life = follow(createEmptyOrder('order-1'));
  life.tell(recordSending, { method: 'pix', totalCents: 12_345 });
  life.tell(recorded, { invoice: code });
  return life;
}

describe('an answer of the service', () => {
  it('that says paid ends the order, once, and takes the reminder back', () => {
    const life = withCode();
    assert.equal(life.tell(applyAnswer, toHeard(code, paid)).news, 'paid');
    assert.deepEqual(life.kinds(), ['waiting dropped', 'paid']);
    const before = life.order();
    assert.deepEqual(life.tell(applyAnswer, toHeard(code, paid)), {
      isPaid: true,
      news: null,
      refused: null,
      is: 'recorded',
    });
    assert.equal(life.tell(applyAnswer, toHeard(code)).isPaid, true, 'paid is never taken back');
    assert.equal(life.order(), before);
  });

  it('is told for each change of a paid invoice’s word, with its way', () => {
    const life = withCode();
    life.tell(applyAnswer, toHeard(code, paid));
    for (const word of ['contested', 'contested'])
      life.tell(applyAnswer, toHeard(code, returned(word)));
    life.tell(applyAnswer, toHeard(code));
    for (const said of [paid, paid, returned('contested')])
      life.tell(applyAnswer, toHeard(code, said));
    const told = life
      .order()
      .events.flatMap((one) => (one.kind === 'returned' ? [one.notice] : []))
      .map(({ status, isPaidAgain }) => `${status} ${isPaidAgain}`);
    assert.deepEqual(told, ['contested false', 'paid true', 'contested false']);
    const ids = new Set(life.order().events.map(({ notice }) => notice.deliveryId));
    assert.equal(ids.size, life.order().events.length);
  });

  it('that is refunded when it is first seen is told, and pays nothing', () => {
    const life = withCode();
    const { news, is } = life.tell(applyAnswer, toHeard(code, returned('refunded')));
    assert.deepEqual([news, is], ['returned', 'recorded']);
    assert.equal(life.order().paidId, null);
  });

  it('that calls a code expired takes it from every page, and it may be paid all the same', () => {
    const life = withCode();
    const offered = () =>
      findOpenCode(life.order(), { totalCents: 12_345, replaces: null }, startMs)?.invoiceId ??
      null;
    assert.equal(offered(), 'pix-1');
    const over = toHeard(code, { isOver: true, word: 'expired' });
    assert.equal(life.tell(applyAnswer, over).is, 'open');
    assert.deepEqual([offered(), life.order().invoices[0]?.lookUpAtMs], [null, startMs + 15_000]);
    const before = life.order();
    life.tell(applyAnswer, over);
    assert.equal(life.order(), before);
    assert.equal(life.tell(applyAnswer, toHeard(code, paid)).isPaid, true);
  });

  it('about a second payment is a duplicate, and so is its return', () => {
    const life = withCode();
    const second = toInvoice('pix-2');
    life.tell(recorded, { invoice: second });
    life.tell(applyAnswer, toHeard(code, paid));
    life.tell(applyAnswer, toHeard(second, paid));
    life.tell(applyAnswer, toHeard(second, returned('refunded')));
    const notices = life
      .order()
      .events.flatMap(({ kind, notice }) =>
        'duplicate' in notice ? [`${kind} ${notice.duplicate}`] : [],
      );
    assert.deepEqual(notices, ['paid false', 'paid true', 'returned true']);
    assert.equal(life.order().paidId, 'pix-1');
  });

  it('that names an unknown card blocks the order, or waits until the open one has ended', () => {
    const life = withCode();
    life.tell(recordSending, { method: 'credit_card', totalCents: 12_345 });
    const stray = toHeard(toCharge('stray'), { isNamed: true });
    life.tell(claimAttempt, toCard(1));
    assert.equal(life.tell(applyAnswer, stray).is, 'busy');
    assert.equal(life.tell(applyAnswer, toHeard(toCharge('stray'), refused)).is, 'open');
    advance(life, toCard(1), { state: 'sent' });
    const other = toHeard(toCharge('other', { totalCents: 1 }), { isNamed: true });
    assert.equal(life.tell(applyAnswer, other).is, 'busy');
    assert.equal(life.tell(applyAnswer, toHeard(toCharge('own'), { isNamed: true })).is, 'of_card');
    assert.deepEqual(life.order().attempts[0]?.progress, { state: 'created', invoiceId: 'own' });
  });
});

function advance(life: ReturnType<typeof follow>, ...[card, progress]: Advance): boolean {
  return life.tell((order, what, given) => advanceAttempt(order, card, what, given), progress);
}
type Advance = [Parameters<typeof advanceAttempt>[1], Parameters<typeof advanceAttempt>[2]];
