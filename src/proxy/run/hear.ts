/**
 * Tells the order what a look-up of one of its invoices was answered, before a page is told, and logs what a person may have to see:
 * an order may wait for ever because of a status that the options do not list.
 */

import type { InvoiceStatus } from '../../contract/types.js';
import { logError } from '../set-up/log.js';
import type { Settings } from '../set-up/options/read-options.js';
import { toCreatedFields } from '../outside/invoice-forms.js';
import type { Answered } from '../outside/read-answer.js';
import { heard } from '../order/heard.js';
import type { Meaning } from '../order/heard.js';
import type { Attempt, IssuedInvoice, NamedOutcome } from '../order/order.js';
import type { OrderStore } from '../store/order-store.js';

/** Most unknown statuses logged by one process, each once. */
const maxLogged = 100;

/** What a look-up came to. */
export interface Told {
  /** As a page may see it: `paid` only if that is the meaning. */
  readonly data: InvoiceStatus;
  /** An invoice that was found paid stays paid, whatever the service says now. */
  readonly meaning: Meaning;
  /** What a named invoice was found to be. */
  readonly is: NamedOutcome;
  /** Whether its order knows. Else the store failed, and the invoice is looked up again. */
  readonly isWritten: boolean;
}

interface HearParts {
  readonly store: Pick<OrderStore, 'change'>;
  /** Counts how cards end. */
  readonly guards: { note(attempt: Attempt, outcome: 'refused'): void };
  /** Called when the merchant's server is to hear of a payment, or of a return, and that is durable. */
  readonly onNews: (news: 'paid' | 'returned', externalId: string) => void;
  readonly settings: Pick<Settings, 'watchReturns' | 'log'>;
}

/** Never rejects: the payer sees what the service said even if our store fails. @param wasPaid a page was told so */
export type Hear = (issued: IssuedInvoice, answer: Answered, wasPaid: boolean) => Promise<Told>;

export function createHear({ store, guards, onNews, settings }: HearParts): Hear {
  const { watchReturns: isWatched, log } = settings;
  const logged = new Set<string>();

  return async function hear(issued, answer, wasPaid) {
    const { externalId, invoiceId } = issued;
    const about = { operation: 'look_up', externalId, invoiceId } as const;
    const { data, meaning, field, unlisted } = answer;
    if (field !== null) log({ level: 'error', event: 'mismatch', invoiceId, externalId, field });
    if (unlisted !== null && !logged.has(unlisted) && logged.size < maxLogged) {
      logged.add(unlisted);
      const word = unlisted && { serviceStatus: unlisted };
      log({ level: 'warn', event: 'unknown_status', ...about, ...word });
    }
    const toSaid = (isPaid: boolean): Pick<Told, 'data' | 'meaning'> =>
      isPaid
        ? { data: { ...data, ...toCreatedFields(issued), status: 'paid' }, meaning: 'paid' }
        : { data, meaning };
    try {
      const found = await store.change(externalId, (order, nowMs) =>
        heard(order, answer, { nowMs, isWatched }),
      );
      const { news, refused } = found;
      const { word: serviceStatus } = answer;
      if (refused) guards.note(refused, 'refused');
      if (news === 'returned') log({ level: 'warn', event: 'returned', ...about, serviceStatus });
      if (news) onNews(news, externalId);
      // Another process may have written it before the service changed its answer, or broke.
      const said = toSaid(wasPaid || found.isPaid);
      return { ...said, is: found.is, isWritten: found.isPaid || !wasPaid };
    } catch (thrown) {
      logError(log, thrown, { event: 'ledger_failed', ...about });
      return { ...toSaid(wasPaid), is: 'open', isWritten: false };
    }
  };
}
