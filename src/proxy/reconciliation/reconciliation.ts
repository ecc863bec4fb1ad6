/**
 * Reconciliation: looks up invoices whose page was closed, and ends attempts whose process was killed. Several processes share
 * the work: the ledger gives each due invoice to one of them. The look-up itself records its result.
 */

import { Throttled } from '../gateway/rate-limit.js';
import { errorNameOf } from '../config/log.js';
import type { Log } from '../config/log.js';
import type { NamedInvoices } from '../status/named-invoices.js';
import type { CallTerms, LookUps, StatusResult } from '../status/shared-look-ups.js';
import type { DueInvoice, Ledger, NamedId } from '../ledger/ledger.js';
import { markNow } from '../runtime/moment.js';
import { ProxyError, unavailable } from '../runtime/proxy-error.js';
import {
  isOver,
  isRegular,
  isUnresolved,
  toNextLookUpMs,
  toNextTryMs,
  toOnceMoreMs,
} from './reconciliation-schedule.js';

/** Most look-ups of a minute in this process, whatever its rate limit. */
const mostPerMinute = 60;

/** Most look-ups at once. */
const atOnce = 4;

/** How long a claim of an invoice lasts, milliseconds. */
const claimedForMs = 60_000;

/** Payers at work come first, but a tenth of the calls is reserved. */
const terms = { priority: 'background', mayUseReserve: true } as const;

/** Paid invoices come last. */
const lowestTerms = { priority: 'background' } as const;

/** Shortest time between two repeated look-ups of one invoice, milliseconds. */
const onceMoreEveryMs = 10 * 60_000;

/** What reconciliation needs. */
interface ReconciliationParts {
  readonly ledger: Pick<
    Ledger,
    | 'expireSent'
    | 'claimDueLookUps'
    | 'scheduleLookUp'
    | 'recordExpired'
    | 'recordUnresolved'
    | 'passThrottle'
    | 'claimDueNamed'
  >;
  /** Records its result. */
  readonly lookUp: LookUps['lookUp'];
  readonly lookUpDue: NamedInvoices['lookUpDue'];
  readonly now: () => number;
  readonly log: Log;
}

/** Reconciliation of one process. */
export interface Reconciliation {
  /**
   * Looks up what is due, and ends attempts whose time ran out. Never rejects.
   * @param signal aborted: nothing new is begun
   */
  readonly reconcileDue: (signal?: AbortSignal) => Promise<void>;
}

/** Makes the reconciliation of one process. */
export function createReconciliation({
  ledger,
  lookUp,
  lookUpDue,
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

  /** The outbox events name the orders; the ledger returns only their number. */
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
    const named = await ledger.claimDueNamed(most, claimedForMs, false);
    const left = most - named.length;
    const due = left > 0 ? await ledger.claimDueLookUps(left, claimedForMs) : [];
    const areDone = await Promise.all([
      ...named.map((one) => reconcileNamed(one, terms)),
      ...due.map(reconcileOne),
    ]);
    if (areDone.length > 0) return areDone.every(Boolean);
    // Nothing else is due.
    const paid = await ledger.claimDueNamed(most, claimedForMs, true);
    await Promise.all(paid.map((one) => reconcileNamed(one, lowestTerms)));
    return paid.length > 0;
  }

  async function reconcileNamed(named: NamedId, how: CallTerms): Promise<true> {
    lookedUpAtMs.push(now());
    await lookUpDue(named, how);
    return true;
  }

  /** @returns false if the rate limit left no call for it */
  async function reconcileOne(invoice: DueInvoice): Promise<boolean> {
    const startedAtMs = now();
    const mayExpire = !invoice.isExpired && isOver(invoice, startedAtMs);
    // An older answer cannot say that a deadline was not met.
    const begunAfter = mayExpire ? markNow() : 'whenever';
    const found = await lookUp(invoice, { ...terms, begunAfter }).catch(toProxyError);
    try {
      if (found instanceof Throttled) {
        await ledger.scheduleLookUp(invoice, invoice.dueAtMs);
        return false;
      }
      lookedUpAtMs.push(startedAtMs);
      if (mayExpire && isUnpaid(found)) await ledger.recordExpired(invoice);
      if (needsPerson(invoice, found, startedAtMs)) await noteUnresolved(invoice);
      // For each result: a payment that could not be recorded is found again, and a recorded one stays settled.
      await ledger.scheduleLookUp(invoice, await toNextMs(invoice, found));
    } catch (thrown) {
      // The claim runs out, and it is due again.
      noteLedgerFailure(thrown);
    }
    return true;
  }

  /** Logs each time, as a reminder: its order cannot be paid in another way. The ledger queues one event for each attempt. */
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

/** `not_found` counts as an answer. */
function isAnswered(found: StatusResult | ProxyError): boolean {
  return !(found instanceof ProxyError) || found.code === 'not_found';
}

/** Whether a card charge has been undecided for too long. */
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

/** An answer about another invoice proves nothing. An invoice the service does not know cannot be paid. */
function isUnpaid(found: StatusResult | ProxyError): boolean {
  return found instanceof ProxyError ? found.code === 'not_found' : found.classification === 'open';
}
