/**
 * Due look-ups: of open invoices, whose page was closed or for which a postback came, and of named ids. The look-up itself
 * applies the answer to the order. This file decides what else follows: an expiry, an alert, and the next look-up.
 */

import { reportUndecidedCard } from '../../order/attempts.js';
import { endTakenLookUp, takeLookUp, endTakenNamedId, takeNamedId } from '../../order/due.js';
import type { TakenLookUp } from '../../order/due.js';
import { recordExpiry } from '../../order/apply-answer.js';
import type { Given, Order, NamedId, NamedOutcome } from '../../order/order.js';
import { findInvoice, isCard, isIdOfPaidInvoice } from '../../order/order.js';
import {
  isPastDeadline,
  isLongUnresolved,
  times,
  toNextLookUpMs,
  toNextNamedMs,
  toNextPaidMs,
} from '../../order/times.js';
import type { Failed } from '../../order/times.js';
import { markNow } from '../../runtime/running.js';
import type { LookUpResult } from '../look-up.js';
import { record } from '../../store/order-store.js';
import { toEndedCall, toFailed, toTask } from './due-work.js';
import type { LookUpTaskParts, TaskOutcome, Task } from './due-work.js';

type Found = LookUpResult | Failed;

/** Creates the task that looks open invoices up when they are due. */
export function createLookUpTask(parts: LookUpTaskParts): Task {
  const { store, lookUp, postbackWatch, settings, pace, terms } = parts;
  const { now, log } = settings;
  const { takenForMs } = times;

  return toTask<TakenLookUp>({
    operation: 'sweep',
    kinds: ['look_up'],
    room: pace.room,
    isLatestFirst: true,
    takenForMs,
    isRelaxed: true,
    take: (order, { id: invoiceId }, given) =>
      takeLookUp(order, { invoiceId, forMs: takenForMs }, given),
    run: runLookUp,
  });

  /**
   * Looks a taken invoice up. Records that it expired if its deadline passed unpaid, queues `outcome_unknown` if it needs a
   * person, and sets when it is looked up next.
   */
  async function runLookUp(invoice: TakenLookUp): Promise<TaskOutcome> {
    const { externalId, invoiceId } = invoice;
    const startedAtMs = now();
    const mayExpire = invoice.lapsedAtMs === null && isPastDeadline(invoice, startedAtMs);
    // An earlier answer cannot tell whether a deadline was missed, or what a postback announced.
    const mayShareAnswer = !mayExpire && invoice.hintedAtMs === undefined;
    const begunAfter = mayShareAnswer ? 'lately' : markNow();
    const found = await lookUp(invoice, { ...terms, begunAfter }).catch(toFailed);
    if ('failed' in found && found.failed === 'throttled') {
      const later = { ...invoice, atMs: invoice.dueAtMs };
      await record(store, externalId, endTakenLookUp, later, { isRelaxed: true });
      return 'later';
    }
    pace.note(toEndedCall(found, startedAtMs));
    const isExpired = mayExpire && isUnpaid(found);
    const isForPerson = needsPerson(invoice, found, startedAtMs);
    const isSparse = postbackWatch.areArriving();
    const follow = (order: Order, _found: Found, given: Given) => {
      const expired = isExpired ? recordExpiry(order, invoice, given) : order;
      const told = isForPerson ? reportUndecidedCard(expired, invoice, given) : expired;
      return scheduleNextLookUp(told, invoice, { found, isSparse }, given);
    };
    await record(store, externalId, follow, found, { isRelaxed: !isExpired && !isForPerson });
    // This is logged after each look-up, because the order cannot be paid in another way meanwhile. The event is queued once
    // for each alert.
    if (isForPerson)
      log({ level: 'error', event: 'outcome_unknown', operation: 'sweep', externalId, invoiceId });
  }
}

/**
 * Ends a taken look-up and sets when the next one is due. That depends on whether the service answered, not on what it said:
 * a stored payment has ended the look-ups already, and a payment that could not be stored has to be found again.
 */
function scheduleNextLookUp(
  order: Order,
  taken: TakenLookUp,
  { found, isSparse }: { readonly found: Found; readonly isSparse: boolean },
  { nowMs }: Given,
): Order {
  const { invoiceId, takenUntilMs } = taken;
  const invoice = findInvoice(order, invoiceId) ?? taken;
  const failed = 'failed' in found && !isAnswered(found) ? found : null;
  const atMs = toNextLookUpMs(invoice, failed, nowMs, isSparse);
  return endTakenLookUp(order, { invoiceId, takenUntilMs, atMs });
}

/** Whether the service answered. `not_found` is an answer, too: the service does not know the invoice. */
function isAnswered(found: Found): boolean {
  return !('failed' in found) || found.failed === 'not_found';
}

/** Whether a card has been undecided for so long that a person has to look. */
function needsPerson(invoice: TakenLookUp, found: Found, nowMs: number): boolean {
  const isEnded = !('failed' in found) && (found.meaning === 'paid' || found.meaning === 'refused');
  const isOpen = isCard(invoice) && !invoice.isReleased && !isEnded;
  return isOpen && isLongUnresolved(invoice, nowMs, isAnswered(found));
}

/**
 * Whether the answer proves that the invoice is not paid. An answer about another invoice proves nothing; an invoice that the
 * service does not know cannot be paid.
 */
function isUnpaid(found: Found): boolean {
  return 'failed' in found ? found.failed === 'not_found' : found.meaning === 'open';
}

// Named ids
//
// Looks up ids that postbacks named, and paid invoices that may have been returned.

/**
 * Creates the task that identifies named ids.
 * @param kind `named_paid`: looks paid invoices up for a return, which may wait; `named`: all other ids
 */
export function createNamedIdTask(parts: LookUpTaskParts, kind: 'named' | 'named_paid'): Task {
  const { store, findNamed, settings, pace, terms } = parts;
  const { watchReturns, now, log, onError } = settings;
  const { takenForMs } = times;
  const arePaid = kind === 'named_paid';

  return toTask<NamedId>({
    operation: 'postback',
    kinds: [kind],
    room: pace.room,
    ...(arePaid ? { roomBehind: pace.tenth } : {}),
    isLatestFirst: true,
    takenForMs,
    isRelaxed: true,
    take: (order, _entry, given) => takeNamedId(order, { arePaid, forMs: takenForMs }, given),
    run: runNamedId,
  });

  /**
   * Asks the service about an id: one that a postback named, or a paid invoice that may have been returned. Then drops the
   * id or makes it due again. If the service has not answered for an hour about an id that a postback named, tells the shop
   * by the log and `onError`.
   */
  async function runNamedId(namedId: NamedId, externalId: string): Promise<TaskOutcome> {
    const startedAtMs = now();
    const found = await findNamed(externalId, namedId.lookUpId, terms).catch(toFailed);
    const isThrottled = typeof found === 'object' && found.failed === 'throttled';
    if (!isThrottled) pace.note(toEndedCall(found, startedAtMs));
    const tried = { ...namedId, tries: isThrottled ? namedId.tries : namedId.tries + 1 };
    const isRepeated = await store.change(
      externalId,
      (order, nowMs) => {
        const atMs = isIdOfPaidInvoice(order, namedId)
          ? toNextPaidMs(tried, found, nowMs, watchReturns)
          : toNextNamedMs(tried, found, nowMs);
        return [endTakenNamedId(order, { namedId: tried, atMs }), atMs !== null];
      },
      { isRelaxed: true },
    );
    const isAnswered = found === 'recorded' || found === 'open' || found === 'none';
    const about = { operation: 'postback', externalId, invoiceId: namedId.lookUpId } as const;
    if (!isRepeated && !isAnswered) log({ level: 'warn', event: 'postback_dropped', ...about });
    if (isRepeated && isUnanswered(namedId, found)) await warnUnanswered(namedId, externalId);
    return isThrottled ? 'later' : undefined;
  }

  /**
   * Whether the shop has to know that the service does not say what an id is. Until it does, the order takes no card and gets
   * no new code.
   */
  function isUnanswered({ sinceMs, namedAtMs }: NamedId, found: NamedOutcome | Failed): boolean {
    if (arePaid || typeof found !== 'object' || found.failed !== 'no_answer') return false;
    return now() - (sinceMs ?? namedAtMs) >= times.named.unanswered.afterMs;
  }

  /** Tells the shop by the log and `onError` that the service does not say what an id is: once a day, over all processes. */
  async function warnUnanswered({ lookUpId }: NamedId, externalId: string): Promise<void> {
    const name = `postback unanswered ${externalId}`;
    const { everyMs } = times.named.unanswered;
    if (!(await store.passThrottle(name, everyMs).catch(() => true))) return;
    const about = { operation: 'postback', externalId, invoiceId: lookUpId } as const;
    log({ level: 'error', event: 'postback_unanswered', ...about });
    const why = `A postback named ${lookUpId}, and the service does not say what it is`;
    const error = new Error(`${why}: order ${externalId} cannot be paid until it does`);
    onError(error, { hook: 'postback', externalId });
  }
}
