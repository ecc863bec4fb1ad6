/**
 * What a person found out about a card that is unknown or still open: that it was charged, as which invoice, or that it
 * was not.
 *
 * Owns what is asked of the service before that is believed. What the answer does to the attempt is `open-cards.ts`'s.
 */

import type { LookUps, Verdict } from './look-ups.js';
import { findCardInvoice } from './open-cards.js';
import type { OpenCards } from './open-cards.js';
import { isOpen } from './orders/attempt-memory.js';
import type { Ledger, OrderRecord, RememberedAttempt } from './orders/orders.js';
import { Refusal } from './refusal.js';
import type { PixProxy } from './types.js';

/** What resolving needs. */
export interface ResolvingParts {
  readonly ledger: Pick<Ledger, 'find' | 'releaseCard'>;
  readonly lookUp: LookUps['lookUp'];
  readonly openCards: Pick<OpenCards, 'tryCandidate'>;
  readonly now: () => number;
}

/** Makes the function that takes a person's word. */
export function createResolveOutcome(parts: ResolvingParts): PixProxy['resolveOutcome'] {
  const { ledger, lookUp, openCards, now } = parts;

  return async function resolveOutcome({ externalId, invoiceId }) {
    if (invoiceId === null) return release(externalId);
    try {
      return await openCards.tryCandidate(externalId, invoiceId);
    } catch (thrown) {
      if (isNotFound(thrown)) return false;
      throw thrown;
    }
  };

  /** Not charged, somebody says. An invoice that is known is asked about first: it may be paid since. */
  async function release(externalId: string): Promise<boolean> {
    const record = await ledger.find(externalId);
    const card = record.cards.find(isOpen);
    if (!card) return false;
    const verdict = await ask(card, record);
    if (verdict === 'paid') return false;
    // It may have ended meanwhile, and another card be on its way: nobody spoke of that one.
    const { cards } = await ledger.find(externalId);
    if (cards.find(isOpen)?.holder !== card.holder) return verdict === 'refused';
    return ledger.releaseCard(externalId);
  }

  /** @returns null: there is nothing to ask about, or the service does not know it, so that nobody can have paid it */
  async function ask(card: RememberedAttempt, record: OrderRecord): Promise<Verdict | null> {
    const invoice = findCardInvoice(card, record);
    if (!invoice) return null;
    try {
      return (await lookUp(invoice, { urgency: 'payment', freshSinceMs: now() })).verdict;
    } catch (thrown) {
      if (isNotFound(thrown)) return null;
      throw thrown;
    }
  }
}

function isNotFound(thrown: unknown): boolean {
  return thrown instanceof Refusal && thrown.code === 'not_found';
}
