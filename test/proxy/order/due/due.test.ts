/** What falls due of an order and who takes it, by what it is found, and when it may be forgotten. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import {
  claimAttempt,
  releaseCard,
  recordCardOutcome,
  recordSending,
} from '../../../../src/proxy/order/attempts.js';
import {
  queueNamedId,
  endTakenLookUp,
  endTakenNamedId,
  takeLookUp,
  takeNamedId,
  recordPostback,
  toEntries,
  toForgetAtMs,
  tryForget,
} from '../../../../src/proxy/order/due.js';
import { dayMs, toDayMs } from '../../../../src/domain/spans.js';
import { takeEvent, recordTry } from '../../../../src/proxy/order/told/outbox.js';
import { applyAnswer, giveMismatchBack } from '../../../../src/proxy/order/apply-answer.js';
import { createEmptyOrder } from '../../../../src/proxy/order/order.js';
import { recordShown } from '../../../../src/proxy/order/asks/pix.js';
import {
  differs,
  follow,
  leaves,
  paid,
  recorded,
  returned,
  startMs,
  toCard,
  toCharge,
  toHeard,
  toInvoice,
} from '../samples.js';
import { columns } from '../../../support/rows.js';

const forMs = 60_000;
const code = toInvoice('pix-1');

/** A payment is heard of, and asked about again by itself. */
const heardWatched: typeof applyAnswer = (order, what, given) =>
  applyAnswer(order, what, { ...given, isWatched: true });

function withCode() {
  const life = follow({ ...createEmptyOrder('order-1'), offeredId: 'pix-1' });
  life.tell(recorded, { invoice: code });
  return life;
}

/** Its code was looked up, and is again then. */
function putOff(life: ReturnType<typeof follow>, atMs: number): void {
  const taken = life.tell(takeLookUp, { invoiceId: 'pix-1', forMs }) ?? assert.fail();
  life.tell(endTakenLookUp, { ...taken, atMs });
}

describe('a named id', () => {
  it('is taken by one, once it is due', () => {
    const life = follow(createEmptyOrder('order-1'));
    for (const lookUpId of ['a', 'b']) life.tell(queueNamedId, { lookUpId, forMs: 1_000 });
    const take = { arePaid: false, forMs };
    assert.equal(life.tell(takeNamedId, take), null);
    life.wait(1_000);
    const taken = life.tell(takeNamedId, take);
    assert.equal(taken?.lookUpId, 'a');
    assert.equal(taken?.dueAtMs, startMs + 61_000);
    assert.equal(life.tell(takeNamedId, { ...take, arePaid: true }), null);
    assert.deepEqual(
      life.order().named.map(({ lookUpId, dueAtMs }) => [lookUpId, dueAtMs - startMs]),
      [
        ['a', 61_000],
        ['b', 1_000],
      ],
    );
  });

  it('that was looked up least is taken first, and of those the one that was named first', () => {
    const dueAtMs = startMs;
    const id = (lookUpId: string, tries: number, namedAtMs: number) => {
      return { lookUpId, tries, namedAtMs, dueAtMs };
    };
    const waiting = [id('a', 2, startMs), id('b', 1, startMs - 1), id('c', 1, startMs - 2)];
    const life = follow({ ...createEmptyOrder('order-1'), named: waiting });
    const take = () => life.tell(takeNamedId, { arePaid: false, forMs })?.lookUpId;
    assert.deepEqual([take(), take(), take()], ['c', 'b', 'a']);
  });

  it('is one of three in a minute: those above wait until the first is that old', () => {
    const life = follow(createEmptyOrder('order-1'));
    for (const lookUpId of ['a', 'b', 'c', 'd']) life.tell(queueNamedId, { lookUpId, forMs: 0 });
    const take = () => life.tell(takeNamedId, { arePaid: false, forMs })?.lookUpId;
    assert.deepEqual([take(), take(), take(), take()], ['a', 'b', 'c', undefined]);
    assert.equal(life.order().named.at(-1)?.dueAtMs, startMs + 60_000);
    life.wait(60_000);
    assert.ok(take());
  });

  it('is put off or forgotten by whom it was taken, unless it was named again', () => {
    const life = follow(createEmptyOrder('order-1'));
    const name = life.tell(queueNamedId, { lookUpId: 'a', forMs: 0 }) ?? assert.fail();
    life.tell(endTakenNamedId, { namedId: { ...name, tries: 1 }, atMs: startMs + 5_000 });
    const [later] = life.order().named;
    assert.deepEqual(later, { ...name, tries: 1, dueAtMs: startMs + 5_000 });
    const before = life.order();
    life.tell(endTakenNamedId, { namedId: name, atMs: null });
    assert.equal(life.order(), before);
    life.tell(endTakenNamedId, { namedId: later, atMs: null });
    assert.deepEqual(life.order().named, []);
  });

  it('is one of twenty: only one that was looked up makes room', () => {
    const life = follow(createEmptyOrder('order-1'));
    const all = Array.from({ length: 20 }, (_, n) => `id-${n}`);
    for (const lookUpId of all) assert.ok(life.tell(queueNamedId, { lookUpId, forMs: 0 }));
    assert.equal(life.tell(queueNamedId, { lookUpId: 'more', forMs: 0 }), null);
    assert.ok(
      life.tell(queueNamedId, { lookUpId: 'id-3', forMs: 0 }),
      'one that waits begins anew',
    );
    const name = life.order().named.find(({ lookUpId }) => lookUpId === 'id-7')!;
    life.tell(endTakenNamedId, { namedId: { ...name, tries: 1 }, atMs: startMs });
    assert.ok(life.tell(queueNamedId, { lookUpId: 'more', forMs: 0 }));
    const ids = life.order().named.map(({ lookUpId }) => lookUpId);
    assert.deepEqual([ids.length, ids.includes('id-7'), ids.at(-1)], [20, false, 'more']);
  });
});

describe('a postback', () => {
  it('makes an open code due, and of a paid one only its name', () => {
    const life = withCode();
    life.tell(recordPostback, { lookUpId: 'pix-1' });
    const [open] = life.order().invoices;
    assert.deepEqual([open?.lookUpAtMs, life.order().named], [startMs, []]);
    life.tell(applyAnswer, toHeard(code, paid));
    const { invoices } = life.order();
    for (const lookUpId of [null, 'pix-1']) {
      assert.equal(life.tell(recordPostback, { lookUpId }), 'due');
      assert.equal(life.order().invoices, invoices);
    }
    assert.deepEqual(
      toEntries(life.order()).flatMap(({ kind, id }) => (kind === 'named_paid' ? [id] : [])),
      ['pix-1'],
    );
  });

  it('puts nothing off that is due already', () => {
    const life = withCode();
    life.wait(20_000);
    life.tell(recordPostback, { lookUpId: null });
    assert.equal(life.order().invoices[0]?.lookUpAtMs, startMs + 15_000);
  });

  const paces: [when: string, waitsMs: number[], dueInMs: number][] = [
    ['in the same millisecond', [0], 2_000],
    ['twice in the same millisecond', [0, 0], 2_000],
    ['in the same millisecond, and a moment later', [0, 1], 2_000],
    ['a moment less than two seconds later', [1_999], 2_000],
    ['two seconds later', [2_000], 2_000],
    ['later than that', [2_001], 2_001],
  ];
  for (const [when, waitsMs, dueInMs] of paces) {
    it(`after a look-up that another caused keeps a pace of two seconds: ${when}`, () => {
      const life = withCode();
      life.tell(recordPostback, { lookUpId: null });
      assert.ok(life.tell(takeLookUp, { invoiceId: 'pix-1', forMs }));
      for (const waitMs of waitsMs) {
        life.wait(waitMs);
        life.tell(recordPostback, { lookUpId: null });
      }
      assert.equal(life.order().invoices[0]?.lookUpAtMs, startMs + dueInMs);
    });
  }

  it('makes a card due while it is open, or a person released it', () => {
    const charge = toCharge('card-1');
    const attempt = toCard(1);
    for (const [state, isDue] of [
      ['created', true],
      ['refused', false],
    ] as const) {
      const life = follow(createEmptyOrder('order-1'));
      life.tell(claimAttempt, attempt);
      life.tell(leaves, attempt);
      life.tell(recordCardOutcome, { attempt, ending: { state, invoice: charge } });
      life.wait(1);
      life.tell(recordPostback, { lookUpId: null });
      assert.equal(life.order().invoices[0]?.lookUpAtMs, isDue ? startMs + 1 : null);
      if (!isDue) continue;
      life.tell(releaseCard, attempt);
      life.wait(5_000);
      life.tell(recordPostback, { lookUpId: null });
      assert.equal(life.order().invoices[0]?.lookUpAtMs, startMs + 5_001);
    }
  });

  it('is unknown to an order of which nothing is', () => {
    const life = follow(createEmptyOrder('order-1'));
    assert.equal(life.tell(recordPostback, { lookUpId: 'lost' }), 'unknown');
    life.tell(recordSending, { method: 'pix', totalCents: 1 });
    assert.equal(life.tell(recordPostback, { lookUpId: 'lost' }), 'due');
  });
});

describe('a look-up', () => {
  const take = { invoiceId: 'pix-1', forMs };

  it('is taken by one, once it is due, and put off by that one', () => {
    const life = withCode();
    life.wait(14_999);
    assert.equal(life.tell(takeLookUp, take), null);
    life.wait(1);
    const taken = life.tell(takeLookUp, take) ?? assert.fail();
    assert.deepEqual(
      [taken.dueAtMs, taken.takenUntilMs],
      [startMs + 15_000, startMs + 15_000 + forMs],
    );
    assert.equal(taken.invoiceId, 'pix-1');
    assert.equal(life.tell(takeLookUp, take), null);
    const before = life.order();
    const { takenUntilMs } = taken;
    life.tell(endTakenLookUp, { invoiceId: 'pix-1', takenUntilMs: 1, atMs: 0 });
    assert.equal(life.order(), before);
    const atMs = startMs + dayMs;
    life.tell(endTakenLookUp, { invoiceId: 'pix-1', takenUntilMs, atMs });
    assert.equal(life.order().invoices[0]?.lookUpAtMs, atMs);
    life.tell(applyAnswer, toHeard(code, paid));
    life.wait(2 * dayMs);
    assert.equal(life.tell(takeLookUp, take), null, 'never again');
    assert.equal(life.tell(takeLookUp, { ...take, invoiceId: 'none' }), null);
  });
});

describe('a code that is shown again', () => {
  it('is looked up as a new one, and not later than it was', () => {
    for (const [dueMs, expectedMs] of [
      [7 * dayMs, 15_000],
      [5_000, 5_000],
    ] as const) {
      const life = withCode();
      life.wait(dayMs);
      putOff(life, life.nowMs() + dueMs);
      life.tell(recordShown, code);
      const [invoice] = life.order().invoices;
      assert.deepEqual(
        [invoice?.shownAtMs, invoice?.lookUpAtMs],
        [life.nowMs(), life.nowMs() + expectedMs],
      );
      assert.equal(life.order().aliveAtMs, life.nowMs());
    }
    const before = withCode().order();
    assert.equal(recordShown(before, toInvoice('none'), { nowMs: startMs }), before);
  });
});

describe('the entries of an order', () => {
  const rank = startMs * 1_000;

  it('are its cards, look-ups and events', () => {
    const life = withCode();
    const card = toCard(1);
    life.tell(claimAttempt, card);
    life.tell(leaves, card);
    const untilMs = startMs + forMs;
    const sent = { id: `${card.scope} ${card.key}`, atMs: untilMs, rank: untilMs * 1_000 };
    const dueMs = startMs + 15_000;
    const look = { kind: 'look_up', id: 'pix-1', atMs: dueMs, rank: dueMs * 1_000 };
    const waiting = { kind: 'event waiting', id: 'waiting~order-1~pix-1', atMs: startMs, rank };
    assert.deepEqual(toEntries(life.order()), [{ kind: 'sent', ...sent }, look, waiting]);
    life.tell(recordCardOutcome, { attempt: card, ending: { state: 'unknown', candidate: null } });
    const [unknown, ...others] = toEntries(life.order());
    assert.deepEqual(unknown, { kind: 'unknown', ...sent }, 'at the time that was its own');
    // Events of one millisecond keep their order.
    assert.deepEqual(columns(others, 'kind', 'rank'), [
      ['look_up', look.rank],
      ['event waiting', rank],
      ['event outcome_unknown', rank + 1],
    ]);
  });

  it('tell what was paid, what is asked about again, and what could not be told', () => {
    const life = withCode();
    life.tell(heardWatched, toHeard(code, paid));
    assert.deepEqual(
      toEntries(life.order()).map(({ kind, id, atMs }) => [kind, id, atMs - startMs]),
      [
        ['settled', 'pix-1', 0],
        ['named_paid', 'pix-1', dayMs],
        ['event paid', 'paid~order-1~pix-1', 0],
      ],
    );
  });
});

describe('an order may be forgotten', () => {
  it('after 30 days where nothing was sent, and after 90 otherwise', () => {
    const life = follow(createEmptyOrder('order-1'));
    life.tell(claimAttempt, toCard(1));
    assert.equal(toForgetAtMs(life.order()), toDayMs(startMs + 30 * dayMs));
    assert.equal(toForgetAtMs(withCode().order()), toDayMs(startMs + 90 * dayMs));
    life.tell(recordSending, { method: 'pix', totalCents: 1 });
    assert.equal(toForgetAtMs(life.order()), toDayMs(startMs + 90 * dayMs), 'without an answer');
  });

  it('no later because its codes are looked up weekly until then, but not before what is due is done', () => {
    const life = withCode();
    for (const [days, nextDays, expected] of [
      [83, 84, 91],
      [84, 91, 90],
    ] as const) {
      life.wait(startMs + days * dayMs - life.nowMs());
      putOff(life, startMs + nextDays * dayMs);
      assert.equal(toForgetAtMs(life.order()), toDayMs(startMs + expected * dayMs));
    }
  });

  it('a week after the deadline of its code, and after a postback', () => {
    const late = follow(createEmptyOrder('order-1'));
    late.tell(recorded, { invoice: { ...code, deadlineMs: startMs + 120 * dayMs } });
    assert.equal(toForgetAtMs(late.order()), toDayMs(startMs + 127 * dayMs));
    const hinted = withCode();
    hinted.wait(89 * dayMs);
    putOff(hinted, startMs + 91 * dayMs);
    hinted.tell(recordPostback, { lookUpId: null });
    assert.equal(toForgetAtMs(hinted.order()), toDayMs(startMs + 96 * dayMs));
  });

  it('not while an outcome is open, while a payment may be told, or before what is due is done', () => {
    const life = follow(createEmptyOrder('order-1'));
    const card = toCard(1);
    life.tell(claimAttempt, card);
    life.tell(leaves, card);
    assert.equal(toForgetAtMs(life.order()), null);
    const paying = withCode();
    paying.wait(50 * dayMs);
    paying.tell(applyAnswer, toHeard(code, differs));
    assert.equal(toForgetAtMs(paying.order()), null);
    paying.tell(recordTry, { deliveryId: 'mismatch~order-1~pix-1', outcome: 'delivered' });
    // A person has to decide.
    assert.equal(toForgetAtMs(paying.order()), null);
    paying.tell(giveMismatchBack, code);
    assert.equal(toForgetAtMs(paying.order()), toDayMs(startMs + 90 * dayMs));
    paying.wait(39 * dayMs);
    paying.tell(queueNamedId, { lookUpId: 'lost', forMs: 0 });
    assert.equal(toForgetAtMs(paying.order()), toDayMs(startMs + 96 * dayMs));
  });

  it('ninety days after the last news of money that no hook heard, and never while one fails to hear', () => {
    const life = withCode();
    life.tell(applyAnswer, toHeard(code, paid));
    life.tell(recordTry, { deliveryId: 'paid~order-1~pix-1', outcome: 'delivered' });
    life.wait(50 * dayMs);
    life.tell(applyAnswer, toHeard(code, returned('refunded')));
    assert.equal(toForgetAtMs(life.order()), toDayMs(startMs + 140 * dayMs));
    life.tell(takeEvent, { deliveryId: 'returned~order-1~pix-1~refunded', forMs });
    assert.equal(toForgetAtMs(life.order()), null);
  });
});

describe('a person who wants an order forgotten hears', () => {
  type Life = ReturnType<typeof follow>;
  const card = toCard(1);
  const claimsKey = (life: Life) => life.tell(claimAttempt, card);
  function sendsCard(life: Life) {
    life.tell(claimAttempt, card);
    assert.equal(life.tell(leaves, card), true);
  }
  const losesAnswer = (life: Life) =>
    life.tell(recordCardOutcome, { attempt: card, ending: { state: 'unknown', candidate: null } });
  const getsCode = (life: Life) => life.tell(recorded, { invoice: code });
  const getsCodeFor30Days = (life: Life) =>
    life.tell(recorded, { invoice: { ...code, deadlineMs: startMs + 30 * dayMs } });
  const hearsName = (life: Life) => life.tell(queueNamedId, { lookUpId: 'lost', forMs: 0 });
  const isPaid = (life: Life) => life.tell(applyAnswer, toHeard(code, paid));
  const isPaidAndWatched = (life: Life) => life.tell(heardWatched, toHeard(code, paid));
  const isTold = (life: Life) =>
    life.tell(recordTry, { deliveryId: 'paid~order-1~pix-1', outcome: 'delivered' });

  it.each<[name: string, steps: ((life: Life) => unknown)[], days: number, kept: string | null]>([
    ['nothing of one of which nothing is known', [], 0, null],
    ['of a page', [claimsKey], 6.9, 'in_use'],
    ['no more of a page that is a week old', [claimsKey], 7, null],
    ['of a card on its way', [sendsCard], 99, 'unknown_outcome'],
    ['of a card that may be charged', [sendsCard, losesAnswer], 99, 'unknown_outcome'],
    ['of a code', [getsCode], 6.9, 'open'],
    ['no more of a code that is looked up weekly', [getsCode], 7, null],
    ['of a code until its deadline', [getsCodeFor30Days], 29.9, 'open'],
    ['of an id that a postback named', [hearsName], 99, 'open'],
    ['of a payment that was not told', [getsCode, isPaid], 99, 'untold'],
    ['of a payment that is asked about again', [getsCode, isPaidAndWatched, isTold], 99, 'watched'],
    ['no more of a payment that was told', [getsCode, isPaid, isTold], 7, null],
  ])('%s', (_, steps, days, reason) => {
    const life = follow(createEmptyOrder('order-1'));
    for (const step of steps) step(life);
    life.wait(days * dayMs);
    const [left, answer] = tryForget(life.order(), { nowMs: life.nowMs() });
    assert.equal(left, reason === null ? null : life.order());
    assert.deepEqual(answer, reason === null ? { forgotten: true } : { forgotten: false, reason });
  });
});

describe('an event', () => {
  const deliveryId = 'waiting~order-1~pix-1';

  it('that was dropped untold is due again with its code, one that was tried is not', () => {
    for (const isTried of [false, true]) {
      const life = withCode();
      if (isTried) assert.equal(life.tell(takeEvent, { deliveryId, forMs })?.tries, 1);
      life.tell(claimAttempt, toCard(1));
      life.wait(forMs);
      life.tell(claimAttempt, toCard(2));
      assert.equal(life.tell(takeEvent, { deliveryId, forMs }), null);
      assert.deepEqual(life.kinds(), ['waiting dropped']);
      life.wait(forMs);
      life.tell(recordShown, code);
      assert.deepEqual(life.kinds(), [isTried ? 'waiting dropped' : 'waiting']);
    }
  });

  it('of which a person was warned remembers when, and whether they heard', () => {
    for (const warning of ['heard', 'failed'] as const) {
      const life = withCode();
      life.tell(recordTry, { deliveryId, outcome: { retryAtMs: startMs, warning } });
      const [{ warnedAtMs, isWarningHeard } = assert.fail()] = life.order().events;
      assert.deepEqual([warnedAtMs, isWarningHeard], [startMs, warning === 'heard']);
    }
  });

  it('that ended stays so, and an unknown one is none', () => {
    const life = withCode();
    life.tell(recordTry, { deliveryId, outcome: { retryAtMs: startMs + 5_000 } });
    assert.deepEqual(
      [life.kinds(), life.order().events[0]?.dueAtMs],
      [['waiting'], startMs + 5_000],
    );
    life.tell(recordTry, { deliveryId, outcome: 'delivered' });
    const before = life.order();
    life.tell(recordTry, { deliveryId, outcome: { retryAtMs: startMs } });
    life.tell(recordTry, { deliveryId: 'none', outcome: 'delivered' });
    assert.equal(life.order(), before);
  });

  it('is remembered for 90 days after it is through', () => {
    const life = withCode();
    life.tell(recordTry, { deliveryId, outcome: 'delivered' });
    life.wait(90 * dayMs - 1);
    life.tell(recorded, { invoice: toInvoice('pix-2') });
    assert.equal(life.order().events.length, 2);
    life.wait(1);
    life.tell(recorded, { invoice: toInvoice('pix-3') });
    assert.deepEqual(
      life.order().events.map(({ notice }) => notice.deliveryId),
      ['waiting~order-1~pix-2', 'waiting~order-1~pix-3'],
    );
  });
});
