/**
 * The memory of orders in this process: gone when it ends, and not shared with another one.
 *
 * Bounded by time. An order with an invoice stays for seven days after its last use, as long as its look-up tokens live;
 * one without for a day. There is an entry only for an order the merchant resolved, so that nobody can fill it.
 */

import type {
  Attempt,
  Claim,
  OrderMemory,
  RememberedAttempt,
  RememberedInvoice,
} from './orders.js';

const dayMs = 24 * 3_600_000;

/** How long an order is kept after its last use, milliseconds. */
const keptMs = { withInvoice: 7 * dayMs, without: dayMs };

/** How often old entries are looked for, milliseconds. */
const pruneEveryMs = 60_000;

/** Most attempts and sends kept of one order: above, the oldest that are done go. */
const maxPerOrder = 50;

interface Entry {
  readonly invoices: Map<string, RememberedInvoice>;
  readonly attempts: RememberedAttempt[];
  sentAtMs: number[];
  paidId: string | null;
  usedAtMs: number;
}

/** @param now wall clock, milliseconds since 1970 */
export function createOrderMemory(now: () => number): OrderMemory {
  const entries = new Map<string, Entry>();
  const attemptsByKey = new Map<string, RememberedAttempt[]>();
  let prunedAtMs = now();

  return {
    async find(externalId) {
      const entry = entries.get(externalId);
      if (!entry) return { invoices: [], sentAtMs: [], paid: null };
      entry.usedAtMs = now();
      const paid = entry.paidId === null ? null : (entry.invoices.get(entry.paidId) ?? null);
      return { invoices: [...entry.invoices.values()], sentAtMs: [...entry.sentAtMs], paid };
    },

    async recordSend(externalId, atMs) {
      const entry = use(externalId);
      entry.sentAtMs = [...entry.sentAtMs, atMs].slice(-maxPerOrder);
    },

    async recordInvoice(invoice) {
      use(invoice.externalId).invoices.set(invoice.invoiceId, invoice);
    },

    async recordPaid(invoice) {
      const entry = use(invoice.externalId);
      entry.invoices.set(invoice.invoiceId, {
        ...(entry.invoices.get(invoice.invoiceId) ?? invoice),
        status: invoice.status,
      });
      entry.paidId ??= invoice.invoiceId;
    },

    async claimAttempt(attempt): Promise<Claim> {
      const known = findAttempt(attempt);
      if (!known) {
        replaceAttempt({ ...attempt, invoiceId: null });
        return 'new';
      }
      const isSame =
        known.totalCents === attempt.totalCents && known.installment === attempt.installment;
      return isSame ? 'known' : 'reused';
    },

    async completeAttempt(attempt, invoiceId) {
      replaceAttempt({ ...attempt, invoiceId });
    },

    async releaseAttempt(attempt) {
      dropAttempt(attempt);
    },

    async findAttempts(key) {
      return [...(attemptsByKey.get(key) ?? [])];
    },
  };

  function use(externalId: string): Entry {
    if (now() - prunedAtMs >= pruneEveryMs) prune();
    let entry = entries.get(externalId);
    if (!entry) {
      entry = { invoices: new Map(), attempts: [], sentAtMs: [], paidId: null, usedAtMs: now() };
      entries.set(externalId, entry);
    }
    entry.usedAtMs = now();
    return entry;
  }

  function prune(): void {
    prunedAtMs = now();
    for (const [externalId, entry] of entries) {
      const kept = entry.invoices.size > 0 ? keptMs.withInvoice : keptMs.without;
      if (now() - entry.usedAtMs < kept) continue;
      for (const attempt of entry.attempts.slice()) dropAttempt(attempt);
      entries.delete(externalId);
    }
  }

  function findAttempt({ key, scope }: Attempt): RememberedAttempt | undefined {
    return attemptsByKey.get(key)?.find((known) => known.scope === scope);
  }

  function replaceAttempt(attempt: RememberedAttempt): void {
    dropAttempt(attempt);
    const { attempts } = use(attempt.externalId);
    attempts.push(attempt);
    attemptsByKey.set(attempt.key, [...(attemptsByKey.get(attempt.key) ?? []), attempt]);
    const done = attempts.find(({ invoiceId }) => invoiceId !== null);
    if (attempts.length > maxPerOrder && done) dropAttempt(done);
  }

  function dropAttempt({ key, scope, externalId }: Attempt): void {
    const isOther = (known: Attempt) => known.key !== key || known.scope !== scope;
    const entry = entries.get(externalId);
    if (entry) entry.attempts.splice(0, Infinity, ...entry.attempts.filter(isOther));
    const left = attemptsByKey.get(key)?.filter(isOther) ?? [];
    if (left.length > 0) attemptsByKey.set(key, left);
    else attemptsByKey.delete(key);
  }
}
