/** What a request with a key may do, and how far it has come. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { dayMs } from '../../../src/domain/spans.js';
import {
  addEndedKey,
  findKeyEnding,
  maxKeys,
  advanceAttempt,
  findAttemptOfKey,
  barKey,
  blockByCharge,
  claimAttempt,
  markUnansweredCards,
  releaseCard,
  reportUndecidedCard,
  withdrawAttempt,
  recordCardOutcome,
  recordSending,
} from '../../../src/proxy/order/attempts.js';
import { isAnswerableAlert, toReopenedAlert } from '../../../src/proxy/order/told/outbox.js';
import { applyAnswer } from '../../../src/proxy/order/apply-answer.js';
import {
  createEmptyOrder,
  findPayableCode,
  findRecentCards,
  isIdOf,
  toIssued,
} from '../../../src/proxy/order/order.js';
import type { Attempt, Given, KeptInvoice, Order } from '../../../src/proxy/order/order.js';
import {
  asking,
  follow,
  leaves,
  paid,
  recorded,
  refused,
  startMs,
  toCard,
  toCharge,
  toHeard,
  toInvoice,
  toKey,
} from './samples.js';
import { putKeyAsk } from '../../../src/proxy/order/asks/by-key.js';
import { putCardFailedAsk } from '../../../src/proxy/order/asks/card.js';
import { created, openOrder, refusedAs, unknownAs } from './open-order.js';
import { columns, column } from '../../support/rows.js';

const empty = createEmptyOrder('order-1');
const given = { nowMs: startMs };
const card = toCard(1);
const pix: Attempt = { ...card, method: 'pix', scope: 'pix of order-1' };
const charge = toCharge('card-1');

/** A card that has left. */
function withCard() {
  const life = follow(empty);
  life.tell(claimAttempt, card);
  assert.equal(life.tell(leaves, card), true);
  return life;
}

const end = (ending: Parameters<typeof recordCardOutcome>[1]['ending']) => ({
  attempt: card,
  ending,
});
const expire = (order: Order, _: null, at: Given) => markUnansweredCards(order, at);
const sends = (order: Order, attempt: Attempt, at: Given) =>
  advanceAttempt(order, attempt, { state: 'sent' }, at);

it('a key that ended is stored as a letter and its random half', () => {
  const key = '00000000-0000-4000-8000-00000000000a';
  for (const [ending, letter] of [
    ['made', 'm'],
    ['barred', 'b'],
    ['given_up', 'g'],
    ['refused', 'r'],
  ] as const) {
    assert.deepEqual(addEndedKey(empty, key, ending, given).keys, [`${letter}800000000000000a`]);
  }
});

it('an invoice is named by either of its ids, and by no other', () => {
  const invoice = { ...charge, lookUpId: 'look-up-1' };
  assert.deepEqual(
    ['card-1', 'look-up-1', 'card-2'].map((id) => isIdOf(id, invoice)),
    [true, true, false],
  );
});

describe('a code that may be paid now', () => {
  const offered = recorded(empty, { invoice: toInvoice('pix-1') }, given);
  const [code] = offered.invoices;
  const order: Order = { ...offered, offeredId: 'pix-1' };
  const change = (more: Partial<KeptInvoice>): Order => ({
    ...order,
    invoices: [{ ...code!, ...more }],
  });

  for (const [name, now, isPayable] of [
    ['is the one that pages got last', order, true],
    ['is still before its deadline', change({ deadlineMs: startMs + 1 }), true],
    ['is none at its deadline', change({ deadlineMs: startMs }), false],
    ['is none that was replaced', { ...order, offeredId: 'pix-2' }, false],
    ['is none of an order that is paid', { ...order, paidId: 'pix-2' }, false],
    ['is none that is paid', change({ isPaid: true }), false],
    ['is none that is over', change({ isOver: true }), false],
    ['is none whose payment differs', change({ differsIn: 'total_cents' }), false],
    ['is none that was given back', change({ word: 'refunded' }), false],
    ['is none that no payer saw', change({ code: '' }), false],
    ['is none that the order does not have', { ...order, invoices: [] }, false],
  ] as const) {
    it(name, () => {
      const found = findPayableCode(now, 'pix-1', startMs);
      assert.equal(found?.invoiceId ?? null, isPayable ? 'pix-1' : null);
    });
  }
});

describe('a key', () => {
  it('is claimed by the first request, and known or reused after that', () => {
    const life = follow(empty);
    assert.equal(life.tell(claimAttempt, card), 'new');
    assert.deepEqual(life.order().attempts, [
      {
        ...card,
        progress: { state: 'claimed' },
        claimedAtMs: startMs,
        changedAtMs: startMs,
        untilMs: startMs + 30_000,
      },
    ]);
    const before = life.order();
    for (const [attempt, claim] of [
      [card, 'known'],
      [{ ...card, scope: 'a page that was loaded again' }, 'known'],
      [{ ...card, installment: 2 }, 'reused'],
      [{ ...card, totalCents: 1 }, 'reused'],
      [pix, 'reused'],
      [toCard(2), 'busy'],
    ] as const) {
      assert.equal(life.tell(claimAttempt, attempt), claim);
    }
    assert.equal(life.order(), before);
  });

  it('that got a code is known to its page, and none of a card', () => {
    const made = addEndedKey(empty, card.key, 'made', given);
    assert.deepEqual(
      [claimAttempt(made, pix, given)[1], claimAttempt(made, card, given)[1]],
      ['known', 'reused'],
    );
  });

  it('of Pix is no card’s', () => {
    const life = follow(empty);
    life.tell(claimAttempt, pix);
    assert.equal(life.tell(claimAttempt, card), 'reused');
  });

  it('is answered for by its card that was refused, and by nothing once it got a code', () => {
    const life = withCard();
    life.tell(recordCardOutcome, end({ state: 'refused', invoice: null }));
    assert.equal(findAttemptOfKey(life.order(), card.key, startMs), life.order().attempts[0]);
    assert.equal(findAttemptOfKey(life.order(), toKey(2), startMs), null);
    for (const [ending, answering] of [
      ['made', null],
      ['barred', 'barred'],
      ['given_up', 'barred'],
      ['refused', 'refused'],
    ] as const) {
      const order = addEndedKey(empty, toKey(3), ending, given);
      assert.equal(findAttemptOfKey(order, toKey(3), startMs), answering);
    }
    // A former version let a key be one of Pix, too.
    const [of = assert.fail()] = life.order().attempts;
    const made = { ...of, ...pix, progress: { state: 'created', invoiceId: 'pix-1' } } as const;
    for (const attempts of [
      [of, made],
      [made, of],
    ])
      assert.equal(findAttemptOfKey({ ...empty, attempts }, card.key, startMs), of);
  });

  it('is barred once, and not while its attempt stands', () => {
    const after = barKey(empty, toKey(3), given);
    assert.equal(findKeyEnding(after, toKey(3)), 'barred', 'it goes before one that was given up');
    assert.equal(barKey(after, toKey(3), given), after);
    const made = addEndedKey(empty, toKey(3), 'made', given);
    assert.equal(findKeyEnding(barKey(made, toKey(3), given), toKey(3)), 'barred');
    const over = addEndedKey(empty, toKey(3), 'refused', given);
    assert.equal(barKey(over, toKey(3), given), over);
    const life = withCard();
    assert.equal(barKey(life.order(), card.key, given), life.order());
    for (let n = 0; n <= 200; n += 1) {
      life.tell(barKey, toKey(n + 10));
      life.wait(1);
    }
    const times = life.order().history.map(({ atMs }) => atMs - startMs);
    assert.deepEqual(
      times,
      Array.from({ length: 200 }, (_, n) => n + 1),
      'support is told of the last ones',
    );
  });

  it('ends only with the attempt that the order forgets', () => {
    const life = withCard();
    life.tell(recordCardOutcome, end({ state: 'refused', invoice: null }));
    life.tell(claimAttempt, toCard(2));
    assert.deepEqual(life.order().keys, []);
    life.wait(86_400_000);
    life.tell(claimAttempt, toCard(3));
    assert.deepEqual(life.order().keys, ['r8000000000000001']);
  });

  it('that ended goes where there are too many: Pix before a card, and none that is younger than eight days', () => {
    const days = (n: number): Given => ({ nowMs: startMs + n * dayMs });
    let order = addEndedKey(empty, toKey(0), 'refused', given);
    for (let n = 1; n < maxKeys - 1; n += 1) order = addEndedKey(order, toKey(n), 'barred', given);
    order = addEndedKey(order, toKey(800), 'made', days(7.9));
    assert.equal(findKeyEnding(order, toKey(800)), 'made', 'there is room for one');
    order = addEndedKey(order, toKey(801), 'barred', days(7.9));
    assert.deepEqual(
      [order.keys.length, findKeyEnding(order, toKey(800))],
      [maxKeys, null],
      'Pix goes',
    );
    assert.equal(addEndedKey(order, toKey(802), 'barred', days(7.9)), order, 'no room');
    assert.equal(addEndedKey(order, toKey(802), 'refused', days(7.9)).keys.length, maxKeys + 1);
    const later = addEndedKey(order, toKey(803), 'barred', days(8));
    assert.deepEqual(
      [1, 2, 0, 801, 803].map((n) => findKeyEnding(later, toKey(n))),
      [null, 'barred', 'refused', 'barred', 'barred'],
    );
  });

  it('of a Pix code goes first, also as the oldest of all', () => {
    let order = addEndedKey(empty, toKey(0), 'made', given);
    for (let n = 1; n <= maxKeys; n += 1) order = addEndedKey(order, toKey(n), 'barred', given);
    assert.deepEqual(
      [0, 1, maxKeys].map((n) => findKeyEnding(order, toKey(n))),
      [null, 'barred', 'barred'],
    );
  });

  it('is one that a page made, of whatever form; none of the proxy’s own ends', () => {
    const ended = addEndedKey(empty, 'of another form', 'made', given);
    assert.equal(ended, empty);
    assert.equal(
      findKeyEnding(addEndedKey(empty, 'any-form', 'barred', given), 'any-form'),
      'barred',
    );
  });

  it('for which there is no room is not said to be unknown', () => {
    let order = empty;
    for (let n = 0; n < maxKeys; n += 1) order = addEndedKey(order, toKey(n), 'barred', given);
    assert.equal(barKey(order, toKey(900), given), order);
    const ask = { kind: 'by_key', externalId: 'order-1', key: toKey(900) } as const;
    const [, reply] = putKeyAsk(order, ask, asking({ isAdmitted: true }), given);
    assert.ok(reply.type === 'refusal' && reply.code === 'in_progress');
    const failed = { kind: 'card_failed', externalId: 'order-1', key: toKey(900) } as const;
    const told = (code: 'order_closed' | 'service_unavailable') =>
      putCardFailedAsk(order, { ...failed, code }, asking(), given)[1];
    assert.ok(told('order_closed').type === 'refusal');
    assert.equal(told('service_unavailable').type, 'as_it_failed', 'it goes on asking');
  });
});

describe('an attempt', () => {
  it('whose look-ups do not end is told once', () => {
    const order = openOrder();
    order.charges(created('C'));
    for (let n = 0; n < 2; n += 1) order.tell(reportUndecidedCard, toCharge('C'));
    order.has({ events: ['outcome_unknown'] });
  });

  it('that was refused has nothing looked up again by a match that comes late', () => {
    const order = openOrder();
    const one = order.charges(refusedAs('C'));
    order.ends(one, unknownAs('C'));
    order.has({ invoices: [{ id: 'C', isOver: true }] });
  });

  it('of another invoice is not', () => {
    const order = openOrder();
    order.charges(created('C'));
    order.tell(reportUndecidedCard, toCharge('D'));
    order.has({ events: [] });
  });

  it('is not told while its answer is awaited, nor once it is paid', () => {
    const order = openOrder();
    const one = order.charges();
    order.tell(reportUndecidedCard, toCharge('C'));
    order.ends(one, created('C'));
    order.hears('C', paid);
    order.tell(reportUndecidedCard, toCharge('C'));
    order.has({ events: ['paid'] });
  });

  it('is sent by its holder alone', () => {
    const life = follow(empty);
    life.tell(claimAttempt, card);
    assert.equal(life.tell(sends, { ...card, holder: 'another' }), false);
    assert.equal(life.tell(sends, card), true);
  });

  it('of a card that gave up is not made anew by a late answer; one of Pix is', () => {
    const made = { state: 'created', invoiceId: 'late' } as const;
    assert.deepEqual(advanceAttempt(empty, card, made, given), [empty, false]);
    const [order, isNew] = advanceAttempt(empty, pix, made, given);
    assert.deepEqual([isNew, order.attempts[0]?.progress], [true, made]);
    assert.deepEqual(advanceAttempt(empty, pix, { state: 'refused' }, given), [empty, false]);
    for (const ending of ['barred', 'given_up'] as const) {
      const ended = addEndedKey(empty, pix.key, ending, given);
      assert.deepEqual(advanceAttempt(ended, pix, made, given), [ended, false]);
    }
  });

  it('gives up for its holder alone, and not once it has an invoice or a refusal', () => {
    for (const [attempt, state, isLeft] of [
      [card, 'claimed', false],
      [card, 'refused', true],
      [pix, 'created', true],
    ] as const) {
      const [claim] = claimAttempt(empty, attempt, given);
      const progress =
        state === 'created' ? ({ state, invoiceId: 'pix-1' } as const) : ({ state } as const);
      const [order] = advanceAttempt(claim, attempt, progress, given);
      assert.equal(withdrawAttempt(order, { ...attempt, holder: 'another' }), order);
      assert.equal(withdrawAttempt(order, attempt).attempts.length === 1, isLeft, state);
    }
  });

  it('leaves its key behind as the oldest of more than fifty that ended', () => {
    let order = empty;
    for (let n = 1; n <= 52; n += 1) {
      const made = { state: 'created', invoiceId: 'pix-1' } as const;
      [order] = advanceAttempt(order, { ...pix, key: toKey(n) }, made, given);
    }
    assert.deepEqual(order.keys, ['m8000000000000001', 'm8000000000000002']);
    assert.equal(order.attempts.length, 50);
  });

  it('of unknown outcome has its late match looked up soon, also one that had ended', () => {
    for (const isOver of [false, true]) {
      const life = withCard();
      const second = toCard(2);
      life.tell(recordCardOutcome, end({ state: 'refused', invoice: charge }));
      life.tell(claimAttempt, second);
      assert.equal(life.tell(leaves, second), true);
      const lookUpAtMs = startMs + 7 * dayMs;
      if (!isOver)
        life.tell((order) => {
          const [one = assert.fail()] = order.invoices;
          return { ...order, invoices: [{ ...one, settledAtMs: null, lookUpAtMs }] };
        }, null);
      life.tell(recordCardOutcome, {
        attempt: second,
        ending: { state: 'unknown', candidate: charge },
      });
      const [invoice] = life.order().invoices;
      assert.deepEqual([invoice?.settledAtMs, invoice?.lookUpAtMs], [null, startMs + 15_000]);
    }
  });

  it('keeps the time of its change when it is told the same again', () => {
    const life = withCard();
    life.tell(recordCardOutcome, end({ state: 'created', invoice: charge }));
    life.wait(5_000);
    life.tell(recordCardOutcome, end({ state: 'created', invoice: charge }));
    assert.equal(life.order().attempts[0]?.changedAtMs, startMs);
  });

  it('that is paid stays so, whatever is answered late', () => {
    const life = withCard();
    life.tell(recordCardOutcome, end({ state: 'created', invoice: charge }));
    life.tell(applyAnswer, toHeard(charge, paid));
    const { invoices } = life.order();
    life.wait(1);
    for (const ending of [
      { state: 'created', invoice: charge },
      { state: 'unknown', candidate: charge },
      { state: 'refused', invoice: charge },
    ] as const) {
      life.tell(recordCardOutcome, end(ending));
      assert.deepEqual(life.order().invoices, invoices);
    }
  });

  it('is remembered as what was sent', () => {
    const life = withCard();
    const { sends, sentAs } = life.order();
    assert.deepEqual(sends, [{ method: 'credit_card', atMs: startMs }]);
    assert.deepEqual(sentAs, [{ method: 'credit_card', totalCents: 12_345 }]);
    for (const totalCents of [12_345, 1, 12_345]) {
      life.tell(recordSending, { method: 'pix', totalCents });
    }
    const pixAs = [12_345, 1].map((totalCents) => ({ method: 'pix', totalCents }));
    assert.deepEqual(life.order().sentAs, [...sentAs, ...pixAs]);
    life.wait(dayMs);
    life.tell(recordSending, { method: 'pix', totalCents: 1 });
    assert.deepEqual(
      [column(life.order().sends, 'atMs'), life.order().sentAs],
      [[startMs + dayMs], [...sentAs, ...pixAs]],
      'its time only for a day',
    );
  });

  it('counts among its order’s cards while it is open, and for a day after it was refused', () => {
    const life = withCard();
    const count = (afterMs: number) => findRecentCards(life.order(), startMs + afterMs).length;
    assert.equal(count(2 * 86_400_000), 1);
    life.tell(recordCardOutcome, end({ state: 'refused', invoice: null }));
    assert.deepEqual([count(86_399_999), count(86_400_000)], [1, 0]);
  });

  it('has an unknown outcome once its time is over', () => {
    const life = withCard();
    life.wait(59_999);
    assert.equal(life.tell(expire, null), 0);
    life.wait(1);
    assert.equal(life.tell(expire, null), 1);
    assert.deepEqual(life.order().attempts[0]?.progress, { state: 'unknown', candidate: null });
    assert.deepEqual(life.kinds(), ['outcome_unknown']);
  });

  it('keeps the match of an unknown outcome, which may come late', () => {
    const life = withCard();
    for (const candidate of [null, charge, null]) {
      life.tell(recordCardOutcome, end({ state: 'unknown', candidate }));
    }
    // Of what the caller passed, nothing but what an invoice was created as.
    const candidate = toIssued(charge);
    assert.deepEqual(life.order().attempts[0]?.progress, { state: 'unknown', candidate });
    assert.deepEqual(columns(life.order().invoices, 'invoiceId', 'code'), [['card-1', '']]);
  });

  it('is told of under its first id, however long its card was pending', () => {
    const life = withCard();
    life.tell(recordCardOutcome, end({ state: 'created', invoice: charge }));
    life.tell(reportUndecidedCard, charge);
    const [event] = life.order().events;
    assert.equal(event?.notice.deliveryId, 'outcome_unknown~order-1~holder-1');
  });

  it('whose outcome is unknown is told once, with what is known', () => {
    const life = withCard();
    for (let n = 0; n < 2; n += 1)
      life.tell(recordCardOutcome, end({ state: 'unknown', candidate: null }));
    assert.deepEqual(column(life.order().events, 'notice'), [
      {
        externalId: 'order-1',
        totalCents: 12_345,
        attemptedAt: new Date(startMs).toISOString(),
        deliveryId: 'outcome_unknown~order-1~holder-1',
      },
    ]);
  });
});

describe('a person’s word', () => {
  it('is about no other card', () => {
    const order = openOrder();
    order.charges(refusedAs('B'));
    const one = order.charges(created('C'));
    order.releases(one);
    order.has({
      invoices: [
        { id: 'B', isOver: true },
        { id: 'C', isReleased: true },
      ],
    });
  });

  it('is overruled by an answer of the service that comes after it, not by a match that they saw', () => {
    const order = openOrder();
    const one = order.charges(unknownAs('C'));
    order.releases(one);
    order.ends(one, unknownAs('C'));
    order.ends(one, unknownAs());
    order.has({ attempts: ['refused released'] });
    order.ends(one, created('C'));
    order.has({ attempts: [{ created: 'C' }] });
  });

  it('is overruled by an invoice that the service names later, and a person is asked once more', () => {
    const order = openOrder();
    const one = order.charges(unknownAs());
    order.releases(one);
    order.ends(one, unknownAs('C'));
    order.has({ attempts: [{ unknown: 'C' }], events: ['outcome_unknown', 'outcome_unknown'] });
    assert.match(order.notCharged().deliveryId, /~2$/);
  });

  it('is overruled by one that comes while another card is on its way, too: it is looked up after that', () => {
    const order = openOrder();
    const one = order.charges(unknownAs());
    order.releases(one);
    order.charges();
    order.ends(one, created('C'));
    order.has({ named: [{ id: 'C' }] });
  });

  it('is none where the service itself refused the card', () => {
    const order = openOrder();
    const one = order.charges(refusedAs());
    order.charges();
    order.ends(one, created('C'));
    order.has({ named: [] });
  });

  it('releases the card that they saw, and its invoice', () => {
    const life = withCard();
    assert.equal(life.tell(releaseCard, card), false, 'not while it is on its way');
    life.tell(recordCardOutcome, end({ state: 'created', invoice: charge }));
    const before = life.order();
    assert.equal(life.tell(releaseCard, { holder: 'another' }), false);
    assert.equal(life.order(), before);
    assert.equal(life.tell(releaseCard, card), true);
    const { attempts, invoices } = life.order();
    assert.deepEqual(attempts[0]?.released, { invoiceId: 'card-1' });
    assert.deepEqual(column(invoices, 'isReleased'), [true]);
  });

  it('releases no claim, and no card that is paid', () => {
    const life = follow(empty);
    life.tell(claimAttempt, card);
    assert.equal(life.tell(releaseCard, card), false);
    const paying = withCard();
    paying.tell(recordCardOutcome, end({ state: 'created', invoice: charge }));
    paying.tell(applyAnswer, toHeard(charge, paid));
    assert.equal(paying.tell(releaseCard, card), false);
  });
});

it('a charge that blocks the order again is told of anew, though its attempt is forgotten', () => {
  const life = follow(empty);
  const block = (order: Order, _: null, at: Given) => blockByCharge(order, charge, at);
  const first = 'outcome_unknown~order-1~card-1';
  for (const [n, ids] of [
    [first],
    [first, `${first}~2`],
    [first, `${first}~2`, `${first}~3`],
  ].entries()) {
    assert.equal(life.tell(block, null), 'recorded');
    life.tell(reportUndecidedCard, charge);
    assert.deepEqual(
      life.order().events.map(({ notice }) => notice.deliveryId),
      ids,
    );
    const attempt = life.order().attempts.at(-1) ?? assert.fail();
    const open = ids.filter((id) => isAnswerableAlert(attempt, id));
    assert.deepEqual(open, ids.slice(-1), 'a word about a former one answers nothing');
    life.tell(applyAnswer, toHeard(charge, refused));
    life.wait(dayMs);
    assert.equal(life.tell(claimAttempt, toCard(n + 1)), 'new');
    life.wait(30_000);
    assert.equal(life.order().attempts.length, 1);
  }
});

it('a former alert is answered, though it is remembered no more', () => {
  assert.deepEqual(toReopenedAlert(empty, card), {});
  assert.deepEqual(toReopenedAlert(empty, card, {}), { alert: 2, answered: 1 });
  assert.deepEqual(toReopenedAlert(empty, card, { alert: 3 }), { alert: 4, answered: 3 });
});

it('a charge without an attempt blocks the order under a key that no page has', () => {
  const [order, is] = blockByCharge(empty, charge, given);
  assert.equal(is, 'recorded');
  const [attempt] = order.attempts;
  assert.deepEqual(attempt?.progress, { state: 'created', invoiceId: 'card-1' });
  assert.deepEqual([attempt.key, attempt.holder], ['named card-1', 'card-1']);
  assert.equal(order.invoices[0]?.lookUpAtMs, startMs + 15_000);
  assert.deepEqual(blockByCharge(order, toCharge('card-2'), given), [order, 'busy']);
  const [over] = advanceAttempt(order, attempt, { state: 'refused' }, given);
  const [again] = blockByCharge(over, charge, given);
  assert.deepEqual(
    again.attempts.map(({ progress }) => progress.state),
    ['created'],
  );
  const [later] = claimAttempt(over, toCard(5), { nowMs: startMs + 86_400_000 });
  assert.deepEqual([later.attempts.length, later.keys], [1, []], 'its key belongs to no order');
});
