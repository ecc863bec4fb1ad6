/**
 * Tells the order what a look-up of one of its invoices was answered, before a page is told, and logs each status of the
 * service that the options do not list: an order may wait for ever because of one.
 */

import { logError } from '../config/log.js';
import type { Settings } from '../config/read-options.js';
import { toCreatedFields, toFoundInvoice } from '../gateway/invoice-forms.js';
import { isListed, isStatusWord, unknownStatus } from '../gateway/wire-texts.js';
import { heard } from '../order/heard.js';
import type { Heard, HeardAnswer } from '../order/heard.js';
import type { Attempt, IssuedInvoice } from '../order/order.js';
import { createRecent } from '../runtime/recent.js';
import type { OrderStore } from '../store/order-store.js';
import type { RawAnswer, Recorded, StatusResult } from './shared-look-ups.js';

/** Most invoices remembered that are known to be paid: above, the oldest is forgotten. */
const maxKnownPaid = 10_000;

/** Most unknown statuses logged by one process, each once. */
const maxLogged = 100;

/** How soon after its payment an invoice is asked about first, milliseconds. */
const askAgainAfterMs = 24 * 3_600_000;

/** What recording needs. */
interface StatusRecordingParts {
  readonly store: Pick<OrderStore, 'change'>;
  /** Counts how cards end. */
  readonly guards: { note(attempt: Attempt, outcome: 'refused'): void };
  /** Called when the merchant's server is to hear of a payment, or of a return, and that is durable. */
  readonly onNews: (news: 'paid' | 'returned') => void;
  readonly settings: Pick<Settings, 'statuses' | 'watchReturns' | 'now' | 'log'>;
}

/** Records results. */
export interface StatusRecording {
  /** Never rejects: the payer sees what the service said even if our store fails. */
  readonly record: (
    issued: IssuedInvoice,
    found: StatusResult,
    raw: RawAnswer,
    isNamed: boolean,
  ) => Promise<Recorded>;
  /** Call with an invoice that a page is told is paid, on the word of the store: no look-up takes that back. */
  readonly notePaid: (paid: IssuedInvoice) => void;
}

/** Makes what records results. */
export function createStatusRecording(parts: StatusRecordingParts): StatusRecording {
  const { store, guards, onNews } = parts;
  const { statuses, now, log } = parts.settings;
  const knownPaid = createRecent<true>(() => true, maxKnownPaid);
  const logged = new Set<string>();
  const watch = toWatch(parts.settings);

  return { record, notePaid };

  function notePaid(paid: IssuedInvoice): void {
    knownPaid.set(toName(paid), true);
  }

  async function record(
    issued: IssuedInvoice,
    found: StatusResult,
    raw: RawAnswer,
    isNamed: boolean,
  ): Promise<Recorded> {
    const isKnown = areSome(['paid', 'pending', 'refused', 'returned'], raw.status);
    if (!isKnown) noteUnknown(raw.status, issued);
    const { externalId, invoiceId } = issued;
    const wasPaid = knownPaid.get(toName(issued)) ?? false;
    try {
      const answer = toAnswer(issued, found, raw, isNamed);
      const told = await store.change(externalId, (order, nowMs) =>
        heard(order, answer, { nowMs, ...watch }),
      );
      follow(told, issued, raw);
      const isPaid = wasPaid || told.isPaid;
      return { isRecorded: true, is: told.is, result: isPaid ? toPaid(found, issued) : found };
    } catch (thrown) {
      const about = { operation: 'look_up', externalId, invoiceId } as const;
      logError(log, thrown, { event: 'ledger_failed', ...about });
      const result = wasPaid ? toPaid(found, issued) : found;
      return { isRecorded: false, is: 'open', result };
    }
  }

  function toAnswer(
    issued: IssuedInvoice,
    { classification: meaning, data }: StatusResult,
    { status, mismatch: field, endToEndId }: RawAnswer,
    isNamed: boolean,
  ): Heard {
    const invoice = toFoundInvoice(issued, data, now());
    const word = isStatusWord(status) ? status : unknownStatus;
    return { invoice, meaning, word, wordIs: toWordKind(status), field, endToEndId, isNamed };
  }

  // Assumed: a paid invoice that reads as pending is an old answer, and no return (service spec shows no return at all). A
  // word that no list has may be one: a return that is missed is worse than a question too many.
  function toWordKind(status: string): Heard['wordIs'] {
    if (areSome(['returned'], status)) return 'returned';
    return areSome(['paid', 'pending'], status) ? 'none' : 'other';
  }

  function follow({ news, refused }: HeardAnswer, issued: IssuedInvoice, raw: RawAnswer): void {
    if (refused) guards.note(refused, 'refused');
    if (news === 'returned') noteReturned(issued, raw.status);
    if (news) onNews(news);
  }

  function areSome(lists: readonly (keyof typeof statuses)[], status: string): boolean {
    return lists.some((name) => isListed(statuses[name], status));
  }

  function noteReturned({ externalId, invoiceId }: IssuedInvoice, status: string): void {
    const serviceStatus = isStatusWord(status) ? status : unknownStatus;
    const about = { operation: 'look_up', externalId, invoiceId, serviceStatus } as const;
    log({ level: 'warn', event: 'returned', ...about });
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
}

/** A service may give two orders one id. */
function toName({ invoiceId, externalId }: IssuedInvoice): string {
  return `${invoiceId} ${externalId}`;
}

/** How soon a paid invoice is asked about, for `order/`; nothing: never. */
export function toWatch({ watchReturns }: Pick<Settings, 'watchReturns'>) {
  return watchReturns ? { askAgainAfterMs } : {};
}

/** Paid is never taken back: another process may have recorded it before the service changed its answer, or broke. */
function toPaid({ data }: StatusResult, issued: IssuedInvoice): StatusResult {
  const paid = { ...data, ...toCreatedFields(issued), status: 'paid' };
  return { data: paid, classification: 'paid' };
}
