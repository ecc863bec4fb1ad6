/**
 * Records what a look-up found, before anybody is told. Owns what each finding means for the ledger; knows no request.
 */

import { toFoundInvoice } from './answers.js';
import { errorNameOf } from './log.js';
import type { Log } from './log.js';
import type { Evidence, Finding, Recorded } from './look-ups.js';
import type { OpenCards } from './open-cards.js';
import type { IssuedInvoice, Ledger } from './orders/orders.js';

/** What recording needs. */
export interface RecordingParts {
  readonly ledger: Pick<Ledger, 'find' | 'recordPaid' | 'recordMismatch'>;
  readonly openCards: Pick<OpenCards, 'noteFound'>;
  /** Called once for each invoice found paid, when that is durable. */
  readonly onPayment: () => void;
  readonly now: () => number;
  readonly log: Log;
}

/** Never rejects: the payer sees what the service said, whatever becomes of our record. */
export type RecordFinding = (
  issued: IssuedInvoice,
  found: Finding,
  evidence: Evidence,
) => Promise<Recorded>;

/** Makes the function that records findings. */
export function createRecording(parts: RecordingParts): RecordFinding {
  const { ledger, openCards, onPayment, now, log } = parts;

  return async function record(issued, found, evidence) {
    const { externalId, invoiceId } = issued;
    try {
      const finding = await heedPaid(issued, found);
      if (finding.verdict === 'paid') await recordPaid(issued, finding, evidence);
      if (found.verdict === 'mismatch' && evidence.mismatch !== null) {
        await ledger.recordMismatch(issued, evidence.mismatch);
      }
      await openCards.noteFound(issued, finding);
      return { isRecorded: true, finding };
    } catch (thrown) {
      const errorName = errorNameOf(thrown);
      const event = 'ledger_failed';
      log({ level: 'error', event, operation: 'look_up', externalId, invoiceId, errorName });
      return { isRecorded: false, finding: found };
    }
  };

  /** Paid is never taken back: another process may have found it, before the service took the payment back or changed it. */
  async function heedPaid(issued: IssuedInvoice, found: Finding): Promise<Finding> {
    if (found.verdict !== 'refused' && found.verdict !== 'mismatch') return found;
    const { paid } = await ledger.find(issued.externalId);
    if (paid?.invoiceId !== issued.invoiceId) return found;
    return { data: { ...found.data, status: 'paid' }, verdict: 'paid' };
  }

  async function recordPaid(
    issued: IssuedInvoice,
    { data }: Finding,
    { endToEndId }: Evidence,
  ): Promise<void> {
    const isNews = await ledger.recordPaid(toFoundInvoice(issued, data, now()), { endToEndId });
    if (isNews) onPayment();
  }
}
