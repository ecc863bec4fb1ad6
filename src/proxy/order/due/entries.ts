/**
 * Computes from an order the entries by which a store finds it and its due work, and when a store may delete it. An order keeps
 * none of this.
 */

import { dayMs, toDayMs } from '../../../domain/spans.js';
import { isOfMoney, isUntold } from '../told/current-events.js';
import type { DeliveryKind } from '../told/outbox-events.js';
import { isInQuestion } from '../invoices.js';
import type { Order } from '../order.js';
import { invoiceOf, isSent, isCard, isOfPaid } from '../questions.js';

/** How long an order lives after the last that happened to it, milliseconds. */
const livesMs = {
  /** A payer may contest a Pix for 80 days (Banco Central, MED 2.0). */
  sent: 90 * dayMs,
  /** An event without a hook waits for one that the merchant may add. */
  untold: 90 * dayMs,
  /** What has fallen due is done long before, unless nothing ran. */
  due: 7 * dayMs,
  /** Nothing left for it: it only answers repeated requests. */
  unsent: 30 * dayMs,
};

/**
 * `sent`: a card whose answer is awaited until then. `unknown`: one whose outcome is unknown.
 * `look_up`: an invoice to look up. `settled`: one that was found paid or refused. `named`: an id that a postback named;
 * `named_paid`: that of a paid invoice. `dead`: an event that was given up. `event …`: one that is due.
 */
export type Kind =
  | 'sent'
  | 'unknown'
  | 'look_up'
  | 'settled'
  | 'named'
  | 'named_paid'
  | 'dead'
  | `event ${DeliveryKind}`;

/** A line in the index of a store. Unique in its order by `kind` and `id`. */
export interface Entry {
  readonly kind: Kind;
  readonly id: string;
  /** When it falls due, or when it happened; milliseconds since 1970. */
  readonly atMs: number;
  /** What comes first: a safe integer, in thousandths of a millisecond since 1970. */
  readonly rank: number;
}

/** All entries of an order, in no order. */
export function entriesOf(order: Order): readonly Entry[] {
  return [
    ...order.attempts.flatMap(({ key, scope, progress: { state }, untilMs }) =>
      state === 'sent' || state === 'unknown' ? [toEntry(state, `${scope} ${key}`, untilMs)] : [],
    ),
    ...order.invoices.flatMap(({ invoiceId, lookUpAtMs, settledAtMs }) => [
      ...(lookUpAtMs === null ? [] : [toEntry('look_up', invoiceId, lookUpAtMs)]),
      ...(settledAtMs === null ? [] : [toEntry('settled', invoiceId, settledAtMs)]),
    ]),
    ...order.named.map((one) =>
      toEntry(isOfPaid(order, one) ? 'named_paid' : 'named', one.lookUpId, one.dueAtMs),
    ),
    ...order.events.flatMap(({ kind, notice, dueAtMs, queuedAtMs, outcome, endedAtMs }, at) => {
      const { deliveryId } = notice;
      if (outcome === 'given_up') return [toEntry('dead', deliveryId, endedAtMs ?? dueAtMs)];
      if (outcome !== null) return [];
      // Of one moment: in the order in which they came.
      const rank = toRank(queuedAtMs) + Math.min(at, 999);
      return [{ kind: `event ${kind}` as const, id: deliveryId, atMs: dueAtMs, rank }];
    }),
  ];
}

/**
 * After what time a store may delete an order: not while a person, or the merchant's server, still has to hear of money, nor
 * before what fell due of it was looked up.
 * @returns the end of a day, milliseconds since 1970, so that most changes of an order leave it as it is; null: not yet
 */
export function forgetAtMs(order: Order): number | null {
  if (isWaitedFor(order)) return null;
  const { aliveAtMs, sentAs, invoices, named } = order;
  const hasLeft = sentAs.length > 0 || invoices.length > 0;
  const keptMs = Math.max(
    (aliveAtMs ?? 0) + (hasLeft ? livesMs.sent : livesMs.unsent),
    ...untoldOf(order).map(({ queuedAtMs }) => queuedAtMs + livesMs.untold),
    ...invoices.flatMap(({ deadlineMs, hintedAtMs }) => [
      (deadlineMs ?? -Infinity) + livesMs.due,
      (hintedAtMs ?? -Infinity) + livesMs.due,
    ]),
  );
  // An invoice is looked up weekly until then, and that keeps its order no longer.
  const lookUpsMs = invoices.map(({ lookUpAtMs }) => lookUpAtMs ?? -Infinity);
  const dueMs = [...named.map(({ dueAtMs }) => dueAtMs), ...lookUpsMs.filter((ms) => ms <= keptMs)];
  return toDayMs(Math.max(keptMs, ...dueMs.map((atMs) => atMs + livesMs.due)));
}

/** What the merchant's server still has to hear: of a code that waits, or whose time is over, it need not. */
export function untoldOf({ events }: Order): Order['events'] {
  return events.filter((one) => one.outcome === null && isOfMoney(one));
}

/** Whether it waits for an outcome, however long that takes: a card may be charged, a payment differs, or the merchant's server fails to hear. */
function isWaitedFor(order: Order): boolean {
  const { attempts, invoices, events } = order;
  const isCharging = attempts.some((one) => {
    const isPending = one.progress.state === 'created' && isCard(one);
    return isSent(one) || (isPending && !invoiceOf(order, one)?.isPaid);
  });
  const isTried = events.some((one) => one.tries > 0 && isUntold(one) && isOfMoney(one));
  return isCharging || isTried || invoices.some(isInQuestion);
}

function toEntry(kind: Kind, id: string, atMs: number): Entry {
  return { kind, id, atMs, rank: toRank(atMs) };
}

function toRank(atMs: number): number {
  return Math.round(atMs * 1_000);
}
