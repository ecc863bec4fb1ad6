/**
 * The ledger in this process: gone when it ends, and not shared with another one.
 *
 * Bounded by time. An order with an invoice, or with a card that may have been charged, stays for seven days after its
 * last use, as long as its look-up tokens live; another for a day. There is an entry only for an order the merchant
 * resolved, so that nobody can fill it.
 */

import type { Method } from '../../contract/types.js';
import { createAttemptMemory } from './attempt-memory.js';
import { toDeliveryId, toInvoiceNotice } from './deliveries.js';
import type { DeliveryKind } from './deliveries.js';
import { createDeliveryMemory } from './delivery-memory.js';
import { firstLookUpAfterMs } from './orders.js';
import type {
  Attempt,
  AttemptProgress,
  IssuedInvoice,
  Ledger,
  RememberedAttempt,
  RememberedInvoice,
} from './orders.js';

const dayMs = 24 * 3_600_000;

/** How long an order is kept after its last use, milliseconds. */
const keptMs = { withPayment: 7 * dayMs, without: dayMs };

/** How often old entries are looked for, milliseconds. */
const pruneEveryMs = 60_000;

/** Most sends kept of one order and method: above, the oldest go. */
const maxSends = 50;

const kindsOfInvoice: readonly DeliveryKind[] = ['paid', 'waiting', 'lapsed', 'mismatch'];

interface Entry {
  readonly invoices: Map<string, Kept>;
  readonly sentAtMs: Record<Method, number[]>;
  paidId: string | null;
  usedAtMs: number;
}

/** An invoice with what becomes of it. Times are milliseconds since 1970. */
interface Kept {
  invoice: RememberedInvoice;
  /** Found paid, or refused. */
  settledAtMs: number | null;
  lookUpAtMs: number | null;
  isPaid: boolean;
  isLapsed: boolean;
}

/** @param now wall clock, milliseconds since 1970 */
export function createMemoryLedger(now: () => number): Ledger {
  const entries = new Map<string, Entry>();
  const attempts = createAttemptMemory(now);
  const deliveries = createDeliveryMemory(now);
  const pauses = new Map<string, number>();
  let prunedAtMs = now();

  return {
    isShared: false,

    async find(externalId) {
      const entry = entries.get(externalId);
      const cards = attempts.cardsOf(externalId);
      if (!entry) return { invoices: [], sentAtMs: [], cardSentAtMs: [], cards, paid: null };
      entry.usedAtMs = now();
      const paid = entry.paidId === null ? undefined : entry.invoices.get(entry.paidId);
      return {
        invoices: [...entry.invoices.values()].map(({ invoice }) => invoice),
        sentAtMs: [...entry.sentAtMs.pix],
        cardSentAtMs: [...entry.sentAtMs.credit_card],
        cards,
        paid: paid?.invoice ?? null,
      };
    },

    async recordSend(externalId, method, atMs) {
      const { sentAtMs } = use(externalId);
      sentAtMs[method] = [...sentAtMs[method], atMs].slice(-maxSends);
    },

    async recordInvoice(invoice, attempt) {
      keep(invoice);
      if (!attempt) return;
      advance(attempt, { state: 'created', invoiceId: invoice.invoiceId });
    },

    async recordPaid(invoice, { endToEndId }) {
      const kept = keep(invoice);
      if (kept.isPaid) return false;
      const entry = use(invoice.externalId);
      const { externalId, invoiceId } = invoice;
      kept.isPaid = true;
      kept.invoice = { ...kept.invoice, status: invoice.status };
      settle(kept);
      const duplicate = entry.paidId !== null;
      entry.paidId ??= invoiceId;
      deliveries.drop(toDeliveryId('waiting', externalId, invoiceId));
      const late = deliveries.drop(toDeliveryId('lapsed', externalId, invoiceId));
      deliveries.queue({
        kind: 'paid',
        notice: {
          ...toInvoiceNotice('paid', kept.invoice),
          ...(endToEndId === null ? {} : { endToEndId }),
          late,
          duplicate,
        },
      });
      return true;
    },

    async recordMismatch({ externalId, invoiceId, totalCents }, field) {
      const deliveryId = toDeliveryId('mismatch', externalId, invoiceId);
      const notice = { externalId, invoiceId, totalCents, field, deliveryId };
      deliveries.queue({ kind: 'mismatch', notice });
    },

    async recordLapsed(issued) {
      const kept = found(issued);
      if (!kept || kept.isPaid || kept.isLapsed) return;
      kept.isLapsed = true;
      deliveries.queue({ kind: 'lapsed', notice: toInvoiceNotice('lapsed', kept.invoice) });
    },

    // One process is one at a time already.
    takeTurn: async () => true,
    endTurn: async () => undefined,

    async claimAttempt(attempt) {
      use(attempt.externalId);
      return attempts.claim(attempt);
    },

    async advanceAttempt(attempt, progress, sentForMs) {
      use(attempt.externalId);
      return advance(attempt, progress, sentForMs);
    },

    async releaseAttempt(attempt) {
      attempts.release(attempt);
    },

    async findAttempts(key) {
      return attempts.withKey(key);
    },

    async expireSent() {
      const expired = attempts.inState('sent').filter(({ untilMs }) => untilMs <= now());
      for (const attempt of expired) advance(attempt, { state: 'unknown', candidate: null });
      return expired.length;
    },

    async releaseUnknown(externalId) {
      const attempt = attempts
        .cardsOf(externalId)
        .find(({ progress }) => progress.state === 'unknown');
      return attempt !== undefined && advance(attempt, { state: 'refused' });
    },

    async claimPause(name, pauseMs) {
      // A clock that was set back must not make a pause last: one from far ahead is none.
      if (Math.abs(now() - (pauses.get(name) ?? -Infinity)) < pauseMs) return false;
      pauses.set(name, now());
      return true;
    },

    async findSettled(sinceMs) {
      return allInvoices()
        .filter(({ settledAtMs }) => settledAtMs !== null && settledAtMs >= sinceMs)
        .map(({ invoice }) => invoice.invoiceId);
    },

    async claimDueLookUps(most, forMs) {
      const due = dueLookUps().slice(0, most);
      return due.map(({ kept, dueAtMs }) => {
        kept.lookUpAtMs = now() + forMs;
        return { ...kept.invoice, isLapsed: kept.isLapsed, dueAtMs };
      });
    },

    async scheduleLookUp(issued, atMs) {
      const kept = found(issued);
      if (kept && kept.settledAtMs === null) kept.lookUpAtMs = atMs;
    },

    async claimDeliveries(kinds, most, forMs) {
      return deliveries.claim(kinds, most, forMs);
    },

    async endDelivery(deliveryId, outcome) {
      deliveries.end(deliveryId, outcome);
    },

    async readState(kinds) {
      const oldest = dueLookUps()[0];
      return {
        sweepLagMs: oldest ? now() - oldest.dueAtMs : 0,
        undelivered: deliveries.countOpen(kinds),
        unknownAttempts: attempts.inState('unknown').length,
      };
    },

    async prune() {
      prune();
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

  function found({ externalId, invoiceId }: IssuedInvoice): Kept | undefined {
    return entries.get(externalId)?.invoices.get(invoiceId);
  }

  function keep(invoice: RememberedInvoice): Kept {
    const { invoices } = use(invoice.externalId);
    const known = invoices.get(invoice.invoiceId);
    if (known) return known;
    const lookUpAtMs = now() + firstLookUpAfterMs;
    const kept = { invoice, settledAtMs: null, lookUpAtMs, isPaid: false, isLapsed: false };
    invoices.set(invoice.invoiceId, kept);
    if (invoice.method === 'pix') {
      const { code, deadlineMs } = invoice;
      const expiry = deadlineMs === null ? {} : { expiresAt: new Date(deadlineMs).toISOString() };
      const notice = { ...toInvoiceNotice('waiting', invoice), code, ...expiry };
      deliveries.queue({ kind: 'waiting', notice });
    }
    return kept;
  }

  /** A card that was refused and is paid after all is news again. */
  function settle(kept: Kept): void {
    kept.settledAtMs = now();
    kept.lookUpAtMs = null;
  }

  function advance(attempt: Attempt, progress: AttemptProgress, sentForMs?: number): boolean {
    const former = attempts.find(attempt);
    const isNew = attempts.advance(attempt, progress, sentForMs);
    const { externalId, key, totalCents } = former ?? attempt;
    if (isNew && progress.state === 'unknown') {
      const deliveryId = toDeliveryId('outcome_unknown', externalId, key);
      const attemptedAt = new Date(former?.claimedAtMs ?? now()).toISOString();
      const notice = { externalId, totalCents, attemptedAt, deliveryId };
      deliveries.queue({ kind: 'outcome_unknown', notice });
    }
    if (progress.state === 'refused') settleInvoiceOf(former);
    return isNew;
  }

  function settleInvoiceOf(attempt: RememberedAttempt | undefined): void {
    if (attempt?.progress.state !== 'created') return;
    const { invoiceId } = attempt.progress;
    const kept = entries.get(attempt.externalId)?.invoices.get(invoiceId);
    if (kept) settle(kept);
  }

  function allInvoices(): Kept[] {
    return [...entries.values()].flatMap(({ invoices }) => [...invoices.values()]);
  }

  function dueLookUps(): { kept: Kept; dueAtMs: number }[] {
    return allInvoices()
      .flatMap((kept) => (kept.lookUpAtMs === null ? [] : [{ kept, dueAtMs: kept.lookUpAtMs }]))
      .filter(({ dueAtMs }) => dueAtMs <= now())
      .toSorted((one, other) => one.dueAtMs - other.dueAtMs);
  }

  function prune(): void {
    prunedAtMs = now();
    for (const [name, atMs] of pauses) if (now() - atMs >= dayMs) pauses.delete(name);
    for (const [externalId, entry] of entries) {
      const cards = attempts.cardsOf(externalId);
      const hasPayment = entry.invoices.size > 0 || cards.length > 0;
      const kept = hasPayment ? keptMs.withPayment : keptMs.without;
      if (now() - entry.usedAtMs < kept) continue;
      for (const invoiceId of entry.invoices.keys()) {
        for (const kind of kindsOfInvoice) {
          deliveries.forget(toDeliveryId(kind, externalId, invoiceId));
        }
      }
      for (const { key } of cards) {
        deliveries.forget(toDeliveryId('outcome_unknown', externalId, key));
      }
      attempts.dropOrder(externalId);
      entries.delete(externalId);
    }
  }
}
