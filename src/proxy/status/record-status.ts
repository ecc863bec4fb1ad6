/** Records the result of a look-up in the ledger before it is told to a page. */

import { toFoundInvoice } from '../gateway/invoice-forms.js';
import { errorNameOf } from '../config/log.js';
import type { Log } from '../config/log.js';
import type { RawAnswer, StatusResult, Recorded } from './shared-look-ups.js';
import { recordCardStatus } from './card-status.js';
import type { Attempt, IssuedInvoice, Ledger } from '../ledger/ledger.js';

/** Most invoices remembered that the ledger said are paid: above, the oldest is forgotten. */
const maxKnownPaid = 10_000;

/** What recording needs. */
export interface StatusRecordingParts {
  readonly ledger: Pick<
    Ledger,
    'find' | 'recordPaid' | 'recordMismatch' | 'advanceAttempt' | 'recordInvoice'
  >;
  /** Counts how cards end. */
  readonly guards: { note(attempt: Attempt, outcome: 'refused'): void };
  /** Called once for each invoice found paid, when that is durable. */
  readonly onPayment: () => void;
  readonly now: () => number;
  readonly log: Log;
}

/** Records results. */
export interface StatusRecording {
  /** Never rejects: the payer sees what the service said even if our ledger fails. */
  readonly record: (
    issued: IssuedInvoice,
    found: StatusResult,
    raw: RawAnswer,
  ) => Promise<Recorded>;
  /** Call with an invoice that a page is told is paid, on the word of the ledger: no look-up takes that back. */
  readonly notePaid: (paid: IssuedInvoice) => void;
}

/** Makes what records results. */
export function createStatusRecording(parts: StatusRecordingParts): StatusRecording {
  const { ledger, guards, onPayment, now, log } = parts;
  const knownPaid = new Set<string>();

  return { record, notePaid };

  function notePaid({ invoiceId }: IssuedInvoice): void {
    knownPaid.add(invoiceId);
    const [oldest] = knownPaid;
    if (knownPaid.size > maxKnownPaid && oldest !== undefined) knownPaid.delete(oldest);
  }

  async function record(
    issued: IssuedInvoice,
    found: StatusResult,
    raw: RawAnswer,
  ): Promise<Recorded> {
    const { externalId, invoiceId } = issued;
    let result = found;
    try {
      result = await heedPaid(issued, found);
      if (result.classification === 'paid') await recordPaid(issued, result, raw);
      if (found.classification === 'mismatch' && raw.mismatch !== null) {
        await ledger.recordMismatch(issued, raw.mismatch);
      }
      const refused = await recordCardStatus(ledger, issued, result, now());
      if (refused) guards.note(refused, 'refused');
      return { isRecorded: true, result };
    } catch (thrown) {
      const errorName = errorNameOf(thrown);
      const event = 'ledger_failed';
      log({ level: 'error', event, operation: 'look_up', externalId, invoiceId, errorName });
      return { isRecorded: false, result };
    }
  }

  /** Paid is never taken back: another process may have recorded it before the service changed its answer. */
  async function heedPaid(issued: IssuedInvoice, found: StatusResult): Promise<StatusResult> {
    const { classification } = found;
    if (classification === 'paid' || classification === 'foreign') return found;
    if (!knownPaid.has(issued.invoiceId)) {
      if (classification === 'open') return found;
      const { paid } = await ledger.find(issued.externalId);
      if (paid?.invoiceId !== issued.invoiceId) return found;
    }
    return { data: { ...found.data, status: 'paid' }, classification: 'paid' };
  }

  async function recordPaid(
    issued: IssuedInvoice,
    { data }: StatusResult,
    { endToEndId }: RawAnswer,
  ): Promise<void> {
    const isNew = await ledger.recordPaid(toFoundInvoice(issued, data, now()), { endToEndId });
    if (isNew) onPayment();
  }
}
