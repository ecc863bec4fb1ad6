/** Writes down how charges ended. A charge that is not recorded is one that a person has to search for. */

import { logError } from '../config/log.js';
import type { Log } from '../config/log.js';
import { endedCard } from '../order/charges.js';
import type { CardEnding } from '../order/charges.js';
import type { Attempt } from '../order/order.js';
import type { OrderStore } from '../store/order-store.js';
import { record } from '../store/record.js';

/** What it needs. */
interface EndingParts {
  readonly store: OrderStore;
  readonly settings: { readonly log: Log };
}

/** Makes what writes them down. */
export function createEndings({ store, settings: { log } }: EndingParts) {
  return {
    noteFailure,

    /** Tries twice, unless nothing left: then the claim runs out. @throws where the second try fails, too */
    async recordEnd(attempt: Attempt, ending: CardEnding): Promise<void> {
      const write = () => record(store, attempt.externalId, endedCard, { attempt, ending });
      try {
        await write();
      } catch (thrown) {
        const invoiceId = 'invoice' in ending ? ending.invoice?.invoiceId : undefined;
        const { externalId } = attempt;
        noteFailure(invoiceId === undefined ? { externalId } : { externalId, invoiceId }, thrown);
        if (ending.state !== 'failed') await write();
      }
    },
  };

  function noteFailure(
    subject: { readonly externalId: string; readonly invoiceId?: string },
    thrown: unknown,
  ): void {
    const { externalId, invoiceId } = subject;
    const named = invoiceId === undefined ? { externalId } : { externalId, invoiceId };
    logError(log, thrown, { operation: 'create', ...named });
  }
}
