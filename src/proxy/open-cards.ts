/**
 * Finds out how a card ended that is not known to have ended: pending, or of unknown outcome.
 *
 * Owns when one is looked up and what that does to its attempt. Never calls an outcome known that no look-up told.
 */

import { toFoundInvoice } from './answers.js';
import type { CardGuards } from './card-guards.js';
import type { Finding, LookUps } from './look-ups.js';
import { isOpen } from './orders/attempt-memory.js';
import type {
  IssuedInvoice,
  OrderMemory,
  OrderRecord,
  RememberedAttempt,
  RememberedInvoice,
} from './orders/orders.js';
import { inProgress } from './refusal.js';
import type { Refusal } from './refusal.js';

/** Pause between two look-ups of one open card that repeated requests cause, milliseconds. */
const pauseMs = 2_000;

/** Open cards of one proxy. */
export interface OpenCards {
  /** @throws Refusal `order_paid`, or `in_progress` unless the order's last card turns out to be refused */
  readonly refuseIfOpen: (externalId: string) => Promise<void>;
  /** The attempt as it stands when everything that may be looked up for it was. */
  refresh(attempt: RememberedAttempt): Promise<RememberedAttempt>;
  /** Tells what a look-up found to the attempt it belongs to. */
  noteFound(issued: IssuedInvoice, finding: Finding): Promise<void>;
}

/** What open cards need. */
export interface OpenCardParts {
  readonly orders: OrderMemory;
  /** Each finding must come back through {@link OpenCards.noteFound}. */
  readonly lookUp: LookUps['lookUp'];
  readonly guards: CardGuards;
  readonly now: () => number;
  readonly toOrderPaid: (paid: RememberedInvoice) => Promise<Refusal>;
}

/** Makes what watches open cards. */
export function createOpenCards(parts: OpenCardParts): OpenCards {
  const { orders, lookUp, guards, now, toOrderPaid } = parts;
  const askedAtMs = new Map<string, number>();

  return {
    async refuseIfOpen(externalId) {
      const before = await orders.find(externalId);
      const open = before.cards.find(isOpen);
      if (!open) return;
      if (!before.paid) await lookAgain(open, before);
      const { paid, cards } = await orders.find(externalId);
      if (paid) throw await toOrderPaid(paid);
      if (cards.some(isOpen)) throw inProgress();
    },

    async refresh(attempt) {
      if (attempt.progress.state !== 'unknown') return attempt;
      await lookAgain(attempt, await orders.find(attempt.externalId));
      const known = await orders.findAttempts(attempt.key);
      return known.find(({ scope }) => scope === attempt.scope) ?? attempt;
    },

    async noteFound(issued, { data, verdict }) {
      if (issued.method !== 'credit_card' || verdict === 'foreign') return;
      const { invoiceId, externalId } = issued;
      const { cards } = await orders.find(externalId);
      const card = cards.find((one) => idOf(one) === invoiceId);
      if (!card) return;
      if (verdict === 'refused') {
        const isNew = await orders.advanceAttempt(card, { state: 'refused' });
        if (isNew) guards.note(card, 'refused');
      } else if (card.progress.state === 'unknown') {
        await orders.recordInvoice(toFoundInvoice(issued, data, now()));
        await orders.advanceAttempt(card, { state: 'created', invoiceId });
      }
    },
  };

  async function lookAgain(attempt: RememberedAttempt, { invoices }: OrderRecord): Promise<void> {
    const { progress } = attempt;
    const invoice =
      progress.state === 'unknown'
        ? progress.candidate
        : invoices.find(({ invoiceId }) => invoiceId === idOf(attempt));
    if (!invoice || !isDue(invoice.invoiceId)) return;
    // Who waits for a card learns no more from a failed look-up than from none; it is in the log.
    await lookUp(invoice).catch(() => undefined);
  }

  function isDue(invoiceId: string): boolean {
    for (const [id, atMs] of askedAtMs) {
      if (Math.abs(now() - atMs) >= pauseMs) askedAtMs.delete(id);
    }
    if (askedAtMs.has(invoiceId)) return false;
    askedAtMs.set(invoiceId, now());
    return true;
  }
}

/** The invoice an attempt is known by; null while there is none. */
function idOf({ progress }: RememberedAttempt): string | null {
  if (progress.state === 'created') return progress.invoiceId;
  return progress.state === 'unknown' ? (progress.candidate?.invoiceId ?? null) : null;
}
