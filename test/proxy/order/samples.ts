/** Orders and facts for the tests of the machine. */

import type { Attempt, Order, MadeInvoice, Step } from '../../../src/proxy/order/order.js';
import type { Heard } from '../../../src/proxy/order/heard.js';

export const startMs = Date.UTC(2026, 10, 25);
export const dayMs = 24 * 3_600_000;

export const toKey = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export function toCard(key: number, more: Partial<Attempt> = {}): Attempt {
  return {
    key: toKey(key),
    scope: 'card of order-1',
    externalId: 'order-1',
    method: 'credit_card',
    totalCents: 12_345,
    installment: 1,
    holder: `holder-${key}`,
    ...more,
  };
}

export function toInvoice(invoiceId: string, more: Partial<MadeInvoice> = {}): MadeInvoice {
  return {
    invoiceId,
    lookUpId: invoiceId,
    externalId: 'order-1',
    totalCents: 12_345,
    method: 'pix',
    deadlineMs: null,
    orderCode: invoiceId.toUpperCase(),
    code: `code of ${invoiceId}`,
    status: 'pending',
    createdAtMs: startMs,
    ...more,
  };
}

export const toCharge = (invoiceId: string, more: Partial<MadeInvoice> = {}) =>
  toInvoice(invoiceId, { method: 'credit_card', code: '', ...more });

export function toHeard(invoice: MadeInvoice, more: Partial<Heard> = {}): Heard {
  const said = { meaning: 'open', word: 'pending', wordIs: 'none' } as const;
  return { invoice, ...said, field: null, endToEndId: null, ...more };
}

export const paid = { meaning: 'paid', word: 'paid' } as const;
export const refused = { meaning: 'refused', word: 'refused' } as const;
export const returned = (word: string) => ({ meaning: 'open', word, wordIs: 'returned' }) as const;

/** An order that goes on from fact to fact. */
export function follow(order: Order) {
  let now = order;
  let nowMs = startMs;
  return {
    order: () => now,
    nowMs: () => nowMs,
    wait: (forMs: number) => (nowMs += forMs),
    tell<F, T>(fact: (order: Order, what: F, given: { nowMs: number }) => Step<T>, what: F): T {
      const [next, answer] = fact(now, what, { nowMs });
      now = next;
      return answer;
    },
    kinds: () =>
      now.events.map(({ kind, outcome }) => (outcome === null ? kind : `${kind} ${outcome}`)),
  };
}
