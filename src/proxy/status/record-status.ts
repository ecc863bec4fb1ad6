/** Records the result of a look-up in the ledger before it is told to a page. */

import { toFoundInvoice } from '../gateway/invoice-forms.js';
import { errorNameOf } from '../config/log.js';
import type { Log } from '../config/log.js';
import type { RawAnswer, StatusResult, Recorded } from './shared-look-ups.js';
import { recordCardStatus } from './card-status.js';
import type { Attempt, IssuedInvoice, Ledger } from '../ledger/ledger.js';

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

/** Never rejects: the payer sees what the service said even if our ledger fails. */
export type RecordStatus = (
  issued: IssuedInvoice,
  found: StatusResult,
  raw: RawAnswer,
) => Promise<Recorded>;

/** Makes the function that records results. */
export function createStatusRecording(parts: StatusRecordingParts): RecordStatus {
  const { ledger, guards, onPayment, now, log } = parts;

  return async function record(issued, found, raw) {
    const { externalId, invoiceId } = issued;
    try {
      const result = await heedPaid(issued, found);
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
      return { isRecorded: false, result: found };
    }
  };

  /** Paid is never taken back: another process may have recorded it before the service changed its answer. */
  async function heedPaid(issued: IssuedInvoice, found: StatusResult): Promise<StatusResult> {
    if (found.classification !== 'refused' && found.classification !== 'mismatch') return found;
    const { paid } = await ledger.find(issued.externalId);
    if (paid?.invoiceId !== issued.invoiceId) return found;
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
