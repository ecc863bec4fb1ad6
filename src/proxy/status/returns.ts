/**
 * Asks about a paid invoice again: a payment may be refunded, contested or charged back. The merchant's server is told. For
 * pages, and for the order, what is paid stays paid.
 */

import type { Settings } from '../config/read-options.js';
import { isListed, isStatusWord, unknownStatus } from '../gateway/wire-texts.js';
import type { Ledger, RememberedInvoice } from '../ledger/ledger.js';
import type { StatusRecording } from './record-status.js';
import type { CallTerms, LookUps } from './shared-look-ups.js';

/** What it needs. */
interface ReturnParts {
  readonly settings: Pick<Settings, 'statuses' | 'log'>;
  readonly ledger: Pick<Ledger, 'recordReturned'>;
  readonly lookUpPaid: LookUps['lookUpPaid'];
  readonly noteUnknown: StatusRecording['noteUnknown'];
  /** Called when an event was queued. */
  readonly wakeOutbox: () => void;
}

/** @throws ProxyError where the invoice cannot be looked up */
export type AskForReturn = (invoice: RememberedInvoice, terms?: CallTerms) => Promise<void>;

/** Makes the function that asks. */
export function createReturns(parts: ReturnParts): AskForReturn {
  const { ledger, lookUpPaid, noteUnknown, wakeOutbox } = parts;
  const { statuses, log } = parts.settings;

  return async function askForReturn(invoice, terms) {
    const found = await lookUpPaid(invoice, terms);
    // Assumed: a paid invoice that reads as pending is an old answer, and no return (service spec shows no return at all).
    if (found === null || areSome(['paid', 'pending'], found.status)) return;
    // Assumed: a word that no list has may be one (a return that is missed is worse than a question too many).
    const isReturn = areSome(['returned'], found.status);
    if (!isReturn) noteUnknown(found.status, invoice);
    const serviceStatus = isStatusWord(found.status) ? found.status : unknownStatus;
    const word = { ...found, status: serviceStatus, isListed: isReturn };
    if (!(await ledger.recordReturned(invoice, word))) return;
    const { externalId, invoiceId } = invoice;
    const about = { operation: 'look_up', externalId, invoiceId, serviceStatus } as const;
    log({ level: 'warn', event: 'returned', ...about });
    wakeOutbox();
  };

  function areSome(lists: readonly (keyof typeof statuses)[], status: string): boolean {
    return lists.some((name) => isListed(statuses[name], status));
  }
}
