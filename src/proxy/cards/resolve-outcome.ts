/**
 * Ends an unresolved charge by the word of a person, who found out as which invoice the card was charged, or that it was
 * not. The service is asked before either is believed.
 */

import type { LookUps } from '../status/shared-look-ups.js';
import type { NamedInvoices } from '../status/named-invoices.js';
import { findCardInvoice, isOpen } from '../ledger/ledger-rules.js';
import type { Ledger } from '../ledger/ledger.js';
import { markNow } from '../runtime/moment.js';
import { nullIfNotFound } from '../runtime/proxy-error.js';
import type { PixProxy } from '../config/options.js';

/** What it needs. */
interface ResolvingParts {
  readonly ledger: Pick<Ledger, 'find' | 'releaseCard'>;
  readonly lookUp: LookUps['lookUp'];
  readonly tryNamed: NamedInvoices['tryNamed'];
}

/** Makes the function for `resolveOutcome`. */
export function createResolveOutcome(parts: ResolvingParts): PixProxy['resolveOutcome'] {
  const { ledger, lookUp, tryNamed } = parts;

  return async function resolveOutcome({ externalId, invoiceId }) {
    if (invoiceId === null) return release(externalId);
    const outcome = await tryNamed(externalId, invoiceId).catch(nullIfNotFound);
    return outcome === 'kept' || outcome === 'bound';
  };

  /** The person says: not charged. A known invoice is looked up first: it may have been paid since. */
  async function release(externalId: string): Promise<boolean> {
    const record = await ledger.find(externalId);
    const card = record.cards.find(isOpen);
    if (!card) return false;
    const invoice = findCardInvoice(card, record);
    const found =
      invoice && (await lookUp(invoice, { begunAfter: markNow() }).catch(nullIfNotFound));
    if (found?.classification === 'paid') return false;
    // It may have ended meanwhile, and another card be in flight: the person did not mean that one.
    const { cards } = await ledger.find(externalId);
    if (cards.find(isOpen)?.holder !== card.holder) return found?.classification === 'refused';
    return ledger.releaseCard(externalId);
  }
}
