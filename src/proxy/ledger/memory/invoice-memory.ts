/**
 * Invoices in this process, by order, with what becomes of them. Synchronous, so that each function is whole by itself.
 *
 * Owns which may be changed and when each is looked up. Knows no attempt, and queues no delivery.
 */

import { isHandedOut } from '../ledger-rules.js';
import { firstLookUpAfterMs } from '../ledger.js';
import type { DueInvoice, IssuedInvoice, RememberedInvoice } from '../ledger.js';

/** An invoice with what becomes of it. Times are milliseconds since 1970. */
export interface Kept {
  invoice: RememberedInvoice;
  /** Found paid, refused, or released. */
  settledAtMs: number | null;
  lookUpAtMs: number | null;
  /** When its code was shown again; null: it was not. */
  shownAtMs: number | null;
  /** When its deadline passed unpaid; null: it did not. */
  lapsedAtMs: number | null;
}

/**
 * Makes an empty memory.
 * @param now wall clock, milliseconds since 1970
 */
export function createInvoiceMemory(now: () => number) {
  const byOrder = new Map<string, Map<string, Kept>>();

  return {
    of,
    find,
    watch,

    /** When the next look-up falls due, milliseconds since 1970; Infinity: none. */
    nextLookUpMs: () => Math.min(...all().map(({ lookUpAtMs }) => lookUpAtMs ?? Infinity)),

    /** One that is known stays as it is. @returns whether it is new */
    keep(invoice: RememberedInvoice): boolean {
      if (find(invoice)) return false;
      const ofOrder = byOrder.get(invoice.externalId) ?? new Map<string, Kept>();
      byOrder.set(invoice.externalId, ofOrder);
      const kept = {
        invoice,
        settledAtMs: null,
        lookUpAtMs: null,
        shownAtMs: null,
        lapsedAtMs: null,
      };
      ofOrder.set(invoice.invoiceId, kept);
      watch(kept);
      return true;
    },

    /** Opens a known invoice again, unless it is paid. */
    reopen(invoice: RememberedInvoice): void {
      const kept = find(invoice);
      if (!kept || kept.invoice.isPaid) return;
      kept.invoice = invoice;
      kept.settledAtMs = null;
      watch(kept);
    },

    /** Gives its code to an unpaid invoice that only a postback named so far. @returns whether it was one */
    adopt(invoice: RememberedInvoice): boolean {
      const kept = find(invoice);
      if (!kept || kept.invoice.isPaid || !isHandedOut(invoice)) return false;
      if (kept.invoice.method !== 'pix' || isHandedOut(kept.invoice)) return false;
      kept.invoice = invoice;
      return true;
    },

    /** Ends its look-ups. */
    settle(kept: Kept): void {
      kept.settledAtMs = now();
      kept.lookUpAtMs = null;
    },

    /** Whether a Pix code of its order was made since that still may be paid in time. */
    hasNewerCode(kept: Kept): boolean {
      const ofOrder = of(kept.invoice.externalId);
      return ofOrder.slice(ofOrder.indexOf(kept) + 1).some(({ invoice }) => {
        const { deadlineMs } = invoice;
        return isHandedOut(invoice) && (deadlineMs === null || deadlineMs > now());
      });
    },

    settledSince: (sinceMs: number) =>
      all()
        .filter(({ settledAtMs }) => settledAtMs !== null && settledAtMs >= sinceMs)
        .map(({ invoice }) => invoice.invoiceId),

    claimDue(most: number, forMs: number): DueInvoice[] {
      const claimedUntilMs = now() + forMs;
      return due()
        .slice(0, most)
        .map(({ kept, dueAtMs }) => {
          kept.lookUpAtMs = claimedUntilMs;
          const { invoice, shownAtMs, lapsedAtMs } = kept;
          return { ...invoice, isExpired: lapsedAtMs !== null, shownAtMs, dueAtMs, claimedUntilMs };
        });
    },

    dropOrder(externalId: string): void {
      byOrder.delete(externalId);
    },
  };

  /** Oldest first. */
  function of(externalId: string): Kept[] {
    return [...(byOrder.get(externalId)?.values() ?? [])];
  }

  function find({
    externalId,
    invoiceId,
  }: Pick<IssuedInvoice, 'externalId' | 'invoiceId'>): Kept | undefined {
    return byOrder.get(externalId)?.get(invoiceId);
  }

  /** Its look-up falls due as that of a new one. */
  function watch(kept: Kept): void {
    if (kept.settledAtMs !== null) return;
    kept.lookUpAtMs = Math.min(kept.lookUpAtMs ?? Infinity, now() + firstLookUpAfterMs);
  }

  function all(): Kept[] {
    return [...byOrder.values()].flatMap((invoices) => [...invoices.values()]);
  }

  /** Those due longest first. */
  function due(): { kept: Kept; dueAtMs: number }[] {
    return all()
      .flatMap((kept) => (kept.lookUpAtMs === null ? [] : [{ kept, dueAtMs: kept.lookUpAtMs }]))
      .filter(({ dueAtMs }) => dueAtMs <= now())
      .toSorted((one, other) => one.dueAtMs - other.dueAtMs);
  }
}
