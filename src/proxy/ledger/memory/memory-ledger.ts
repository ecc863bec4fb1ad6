/**
 * The ledger in this process: gone when it ends, and not shared with another one.
 *
 * Bounded by time. An order with an invoice, or with a card that may have been charged, stays for seven days after its
 * last use, as long as its look-up tokens live; another for a day. There is an entry only for an order the merchant
 * resolved, so that no client can fill it. Over 300 lines because each operation changes several of its books in one step.
 */

import type { Method } from '../../../contract/types.js';
import {
  countRecorded,
  isHandedOut,
  isNamedBy,
  isOpen,
  toInvoiceId,
  toInvoiceNotice,
  toMismatchNotice,
  toOutcomeUnknownNotice,
  toPaidInvoice,
  toPaidNotice,
  toReturnedNotice,
  toUnverifiedMatchInvoice,
  toWaitingNotice,
} from '../ledger-rules.js';
import { tellOrder } from '../order-story.js';
import { bookedForSeconds, createCallBook } from '../call-book.js';
import { createAttemptMemory } from './attempt-memory.js';
import { createOutboxMemory } from './outbox-memory.js';
import { createInvoiceMemory } from './invoice-memory.js';
import { createNamedMemory } from './named-memory.js';
import type { Kept } from './invoice-memory.js';
import type {
  Attempt,
  AttemptProgress,
  IssuedInvoice,
  Ledger,
  NamedId,
  OrderRecord,
  RememberedAttempt,
  RememberedInvoice,
  SentAs,
} from '../ledger.js';

const dayMs = 24 * 3_600_000;

/** How long an order is kept after its last use, milliseconds. */
const keptMs = { withPayment: 7 * dayMs, without: dayMs };

/** How often old entries are looked for, milliseconds. */
const pruneEveryMs = 60_000;

/** Most sends kept of one order and method: above, the oldest go. */
const maxSends = 50;

interface Entry {
  readonly sentAtMs: Record<Method, number[]>;
  /** By its own text, each once. */
  readonly sentAs: Map<string, SentAs>;
  paidId: string | null;
  usedAtMs: number;
}

/** @param now wall clock, milliseconds since 1970 */
export function createMemoryLedger(now: () => number): Ledger {
  const entries = new Map<string, Entry>();
  const invoices = createInvoiceMemory(now);
  const attempts = createAttemptMemory(now);
  const deliveries = createOutboxMemory(now);
  const named = createNamedMemory(now);
  const callBook = createCallBook(bookedForSeconds, now);
  const passedAtMs = new Map<string, number>();
  // No clock is read before the first request.
  let prunedAtMs = 0;

  return {
    isShared: false,
    areLookUpsClaimed: false,

    find: async (externalId) => readOrder(externalId),

    async describeOrder(externalId) {
      const sentAtMs = entries.get(externalId)?.sentAtMs;
      if (!sentAtMs) return null;
      const sends = (['pix', 'credit_card'] as const).flatMap((method) =>
        sentAtMs[method].map((atMs) => ({ method, atMs })),
      );
      const history = {
        externalId,
        sends,
        attempts: attempts.timedOf(externalId),
        invoices: invoices.of(externalId).map(({ invoice, settledAtMs, ...times }) => ({
          ...invoice,
          ...times,
          settledAtMs,
          paidAtMs: invoice.isPaid ? settledAtMs : null,
        })),
        named: named.historyOf(externalId),
        events: deliveries.historyOf(externalId),
      };
      return tellOrder(history, now());
    },

    async recordSend(externalId, method, atMs, totalCents) {
      const { sentAtMs, sentAs } = use(externalId);
      sentAtMs[method] = [...sentAtMs[method], atMs].slice(-maxSends);
      sentAs.set(`${method} ${totalCents}`, { method, totalCents });
    },

    async recordInvoice(invoice, attempt) {
      const isNew = keep(invoice);
      if (!attempt) return;
      if (!isNew) invoices.reopen(invoice);
      advance(attempt, { state: 'created', invoiceId: invoice.invoiceId });
    },

    async recordCode(invoice, known) {
      const { externalId } = invoice;
      const kept = invoices.of(externalId).map((one) => one.invoice);
      if (countRecorded(kept) === known && !keep(invoice) && invoices.adopt(invoice)) {
        deliveries.queue({ kind: 'waiting', notice: toWaitingNotice(invoice) });
      }
      return readOrder(externalId);
    },

    async recordPaid(found, payment) {
      keep(found);
      const kept = invoices.find(found);
      if (!kept || kept.invoice.isPaid) return false;
      const { externalId, invoiceId, lookUpId } = found;
      const entry = use(externalId);
      kept.invoice = toPaidInvoice(kept.invoice, found);
      // A card that was refused and is paid after all is news again.
      invoices.settle(kept);
      const duplicate = entry.paidId !== null;
      entry.paidId ??= invoiceId;
      deliveries.drop(externalId, 'waiting');
      const late = deliveries.drop(externalId, 'lapsed');
      const notice = toPaidNotice(kept.invoice, { ...payment, late, duplicate });
      deliveries.queue({ kind: 'paid', notice });
      const { askAgainAfterMs } = payment;
      if (askAgainAfterMs !== undefined) named.claim(externalId, lookUpId, askAgainAfterMs);
      return true;
    },

    recordReturned: async (invoice, found) =>
      deliveries.queue({ kind: 'returned', notice: toReturnedNotice(invoice, found) }),

    async recordMismatch(issued, field) {
      deliveries.queue({ kind: 'mismatch', notice: toMismatchNotice(issued, field) });
    },

    async recordExpired(issued) {
      const kept = invoices.find(issued);
      if (!kept || kept.lapsedAtMs !== null || isSpokenFor(kept)) return;
      kept.lapsedAtMs = now();
      deliveries.drop(issued.externalId, 'waiting');
      deliveries.queue({ kind: 'lapsed', notice: toInvoiceNotice('lapsed', kept.invoice) });
    },

    // One process is one at a time already.
    acquireOrderLock: async () => 0,
    releaseOrderLock: async () => undefined,

    async claimAttempt(attempt) {
      use(attempt.externalId);
      return attempts.claim(attempt);
    },

    async advanceAttempt(attempt, progress, sentForMs) {
      use(attempt.externalId);
      return advance(attempt, progress, sentForMs);
    },

    releaseAttempt: async (attempt) => attempts.release(attempt),

    async barKey(externalId, key) {
      use(externalId);
      return attempts.bar(externalId, key);
    },

    findAttempts: async (key) => attempts.withKey(key),

    async expireSent() {
      const expired = attempts.inState('sent').filter(({ untilMs }) => untilMs <= now());
      for (const attempt of expired) advance(attempt, { state: 'unknown', candidate: null });
      return expired.length;
    },

    async recordUnresolved({ externalId, invoiceId }) {
      if (invoices.find({ externalId, invoiceId })?.invoice.isPaid) return;
      const card = attempts
        .timedCardsOf(externalId)
        .find(({ progress }) => progress.state === 'created' && progress.invoiceId === invoiceId);
      if (card) queueUnknown(card, card.claimedAtMs, invoiceId);
    },

    async releaseCard(externalId) {
      const card = attempts
        .cardsOf(externalId)
        .find(({ progress: { state } }) => state === 'unknown' || state === 'created');
      if (!card) return false;
      const kept = invoiceOf(card);
      if (kept?.invoice.isPaid) return false;
      if (kept?.invoice.method === 'credit_card') {
        kept.invoice = { ...kept.invoice, isReleased: true };
      }
      return advance(card, { state: 'refused' });
    },

    async passThrottle(name, pauseMs) {
      // A clock that was set back must not make a throttle last: one passed far ahead is none.
      if (Math.abs(now() - (passedAtMs.get(name) ?? -Infinity)) < pauseMs) return false;
      passedAtMs.set(name, now());
      return true;
    },

    bookCalls: async (most, upTo) => callBook.book(most, upTo),

    findSettled: async (sinceMs) => invoices.settledSince(sinceMs),

    claimDueLookUps: async (most, forMs) => invoices.claimDue(most, forMs),

    async scheduleLookUp(due, atMs) {
      const kept = invoices.find(due);
      if (!kept || kept.settledAtMs !== null || kept.lookUpAtMs !== due.claimedUntilMs) return;
      kept.lookUpAtMs = atMs;
    },

    async hastenLookUp(issued, atMs) {
      const kept = invoices.find(issued);
      if (!kept || kept.settledAtMs !== null) return;
      kept.lookUpAtMs = Math.min(kept.lookUpAtMs ?? Infinity, atMs);
    },

    async noteShown(issued) {
      const kept = invoices.find(issued);
      if (!kept || kept.settledAtMs !== null) return;
      use(issued.externalId);
      kept.shownAtMs = now();
      invoices.watch(kept);
    },

    async claimNamed(externalId, lookUpId, forMs) {
      use(externalId);
      return named.claim(externalId, lookUpId, forMs);
    },

    async claimDueNamed(most, forMs, arePaid) {
      return named.claimDue(most, forMs, (one) => isOfPaid(one) === arePaid);
    },

    scheduleNamed: async (one, atMs) => named.schedule(one, atMs),

    claimEvents: async (kinds, most, forMs) => deliveries.claim(kinds, most, forMs),

    endEvent: async (deliveryId, outcome) => deliveries.end(deliveryId, outcome),

    async readState(kinds) {
      const open = deliveries.open(kinds);
      const lookUpAtMs = Math.min(
        invoices.nextLookUpMs(),
        named.nextMs((one) => !isOfPaid(one)),
      );
      const endsAtMs = attempts.inState('sent').map(({ untilMs }) => untilMs);
      const nextMs = Math.min(
        lookUpAtMs,
        named.nextMs(),
        ...open.map(({ dueAtMs }) => dueAtMs),
        ...endsAtMs,
      );
      return {
        sweepLagMs: Math.max(0, now() - lookUpAtMs),
        undelivered: open.length,
        unknownAttempts: attempts.inState('unknown').length,
        oldestEventAtMs: open.length > 0 ? Math.min(...open.map((one) => one.queuedAtMs)) : null,
        deadEvents: deliveries.countDead(),
        nextDueAtMs: nextMs === Infinity ? null : nextMs,
      };
    },

    prune: async () => prune(),
  };

  function readOrder(externalId: string): OrderRecord {
    const entry = entries.get(externalId);
    const cards = attempts.cardsOf(externalId);
    if (entry) entry.usedAtMs = now();
    const kept = invoices.of(externalId).map(({ invoice }) => invoice);
    return {
      invoices: kept,
      sentAtMs: [...(entry?.sentAtMs.pix ?? [])],
      cardSentAtMs: [...(entry?.sentAtMs.credit_card ?? [])],
      sentAs: [...(entry?.sentAs.values() ?? [])],
      named: named.of(externalId),
      cards,
      paid: kept.find(({ invoiceId }) => invoiceId === entry?.paidId) ?? null,
    };
  }

  function isOfPaid({ externalId, lookUpId }: NamedId): boolean {
    return invoices
      .of(externalId)
      .some(({ invoice }) => invoice.isPaid && isNamedBy(lookUpId, invoice));
  }

  function use(externalId: string): Entry {
    if (now() - prunedAtMs >= pruneEveryMs) prune();
    const entry = entries.get(externalId) ?? {
      sentAtMs: { pix: [], credit_card: [] },
      sentAs: new Map(),
      paidId: null,
      usedAtMs: now(),
    };
    entries.set(externalId, entry);
    entry.usedAtMs = now();
    return entry;
  }

  /** @returns whether it is new */
  function keep(invoice: RememberedInvoice): boolean {
    use(invoice.externalId);
    const isNew = invoices.keep(invoice);
    if (isNew && isHandedOut(invoice)) {
      deliveries.queue({ kind: 'waiting', notice: toWaitingNotice(invoice) });
    }
    return isNew;
  }

  /** Whether the goods are not to be given away although the code's deadline passed. */
  function isSpokenFor(kept: Kept): boolean {
    const { externalId } = kept.invoice;
    const isPaid = (entries.get(externalId)?.paidId ?? null) !== null;
    return isPaid || attempts.cardsOf(externalId).some(isOpen) || invoices.hasNewerCode(kept);
  }

  function advance(attempt: Attempt, progress: AttemptProgress, sentForMs?: number): boolean {
    const former = attempts.find(attempt);
    const isNew = attempts.advance(attempt, progress, sentForMs);
    if (progress.state === 'unknown') {
      if (former && progress.candidate) keepUnverifiedMatch(former, progress.candidate);
      if (former && isNew) queueUnknown(former, former.claimedAtMs, toInvoiceId(progress));
    }
    if (isNew && progress.state === 'refused') settleInvoiceOf(former);
    return isNew;
  }

  function keepUnverifiedMatch(attempt: Attempt, candidate: IssuedInvoice): void {
    const invoice = toUnverifiedMatchInvoice(candidate, attempt.externalId, now());
    const isNew = invoices.keep(invoice);
    const kept = invoices.find(invoice);
    // A late word about a card that ended adds an invoice, but opens none again.
    if (isNew || !kept || attempts.find(attempt)?.progress.state !== 'unknown') return;
    if (kept.settledAtMs === null) invoices.watch(kept);
    else invoices.reopen(invoice);
  }

  function queueUnknown(attempt: Attempt, claimedAtMs: number, invoiceId: string | null): void {
    const notice = toOutcomeUnknownNotice(attempt, claimedAtMs, invoiceId);
    deliveries.queue({ kind: 'outcome_unknown', notice });
  }

  /** Not a Pix code, which the service may have named for a card: it goes on. */
  function settleInvoiceOf(attempt: RememberedAttempt | undefined): void {
    const kept = attempt && invoiceOf(attempt);
    if (kept?.invoice.method === 'credit_card' && kept.settledAtMs === null) invoices.settle(kept);
  }

  function invoiceOf({ externalId, progress }: RememberedAttempt): Kept | undefined {
    const invoiceId = toInvoiceId(progress);
    return invoiceId === null ? undefined : invoices.find({ externalId, invoiceId });
  }

  function prune(): void {
    prunedAtMs = now();
    for (const [name, atMs] of passedAtMs) if (now() - atMs >= dayMs) passedAtMs.delete(name);
    for (const [externalId, { usedAtMs }] of entries) {
      const hasPayment =
        invoices.of(externalId).length > 0 || attempts.cardsOf(externalId).length > 0;
      if (now() - usedAtMs < (hasPayment ? keptMs.withPayment : keptMs.without)) continue;
      deliveries.forgetOrder(externalId);
      attempts.dropOrder(externalId);
      invoices.dropOrder(externalId);
      named.dropOrder(externalId);
      entries.delete(externalId);
    }
  }
}
