/** In what order the merchant's server is told, what each notice says by then, and what is not told any more. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { dayMs } from '../../../../src/domain/spans.js';
import {
  advanceAttempt,
  claimAttempt,
  releaseCard,
  reportUndecidedCard,
  recordCardOutcome,
} from '../../../../src/proxy/order/attempts.js';
import { toForgetAtMs } from '../../../../src/proxy/order/due.js';
import {
  applyAnswer,
  acceptMismatch,
  giveMismatchBack,
  recordExpiry,
} from '../../../../src/proxy/order/apply-answer.js';
import {
  takeEvent,
  recordTry,
  requeueUntold,
  toOutcomeUnknownEvent,
  toReturnedEvent,
  toWaitingEvent,
} from '../../../../src/proxy/order/told/outbox.js';
import type { PaidNotice } from '../../../../src/proxy/order/order.js';
import { createEmptyOrder } from '../../../../src/proxy/order/order.js';
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
} from '../samples.js';
import { column } from '../../../support/rows.js';

const forMs = 60_000;
const code = toInvoice('pix-1');
const paidId = 'paid~order-1~pix-1';
const returnedId = 'returned~order-1~pix-1~refunded';

/** Paid, and given back since. */
function openReturned(word: Parameters<typeof toHeard>[1] = returned('refunded')) {
  const life = follow(createEmptyOrder('order-1'));
  life.tell(recorded, { invoice: code });
  life.tell(applyAnswer, toHeard(code, paid));
  life.tell(applyAnswer, toHeard(code, word));
  const take = (deliveryId: string, more = {}) =>
    life.tell(takeEvent, { deliveryId, forMs, ...more });
  const end = (deliveryId: string) => life.tell(recordTry, { deliveryId, outcome: 'delivered' });
  const dueAtMs = (id: string) =>
    life.order().events.find(({ notice }) => notice.deliveryId === id)?.dueAtMs;
  return { ...life, take, end, dueAtMs };
}

describe('events of money', () => {
  it('leave one after another, and one that fails holds back those behind it', () => {
    const { take, end, dueAtMs, tell, wait } = openReturned();
    assert.equal(take(returnedId), null);
    assert.equal(dueAtMs(returnedId), startMs + 1_000, 'it rests');
    assert.equal(take(paidId)?.tries, 1);
    wait(1_000);
    assert.equal(take(returnedId), null);
    assert.equal(dueAtMs(returnedId), startMs + forMs, 'as long as the one before it');
    tell(recordTry, { deliveryId: paidId, outcome: { retryAtMs: startMs + 7_000 } });
    wait(6_000);
    assert.equal(take(paidId)?.tries, 2);
    end(paidId);
    assert.equal(take(returnedId)?.tries, 1, 'at once');
  });

  it('make due what waits behind them, and neither a reminder nor what came before', () => {
    const life = follow(createEmptyOrder('order-1'));
    for (const invoiceId of ['pix-1', 'pix-2']) {
      const invoice = toInvoice(invoiceId);
      life.tell(recorded, { invoice });
      life.tell(applyAnswer, toHeard(invoice, { meaning: 'mismatch', field: 'total_cents' }));
    }
    assert.deepEqual(life.kinds(), ['waiting', 'mismatch', 'waiting', 'mismatch']);
    const ids = life.order().events.map(({ notice }) => notice.deliveryId);
    const retryAtMs = startMs + 3_600_000;
    for (const deliveryId of ids) life.tell(recordTry, { deliveryId, outcome: { retryAtMs } });
    for (const at of [3, 1]) life.tell(recordTry, { deliveryId: ids[at]!, outcome: 'delivered' });
    assert.deepEqual(
      column(life.order().events, 'dueAtMs'),
      ids.map(() => retryAtMs),
    );
  });

  it('wait for no event that has no hook', () => {
    const { take } = openReturned();
    assert.equal(take(returnedId, { hooked: ['returned'] })?.tries, 1);
  });

  it('say what is so when they are told: the payment went back since', () => {
    const { take } = openReturned();
    const taken = take(paidId) ?? assert.fail();
    const { deliveryId, invoiceId } = taken.notice as PaidNotice;
    assert.deepEqual([deliveryId, invoiceId], [paidId, 'pix-1']);
    assert.equal(taken.kind === 'paid' && taken.notice.returned, true);
  });

  it('do not say so where it is paid again, where no list has the word, or where another payment went back', () => {
    const again = openReturned();
    again.tell(applyAnswer, toHeard(code, paid));
    const unlisted = openReturned({ meaning: 'open', word: 'archived', wordIs: 'other' });
    const twice = openReturned(paid);
    for (const word of [paid, returned('refunded')]) {
      twice.tell(applyAnswer, toHeard(toInvoice('pix-2'), { ...word, isNamed: true }));
    }
    for (const { take } of [again, unlisted, twice]) {
      const taken = take(paidId);
      assert.equal(taken?.kind === 'paid' && 'returned' in taken.notice, false);
    }
  });

  it('are all due at once when a person wants them told', () => {
    const { tell, take, end } = openReturned();
    take(paidId);
    tell(recordTry, { deliveryId: paidId, outcome: { retryAtMs: startMs + 21_600_000 } });
    assert.equal(tell(requeueUntold, null), true);
    assert.equal(take(paidId)?.tries, 2);
    end(paidId);
    assert.equal(take(returnedId)?.tries, 1);
    end(returnedId);
    assert.equal(take('waiting~order-1~pix-1'), null);
    assert.equal(tell(requeueUntold, null), false);
  });
});

describe('a reminder', () => {
  for (const kind of ['waiting', 'lapsed'] as const) {
    it(`that fails holds no alert back, and keeps no order: ${kind}`, () => {
      const life = follow({ ...createEmptyOrder('order-1'), offeredId: 'pix-1' });
      life.tell(recorded, { invoice: code });
      if (kind === 'lapsed') life.tell(recordExpiry, code);
      const deliveryId = `${kind}~order-1~pix-1`;
      assert.equal(life.tell(takeEvent, { deliveryId, forMs })?.tries, 1);
      life.tell(recordTry, { deliveryId, outcome: { retryAtMs: startMs + 3_600_000 } });
      assert.equal(toForgetAtMs(life.order()), startMs + 90 * dayMs);
      life.tell(applyAnswer, toHeard(code, { meaning: 'mismatch', field: 'total_cents' }));
      const alert = { deliveryId: 'mismatch~order-1~pix-1', forMs };
      assert.equal(life.tell(takeEvent, alert)?.tries, 1);
      const dueAtMs = startMs + 7_200_000;
      life.tell(recordTry, { ...alert, outcome: { retryAtMs: dueAtMs } });
      life.tell(recordTry, { deliveryId, outcome: 'delivered' });
      assert.equal(
        life.order().events.at(-1)?.dueAtMs,
        dueAtMs,
        'nor makes it due once it is through',
      );
    });
  }
});

describe('what is out of date is not told', () => {
  const alertId = 'outcome_unknown~order-1~holder-1';

  function openUnknown() {
    const life = follow(createEmptyOrder('order-1'));
    const card = toCard(1);
    life.tell(claimAttempt, card);
    assert.equal(life.tell(leaves, card), true);
    life.tell(recordCardOutcome, { attempt: card, ending: { state: 'unknown', candidate: null } });
    return { ...life, card, take: () => life.tell(takeEvent, { deliveryId: alertId, forMs }) };
  }

  it('an alert about a card that has ended', () => {
    const { tell, take, kinds } = openUnknown();
    tell(releaseCard, { holder: 'holder-1' });
    assert.equal(take(), null);
    assert.deepEqual(kinds(), ['outcome_unknown dropped']);
  });

  it('an alert about a card that pended for too long, once that was decided', () => {
    for (const isOver of [false, true]) {
      const { tell, take, kinds, card } = openUnknown();
      const charge = toCharge('card-1');
      tell(recordCardOutcome, { attempt: card, ending: { state: 'created', invoice: charge } });
      if (isOver) tell(applyAnswer, toHeard(charge, refused));
      assert.equal(take()?.tries, isOver ? undefined : 1);
      assert.deepEqual(kinds(), [isOver ? 'outcome_unknown dropped' : 'outcome_unknown']);
    }
  });

  it('an alert about a payment that differs, of which a person has said what is to come', () => {
    const words: (typeof giveMismatchBack | typeof acceptMismatch)[] = [
      acceptMismatch,
      giveMismatchBack,
    ];
    for (const word of words) {
      const life = follow(createEmptyOrder('order-1'));
      life.tell(recorded, { invoice: code });
      life.tell(applyAnswer, toHeard(code, { meaning: 'mismatch', field: 'total_cents' }));
      life.tell(word, code);
      assert.equal(life.tell(takeEvent, { deliveryId: 'mismatch~order-1~pix-1', forMs }), null);
      assert.equal(life.kinds()[1], 'mismatch dropped');
    }
  });

  it('a former alert about a card of which a later one is told', () => {
    const { tell, take, card, kinds, order } = openUnknown();
    const charge = toCharge('card-1');
    tell(recordCardOutcome, { attempt: card, ending: { state: 'created', invoice: charge } });
    tell(reportUndecidedCard, charge);
    assert.equal(order().events.at(-1)?.notice.deliveryId, `${alertId}~2`);
    assert.equal(take(), null);
    assert.deepEqual(kinds(), ['outcome_unknown dropped', 'outcome_unknown']);
  });

  it('but an alert about one that is unknown is, and once more if it is so again', () => {
    assert.equal(openUnknown().take()?.tries, 1);
    const { tell, take, card } = openUnknown();
    tell((order, _, given) => {
      const [known] = order.attempts;
      return advanceAttempt(order, known ?? assert.fail(), { state: 'refused' }, given);
    }, null);
    assert.equal(take(), null);
    tell(recordCardOutcome, {
      attempt: card,
      ending: { state: 'unknown', candidate: toInvoice('late', { method: 'credit_card' }) },
    });
    assert.equal(take(), null, 'a refused one stays so');
  });

  it('that a code lapsed, while a newer one may be paid', () => {
    const life = follow(createEmptyOrder('order-1'));
    life.tell(recorded, { invoice: toInvoice('pix-1', { deadlineMs: startMs + 1_000 }) });
    life.wait(10_000);
    life.tell(recordExpiry, code);
    const deadlineMs = startMs + 90_000;
    life.tell(recorded, { invoice: toInvoice('pix-2', { deadlineMs, createdAtMs: life.nowMs() }) });
    assert.equal(life.tell(takeEvent, { deliveryId: 'lapsed~order-1~pix-1', forMs }), null);
    life.wait(90_000);
    life.tell(recordExpiry, toInvoice('pix-2'));
    assert.equal(life.tell(takeEvent, { deliveryId: 'lapsed~order-1~pix-2', forMs })?.tries, 1);
  });
});

describe('what a notice says', () => {
  const deadlineMs = startMs + dayMs;
  const names = { externalId: 'order-1', invoiceId: 'pix-1' };
  const waiting = { ...names, orderCode: 'PIX-1', totalCents: 12_345, method: 'pix' } as const;
  const told = { status: 'refunded', isListed: true, duplicate: false, isPaidAgain: false };
  const card = { ...toCard(1), progress: { state: 'sent' } } as const;
  const times = { claimedAtMs: startMs, changedAtMs: startMs, untilMs: startMs };
  const unknown = {
    externalId: 'order-1',
    totalCents: 12_345,
    attemptedAt: '2026-11-25T00:00:00.000Z',
    deliveryId: 'outcome_unknown~order-1~holder-1',
  };

  for (const [name, event, notice] of [
    [
      'of a code with a deadline',
      toWaitingEvent({ ...code, deadlineMs }),
      {
        ...waiting,
        code: code.code,
        expiresAt: '2026-11-26T00:00:00.000Z',
        deliveryId: 'waiting~order-1~pix-1',
      },
    ],
    [
      'of a code without one',
      toWaitingEvent(code),
      { ...waiting, code: code.code, deliveryId: 'waiting~order-1~pix-1' },
    ],
    [
      'of a card whose invoice is known',
      toOutcomeUnknownEvent({ ...card, ...times }, 'card-1'),
      { ...unknown, invoiceId: 'card-1' },
    ],
    [
      'of a card whose invoice is not known',
      toOutcomeUnknownEvent({ ...card, ...times }, null),
      unknown,
    ],
    [
      'of a return with the id of its Pix',
      toReturnedEvent(code, told, 'E1', 1),
      { ...waiting, ...told, endToEndId: 'E1', deliveryId: returnedId },
    ],
    [
      'of a second return without it',
      toReturnedEvent(code, told, null, 2),
      { ...waiting, ...told, deliveryId: `${returnedId}~2` },
    ],
  ] as const) {
    it(name, () => {
      assert.deepEqual(event.notice, notice);
    });
  }
});
