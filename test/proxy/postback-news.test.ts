/** Which invoice of an order is asked about next, and what a body may name. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  AttemptProgress,
  OrderRecord,
  RememberedAttempt,
  RememberedInvoice,
} from '../../src/proxy/orders/orders.js';
import { readNamedInvoice } from '../../src/proxy/postback-body.js';
import {
  chooseTarget,
  hasNews,
  noteAsked,
  noteNews,
  startNews,
  toOpenInvoices,
} from '../../src/proxy/postback-news.js';
import { createTestClock } from './support.js';

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
  const news = startNews();
  for (const named of postbacks) noteNews(news, named);
  const asked: string[] = [];
  for (let i = 0; i < 10; i++) {
    const target = chooseTarget(record, news);
    if (target?.kind !== 'invoice') break;
    asked.push(target.invoice.invoiceId);
    noteAsked(news, target.invoice);
  }
  assert.equal(hasNews(record, news), false);
  return asked;
}

describe('an order with news', () => {
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

  it('has no settled one asked about', () => {
    const paid = invoice('paid', { status: 'paid' });
    const refused = invoice('refused', { method: 'credit_card' });
    const open = invoice('open', { method: 'credit_card' });
    const charged = card({ state: 'created', invoiceId: 'open' });
    const record = order([first!, paid, refused, open], card({ state: 'refused' }), charged);
    assert.deepEqual(
      toOpenInvoices(record).map(({ invoiceId }) => invoiceId),
      ['first', 'open'],
    );
    assert.deepEqual(askedAfter(record, 'paid', 'refused'), ['open', 'first']);
    assert.deepEqual(askedAfter(order([paid]), null), []);
  });

  it('has what may be its lost card asked about, too', () => {
    const candidate = invoice('candidate', { method: 'credit_card' });
    const record = order([first!], card({ state: 'unknown', candidate }));
    assert.deepEqual(askedAfter(record, null), ['candidate', 'first']);
  });

  it('has an id nobody knows tried only while the outcome of a card is open', () => {
    const progresses: [progress: AttemptProgress, isTried: boolean][] = [
      [{ state: 'claimed' }, false],
      [{ state: 'sent' }, true],
      [{ state: 'unknown', candidate: null }, true],
      [{ state: 'created', invoiceId: 'third' }, false],
      [{ state: 'refused' }, false],
    ];
    for (const [progress, isTried] of progresses) {
      const news = startNews();
      noteNews(news, 'unknown-1');
      const target = chooseTarget(order([first!], card(progress)), news);
      assert.equal(target?.kind, isTried ? 'candidate' : 'invoice', progress.state);
    }
  });

  it('has no invoice of its own tried as one that nobody knows', () => {
    const news = startNews();
    const refused = invoice('refused', { method: 'credit_card' });
    noteNews(news, 'refused');
    assert.equal(chooseTarget(order([refused], card({ state: 'sent' })), news), null);
  });
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
