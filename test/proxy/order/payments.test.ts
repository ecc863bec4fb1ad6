/** What a payment, a return and a deadline leave in an order, and what the merchant's server is told of them. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import {
  advanceAttempt,
  claimAttempt,
  releaseCard,
  recordCardOutcome,
} from '../../../src/proxy/order/attempts.js';
import { takeEvent } from '../../../src/proxy/order/told/outbox.js';
import {
  applyAnswer,
  acceptMismatch,
  giveMismatchBack,
  recordExpiry,
  recordPayment,
} from '../../../src/proxy/order/apply-answer.js';
import type { ServiceAnswer } from '../../../src/proxy/order/apply-answer.js';
import { createEmptyOrder } from '../../../src/proxy/order/order.js';
import type { Attempt, Given, Order } from '../../../src/proxy/order/order.js';
import {
  follow,
  leaves,
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
import { card as requestCard, openOrder } from './open-order.js';
import { column, columns } from '../../support/rows.js';

const code = toInvoice('pix-1');
const card = toCard(1);
const charge = toCharge('card-1');
const silence = { isPaid: false, news: null, refused: null };

const getsCode = (order: Order, attempt: Attempt, at: Given) =>
  advanceAttempt(order, attempt, { state: 'created', invoiceId: 'pix-1' }, at);

function withCode() {
  const life = follow(createEmptyOrder('order-1'));
  life.tell(recorded, { invoice: code });
  return life;
}

/** A card that has left. */
function withCard() {
  const life = follow(createEmptyOrder('order-1'));
  life.tell(claimAttempt, card);
  life.tell(leaves, card);
  return life;
}

describe('paid', () => {
  it('is told with what was paid', () => {
    const life = withCode();
    const found = { ...code, status: 'paid', orderCode: 'OTHER' };
    life.tell(applyAnswer, toHeard(found, { ...paid, endToEndId: 'E1' }));
    const { code: _code, lookUpId: _id, deadlineMs: _ms, createdAtMs: _at, ...said } = code;
    const { status: _status, ...fields } = said;
    assert.deepEqual(life.order().events.at(-1)?.notice, {
      ...fields,
      endToEndId: 'E1',
      late: false,
      duplicate: false,
      deliveryId: 'paid~order-1~pix-1',
    });
    const [invoice] = life.order().invoices;
    assert.deepEqual(
      [invoice?.isPaid, invoice?.status, invoice?.settledAtMs, invoice?.lookUpAtMs],
      [true, 'paid', startMs, null],
    );
  });

  it('is late after the merchant may have heard of the deadline, not of the code', () => {
    for (const [tried, late] of [
      ['waiting', false],
      ['lapsed', true],
    ] as const) {
      const life = withCode();
      const take = () => life.tell(takeEvent, { deliveryId: `${tried}~order-1~pix-1`, forMs: 1 });
      take();
      life.tell(recordExpiry, code);
      take();
      life.tell(applyAnswer, toHeard(code, paid));
      const notice = life.order().events.at(-1)?.notice;
      assert.ok(notice && 'late' in notice && !('endToEndId' in notice));
      assert.equal(notice.late, late);
    }
  });

  it('brings the order code of a charge that was only matched', () => {
    const life = withCard();
    life.tell(recordCardOutcome, {
      attempt: card,
      ending: { state: 'unknown', candidate: charge },
    });
    assert.equal(life.order().invoices[0]?.orderCode, '');
    life.tell(applyAnswer, toHeard(charge, paid));
    assert.equal(life.order().invoices[0]?.orderCode, 'CARD-1');
  });

  it('is news once', () => {
    const life = withCode();
    const payment = { invoice: code, endToEndId: null };
    assert.deepEqual(
      [life.tell(recordPayment, payment), life.tell(recordPayment, payment)],
      [true, false],
    );
  });

  it('brings the code of an invoice that only a postback named', () => {
    const life = follow(createEmptyOrder('order-1'));
    life.tell(applyAnswer, toHeard(code, { isNamed: true }));
    assert.equal(life.order().invoices[0]?.code, '');
    life.tell(applyAnswer, toHeard(code, paid));
    assert.equal(life.order().invoices[0]?.code, code.code);
  });

  it('of a code is none of a card on its way, though it was named and costs the same', () => {
    const life = withCard();
    life.tell(applyAnswer, toHeard(code, { ...paid, isNamed: true }));
    assert.equal(life.order().attempts[0]?.progress.state, 'sent');
  });

  it('is the payment of a card on its way only where it was named', () => {
    for (const isNamed of [true, false, undefined]) {
      const life = withCard();
      life.tell(
        applyAnswer,
        toHeard(charge, { ...paid, ...(isNamed !== undefined && { isNamed }) }),
      );
      const state = isNamed ? 'created' : 'sent';
      assert.equal(life.order().attempts[0]?.progress.state, state);
    }
  });
});

describe('an answer', () => {
  it('about something else says nothing', () => {
    const life = withCode();
    const before = life.order();
    const answer = life.tell(applyAnswer, toHeard(code, { meaning: 'foreign' }));
    assert.deepEqual(answer, { ...silence, is: 'none' });
    life.tell(applyAnswer, toHeard(code, paid));
    const later = life.tell(applyAnswer, toHeard(code, { meaning: 'foreign' }));
    assert.deepEqual(later, { ...silence, isPaid: true, is: 'none' });
    assert.equal(before.paidId, null);
  });

  it('that refuses a card ends it, once', () => {
    const life = withCard();
    life.tell(recordCardOutcome, { attempt: card, ending: { state: 'created', invoice: charge } });
    const first = life.tell(applyAnswer, toHeard(charge, refused));
    assert.equal(first.refused?.key, card.key);
    assert.deepEqual({ ...first, refused: null }, { ...silence, is: 'recorded' });
    assert.deepEqual(life.tell(applyAnswer, toHeard(charge, refused)).refused, null);
    assert.deepEqual(life.tell(applyAnswer, toHeard(toCharge('none'), refused)).is, 'none');
  });

  it('that leaves a card open binds or keeps it', () => {
    const life = withCard();
    life.tell(recordCardOutcome, {
      attempt: card,
      ending: { state: 'unknown', candidate: charge },
    });
    assert.deepEqual(life.tell(applyAnswer, toHeard(charge)), { ...silence, is: 'of_card' });
    assert.deepEqual(life.tell(applyAnswer, toHeard(charge)), { ...silence, is: 'busy' });
    life.tell(releaseCard, card);
    const named = toHeard(charge, { isNamed: true });
    assert.deepEqual(life.tell(applyAnswer, named), { ...silence, is: 'open' }, 'a person said so');
  });

  it('that names a card which was refused opens it again', () => {
    const life = withCard();
    life.tell(recordCardOutcome, { attempt: card, ending: { state: 'refused', invoice: charge } });
    assert.deepEqual(life.tell(applyAnswer, toHeard(charge)), { ...silence, is: 'open' });
    const named = toHeard(charge, { isNamed: true });
    assert.deepEqual(life.tell(applyAnswer, named), { ...silence, is: 'recorded' });
    assert.equal(life.order().attempts.at(-1)?.key, 'named card-1');
    const [invoice] = life.order().invoices;
    assert.deepEqual([invoice?.settledAtMs, invoice?.lookUpAtMs], [null, startMs + 15_000]);
  });

  it('about an invoice that the order does not have counts where it was named', () => {
    const life = follow(createEmptyOrder('order-1'));
    assert.deepEqual(life.tell(applyAnswer, toHeard(code)), { ...silence, is: 'none' });
    assert.deepEqual(life.order(), createEmptyOrder('order-1'));
    const named = toHeard(code, { isNamed: true });
    assert.deepEqual(life.tell(applyAnswer, named), { ...silence, is: 'recorded' });
  });

  it('that is older than what the order knows tells nothing, and its invoice is looked up again', () => {
    const life = withCode();
    const says = (
      word: Partial<ServiceAnswer>,
      beganMs: number,
      updatedAtMs: number | null = null,
    ) =>
      life.tell(
        applyAnswer,
        toHeard(code, { ...word, isNamed: true, of: { beganMs, updatedAtMs } }),
      );
    const news = (...told: Parameters<typeof says>) => says(...told).news;
    assert.equal(news(paid, startMs), 'paid');
    assert.equal(news(returned('refunded'), startMs - 1), null);
    assert.deepEqual(column(life.order().named, 'dueAtMs'), [startMs + 15_000]);
    assert.equal(life.order().invoices[0]?.word, undefined);
    // The same word once more counts from its later time, and from no earlier one.
    for (const beganMs of [startMs + 20, startMs + 10]) assert.equal(news(paid, beganMs), null);
    const before = life.order();
    assert.equal(news(paid, startMs + 20), null);
    assert.equal(life.order(), before, 'and writes nothing that is known');
    assert.equal(news(returned('refunded'), startMs + 15), null);
    assert.equal(news(returned('refunded'), startMs + 20, 500), 'returned');
    assert.equal(news(paid, startMs + 30, 499), null, 'it changed before');
    assert.equal(news(paid, startMs + 30, 501), 'returned', 'paid once more');
  });

  it('about a code that a page got by its key changes nothing', () => {
    const life = follow(createEmptyOrder('order-1'));
    const attempt = { ...card, method: 'pix', scope: 'pix of order-1' } as const;
    life.tell(claimAttempt, attempt);
    life.tell(recorded, { invoice: code });
    life.tell(getsCode, attempt);
    const before = life.order();
    for (const isNamed of [true, false]) {
      assert.deepEqual(life.tell(applyAnswer, toHeard(code, { isNamed })), {
        ...silence,
        is: 'open',
      });
    }
    assert.equal(life.order(), before);
  });

  it('that takes a payment back says whether the shop lists the word', () => {
    const life = withCode();
    life.tell(applyAnswer, toHeard(code, paid));
    life.tell(applyAnswer, toHeard(code, returned('contested')));
    life.tell(applyAnswer, toHeard(code, { word: 'strange', wordIs: 'other' }));
    const told = life
      .order()
      .events.flatMap((one) => (one.kind === 'returned' ? [one.notice] : []))
      .map(({ status, isListed, deliveryId }) => [status, isListed, deliveryId]);
    const duplicates = life
      .order()
      .events.flatMap(({ notice }) => 'duplicate' in notice && notice.duplicate);
    assert.ok(!duplicates.includes(true));
    life.tell(applyAnswer, toHeard(code, paid));
    const { events } = life.order();
    life.tell(applyAnswer, toHeard(code, { meaning: 'paid', word: 'settled' }));
    assert.equal(life.order().events, events, 'paid by whatever word');
    assert.deepEqual(told, [
      ['contested', true, 'returned~order-1~pix-1~contested'],
      ['strange', false, 'returned~order-1~pix-1~strange~2'],
    ]);
  });
});

describe('a deadline that passed', () => {
  it('is told once, and takes the reminder back', () => {
    const order = openOrder();
    order.shows('A');
    order.tell(recordExpiry, toInvoice('Z'));
    order.has({ events: ['waiting'] });
    for (let n = 0; n < 2; n += 1) order.tell(recordExpiry, toInvoice('A'));
    order.has({ events: ['waiting dropped', 'lapsed'] });
  });

  it('is not told of an order that is paid', () => {
    const order = openOrder();
    order.shows('A');
    order.hears('A', paid);
    order.tell(recordExpiry, toInvoice('A'));
    order.has({ events: ['waiting dropped', 'paid'] });
  });

  it('is not told of an order that has an open card', () => {
    const order = openOrder();
    order.shows('A');
    order.asked(requestCard()).replies('admit');
    order.tell(recordExpiry, toInvoice('A'));
    order.has({ events: ['waiting'] });
  });

  it('is not told while a newer code may be paid, which only one that a page got can', () => {
    for (const [newer, kinds] of [
      [toInvoice('pix-2'), ['waiting', 'waiting']],
      [toInvoice('pix-2', { deadlineMs: startMs + 1 }), ['waiting', 'waiting']],
      [
        toInvoice('pix-2', { deadlineMs: startMs }),
        ['waiting dropped', 'waiting dropped', 'lapsed'],
      ],
      [toInvoice('pix-2', { code: '' }), ['waiting dropped', 'lapsed']],
    ] as const) {
      const life = withCode();
      life.tell(recorded, { invoice: newer });
      life.tell(recordExpiry, code);
      assert.deepEqual(life.kinds(), kinds);
    }
  });
});

describe('what is paid and differs', () => {
  const differs = toHeard(code, { meaning: 'mismatch', field: 'total_cents', word: 'paid' });

  it('is told once, and holds the order until it agrees', () => {
    const life = withCode();
    for (let n = 0; n < 2; n += 1) {
      assert.deepEqual(life.tell(applyAnswer, differs), { ...silence, is: 'open' });
    }
    assert.deepEqual(life.kinds(), ['waiting', 'mismatch']);
    assert.deepEqual(life.order().events.at(-1)?.notice, {
      externalId: 'order-1',
      invoiceId: 'pix-1',
      totalCents: 12_345,
      field: 'total_cents',
      deliveryId: 'mismatch~order-1~pix-1',
    });
    assert.equal(life.order().invoices[0]?.differsIn, 'total_cents');
    life.tell(applyAnswer, toHeard(code));
    assert.equal(life.order().invoices[0]?.differsIn, 'total_cents');
    life.tell(applyAnswer, toHeard(code, paid));
    assert.equal(life.order().invoices[0]?.differsIn, undefined);
  });

  it('stands in its order, also where the order did not have it, and shows no code', () => {
    const life = follow(createEmptyOrder('order-1'));
    life.tell(applyAnswer, { ...differs, field: null });
    assert.deepEqual(life.order().invoices, []);
    life.tell(applyAnswer, differs);
    const [kept] = life.order().invoices;
    assert.deepEqual([kept?.invoiceId, kept?.differsIn, kept?.code], ['pix-1', 'total_cents', '']);
    assert.deepEqual(life.kinds(), ['mismatch']);
  });

  it('asks a person again who said of its card that it was not charged, not one who gave it back', () => {
    const charging = withCard();
    charging.tell(recordCardOutcome, {
      attempt: card,
      ending: { state: 'created', invoice: charge },
    });
    charging.tell(releaseCard, card);
    charging.tell(applyAnswer, { ...differs, invoice: charge });
    const given = withCode();
    given.tell(applyAnswer, differs);
    given.tell(giveMismatchBack, code);
    given.tell(applyAnswer, { ...differs, field: 'is_pix' });
    for (const [life, field, isReleased] of [
      [charging, 'total_cents', undefined],
      [given, 'is_pix', true],
    ] as const) {
      assert.deepEqual(columns(life.order().invoices, 'differsIn', 'isReleased'), [
        [field, isReleased],
      ]);
    }
  });

  it('is accepted or given up by a person, once', () => {
    const taken = withCode();
    assert.deepEqual(
      [taken.tell(acceptMismatch, code), taken.tell(giveMismatchBack, code)],
      [false, false],
    );
    taken.tell(applyAnswer, differs);
    assert.deepEqual(
      [taken.tell(acceptMismatch, code), taken.tell(acceptMismatch, code)],
      [true, false],
    );
    assert.equal(taken.order().paidId, 'pix-1');
    const given = withCode();
    given.tell(applyAnswer, differs);
    assert.deepEqual(
      [given.tell(giveMismatchBack, code), given.tell(giveMismatchBack, code)],
      [true, false],
    );
    assert.equal(given.order().invoices[0]?.isReleased, true);
  });
});
