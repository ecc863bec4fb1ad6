/**
 * Due look-ups of open invoices: their page was closed, or a postback came. The look-up itself applies the answer to the
 * order. This file decides what follows from the time of the answer, and when the next look-up is made.
 */

import { reportUndecidedCard, expireSentAttempts } from '../../order/attempts.js';
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
import type { Log } from '../../set-up/log.js';

type Found = LookUpResult | Failed;

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
    run,
  });

  async function run(invoice: TakenLookUp): Promise<TaskOutcome> {
    const { externalId, invoiceId } = invoice;
    const startedAtMs = now();
    const mayExpire = invoice.lapsedAtMs === null && isPastDeadline(invoice, startedAtMs);
    // An older answer cannot tell whether a deadline was missed, or what a postback announced.
    const isOlderEnough = !mayExpire && invoice.hintedAtMs === undefined;
    const begunAfter = isOlderEnough ? 'lately' : markNow();
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
      return scheduleByAnswer(told, invoice, { found, isSparse }, given);
    };
    await record(store, externalId, follow, found, { isRelaxed: !isExpired && !isForPerson });
    // This is logged each time as a reminder, because the order cannot be paid in another way. The event is queued once for
    // each attempt.
    if (isForPerson)
      log({ level: 'error', event: 'outcome_unknown', operation: 'sweep', externalId, invoiceId });
  }
}

/** Applies to every answer: a payment that could not be stored is found again, and a stored one stays settled. */
function scheduleByAnswer(
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

/** That the service does not know the invoice is an answer. */
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
 * Whether the answer proves that it is not paid. An answer about another invoice proves nothing; an invoice that the service
 * does not know cannot be paid.
 */
function isUnpaid(found: Found): boolean {
  return 'failed' in found ? found.failed === 'not_found' : found.meaning === 'open';
}

// Named ids
//
// Looks up ids that postbacks named, and paid invoices that may have been returned.

/** @param kind `named_paid` takes paid invoices, which may wait */
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
    run,
  });

  async function run(namedId: NamedId, externalId: string): Promise<TaskOutcome> {
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
    if (isRepeated && isUnanswered(namedId, found)) await tellUnanswered(namedId, externalId);
    return isThrottled ? 'later' : undefined;
  }

  /** Whether the shop has to hear that an id cannot be identified: no card is sent and no code is created meanwhile. */
  function isUnanswered({ sinceMs, namedAtMs }: NamedId, found: NamedOutcome | Failed): boolean {
    if (arePaid || typeof found !== 'object' || found.failed !== 'no_answer') return false;
    return now() - (sinceMs ?? namedAtMs) >= times.named.unanswered.afterMs;
  }

  async function tellUnanswered({ lookUpId }: NamedId, externalId: string): Promise<void> {
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

// Sent cards
//
// A card's answer may not come in time, most often because its process was killed. Then its outcome is unknown.

/** Most at once. */
const mostSentCards = 50;

export function createSentCardTask(log: Log): Task {
  return toTask<number>({
    operation: 'sweep',
    kinds: ['sent'],
    room: () => mostSentCards,
    takenForMs: 0,
    isRelaxed: false,
    take(order, _entry, given) {
      const [next, count] = expireSentAttempts(order, given);
      return [next, count > 0 ? count : null];
    },
    async run(count, externalId) {
      for (let left = count; left > 0; left -= 1) {
        log({ level: 'error', event: 'outcome_unknown', operation: 'sweep', externalId });
      }
    },
  });
}
