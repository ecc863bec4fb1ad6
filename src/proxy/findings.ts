/**
 * Records what a look-up found, before anybody is told. Owns what each finding means for the ledger; knows no request.
 */

import { toFoundInvoice } from './answers.js';
import { errorNameOf } from './log.js';
import type { Log } from './log.js';
import type { Evidence, Finding } from './look-ups.js';
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

/** @returns whether it is recorded: the payer sees what the service said, whatever becomes of our record */
export type RecordFinding = (
  issued: IssuedInvoice,
  finding: Finding,
  evidence: Evidence,
) => Promise<boolean>;

/** Makes the function that records findings. */
export function createRecording(parts: RecordingParts): RecordFinding {
  const { ledger, openCards, onPayment, now, log } = parts;

  return async function record(issued, finding, evidence) {
    const { externalId, invoiceId } = issued;
    try {
      if (finding.verdict === 'paid') await recordPaid(issued, finding, evidence);
      if (finding.data.status === 'paid') await recordMismatch(issued, evidence);
      await openCards.noteFound(issued, finding);
      return true;
    } catch (thrown) {
      const errorName = errorNameOf(thrown);
      const event = 'ledger_failed';
      log({ level: 'error', event, operation: 'look_up', externalId, invoiceId, errorName });
      return false;
    }
  };

  async function recordPaid(
    issued: IssuedInvoice,
    { data }: Finding,
    { endToEndId }: Evidence,
  ): Promise<void> {
    const isNews = await ledger.recordPaid(toFoundInvoice(issued, data, now()), { endToEndId });
    if (isNews) onPayment();
  }

  async function recordMismatch(issued: IssuedInvoice, { mismatch }: Evidence): Promise<void> {
    if (mismatch === null) return;
    const { invoices } = await ledger.find(issued.externalId);
    // Not for what somebody merely says to be of this order.
    const isOurs = invoices.some(({ invoiceId }) => invoiceId === issued.invoiceId);
    if (isOurs) await ledger.recordMismatch(issued, mismatch);
  }
}
