/** What a checkout begins with, and as which method: order of precedence, prices, and what is refused. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { findBeginning } from '../../../src/checkout/page/find-beginning.js';
import type { PageInvoice } from '../../../src/checkout/page/find-beginning.js';
import type { Order } from '../../../src/checkout/page/order.js';
import type { StoredAttempt } from '../../../src/checkout/browser/storage.js';

const startedAt = Date.UTC(2026, 2, 2, 12);
const clocks = { now: () => 1_000_000, wallClock: () => new Date(startedAt) };

const silent: PageInvoice = { invoice: null, invoiceId: null, lookupToken: null, method: null };
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
  words: Partial<PageInvoice> = {},
  changes: Partial<Order> = {},
  attempt: StoredAttempt | null = null,
  isOpenCard = false,
) => findBeginning({ ...silent, ...words }, { ...order, ...changes }, attempt, isOpenCard, clocks);

const failed = (code: string) => ({ type: 'failed', code });
const named = { invoiceId: 'invoice-0001' };

/** Begins with a look-up. */
function following(...words: Parameters<typeof begin>) {
  const { event, method } = begin(...words);
  assert.ok(event?.type === 'resumed');
  return { ...event, shown: method };
}

describe('a page that makes a checkout impossible', () => {
  it('fails before anything else is looked at', () => {
    const all = { invoice, invoiceId: 'invoice-0002' };
    assert.deepEqual(begin(all, { faults: ['endpoint'] }, stored).event, failed('configuration'));
    assert.deepEqual(begin(all, { method: null }, stored).event, failed('unsupported_method'));
  });

  it('fails for what is no id, which becomes no part of a URL', () => {
    for (const invoiceId of ['..', 'a/b', ' ', '%2e%2e']) {
      assert.deepEqual(begin({ invoiceId }).event, failed('configuration'), invoiceId);
    }
  });
});

describe('an invoice that the page names', () => {
  for (const [what, words, changes, totalCents, shown] of [
    ['that by Pix', {}, {}, 12_341, 'pix'],
    ['that of the method that the page says', { method: 'credit_card' }, {}, 12_990, null],
    ['that of the only method', {}, { methods: ['credit_card'] as const }, 12_990, null],
  ] as const) {
    it(`is compared with the price: ${what}`, () => {
      const it = following({ ...named, ...words }, changes, stored);
      assert.deepEqual([it.totalCents, it.shown], [totalCents, shown]);
      assert.equal(it.attemptKey, null, 'nothing of it may be asked for anew');
    });
  }

  it('takes the record’s token where that is its own, and the page gives none', () => {
    const tokenOf = (words: Partial<PageInvoice>) => following(words, {}, stored).lookupToken;
    assert.equal(tokenOf(named), 'token-1');
    assert.equal(tokenOf({ ...named, lookupToken: 'token-2' }), 'token-2');
    assert.equal(tokenOf({ invoiceId: 'invoice-0002' }), null);
  });
});

describe('a stored attempt', () => {
  it('is followed as its own method, from when it was made', () => {
    const it = following({}, {}, stored);
    assert.deepEqual([it.shown, it.method, it.attemptKey], ['pix', 'pix', stored.attemptKey]);
    assert.deepEqual([it.createdAtMs, it.totalCents], [1_000_000 - 60_000, 12_341]);
    const later = { ...stored, createdAt: startedAt + 60_000 };
    const { createdAtMs } = following({}, {}, later);
    assert.equal(createdAtMs, 1_000_000, 'after a clock was set back: not from the future');
  });

  for (const [method, totalCents, pixCents, type] of [
    ['pix', 12_340, 12_341, 'reset'],
    ['pix', 12_990, 12_341, 'reset'],
    ['pix', null, 12_341, 'resumed'],
    // That of the instalments chosen then.
    ['credit_card', 15_588, 12_341, 'resumed'],
    // It is compared with nothing where the page names no price.
    ['pix', 1, null, 'resumed'],
  ] as const) {
    it(`by ${method} of ${totalCents} where ${pixCents} is owed by Pix: ${type}`, () => {
      const terms = { ...order.terms, pixCents };
      assert.equal(begin({}, { terms }, { ...stored, method, totalCents }).event?.type, type);
    });
  }
});
