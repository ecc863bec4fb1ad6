/** What a look-up found about a card, as the ledger keeps it. */

import { toFoundInvoice } from '../gateway/invoice-forms.js';
import { toInvoiceId } from '../ledger/invoice-changes.js';
import type { Attempt, IssuedInvoice, Ledger } from '../ledger/ledger.js';
import type { StatusResult } from './shared-look-ups.js';

/** The look-up answered about something else than what was created, so it says nothing about a card. */
export function isOther({ classification }: StatusResult): boolean {
  return classification === 'foreign' || classification === 'mismatch';
}

/**
 * Takes the card attempt of this invoice on: a refused one ends, one whose outcome was unknown gets its invoice.
 * @returns the attempt if it is refused since now; else null
 */
export async function recordCardStatus(
  ledger: Pick<Ledger, 'find' | 'advanceAttempt' | 'recordInvoice'>,
  issued: IssuedInvoice,
  found: StatusResult,
  nowMs: number,
): Promise<Attempt | null> {
  const { invoiceId, externalId, method } = issued;
  if (method !== 'credit_card' || isOther(found)) return null;
  const { cards } = await ledger.find(externalId);
  const card = cards.find(({ progress }) => toInvoiceId(progress) === invoiceId);
  if (!card) return null;
  if (found.classification === 'refused') {
    return (await ledger.advanceAttempt(card, { state: 'refused' })) ? card : null;
  }
  if (card.progress.state === 'unknown') {
    await ledger.recordInvoice(toFoundInvoice(issued, found.data, nowMs), card);
  }
  return null;
}
