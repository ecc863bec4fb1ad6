/** Orders and facts for the tests of the machine. */

import { addInvoice } from '../../../src/proxy/order/attempts.js';
import { recordShown } from '../../../src/proxy/order/asks/pix.js';
import { toStep } from '../../../src/proxy/order/order.js';
import type { Attempt, Given, Order, MadeInvoice, Step } from '../../../src/proxy/order/order.js';
import { putCardAsk } from '../../../src/proxy/order/asks/card.js';
import type { PixAsk } from '../../../src/proxy/order/asks/pix.js';
import { nothingYet } from '../../../src/proxy/order/asks/ask.js';
import type { Asking, Learned, LookUpFinding } from '../../../src/proxy/order/asks/ask.js';
import type { ServiceAnswer } from '../../../src/proxy/order/apply-answer.js';

export const startMs = Date.UTC(2026, 10, 25);

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

export const asking = (learned: Partial<Learned> = {}): Asking => ({
  ...nothingYet,
  ...learned,
  isAwaited: true,
  waitedMs: 0,
});

let requests = 0;

/** A request for a code, with its attempt or without one. */
export function toPix(attempt: Attempt | null, more: Partial<PixAsk> = {}): PixAsk {
  requests += 1;
  const holder = attempt?.holder ?? `request ${requests}`;
  const ask = { kind: 'pix', externalId: 'order-1', totalCents: 12_345, replaces: null } as const;
  return { ...ask, attempt, holder, ...more };
}

/** All invoices of the order were looked up, and none is paid. */
export const allLookedUp = ({ invoices }: Order): Pick<Learned, 'said'> => ({
  said: new Map(invoices.map(({ invoiceId }): [string, LookUpFinding] => [invoiceId, 'none'])),
});

/** A card that was admitted leaves, if it may. */
export function leaves(order: Order, attempt: Attempt, given: Given): Step<boolean> {
  const ask = { kind: 'card', externalId: 'order-1', attempt, sentForMs: 60_000 } as const;
  const learned = { isAdmitted: true, ...allLookedUp(order) };
  const [next, { type }] = putCardAsk(order, ask, asking(learned), given);
  return [next, type === 'charge'];
}

/** A page got this code. */
export function recorded(
  order: Order,
  { invoice }: { readonly invoice: MadeInvoice },
  given: Given,
): Order {
  return recordShown(addInvoice(order, invoice, given), invoice, given);
}

export function toHeard(invoice: MadeInvoice, more: Partial<ServiceAnswer> = {}): ServiceAnswer {
  const said = { meaning: 'open', word: 'pending', wordIs: 'none' } as const;
  return { invoice, ...said, field: null, endToEndId: null, ...more };
}

export const paid = { meaning: 'paid', word: 'paid' } as const;
export const refused = { meaning: 'refused', word: 'refused' } as const;
/** Paid, and not what was created. */
export const differs = { meaning: 'mismatch', field: 'total_cents', word: 'paid' } as const;
export const returned = (word: string) => ({ meaning: 'open', word, wordIs: 'returned' }) as const;

/** An order that goes on from fact to fact. */
export function follow(order: Order) {
  let now = order;
  let nowMs = startMs;
  return {
    order: () => now,
    nowMs: () => nowMs,
    wait: (forMs: number) => (nowMs += forMs),
    tell<F, After extends Order | Step<unknown>>(
      fact: (order: Order, what: F, given: Given) => After,
      what: F,
    ) {
      const [next, answer] = toStep(fact(now, what, { nowMs }));
      now = next;
      return answer;
    },
    kinds: () =>
      now.events.map(({ kind, outcome }) =>
        outcome === null ? kind : (`${kind} ${outcome}` as const),
      ),
  };
}
