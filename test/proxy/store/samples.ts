/** Orders that tests of stores keep. No store knows what they mean. */

import fc from 'fast-check';
import { createEmptyOrder } from '../../../src/proxy/order/order.js';
import type {
  KeptAttempt,
  KeptEvent,
  KeptInvoice,
  NamedId,
  Order,
} from '../../../src/proxy/order/order.js';
import { anyText } from '../../support/tables.js';

/** When the clock starts: above 32 bits, as times are. */
export const startMs = 1_795_000_000_000;

/** `[1, …, count]` */
export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

export function toInvoice(fields: Partial<KeptInvoice> = {}): KeptInvoice {
  return {
    invoiceId: 'invoice-1',
    lookUpId: 'look-up-1',
    externalId: 'order-1',
    totalCents: 12_345,
    method: 'pix',
    deadlineMs: null,
    orderCode: 'código 1',
    code: '00020126BR',
    status: 'pending',
    createdAtMs: startMs,
    settledAtMs: null,
    lookUpAtMs: startMs,
    lapsedAtMs: null,
    shownAtMs: startMs,
    ...fields,
  };
}

export function toAttempt(fields: Partial<KeptAttempt> = {}): KeptAttempt {
  return {
    key: 'key-1',
    scope: 'scope-1',
    externalId: 'order-1',
    method: 'credit_card',
    totalCents: 12_345,
    installment: 1,
    holder: 'holder-1',
    progress: { state: 'claimed' },
    claimedAtMs: startMs,
    changedAtMs: startMs,
    untilMs: startMs + 30_000,
    ...fields,
  };
}

/** An event of that number that waits to be told. */
export function toEvent(n: number, dueAtMs: number): KeptEvent {
  const names = { externalId: 'order-1', invoiceId: 'invoice-1', orderCode: 'código 1' };
  const facts = { totalCents: 12_345, method: 'pix', late: false, duplicate: false } as const;
  const notice = { ...names, ...facts, deliveryId: `event-${n}` };
  const times = { queuedAtMs: startMs, dueAtMs, endedAtMs: null, tries: 0 };
  return { kind: 'paid', notice, ...times, outcome: null };
}

/** An order with so many invoices, whose look-ups fall due a millisecond after each other. */
export function toOrder(externalId: string, invoices: number, fields: Partial<Order> = {}): Order {
  const all = upTo(invoices).map((n) =>
    toInvoice({ invoiceId: `${externalId}-${n}`, externalId, lookUpAtMs: startMs + n }),
  );
  return { ...createEmptyOrder(externalId), aliveAtMs: startMs, invoices: all, ...fields };
}

/** A step that adds an invoice of that number, and answers how many there are. */
export function addInvoice(n: number, fields: Partial<KeptInvoice> = {}) {
  return (order: Order, nowMs: number): readonly [Order, number] => {
    const { externalId } = order;
    const invoice = toInvoice({ invoiceId: `invoice-${n}`, externalId, ...fields });
    const invoices = [...order.invoices, invoice];
    return [{ ...order, aliveAtMs: nowMs, invoices }, invoices.length];
  };
}

const aTime = fc.integer({ min: startMs, max: startMs + 50 });
const anId = fc.integer({ min: 0, max: 9 }).map((n) => `id-${n}`);

const anInvoice = fc.record({
  invoiceId: anId,
  lookUpAtMs: fc.option(aTime),
  settledAtMs: fc.option(aTime),
});

const aName: fc.Arbitrary<NamedId> = fc.record({
  lookUpId: anId,
  tries: fc.nat(3),
  namedAtMs: aTime,
  dueAtMs: aTime,
});

const anAttempt = fc.record({
  key: anId,
  claimedAtMs: aTime,
  progress: fc.constantFrom({ state: 'claimed' }, { state: 'sent' }, { state: 'refused' } as const),
});

const aWord = fc.oneof(anyText(), fc.constant('\0\uD800\u2028"\\u0000'));

/** Any order with this reference, as far as a store can tell. */
export function anOrder(externalId: string): fc.Arbitrary<Order> {
  return fc
    .record({
      aliveAtMs: aTime,
      word: aWord,
      invoices: fc.uniqueArray(anInvoice, { selector: (one) => one.invoiceId, maxLength: 6 }),
      named: fc.uniqueArray(aName, { selector: (one) => one.lookUpId, maxLength: 6 }),
      attempts: fc.uniqueArray(anAttempt, { selector: (one) => one.key, maxLength: 6 }),
    })
    .map(({ word, invoices, attempts, ...rest }) => ({
      ...createEmptyOrder(externalId),
      ...rest,
      invoices: invoices.map((one) => toInvoice({ ...one, externalId, status: word })),
      attempts: attempts.map((one) => toAttempt({ ...one, externalId })),
    }));
}
