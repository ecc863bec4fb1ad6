/**
 * What a person found out about a card that is unknown or still open: that it was charged, as which invoice, or that it
 * was not.
 *
 * Owns what is asked of the service before that is believed. What the answer does to the attempt is `open-cards.ts`'s.
 */

import type { LookUps, Classification } from '../status/shared-look-ups.js';
import { findCardInvoice } from './unresolved-charges.js';
import type { UnresolvedCharges } from './unresolved-charges.js';
import { isOpen } from '../ledger/attempt-rules.js';
import type { Ledger, OrderRecord, RememberedAttempt } from '../ledger/ledger.js';
import { ProxyError } from '../runtime/proxy-error.js';
import type { PixProxy } from '../config/options.js';

/** What resolving needs. */
export interface ResolvingParts {
  readonly ledger: Pick<Ledger, 'find' | 'releaseCard'>;
  readonly lookUp: LookUps['lookUp'];
  readonly unresolvedCharges: Pick<UnresolvedCharges, 'tryUnverifiedMatch'>;
  readonly now: () => number;
}

/** Makes the function that takes a person's word. */
export function createResolveOutcome(parts: ResolvingParts): PixProxy['resolveOutcome'] {
  const { ledger, lookUp, unresolvedCharges, now } = parts;

  return async function resolveOutcome({ externalId, invoiceId }) {
    if (invoiceId === null) return release(externalId);
    try {
      return await unresolvedCharges.tryUnverifiedMatch(externalId, invoiceId);
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
    const classification = await ask(card, record);
    if (classification === 'paid') return false;
    // It may have ended meanwhile, and another card be on its way: nobody spoke of that one.
    const { cards } = await ledger.find(externalId);
    if (cards.find(isOpen)?.holder !== card.holder) return classification === 'refused';
    return ledger.releaseCard(externalId);
  }

  /** @returns null: there is nothing to ask about, or the service does not know it, so that nobody can have paid it */
  async function ask(card: RememberedAttempt, record: OrderRecord): Promise<Classification | null> {
    const invoice = findCardInvoice(card, record);
    if (!invoice) return null;
    try {
      return (await lookUp(invoice, { urgency: 'payment', freshSinceMs: now() })).classification;
    } catch (thrown) {
      if (isNotFound(thrown)) return null;
      throw thrown;
    }
  }
}

function isNotFound(thrown: unknown): boolean {
  return thrown instanceof ProxyError && thrown.code === 'not_found';
}
