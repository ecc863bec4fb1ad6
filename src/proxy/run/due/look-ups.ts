/**
 * Look-ups of open invoices that fall due: their page was closed, or a postback came. The look-up itself tells the order what was
 * answered; here stands what follows from the time at which it was, and when it is asked again.
 */

import { undecided } from '../../order/attempts.js';
import { putOffLookUp, takenLookUp } from '../../order/due/due.js';
import type { TakenLookUp } from '../../order/due/due.js';
import { heardExpired } from '../../order/payments.js';
import type { Given, Order } from '../../order/order.js';
import { findInvoice, isCard } from '../../order/questions.js';
import { isPastDeadline, isUnresolved, times, toNextLookUpMs } from '../../order/due/times.js';
import type { Failed } from '../../order/due/times.js';
import { markNow } from '../../runtime/moment.js';
import type { Told } from '../hear.js';
import { record } from '../../store/record.js';
import { toEnded, toFailed, toTask } from './task.js';
import type { LookUpTaskParts, Outcome, Task } from './task.js';

type Found = Told | Failed;

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
      takenLookUp(order, { invoiceId, forMs: takenForMs }, given),
    run,
  });

  async function run(invoice: TakenLookUp): Promise<Outcome> {
    const { externalId, invoiceId } = invoice;
    const startedAtMs = now();
    const mayExpire = invoice.lapsedAtMs === null && isPastDeadline(invoice, startedAtMs);
    // An older answer cannot say that a deadline was not met, nor what a postback tells of.
    const isOlderEnough = !mayExpire && invoice.hintedAtMs === undefined;
    const begunAfter = isOlderEnough ? 'lately' : markNow();
    const found = await lookUp(invoice, { ...terms, begunAfter }).catch(toFailed);
    if ('failed' in found && found.failed === 'throttled') {
      const later = { ...invoice, atMs: invoice.dueAtMs };
      await record(store, externalId, putOffLookUp, later, { isRelaxed: true });
      return 'later';
    }
    pace.note(toEnded(found, startedAtMs));
    const isExpired = mayExpire && isUnpaid(found);
    const isForPerson = needsPerson(invoice, found, startedAtMs);
    const isSparse = postbackWatch.arrive();
    const follow = (order: Order, _found: Found, given: Given) => {
      const expired = isExpired ? heardExpired(order, invoice, given) : order;
      const told = isForPerson ? undecided(expired, invoice, given) : expired;
      return withNext(told, invoice, { found, isSparse }, given);
    };
    await record(store, externalId, follow, found, { isRelaxed: !isExpired && !isForPerson });
    // Each time, as a reminder: its order cannot be paid in another way. One event is queued for each attempt.
    if (isForPerson)
      log({ level: 'error', event: 'outcome_unknown', operation: 'sweep', externalId, invoiceId });
  }
}

/** For each result: a payment that could not be recorded is found again, and a recorded one stays settled. */
function withNext(
  order: Order,
  taken: TakenLookUp,
  { found, isSparse }: { readonly found: Found; readonly isSparse: boolean },
  { nowMs }: Given,
): Order {
  const { invoiceId, takenUntilMs } = taken;
  const invoice = findInvoice(order, invoiceId) ?? taken;
  const failed = 'failed' in found && !isAnswered(found) ? found : null;
  const atMs = toNextLookUpMs(invoice, failed, nowMs, isSparse);
  return putOffLookUp(order, { invoiceId, takenUntilMs, atMs });
}

/** An invoice that the service does not know is an answer. */
function isAnswered(found: Found): boolean {
  return !('failed' in found) || found.failed === 'not_found';
}

/** Whether a card charge has been undecided for too long. */
function needsPerson(invoice: TakenLookUp, found: Found, nowMs: number): boolean {
  const isEnded = !('failed' in found) && (found.meaning === 'paid' || found.meaning === 'refused');
  const isOpen = isCard(invoice) && !invoice.isReleased && !isEnded;
  return isOpen && isUnresolved(invoice, nowMs, isAnswered(found));
}

/** An answer about another invoice proves nothing. An invoice the service does not know cannot be paid. */
function isUnpaid(found: Found): boolean {
  return 'failed' in found ? found.failed === 'not_found' : found.meaning === 'open';
}
