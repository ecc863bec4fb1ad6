/**
 * Takes what a person found out about an unresolved charge: charged, as which invoice, or not charged. Asks the service
 * before it believes either.
 */

import type { Classification, LookUps } from '../status/shared-look-ups.js';
import type { NamedInvoices } from '../status/named-invoices.js';
import { findCardInvoice, isOpen } from '../ledger/ledger-rules.js';
import type { Ledger, OrderRecord, RememberedAttempt } from '../ledger/ledger.js';
import { ProxyError } from '../runtime/proxy-error.js';
import type { PixProxy } from '../config/options.js';

/** What it needs. */
interface ResolvingParts {
  readonly ledger: Pick<Ledger, 'find' | 'releaseCard'>;
  readonly lookUp: LookUps['lookUp'];
  readonly tryNamed: NamedInvoices['tryNamed'];
  readonly now: () => number;
}

/** Makes the function for `resolveOutcome`. */
export function createResolveOutcome(parts: ResolvingParts): PixProxy['resolveOutcome'] {
  const { ledger, lookUp, tryNamed, now } = parts;

  return async function resolveOutcome({ externalId, invoiceId }) {
    if (invoiceId === null) return release(externalId);
    try {
      return /^(?:kept|bound)$/.test(await tryNamed(externalId, invoiceId));
    } catch (thrown) {
      if (isNotFound(thrown)) return false;
      throw thrown;
    }
  };

  /** The person says: not charged. A known invoice is looked up first: it may have been paid since. */
  async function release(externalId: string): Promise<boolean> {
    const record = await ledger.find(externalId);
    const card = record.cards.find(isOpen);
    if (!card) return false;
    const classification = await lookUpCharge(card, record);
    if (classification === 'paid') return false;
    // It may have ended meanwhile, and another card be in flight: the person did not mean that one.
    const { cards } = await ledger.find(externalId);
    if (cards.find(isOpen)?.holder !== card.holder) return classification === 'refused';
    return ledger.releaseCard(externalId);
  }

  /** @returns null: no invoice is known, or the service does not know it, so it cannot have been paid */
  async function lookUpCharge(
    card: RememberedAttempt,
    record: OrderRecord,
  ): Promise<Classification | null> {
    const invoice = findCardInvoice(card, record);
    if (!invoice) return null;
    try {
      return (await lookUp(invoice, { freshSinceMs: now() })).classification;
    } catch (thrown) {
      if (isNotFound(thrown)) return null;
      throw thrown;
    }
  }
}

function isNotFound(thrown: unknown): boolean {
  return thrown instanceof ProxyError && thrown.code === 'not_found';
}
