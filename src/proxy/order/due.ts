/**
 * What falls due: look-ups of invoices, and ids that postbacks named while no open invoice of the order has them; only a look-up
 * tells what they are. A paid invoice is one, too, until it is no longer asked for a return. Each is taken by one process at a
 * time: it is due again when that one's time has run out.
 */

import { hastened, withInvoice } from './invoices.js';
import { findInvoice } from './questions.js';
import type { Given, KeptInvoice, KeptName, Order, Step } from './order.js';

/** Most named ids of one order that wait: who knows its postback address cannot fill the store. */
export const maxNamed = 20;

/** A postback named an id: it falls due then. One that waits already begins anew. @returns null: the order has too many */
export function named(
  order: Order,
  { lookUpId, forMs }: { readonly lookUpId: string; readonly forMs: number },
  { nowMs }: Given,
): Step<KeptName | null> {
  const others = order.named.filter((one) => one.lookUpId !== lookUpId);
  const isFull = others.length === order.named.length && others.length >= maxNamed;
  // One that was looked up makes room for another.
  const [most] = others.toSorted(
    (a, b) => b.tries - a.tries || a.lookUpId.localeCompare(b.lookUpId),
  );
  if (isFull && most?.tries === 0) return [order, null];
  const fresh = { lookUpId, tries: 0, namedAtMs: nowMs, dueAtMs: nowMs + forMs };
  return [{ ...order, named: [...others.filter((one) => !isFull || one !== most), fresh] }, fresh];
}

/** Takes a named id that is due, for so long. @returns null: it is not due any more */
export function takenName(
  order: Order,
  { lookUpId, forMs }: { readonly lookUpId: string; readonly forMs: number },
  { nowMs }: Given,
): Step<KeptName | null> {
  const known = order.named.find((one) => one.lookUpId === lookUpId);
  if (!known || known.dueAtMs > nowMs) return [order, null];
  const taken = { ...known, dueAtMs: nowMs + forMs };
  return [{ ...order, named: order.named.map((one) => (one === known ? taken : one)) }, taken];
}

/**
 * When a taken id is looked up next, and how often it was; null: it is forgotten. Changes nothing if it was named again since it
 * was taken.
 */
export function putOffName(
  order: Order,
  { name, atMs }: { readonly name: KeptName; readonly atMs: number | null },
): Step<void> {
  const known = order.named.find((one) => one.lookUpId === name.lookUpId);
  if (known?.dueAtMs !== name.dueAtMs) return [order, undefined];
  const next = order.named.flatMap((one) => {
    if (one !== known) return [one];
    return atMs === null ? [] : [{ ...one, tries: name.tries, dueAtMs: atMs }];
  });
  return [{ ...order, named: next }, undefined];
}

/** An invoice whose look-up is this process's to make now. */
export interface TakenLookUp extends KeptInvoice {
  readonly dueAtMs: number;
  readonly claimedUntilMs: number;
}

/** Takes an invoice whose look-up is due, for so long. @returns null: it is not due any more */
export function takenLookUp(
  order: Order,
  { invoiceId, forMs }: { readonly invoiceId: string; readonly forMs: number },
  { nowMs }: Given,
): Step<TakenLookUp | null> {
  const known = findInvoice(order, invoiceId);
  if (!known || known.lookUpAtMs === null || known.lookUpAtMs > nowMs) return [order, null];
  const claimedUntilMs = nowMs + forMs;
  const taken = { ...known, lookUpAtMs: claimedUntilMs };
  return [withInvoice(order, taken), { ...taken, dueAtMs: known.lookUpAtMs, claimedUntilMs }];
}

/** When a taken look-up is repeated; null: never. Changes nothing for a settled invoice, or one that was hastened since. */
export function putOffLookUp(
  order: Order,
  {
    invoiceId,
    claimedUntilMs,
    atMs,
  }: { readonly invoiceId: string; readonly claimedUntilMs: number; readonly atMs: number | null },
): Step<void> {
  const known = findInvoice(order, invoiceId);
  const isOurs = known?.settledAtMs === null && known.lookUpAtMs === claimedUntilMs;
  return [isOurs ? withInvoice(order, { ...known, lookUpAtMs: atMs }) : order, undefined];
}

/** A look-up falls due then, unless it is due before. */
export function hinted(
  order: Order,
  { invoiceId, atMs }: { readonly invoiceId: string; readonly atMs: number },
): Step<void> {
  return [hastened(order, { invoiceId }, atMs), undefined];
}
