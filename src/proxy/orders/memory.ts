/**
 * The memory of orders in this process: gone when it ends, and not shared with another one.
 *
 * Bounded by time. An order with an invoice, or with a card that may have been charged, stays for seven days after its
 * last use, as long as its look-up tokens live; another for a day. There is an entry only for an order the merchant
 * resolved, so that nobody can fill it.
 */

import type { Method } from '../../contract/types.js';
import { createAttemptMemory } from './attempt-memory.js';
import type { OrderMemory, RememberedInvoice } from './orders.js';

const dayMs = 24 * 3_600_000;

/** How long an order is kept after its last use, milliseconds. */
const keptMs = { withPayment: 7 * dayMs, without: dayMs };

/** How often old entries are looked for, milliseconds. */
const pruneEveryMs = 60_000;

/** Most sends kept of one order and method: above, the oldest go. */
const maxSends = 50;

interface Entry {
  readonly invoices: Map<string, RememberedInvoice>;
  readonly sentAtMs: Record<Method, number[]>;
  paidId: string | null;
  usedAtMs: number;
}

/** @param now wall clock, milliseconds since 1970 */
export function createOrderMemory(now: () => number): OrderMemory {
  const entries = new Map<string, Entry>();
  const attempts = createAttemptMemory();
  let prunedAtMs = now();

  return {
    async find(externalId) {
      const entry = entries.get(externalId);
      const cards = attempts.cardsOf(externalId);
      if (!entry) return { invoices: [], sentAtMs: [], cardSentAtMs: [], cards, paid: null };
      entry.usedAtMs = now();
      return {
        invoices: [...entry.invoices.values()],
        sentAtMs: [...entry.sentAtMs.pix],
        cardSentAtMs: [...entry.sentAtMs.credit_card],
        cards,
        paid: entry.paidId === null ? null : (entry.invoices.get(entry.paidId) ?? null),
      };
    },

    async recordSend(externalId, method, atMs) {
      const { sentAtMs } = use(externalId);
      sentAtMs[method] = [...sentAtMs[method], atMs].slice(-maxSends);
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

    async claimAttempt(attempt) {
      use(attempt.externalId);
      return attempts.claim(attempt);
    },

    async advanceAttempt(attempt, progress) {
      use(attempt.externalId);
      return attempts.advance(attempt, progress);
    },

    async releaseAttempt(attempt) {
      attempts.drop(attempt);
    },

    async findAttempts(key) {
      return attempts.withKey(key);
    },
  };

  function use(externalId: string): Entry {
    if (now() - prunedAtMs >= pruneEveryMs) prune();
    const entry = entries.get(externalId) ?? {
      invoices: new Map(),
      sentAtMs: { pix: [], credit_card: [] },
      paidId: null,
      usedAtMs: now(),
    };
    entries.set(externalId, entry);
    entry.usedAtMs = now();
    return entry;
  }

  function prune(): void {
    prunedAtMs = now();
    for (const [externalId, entry] of entries) {
      const hasPayment = entry.invoices.size > 0 || attempts.cardsOf(externalId).length > 0;
      const kept = hasPayment ? keptMs.withPayment : keptMs.without;
      if (now() - entry.usedAtMs < kept) continue;
      attempts.dropOrder(externalId);
      entries.delete(externalId);
    }
  }
}
