/** What a checkout begins with, and as which method: order of precedence, prices, and what is refused. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { beginningOf } from '../../../src/checkout/page/start-with.js';
import type { InvoiceWords } from '../../../src/checkout/page/start-with.js';
import type { Order } from '../../../src/checkout/page/order.js';
import type { StoredAttempt } from '../../../src/checkout/browser/storage.js';

const startedAt = Date.UTC(2026, 2, 2, 12);
const clocks = { now: () => 1_000_000, wallClock: () => new Date(startedAt) };

const silent: InvoiceWords = { invoice: null, invoiceId: null, lookupToken: null, method: null };
const invoice = { invoice_id: 'invoice-0001' };

const stored: StoredAttempt = {
  attemptKey: '00000000-0000-4000-8000-00000000000a',
  invoiceId: 'invoice-0001',
  lookupToken: 'token-1',
  method: 'pix',
  totalCents: 12_341,
  createdAt: startedAt - 60_000,
};

/** The card first, Pix cheaper. */
const order = {
  faults: [],
  externalId: 'order-1042',
  methods: ['credit_card', 'pix'],
  method: 'credit_card',
  expectedCents: 12_990,
  terms: { externalId: 'order-1042', pixCents: 12_341, cardCents: 12_990 },
} as unknown as Order;

const begin = (
  words: Partial<InvoiceWords> = {},
  changes: Partial<Order> = {},
  attempt: StoredAttempt | null = null,
) => beginningOf({ ...silent, ...words }, { ...order, ...changes }, attempt, clocks);

const failed = (code: string) => ({ type: 'failed', error: { code, retryable: false } });

describe('a page that makes a checkout impossible', () => {
  it('fails before anything else is looked at', () => {
    const all = { invoice, invoiceId: 'invoice-0002' };
    assert.deepEqual(begin(all, { faults: ['endpoint'] }, stored).event, failed('configuration'));
    assert.deepEqual(begin(all, { method: null }, stored).event, failed('unsupported_method'));
  });

  it('fails for want of a reference only where no invoice is given', () => {
    const { event, warning } = begin({}, { externalId: null });
    assert.deepEqual(event, failed('configuration'));
    assert.match(warning ?? '', /external-id/);
    assert.equal(begin({ invoice }, { externalId: null }).event?.type, 'promised');
    assert.equal(begin({ invoiceId: 'invoice-0001' }, { externalId: null }).event?.type, 'resumed');
  });
});

describe('what it begins with', () => {
  it('an invoice given, as Pix; else one named; else the record; else the form', () => {
    const both = { invoice, invoiceId: 'invoice-0002' };
    assert.deepEqual(begin(both, {}, stored), { event: { type: 'promised' }, method: 'pix' });
    const named = begin({ invoiceId: 'invoice-0002' }, {}, stored).event;
    assert.ok(named?.type === 'resumed' && named.invoiceId === 'invoice-0002');
    assert.equal(begin({}, {}, stored).event?.type, 'resumed');
    assert.deepEqual(begin(), { event: null, method: null });
  });
});

describe('an invoice that the page names', () => {
  const named = (words: Partial<InvoiceWords> = {}, changes: Partial<Order> = {}) => {
    const { event, method } = begin({ invoiceId: 'invoice-0001', ...words }, changes, stored);
    assert.ok(event?.type === 'resumed');
    assert.equal(event.attemptKey, null, 'nothing of it may be asked for anew');
    return { ...event, method };
  };

  it('is compared with the price by Pix, unless the page says the card', () => {
    assert.deepEqual([named().totalCents, named().method], [12_341, 'pix']);
    const card = named({ method: 'credit_card' });
    assert.deepEqual([card.totalCents, card.method], [12_990, null]);
    const only = named({}, { methods: ['credit_card'] });
    assert.deepEqual([only.totalCents, only.method], [12_990, null]);
  });

  it('takes the record’s token where that is its own, and the page gives none', () => {
    assert.equal(named().lookupToken, 'token-1');
    assert.equal(named({ lookupToken: 'token-2' }).lookupToken, 'token-2');
    assert.equal(named({ invoiceId: 'invoice-0002' }).lookupToken, null);
  });

  it('by what is no id becomes no part of a URL', () => {
    for (const invoiceId of ['..', 'a/b', ' ', '%2e%2e']) {
      assert.deepEqual(begin({ invoiceId }).event, failed('configuration'), invoiceId);
    }
  });
});

describe('a stored attempt', () => {
  it('is followed as its own method, from when it was made', () => {
    const { event, method } = begin({}, {}, stored);
    assert.ok(event?.type === 'resumed');
    assert.deepEqual([method, event.method, event.attemptKey], ['pix', 'pix', stored.attemptKey]);
    assert.equal(event.createdAtMs, 1_000_000 - 60_000);
    assert.equal(event.totalCents, 12_341);
  });

  it('of a clock that was set back is not from the future', () => {
    const { event } = begin({}, {}, { ...stored, createdAt: startedAt + 60_000 });
    assert.ok(event?.type === 'resumed');
    assert.equal(event.createdAtMs, 1_000_000);
  });

  it('without an invoice is asked for by its key', () => {
    const { createdAt: _, ...card } = {
      ...stored,
      invoiceId: null,
      method: 'credit_card' as const,
    };
    const { event, method } = begin({}, {}, { ...stored, ...card });
    assert.equal(method, 'credit_card');
    assert.deepEqual(event, { ...card, type: 'resumed', createdAtMs: 1_000_000 - 60_000 });
  });

  for (const [method, totalCents, type] of [
    ['pix', 12_340, 'reset'],
    ['pix', 12_990, 'reset'],
    ['pix', null, 'resumed'],
    // That of the instalments chosen then.
    ['credit_card', 15_588, 'resumed'],
  ] as const) {
    it(`by ${method} of ${totalCents ?? 'no price'}: ${type}`, () => {
      assert.equal(begin({}, {}, { ...stored, method, totalCents }).event?.type, type);
    });
  }

  it('is compared with nothing where the page names no price', () => {
    const terms = { ...order.terms, pixCents: null };
    assert.equal(begin({}, { terms }, { ...stored, totalCents: 1 }).event?.type, 'resumed');
  });
});
