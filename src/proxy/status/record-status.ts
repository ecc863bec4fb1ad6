/**
 * Records what a look-up found, before anybody is told. Owns what each finding means for the ledger; knows no request.
 */

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

/** Never rejects: the payer sees what the service said, whatever becomes of our record. */
export type RecordStatus = (
  issued: IssuedInvoice,
  found: StatusResult,
  evidence: RawAnswer,
) => Promise<Recorded>;

/** Makes the function that records findings. */
export function createStatusRecording(parts: StatusRecordingParts): RecordStatus {
  const { ledger, guards, onPayment, now, log } = parts;

  return async function record(issued, found, evidence) {
    const { externalId, invoiceId } = issued;
    try {
      const finding = await heedPaid(issued, found);
      if (finding.classification === 'paid') await recordPaid(issued, finding, evidence);
      if (found.classification === 'mismatch' && evidence.mismatch !== null) {
        await ledger.recordMismatch(issued, evidence.mismatch);
      }
      const refused = await recordCardStatus(ledger, issued, finding, now());
      if (refused) guards.note(refused, 'refused');
      return { isRecorded: true, finding };
    } catch (thrown) {
      const errorName = errorNameOf(thrown);
      const event = 'ledger_failed';
      log({ level: 'error', event, operation: 'look_up', externalId, invoiceId, errorName });
      return { isRecorded: false, finding: found };
    }
  };

  /** Paid is never taken back: another process may have found it, before the service took the payment back or changed it. */
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
    const isNews = await ledger.recordPaid(toFoundInvoice(issued, data, now()), { endToEndId });
    if (isNews) onPayment();
  }
}
