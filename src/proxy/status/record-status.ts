/**
 * Records the result of a look-up in the ledger before it is told to a page, and logs each status of the service that the
 * options do not list: an order may wait for ever because of one.
 */

import { toCreatedFields, toFoundInvoice } from '../gateway/invoice-forms.js';
import { isListed, isStatusWord } from '../gateway/wire-texts.js';
import { errorNameOf } from '../config/log.js';
import type { Settings } from '../config/read-options.js';
import type { RawAnswer, StatusResult, Recorded } from './shared-look-ups.js';
import { findPaid, toInvoiceId } from '../ledger/ledger-rules.js';
import { firstAgeMs } from './named-schedule.js';
import type { Attempt, IssuedInvoice, Ledger } from '../ledger/ledger.js';

/** Most invoices remembered that the ledger said are paid: above, the oldest is forgotten. */
const maxKnownPaid = 10_000;

/** Most unknown statuses logged by one process, each once. */
const maxLogged = 100;

/** What recording needs. */
interface StatusRecordingParts {
  readonly ledger: Pick<
    Ledger,
    'find' | 'recordPaid' | 'recordMismatch' | 'advanceAttempt' | 'recordInvoice'
  >;
  /** Counts how cards end. */
  readonly guards: { note(attempt: Attempt, outcome: 'refused'): void };
  /** Called once for each invoice found paid, when that is durable. */
  readonly onPayment: () => void;
  readonly settings: Pick<Settings, 'statuses' | 'watchReturns' | 'now' | 'log'>;
}

/** Records results. */
export interface StatusRecording {
  /** Never rejects: the payer sees what the service said even if our ledger fails. */
  readonly record: (
    issued: IssuedInvoice,
    found: StatusResult,
    raw: RawAnswer,
  ) => Promise<Recorded>;
  /** Logs a status that no option lists, once in this process. */
  readonly noteUnknown: (status: string, issued: IssuedInvoice) => void;
  /** Call with an invoice that a page is told is paid, on the word of the ledger: no look-up takes that back. */
  readonly notePaid: (paid: IssuedInvoice) => void;
}

/** Makes what records results. */
export function createStatusRecording(parts: StatusRecordingParts): StatusRecording {
  const { ledger, guards, onPayment } = parts;
  const { statuses, watchReturns, now, log } = parts.settings;
  const knownPaid = new Set<string>();
  const logged = new Set<string>();

  return { record, noteUnknown, notePaid };

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
    if (!isKnown(raw.status)) noteUnknown(raw.status, issued);
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

  /** Paid is never taken back: another process may have recorded it before the service changed its answer, or broke. */
  async function heedPaid(issued: IssuedInvoice, found: StatusResult): Promise<StatusResult> {
    if (found.classification === 'paid') return found;
    const { externalId, invoiceId } = issued;
    const isPaid =
      knownPaid.has(invoiceId) || findPaid(await ledger.find(externalId), invoiceId) !== null;
    if (!isPaid) return found;
    const data = { ...found.data, ...toCreatedFields(issued), status: 'paid' };
    return { data, classification: 'paid' };
  }

  function isKnown(status: string): boolean {
    const { paid, pending, refused } = statuses;
    return [paid, pending, refused].some((list) => isListed(list, status));
  }

  /** A status that is not a plain word is logged without its text. */
  function noteUnknown(status: string, { externalId, invoiceId }: IssuedInvoice): void {
    const serviceStatus = isStatusWord(status) ? status : undefined;
    const name = serviceStatus ?? '';
    if (logged.has(name) || logged.size >= maxLogged) return;
    logged.add(name);
    const about = { operation: 'look_up', externalId, invoiceId } as const;
    const word = serviceStatus === undefined ? {} : { serviceStatus };
    log({ level: 'warn', event: 'unknown_status', ...about, ...word });
  }

  async function recordPaid(
    issued: IssuedInvoice,
    { data }: StatusResult,
    { endToEndId }: RawAnswer,
  ): Promise<void> {
    const invoice = toFoundInvoice(issued, data, now());
    const watch = watchReturns ? { askAgainAfterMs: firstAgeMs } : {};
    const isNew = await ledger.recordPaid(invoice, { endToEndId, ...watch });
    if (isNew) onPayment();
  }
}

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
