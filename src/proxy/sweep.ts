/**
 * Looks up what nobody asks for: invoices whose page was closed, and attempts whose process was killed. Several processes
 * share the work, for the ledger gives each invoice to one of them.
 *
 * Owns how much is done at once and when it is done again. What a look-up finds is recorded by the look-up itself.
 */

import { KeptBack } from './budget.js';
import { errorNameOf } from './log.js';
import type { Log } from './log.js';
import type { Finding, LookUps } from './look-ups.js';
import type { DueInvoice, Ledger } from './orders/orders.js';
import { Refusal, unavailable } from './refusal.js';
import {
  isOver,
  isRegular,
  isUnresolved,
  toNextLookUpMs,
  toNextTryMs,
  toOnceMoreMs,
} from './sweep-schedule.js';

/** Most look-ups of a minute, in this process, whatever the budget. */
const mostPerMinute = 60;

/** Most look-ups at once. */
const atOnce = 4;

/** How long an invoice is this process's, milliseconds. */
const claimedForMs = 60_000;

/** Shortest time between two look-ups of one invoice that are one more after news of it, milliseconds. */
const onceMoreEveryMs = 10 * 60_000;

/** What sweeping needs. */
export interface SweepParts {
  readonly ledger: Pick<
    Ledger,
    | 'expireSent'
    | 'claimDueLookUps'
    | 'scheduleLookUp'
    | 'recordLapsed'
    | 'recordUnresolved'
    | 'claimPause'
  >;
  /** Records what it finds. */
  readonly lookUp: LookUps['lookUp'];
  readonly now: () => number;
  readonly log: Log;
}

/** Look-ups that nobody asks for. */
export interface Sweep {
  /**
   * Looks up what is due, and takes attempts on whose time ran out. Never rejects.
   * @param signal aborted: nothing new is begun
   */
  readonly sweepDue: (signal?: AbortSignal) => Promise<void>;
}

/** Makes the sweep of one process. */
export function createSweep({ ledger, lookUp, now, log }: SweepParts): Sweep {
  let lookedUpAtMs: number[] = [];

  return {
    async sweepDue(signal) {
      try {
        noteUnknown(await ledger.expireSent());
        let isMore = true;
        while (isMore) isMore = !signal?.aborted && (await sweepSome());
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
  async function sweepSome(): Promise<boolean> {
    const nowMs = now();
    lookedUpAtMs = lookedUpAtMs.filter((atMs) => atMs <= nowMs && atMs > nowMs - 60_000);
    const most = Math.min(atOnce, mostPerMinute - lookedUpAtMs.length);
    if (most <= 0) return false;
    const due = await ledger.claimDueLookUps(most, claimedForMs);
    const areDone = await Promise.all(due.map(sweepOne));
    return due.length > 0 && areDone.every(Boolean);
  }

  /** @returns false if the budget keeps it back */
  async function sweepOne(invoice: DueInvoice): Promise<boolean> {
    const startedAtMs = now();
    const found = await lookUp(invoice, { urgency: 'sweep' }).catch(toRefusal);
    try {
      if (found instanceof KeptBack) {
        await ledger.scheduleLookUp(invoice, invoice.dueAtMs);
        return false;
      }
      lookedUpAtMs.push(startedAtMs);
      if (!invoice.isLapsed && isOver(invoice, startedAtMs) && isUnpaid(found)) {
        await ledger.recordLapsed(invoice);
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

  async function toNextMs(invoice: DueInvoice, found: Finding | Refusal): Promise<number | null> {
    if (found instanceof Refusal && !isAnswered(found)) {
      return toNextTryMs(invoice, now(), now() + (found.retryAfterSeconds ?? 0) * 1_000);
    }
    const isOnceMore =
      !isRegular(invoice, invoice.dueAtMs) &&
      (await ledger.claimPause(`once more ${invoice.invoiceId}`, onceMoreEveryMs));
    return isOnceMore ? toOnceMoreMs(invoice, now()) : toNextLookUpMs(invoice, now());
  }

  function toRefusal(thrown: unknown): Refusal {
    if (thrown instanceof Refusal) return thrown;
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
function isAnswered(found: Finding | Refusal): boolean {
  return !(found instanceof Refusal) || found.code === 'not_found';
}

/** Whether nobody knows for too long how a card ended. */
function needsPerson(invoice: DueInvoice, found: Finding | Refusal, nowMs: number): boolean {
  const isEnded =
    !(found instanceof Refusal) && (found.verdict === 'paid' || found.verdict === 'refused');
  const isCard = invoice.method === 'credit_card';
  return isCard && !isEnded && isUnresolved(invoice, nowMs, isAnswered(found));
}

/** What a wrong answer says is not known. An invoice the service does not know cannot be paid. */
function isUnpaid(found: Finding | Refusal): boolean {
  return found instanceof Refusal ? found.code === 'not_found' : found.verdict === 'open';
}
