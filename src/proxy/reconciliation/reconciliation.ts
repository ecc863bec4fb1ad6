/**
 * Looks up what nobody asks for: invoices whose page was closed, and attempts whose process was killed. Several processes
 * share the work, for the ledger gives each invoice to one of them.
 *
 * Owns how much is done at once and when it is done again. What a look-up finds is recorded by the look-up itself.
 */

import { Throttled } from '../status/rate-limit.js';
import { errorNameOf } from '../config/log.js';
import type { Log } from '../config/log.js';
import type { StatusResult, LookUps } from '../status/shared-look-ups.js';
import type { DueInvoice, Ledger } from '../ledger/ledger.js';
import { ProxyError, unavailable } from '../runtime/proxy-error.js';
import {
  isOver,
  isRegular,
  isUnresolved,
  toNextLookUpMs,
  toNextTryMs,
  toOnceMoreMs,
} from './reconciliation-schedule.js';

/** Most look-ups of a minute, in this process, whatever the budget. */
const mostPerMinute = 60;

/** Most look-ups at once. */
const atOnce = 4;

/** How long an invoice is this process's, milliseconds. */
const claimedForMs = 60_000;

/** Shortest time between two look-ups of one invoice that are one more after news of it, milliseconds. */
const onceMoreEveryMs = 10 * 60_000;

/** What sweeping needs. */
export interface ReconciliationParts {
  readonly ledger: Pick<
    Ledger,
    | 'expireSent'
    | 'claimDueLookUps'
    | 'scheduleLookUp'
    | 'recordExpired'
    | 'recordUnresolved'
    | 'passThrottle'
  >;
  /** Records what it finds. */
  readonly lookUp: LookUps['lookUp'];
  readonly now: () => number;
  readonly log: Log;
}

/** Look-ups that nobody asks for. */
export interface Reconciliation {
  /**
   * Looks up what is due, and takes attempts on whose time ran out. Never rejects.
   * @param signal aborted: nothing new is begun
   */
  readonly reconcileDue: (signal?: AbortSignal) => Promise<void>;
}

/** Makes the sweep of one process. */
export function createReconciliation({
  ledger,
  lookUp,
  now,
  log,
}: ReconciliationParts): Reconciliation {
  let lookedUpAtMs: number[] = [];

  return {
    async reconcileDue(signal) {
      try {
        noteUnknown(await ledger.expireSent());
        let isMore = true;
        while (isMore) isMore = !signal?.aborted && (await reconcileSome());
      } catch (thrown) {
        noteLedgerFailure(thrown);
      }
    },
  };

  /** Which orders they are is in their deliveries: here nobody knows more of them than how many. */
  function noteUnknown(count: number): void {
    for (let left = count; left > 0; left -= 1) {
      log({ level: 'error', event: 'outcome_unknown', operation: 'sweep' });
    }
  }

  /** @returns whether there may be more to do now */
  async function reconcileSome(): Promise<boolean> {
    const nowMs = now();
    lookedUpAtMs = lookedUpAtMs.filter((atMs) => atMs <= nowMs && atMs > nowMs - 60_000);
    const most = Math.min(atOnce, mostPerMinute - lookedUpAtMs.length);
    if (most <= 0) return false;
    const due = await ledger.claimDueLookUps(most, claimedForMs);
    const areDone = await Promise.all(due.map(reconcileOne));
    return due.length > 0 && areDone.every(Boolean);
  }

  /** @returns false if the budget keeps it back */
  async function reconcileOne(invoice: DueInvoice): Promise<boolean> {
    const startedAtMs = now();
    const found = await lookUp(invoice, { priority: 'background' }).catch(toProxyError);
    try {
      if (found instanceof Throttled) {
        await ledger.scheduleLookUp(invoice, invoice.dueAtMs);
        return false;
      }
      lookedUpAtMs.push(startedAtMs);
      if (!invoice.isExpired && isOver(invoice, startedAtMs) && isUnpaid(found)) {
        await ledger.recordExpired(invoice);
      }
      if (needsPerson(invoice, found, startedAtMs)) await noteUnresolved(invoice);
      // Whatever was found: a payment that could not be recorded is found again, and a recorded one stays settled.
      await ledger.scheduleLookUp(invoice, await toNextMs(invoice, found));
    } catch (thrown) {
      // The claim runs out, and it is due again.
      noteLedgerFailure(thrown);
    }
    return true;
  }

  /** Each time, as a reminder: its order cannot be paid in another way. The ledger queues one delivery for each attempt. */
  async function noteUnresolved(invoice: DueInvoice): Promise<void> {
    const { externalId, invoiceId } = invoice;
    await ledger.recordUnresolved(invoice);
    log({ level: 'error', event: 'outcome_unknown', operation: 'sweep', externalId, invoiceId });
  }

  async function toNextMs(
    invoice: DueInvoice,
    found: StatusResult | ProxyError,
  ): Promise<number | null> {
    if (found instanceof ProxyError && !isAnswered(found)) {
      return toNextTryMs(invoice, now(), now() + (found.retryAfterSeconds ?? 0) * 1_000);
    }
    const isOnceMore =
      !isRegular(invoice, invoice.dueAtMs) &&
      (await ledger.passThrottle(`once more ${invoice.invoiceId}`, onceMoreEveryMs));
    return isOnceMore ? toOnceMoreMs(invoice, now()) : toNextLookUpMs(invoice, now());
  }

  function toProxyError(thrown: unknown): ProxyError {
    if (thrown instanceof ProxyError) return thrown;
    const errorName = errorNameOf(thrown);
    log({ level: 'error', event: 'unexpected_error', operation: 'sweep', errorName });
    return unavailable();
  }

  function noteLedgerFailure(thrown: unknown): void {
    const errorName = errorNameOf(thrown);
    log({ level: 'error', event: 'ledger_failed', operation: 'sweep', errorName });
  }
}

/** That the service does not know an invoice is an answer. */
function isAnswered(found: StatusResult | ProxyError): boolean {
  return !(found instanceof ProxyError) || found.code === 'not_found';
}

/** Whether nobody knows for too long how a card ended. */
function needsPerson(
  invoice: DueInvoice,
  found: StatusResult | ProxyError,
  nowMs: number,
): boolean {
  const isEnded =
    !(found instanceof ProxyError) &&
    (found.classification === 'paid' || found.classification === 'refused');
  const isCard = invoice.method === 'credit_card';
  return isCard && !isEnded && isUnresolved(invoice, nowMs, isAnswered(found));
}

/** What a wrong answer says is not known. An invoice the service does not know cannot be paid. */
function isUnpaid(found: StatusResult | ProxyError): boolean {
  return found instanceof ProxyError ? found.code === 'not_found' : found.classification === 'open';
}
