/**
 * What falls due of an order: look-ups of its invoices, and of ids that postbacks named and that none of its open invoices has.
 * A paid invoice is such an id, too, for as long as it may be returned. One process takes each at a time; if it does not finish
 * in time, the look-up is due again.
 */

import { withInvoice } from '../invoices.js';
import { findInvoice, isOfPaid } from '../questions.js';
import { isWithin } from '../../../domain/spans.js';
import { times } from './times.js';
import type { Given, KeptInvoice, NamedId, Order, Step } from '../order.js';

/** Most named ids of one order that wait: who knows its postback address cannot fill the store. */
export const maxNamed = 20;

export function findNamed({ named }: Order, id: string): NamedId | undefined {
  return named.find(({ lookUpId }) => lookUpId === id);
}

/** A postback named an id: it falls due then. One that waits already begins anew. @returns null: the order has too many */
export function named(
  order: Order,
  { lookUpId, forMs }: { readonly lookUpId: string; readonly forMs: number },
  { nowMs }: Given,
): Step<NamedId | null> {
  const others = order.named.filter((one) => one.lookUpId !== lookUpId);
  const isFull = others.length === order.named.length && others.length >= maxNamed;
  // One that was looked up makes room for another.
  const [most] = others.toSorted(
    (a, b) => b.tries - a.tries || a.lookUpId.localeCompare(b.lookUpId),
  );
  if (isFull && most?.tries === 0) return [order, null];
  const known = findNamed(order, lookUpId);
  const since = known && { sinceMs: known.sinceMs ?? known.namedAtMs };
  const fresh = { lookUpId, tries: 0, namedAtMs: nowMs, ...since, dueAtMs: nowMs + forMs };
  return [{ ...order, named: [...others.filter((one) => !isFull || one !== most), fresh] }, fresh];
}

/**
 * Takes a named id that is due, for so long: of the order's, that which was looked up least, so that a crowd of wrong ones does
 * not keep the right one waiting. Where many were looked up just now, they fall due later.
 * @param arePaid of paid invoices, or of none that is known to be paid
 * @returns null: none is to be looked up now
 */
export function takenNamedId(
  order: Order,
  { arePaid, forMs }: { readonly arePaid: boolean; readonly forMs: number },
  { nowMs }: Given,
): Step<NamedId | null> {
  const due = order.named.filter((one) => one.dueAtMs <= nowMs && isOfPaid(order, one) === arePaid);
  const [known] = due.toSorted((a, b) => a.tries - b.tries || a.namedAtMs - b.namedAtMs);
  if (!known) return [order, null];
  const dueAtMs = toNamedLookUpMs(order, nowMs);
  if (dueAtMs > nowMs) {
    const later = order.named.map((one) => (due.includes(one) ? { ...one, dueAtMs } : one));
    return [{ ...order, named: later }, null];
  }
  const taken = { ...known, dueAtMs: nowMs + forMs };
  const named = order.named.map((one) => (one === known ? taken : one));
  return [{ ...order, named, namesAskedAtMs: [...lately(order, nowMs), nowMs] }, taken];
}

/** When a named id of the order may be looked up, milliseconds since 1970. */
export function toNamedLookUpMs(order: Order, nowMs: number): number {
  const { most, withinMs } = times.named.limit;
  const lookedUpAtMs = lately(order, nowMs);
  const [first = nowMs] = lookedUpAtMs;
  return lookedUpAtMs.length < most ? nowMs : first + withinMs;
}

function lately({ namesAskedAtMs = [] }: Order, nowMs: number): readonly number[] {
  return namesAskedAtMs.filter((atMs) => isWithin(atMs, times.named.limit.withinMs, nowMs));
}

/**
 * When a taken id is looked up next, and how often it was; null: it is forgotten. Changes nothing if it was named again since it
 * was taken.
 */
export function putOffNamedId(
  order: Order,
  { namedId, atMs }: { readonly namedId: NamedId; readonly atMs: number | null },
): Order {
  const known = findNamed(order, namedId.lookUpId);
  if (known?.dueAtMs !== namedId.dueAtMs) return order;
  const next = order.named.flatMap((one) => {
    if (one !== known) return [one];
    return atMs === null ? [] : [{ ...one, tries: namedId.tries, dueAtMs: atMs }];
  });
  return { ...order, named: next };
}

/** An invoice whose look-up is this process's to make now. */
export interface TakenLookUp extends KeptInvoice {
  readonly dueAtMs: number;
  readonly takenUntilMs: number;
}

/** Takes an invoice whose look-up is due, for so long. @returns null: it is not due any more */
export function takenLookUp(
  order: Order,
  { invoiceId, forMs }: { readonly invoiceId: string; readonly forMs: number },
  { nowMs }: Given,
): Step<TakenLookUp | null> {
  const known = findInvoice(order, invoiceId);
  if (!known || known.lookUpAtMs === null || known.lookUpAtMs > nowMs) return [order, null];
  const takenUntilMs = nowMs + forMs;
  const taken = { ...known, lookUpAtMs: takenUntilMs };
  return [withInvoice(order, taken), { ...taken, dueAtMs: known.lookUpAtMs, takenUntilMs }];
}

/** When a taken look-up is repeated. Changes nothing for an invoice whose look-ups ended, or one that was hastened since. */
export function putOffLookUp(
  order: Order,
  {
    invoiceId,
    takenUntilMs,
    atMs,
  }: { readonly invoiceId: string; readonly takenUntilMs: number; readonly atMs: number },
): Order {
  const known = findInvoice(order, invoiceId);
  if (known?.lookUpAtMs !== takenUntilMs) return order;
  return withInvoice(order, { ...known, lookUpAtMs: atMs });
}
