/**
 * Look-ups of open invoices that fall due: their page was closed, or a postback came. The look-up itself tells the order what was
 * answered; here stands what follows from the time at which it was, and when it is asked again.
 */

import { undecided } from '../order/attempts.js';
import { putOffLookUp, takenLookUp } from '../order/due.js';
import type { TakenLookUp } from '../order/due.js';
import { heardExpired } from '../order/payments.js';
import type { Given, Order } from '../order/order.js';
import { findInvoice } from '../order/questions.js';
import { Throttled } from '../gateway/rate-limit.js';
import { markNow } from '../runtime/moment.js';
import { ProxyError } from '../runtime/proxy-error.js';
import type { Settings } from '../config/read-options.js';
import type { Told } from '../status/hear.js';
import type { CallTerms, LookUps } from '../status/look-up.js';
import type { OrderStore } from '../store/order-store.js';
import { isPastDeadline, isUnresolved, toNextLookUpMs, toNextTryMs } from './look-up-times.js';
import type { Pace } from './pace.js';
import { toTask } from './task.js';
import type { Outcome, Task } from './task.js';

/** How long one process has for a look-up, milliseconds. */
export const takenForMs = 60_000;

/** What it needs. */
export interface LookUpTaskParts {
  readonly store: Pick<OrderStore, 'read' | 'change'>;
  readonly lookUp: LookUps['lookUp'];
  readonly settings: Pick<Settings, 'now' | 'log'>;
  readonly pace: Pace;
  readonly terms: CallTerms;
}

type LookUpOutcome = Told | ProxyError;

export function createLookUpTask({ store, lookUp, settings, pace, terms }: LookUpTaskParts): Task {
  const { now, log } = settings;

  return toTask<TakenLookUp>({
    operation: 'sweep',
    kinds: ['look_up'],
    room: pace.room,
    takenForMs,
    isRelaxed: true,
    take: (order, { id: invoiceId }, given) =>
      takenLookUp(order, { invoiceId, forMs: takenForMs }, given),
    run,
  });

  async function run(invoice: TakenLookUp): Promise<Outcome> {
    const startedAtMs = now();
    const mayExpire = invoice.lapsedAtMs === null && isPastDeadline(invoice, startedAtMs);
    // An older answer cannot say that a deadline was not met, nor what a postback tells of.
    const isOlderEnough = !mayExpire && invoice.hintedAtMs === undefined;
    const begunAfter = isOlderEnough ? 'whenever' : markNow();
    const found = await lookUp(invoice, { ...terms, begunAfter }).catch(toProxyError);
    if (found instanceof Throttled) {
      const { takenUntilMs, dueAtMs: atMs } = invoice;
      await putOff(invoice, (order) => putOffLookUp(order, { ...invoice, takenUntilMs, atMs })[0]);
      return 'later';
    }
    pace.note();
    const isExpired = mayExpire && isUnpaid(found);
    const isForPerson = needsPerson(invoice, found, startedAtMs);
    const follow = (order: Order, given: Given) => {
      const expired = isExpired ? heardExpired(order, invoice, given)[0] : order;
      const told = isForPerson ? undecided(expired, invoice, given)[0] : expired;
      return withNext(told, invoice, found, given);
    };
    await putOff(invoice, follow, !isExpired && !isForPerson);
    if (isForPerson) noteUnresolved(invoice);
    return 'done';
  }

  function putOff(
    { externalId }: TakenLookUp,
    follow: (order: Order, given: Given) => Order,
    isRelaxed = true,
  ): Promise<void> {
    return store.change(externalId, (order, nowMs) => [follow(order, { nowMs }), undefined], {
      isRelaxed,
    });
  }

  /** Logs each time, as a reminder: its order cannot be paid in another way. One event is queued for each attempt. */
  function noteUnresolved({ externalId, invoiceId }: TakenLookUp): void {
    log({ level: 'error', event: 'outcome_unknown', operation: 'sweep', externalId, invoiceId });
  }
}

/** For each result: a payment that could not be recorded is found again, and a recorded one stays settled. */
function withNext(order: Order, taken: TakenLookUp, found: LookUpOutcome, { nowMs }: Given): Order {
  const { invoiceId, takenUntilMs } = taken;
  const invoice = findInvoice(order, invoiceId) ?? taken;
  const atMs =
    found instanceof ProxyError && !isAnswered(found)
      ? toNextTryMs(invoice, nowMs, nowMs + (found.retryAfterSeconds ?? 0) * 1_000)
      : toNextLookUpMs(invoice, nowMs);
  return putOffLookUp(order, { invoiceId, takenUntilMs, atMs })[0];
}

/** The failure of a look-up, which is in the log already. */
export function toProxyError(thrown: unknown): ProxyError {
  if (thrown instanceof ProxyError) return thrown;
  throw thrown;
}

/** `not_found` counts as an answer. */
function isAnswered(found: LookUpOutcome): boolean {
  return !(found instanceof ProxyError) || found.code === 'not_found';
}

/** Whether a card charge has been undecided for too long. */
function needsPerson(invoice: TakenLookUp, found: LookUpOutcome, nowMs: number): boolean {
  const isEnded =
    !(found instanceof ProxyError) && (found.meaning === 'paid' || found.meaning === 'refused');
  const isCard = invoice.method === 'credit_card';
  return isCard && !isEnded && isUnresolved(invoice, nowMs, isAnswered(found));
}

/** An answer about another invoice proves nothing. An invoice the service does not know cannot be paid. */
function isUnpaid(found: LookUpOutcome): boolean {
  return found instanceof ProxyError ? found.code === 'not_found' : found.meaning === 'open';
}
