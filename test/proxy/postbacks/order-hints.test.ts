/** Which invoice of an order is asked about next, and what a body may name. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  AttemptProgress,
  OrderRecord,
  RememberedAttempt,
  RememberedInvoice,
} from '../../../src/proxy/ledger/ledger.js';
import { readNamedInvoice } from '../../../src/proxy/postbacks/postback-body.js';
import {
  chooseTarget,
  isUnknownOrder,
  noteAsked,
  noteDone,
  noteFailed,
  noteHint,
  startHints,
  toNextLookUpMs,
  toOpenInvoices,
} from '../../../src/proxy/postbacks/order-hints.js';
import { createTestClock } from '../support/shop.js';

const method = 'pix';

function invoice(invoiceId: string, fields: Partial<RememberedInvoice> = {}): RememberedInvoice {
  const ids = { invoiceId, lookUpId: invoiceId, externalId: 'order-1', orderCode: '', code: '' };
  return {
    ...ids,
    totalCents: 100,
    method,
    status: 'pending',
    createdAtMs: 0,
    deadlineMs: null,
    ...fields,
  };
}

function card(progress: AttemptProgress): RememberedAttempt {
  const names = { key: 'key', scope: 'scope', holder: 'holder', externalId: 'order-1' };
  return { ...names, method: 'credit_card', totalCents: 100, installment: 1, progress };
}

function order(invoices: RememberedInvoice[], ...cards: RememberedAttempt[]): OrderRecord {
  return { invoices, cards, sentAtMs: [], cardSentAtMs: [], paid: null };
}

/** The ids asked about after these postbacks, each of which names an invoice or none. */
function askedAfter(record: OrderRecord, ...postbacks: (string | null)[]): string[] {
  const hints = startHints();
  for (const named of postbacks) noteHint(hints, named);
  const asked: string[] = [];
  for (let i = 0; i < 10; i++) {
    const target = chooseTarget(record, hints);
    if (!target || target.kind === 'candidate') break;
    asked.push(target.invoice.invoiceId);
    noteAsked(hints, target);
    noteDone(hints, target);
  }
  assert.equal(toNextLookUpMs(record, hints), null);
  return asked;
}

describe('an order with hints', () => {
  const [first, second, third] = ['first', 'second', 'third'].map((id) => invoice(id));
  const three = order([first!, second!, third!]);

  it('has every open invoice asked about once, the newest first', () => {
    assert.deepEqual(askedAfter(three), []);
    assert.deepEqual(askedAfter(three, null), ['third', 'second', 'first']);
    assert.deepEqual(askedAfter(three, null, null), ['third', 'second', 'first']);
  });

  it('has those first that postbacks named, the last of them before the others', () => {
    assert.deepEqual(askedAfter(three, 'first'), ['first', 'third', 'second']);
    assert.deepEqual(askedAfter(three, 'first', 'second'), ['second', 'first', 'third']);
    assert.deepEqual(askedAfter(three, 'unknown-1'), ['third', 'second', 'first']);
  });

  const paid = invoice('paid', { status: 'paid' });
  const refused = invoice('refused', { method: 'credit_card' });

  it('has no settled one asked about', () => {
    const open = invoice('open', { method: 'credit_card' });
    const charged = card({ state: 'created', invoiceId: 'open' });
    const cards = [card({ state: 'refused' }), charged];
    const record = { ...order([first!, paid, refused, open], ...cards), paid };
    assert.deepEqual(
      toOpenInvoices(record).map(({ invoiceId }) => invoiceId),
      ['first', 'open'],
    );
    assert.deepEqual(askedAfter(record, null), ['open', 'first']);
    assert.deepEqual(askedAfter({ ...order([paid]), paid }, null, 'paid'), []);
  });

  it('has one asked about that was refused, if a postback names it: it may have been paid after all', () => {
    const record = order([first!, refused], card({ state: 'refused' }));
    assert.deepEqual(askedAfter(record, 'refused'), ['refused', 'first']);
    assert.deepEqual(askedAfter(record, null), ['first']);
  });

  it('does not take the word of a creation answer for that of a look-up', () => {
    const created = invoice('created', { method: 'credit_card', status: 'paid' });
    const record = order([created], card({ state: 'created', invoiceId: 'created' }));
    assert.deepEqual(askedAfter(record, null), ['created']);
  });

  it('has what may be its lost card asked about, too', () => {
    const candidate = invoice('candidate', { method: 'credit_card' });
    const record = order([first!, candidate], card({ state: 'unknown', candidate }));
    assert.deepEqual(askedAfter(record, null), ['candidate', 'first']);
  });

  it('has an unknown id tried only while the outcome of a card is open', () => {
    const progresses: [progress: AttemptProgress, isTried: boolean][] = [
      [{ state: 'claimed' }, false],
      [{ state: 'sent' }, true],
      [{ state: 'unknown', candidate: null }, true],
      [{ state: 'created', invoiceId: 'third' }, false],
      [{ state: 'refused' }, false],
    ];
    for (const [progress, isTried] of progresses) {
      const hints = startHints();
      noteHint(hints, 'unknown-1');
      const target = chooseTarget(order([first!], card(progress)), hints);
      assert.equal(target?.kind, isTried ? 'candidate' : 'open', progress.state);
    }
  });

  it('has no invoice of its own tried as an unknown one', () => {
    const hints = startHints();
    noteHint(hints, 'refused');
    const target = chooseTarget(order([refused], card({ state: 'sent' })), hints);
    assert.deepEqual(target, { kind: 'settled', invoice: refused });
  });

  it('has the settled one wait while others do, however often it is named', () => {
    const record = order([first!, refused], card({ state: 'refused' }));
    const hints = startHints();
    const kinds: (string | undefined)[] = [];
    for (let i = 0; i < 4; i++) {
      noteHint(hints, 'refused');
      const target = chooseTarget(record, hints);
      kinds.push(target?.kind);
      if (target) noteAsked(hints, target);
    }
    assert.deepEqual(kinds, ['settled', 'open', 'settled', 'open']);
    assert.equal(chooseTarget(record, hints)?.kind, 'settled');
  });
});

describe('an id that a postback named and whose look-up failed', () => {
  const record = order([invoice('open')], card({ state: 'unknown', candidate: null }));

  it('is asked about again, later and later, five times', () => {
    const hints = startHints();
    noteHint(hints, 'lost-card');
    const waitsMs: (number | null)[] = [];
    for (let i = 0; i < 7; i++) {
      const target = chooseTarget(record, hints);
      if (!target) break;
      noteAsked(hints, target);
      if (target.kind === 'candidate') noteFailed(hints, target);
      waitsMs.push(toNextLookUpMs(record, hints));
    }
    // The first wait is that of the open one, whose turn is next.
    assert.deepEqual(waitsMs, [0, 5_000, 15_000, 60_000, 300_000, 1_800_000, null]);
  });

  it('is left once it was answered, or means nothing any more', () => {
    const hints = startHints();
    noteHint(hints, 'lost-card');
    const target = chooseTarget(record, hints);
    assert.ok(target);
    noteAsked(hints, target);
    noteFailed(hints, target);
    const over = order([], card({ state: 'refused' }));
    assert.equal(chooseTarget(over, hints), null);
    assert.equal(toNextLookUpMs(over, hints), null);
    noteFailed(hints, target);
    noteDone(hints, target);
    assert.equal(toNextLookUpMs(order([]), hints), null);
  });

  it('is one of three at most', () => {
    const hints = startHints();
    for (const invoiceId of ['1', '2', '3', '4']) {
      noteFailed(hints, { kind: 'candidate', invoiceId });
    }
    assert.deepEqual([...hints.failed.keys()], ['2', '3', '4']);
  });

  it('is an open invoice again where our own record failed', () => {
    const hints = startHints();
    noteHint(hints, null);
    const target = chooseTarget(record, hints);
    assert.ok(target);
    noteAsked(hints, target);
    noteFailed(hints, target);
    assert.deepEqual(chooseTarget(record, hints), target);
  });
});

it('an order is unknown of which nothing was ever sent', () => {
  assert.equal(isUnknownOrder(order([])), true);
  assert.equal(isUnknownOrder(order([invoice('1')])), false);
  assert.equal(isUnknownOrder(order([], card({ state: 'claimed' }))), false);
  assert.equal(isUnknownOrder({ ...order([]), sentAtMs: [1] }), false);
  assert.equal(isUnknownOrder({ ...order([]), cardSentAtMs: [1] }), false);
});

describe('the body of a postback', () => {
  const read = (text: string, postbackInvoiceField = 'id') =>
    readNamedInvoice(new Request('https://shop.example', { method: 'POST', body: text }), {
      postbackInvoiceField,
      startTimer: createTestClock().startTimer,
    });
  const id = '11111111-aaaa';

  it('names an invoice in an own field of an object', async () => {
    assert.equal(await read(`{"id":"${id}"}`), id);
    assert.equal(await read(`\ufeff {"id":"${id}"} `), id);
    assert.equal(await read(`{"__proto__":"${id}"}`, '__proto__'), id);
    assert.equal(await read(`{"a":"${id}"}`, 'constructor'), null);
  });

  it('names none in a list', async () => {
    assert.equal(await read(`["${id}"]`, '0'), null);
  });

  it('may have been read already', async () => {
    const request = new Request('https://shop.example', { method: 'POST', body: '{}' });
    await request.text();
    const { startTimer, pending } = createTestClock();
    assert.equal(await readNamedInvoice(request, { postbackInvoiceField: 'id', startTimer }), null);
    assert.equal(pending(), 0);
  });
});
