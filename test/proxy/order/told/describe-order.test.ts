/** What support is told of an order: what happened, what it waits for, and which alerts a word may answer. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { dayMs } from '../../../../src/domain/spans.js';
import {
  advanceAttempt,
  barKey,
  claimAttempt,
  releaseCard,
  reportUndecidedCard,
  recordCardOutcome,
  recordSending,
} from '../../../../src/proxy/order/attempts.js';
import { queueNamedId } from '../../../../src/proxy/order/due.js';
import {
  applyAnswer,
  acceptMismatch,
  recordExpiry,
} from '../../../../src/proxy/order/apply-answer.js';
import { createEmptyOrder } from '../../../../src/proxy/order/order.js';
import { describeOrder } from '../../../../src/proxy/order/told/describe-order.js';
import { takeEvent, recordTry } from '../../../../src/proxy/order/told/outbox.js';
import {
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
  toKey,
} from '../samples.js';

type Life = ReturnType<typeof follow>;

const code = toInvoice('pix-1');
const card = toCard(1);
const charge = toCharge('card-1');
const at = (afterMs: number) => new Date(startMs + afterMs).toISOString();
const next = `; looked up next at ${at(15_000)}`;

const begin = () => follow(createEmptyOrder('order-1'));
const describeNow = (life: Life) => describeOrder(life.order(), life.nowMs()) ?? assert.fail();
const alertsOf = (life: Life) => describeNow(life).alerts.map(({ deliveryId }) => deliveryId);

const getsCode = (life: Life, more = {}) => life.tell(recorded, { invoice: { ...code, ...more } });
const pays = (life: Life, invoice = code) => life.tell(applyAnswer, toHeard(invoice, paid));
const goesBack = (life: Life, invoice = code) =>
  life.tell(applyAnswer, toHeard(invoice, returned('refunded')));
const ends = (life: Life, ending: Parameters<typeof recordCardOutcome>[1]['ending']) =>
  life.tell(recordCardOutcome, { attempt: card, ending });

function sends(life: Life): void {
  life.tell(claimAttempt, card);
  assert.equal(life.tell(leaves, card), true);
}

/** The merchant's server hears of all that waits. */
function tellAll(life: Life): void {
  for (const { outcome, notice } of life.order().events) {
    if (outcome !== null) continue;
    life.tell(recordTry, { deliveryId: notice.deliveryId, outcome: 'delivered' });
  }
}

/** What was told is forgotten since. */
const forgetsEvents = (life: Life) => life.tell((order) => [{ ...order, events: [] }, null], null);

const other = toInvoice('pix-2');
const deliveryId = 'paid~order-1~pix-1';

const claimsKey = (life: Life) => life.tell(claimAttempt, card);
const getsOther = (life: Life, more = {}) =>
  life.tell(recorded, { invoice: { ...other, ...more } });
const hearsName = (life: Life) => life.tell(queueNamedId, { lookUpId: 'lost', forMs: 0 });
const pends = (life: Life) => ends(life, { state: 'created', invoice: charge });
const losesAnswer = (life: Life) => ends(life, { state: 'unknown', candidate: null });

function hookFails(life: Life): void {
  life.tell(takeEvent, { deliveryId, forMs: 60_000 });
  life.tell(recordTry, { deliveryId, outcome: { retryAtMs: startMs + 7_000 } });
}

const onPaid = `your server: paid at ${at(0)}; onPaid was`;
const unknown = `a person: the outcome of a card is unknown since ${at(0)}, see resolveOutcome`;
const isTold = `nothing: paid at ${at(0)}, told to your server at`;

describe('an order waits for', () => {
  it.each<[name: string, steps: ((life: Life) => unknown)[], waitsFor: string]>([
    ['no payment', [], 'nothing: no payment is begun'],
    ['a request', [claimsKey], `the answer to a request of ${at(0)}`],
    ['a code', [getsCode], `the payment of code PIX-1${next}`],
    [
      'the newer of two codes',
      [getsCode, (life) => getsOther(life, { deadlineMs: startMs + 1 })],
      `the payment of code PIX-2, until ${at(1)}${next}`,
    ],
    [
      'a code whose time is over',
      [(life) => getsCode(life, { deadlineMs: startMs })],
      `nothing: the deadline of code PIX-1 passed at ${at(0)}; a late payment is still found${next}`,
    ],
    [
      'a code that only a postback named',
      [(life) => life.tell(applyAnswer, toHeard({ ...code, orderCode: '' }, { isNamed: true }))],
      `the payment of code pix-1${next}`,
    ],
    ['an unknown id', [getsCode, hearsName], 'the look-up of lost, which a postback named'],
    ['a card on its way', [sends], `the answer to a card that was sent at ${at(0)}`],
    [
      'a card that is pending',
      [getsCode, sends, pends],
      `the decision on a card, since ${at(0)}${next}`,
    ],
    ['a card whose answer was lost', [sends, losesAnswer], unknown],
    [
      'a card that may be an invoice',
      [getsCode, sends, (life) => ends(life, { state: 'unknown', candidate: charge })],
      `${unknown}${next}`,
    ],
    [
      'a card that is paid',
      [sends, pends, (life) => pays(life, charge)],
      `${onPaid} not called yet, and is due at ${at(0)}`,
    ],
    [
      'a hook that fails',
      [getsCode, pays, hookFails],
      `${onPaid} called 1 times without success, and is due at ${at(7_000)}`,
    ],
    [
      'nothing, once it is told',
      [getsCode, pays, (life) => life.wait(5), tellAll],
      `${isTold} ${at(5)}`,
    ],
    [
      'nothing, though that it was told is forgotten',
      [getsCode, pays, forgetsEvents],
      `nothing: paid at ${at(0)}`,
    ],
    [
      'nothing, once it was returned',
      [getsCode, pays, goesBack, tellAll],
      `nothing: paid at ${at(0)}, then refunded`,
    ],
    [
      'nothing, where it is paid again',
      [getsCode, pays, goesBack, pays, tellAll],
      `${isTold} ${at(0)}`,
    ],
    [
      'nothing, where another payment went back',
      [
        getsCode,
        getsOther,
        pays,
        (life) => pays(life, other),
        (life) => goesBack(life, other),
        tellAll,
      ],
      `${isTold} ${at(0)}`,
    ],
  ])('%s', (_, steps, waitsFor) => {
    const life = begin();
    for (const step of steps) step(life);
    assert.equal(describeNow(life).waitsFor, waitsFor);
  });
});

describe('what happened to an order', () => {
  const cents = { totalCents: 12_345 };
  const byPix = { method: 'pix', ...cents };
  const byCard = { method: 'credit_card', ...cents };
  const ofCode = { invoiceId: 'pix-1', orderCode: 'PIX-1', ...byPix };
  const ofCard = { invoiceId: 'card-1', orderCode: 'CARD-1', ...byCard };
  const attempt = { what: 'attempt', installment: 1 };
  const dropped = { what: 'event', invoiceId: 'pix-1', tries: 0, outcome: 'dropped' };

  /** A code that is made, lapses and is paid all the same, after a card that was refused. */
  function open() {
    const life = begin();
    const press = { ...toCard(2), method: 'pix', scope: 'pix of order-1' } as const;
    const made = { state: 'created', invoiceId: 'pix-1' } as const;
    life.tell(claimAttempt, press);
    life.tell(recordSending, { method: 'pix', ...cents });
    getsCode(life, { deadlineMs: startMs + 1 });
    life.tell((order, to: typeof made, given) => advanceAttempt(order, press, to, given), made);
    life.wait(1);
    life.tell(recordExpiry, code);
    life.tell(barKey, toKey(3));
    life.wait(1);
    sends(life);
    ends(life, { state: 'refused', invoice: { ...charge, createdAtMs: life.nowMs() } });
    life.tell(queueNamedId, { lookUpId: 'lost', forMs: 0 });
    life.wait(1);
    life.tell(
      (order, what: ReturnType<typeof toHeard>, given) =>
        applyAnswer(order, what, { ...given, isWatched: true }),
      toHeard(code, { ...paid, endToEndId: 'E1' }),
    );
    return life;
  }

  it('is told in its order, and of one moment as a payment comes by', () => {
    assert.deepEqual(describeNow(open()).entries, [
      { at: at(0), ...attempt, state: 'claimed', ...byPix },
      { at: at(0), what: 'sent', method: 'pix' },
      { at: at(0), ...attempt, state: 'created', ...byPix, invoiceId: 'pix-1' },
      { at: at(0), what: 'invoice', ...ofCode, expiresAt: at(1) },
      {
        at: at(0),
        ...dropped,
        hook: 'onPixWaiting',
        deliveryId: 'waiting~order-1~pix-1',
        endedAt: at(1),
      },
      { at: at(1), what: 'attempt', state: 'barred' },
      { at: at(1), what: 'expired', ...ofCode },
      {
        at: at(1),
        ...dropped,
        hook: 'onLapsed',
        deliveryId: 'lapsed~order-1~pix-1',
        endedAt: at(3),
      },
      { at: at(2), ...attempt, state: 'claimed', ...byCard },
      { at: at(2), what: 'sent', method: 'credit_card' },
      { at: at(2), ...attempt, state: 'refused', ...byCard },
      { at: at(2), what: 'invoice', ...ofCard },
      { at: at(2), what: 'refused', ...ofCard },
      { at: at(2), what: 'named', lookUpId: 'lost', tries: 0 },
      { at: at(3), what: 'paid', ...ofCode, endToEndId: 'E1' },
      {
        at: at(3),
        what: 'event',
        hook: 'onPaid',
        invoiceId: 'pix-1',
        deliveryId: 'paid~order-1~pix-1',
        endToEndId: 'E1',
        late: false,
        duplicate: false,
        tries: 0,
        outcome: null,
        nextTryAt: at(3),
      },
    ]);
  });

  it('tells as what a payment went back', () => {
    const life = begin();
    getsCode(life);
    pays(life);
    goesBack(life);
    const { status, duplicate, hook } = describeNow(life).entries.at(-1) ?? assert.fail();
    assert.deepEqual([hook, status, duplicate], ['onReturned', 'refunded', false]);
  });

  it('is one entry of a request that only claimed its key', () => {
    const life = begin();
    life.tell(claimAttempt, card);
    const claim = { ...attempt, state: 'claimed', ...byCard };
    assert.deepEqual(describeNow(life).entries, [{ at: at(0), ...claim }]);
  });

  it('tells a card that a person released from one that was refused', () => {
    const life = begin();
    sends(life);
    ends(life, { state: 'unknown', candidate: charge });
    const ofMatch = { ...ofCard, orderCode: '' };
    const whats = () => describeNow(life).entries.map(({ what, state }) => state ?? what);
    assert.deepEqual(whats(), ['claimed', 'sent', 'unknown', 'invoice', 'event']);
    life.tell(releaseCard, card);
    assert.deepEqual(describeNow(life).entries.at(-2), { at: at(0), what: 'released', ...ofMatch });
  });

  it('is not all kept for as long as the order', () => {
    const life = open();
    life.wait(dayMs - 3);
    assert.equal(describeNow(life).forgotten, null);
    life.wait(1);
    assert.match(describeNow(life).forgotten ?? '', /^creations and .* ninety$/);
    assert.equal(describeOrder(null, startMs), null);
  });
});

describe('an order in question', () => {
  const differs = toHeard(code, { meaning: 'mismatch', field: 'total_cents', word: 'paid' });
  const ofAlert = { totalCents: 12_345 };

  it('is not called paid, also beside an invoice that is', () => {
    const life = begin();
    getsCode(life);
    life.tell(applyAnswer, differs);
    const { waitsFor, alerts } = describeNow(life);
    assert.equal(
      waitsFor,
      'a person: what the service calls paid, invoice pix-1, differs in total_cents, see resolveOutcome',
    );
    const deliveryId = 'mismatch~order-1~pix-1';
    assert.deepEqual(alerts, [{ hook: 'onMismatch', deliveryId, ...ofAlert, invoiceId: 'pix-1' }]);
    assert.equal(describeNow(life).entries.at(-1)?.['field'], 'total_cents');
    getsOther(life);
    pays(life, other);
    assert.match(describeNow(life).waitsFor, /^a person/);
    life.tell(acceptMismatch, code);
    assert.match(describeNow(life).waitsFor, /^your server: paid at/);
    assert.deepEqual(alertsOf(life), []);
  });

  it('shows the alert about a card while it stands', () => {
    const life = begin();
    sends(life);
    assert.deepEqual(alertsOf(life), [], 'it is on its way');
    ends(life, { state: 'unknown', candidate: null });
    const deliveryId = 'outcome_unknown~order-1~holder-1';
    const alert = { hook: 'onOutcomeUnknown', deliveryId, ...ofAlert };
    assert.deepEqual(describeNow(life).alerts, [alert]);
    const forgotten = follow({ ...life.order(), events: [] });
    assert.deepEqual(describeNow(forgotten).alerts, [alert], 'though it was told long ago');
    life.tell(releaseCard, card);
    assert.deepEqual(alertsOf(life), []);
  });

  it('shows it about a card that is known since only once it needs a person anew', () => {
    const life = begin();
    sends(life);
    ends(life, { state: 'unknown', candidate: null });
    ends(life, { state: 'created', invoice: charge });
    const first = 'outcome_unknown~order-1~holder-1';
    assert.deepEqual(alertsOf(life), [first], 'it was not answered');
    life.tell(reportUndecidedCard, charge);
    assert.deepEqual(describeNow(life).alerts, [
      { hook: 'onOutcomeUnknown', deliveryId: `${first}~2`, ...ofAlert, invoiceId: 'card-1' },
    ]);
    pays(life, charge);
    assert.deepEqual(alertsOf(life), []);
  });
});
