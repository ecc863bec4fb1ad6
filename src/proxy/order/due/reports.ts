/**
 * What a postback makes due. It is only a hint, and names at most one invoice. The first one makes look-ups due at once,
 * further ones at a limited pace; if all is due already, nothing is written.
 */

import { mayBePaid, withInvoice } from '../invoices.js';
import { findNamed, named, toNamedLookUpMs } from './due.js';
import { isNear } from '../../../domain/spans.js';
import { isCard, isNamedBy, isOpen, toInvoiceId } from '../questions.js';
import { times } from './times.js';
import type { Given, KeptInvoice, Order, Step } from '../order.js';

/**
 * What became of a postback. `unknown`: nothing is known of its order. `full`: too many ids of the order wait, and the service
 * has to tell it again.
 */
export type Reported = 'due' | 'unknown' | 'full';

/** A postback came to the order's own address. @param lookUpId the id that it names; null: none */
export function reported(
  order: Order,
  { lookUpId }: { readonly lookUpId: string | null },
  given: Given,
): Step<Reported> {
  if (isUnknown(order)) return [order, 'unknown'];
  const open = order.invoices.filter((one) => isUndecided(order, one));
  const next = open.reduce((before, one) => hinted(before, one, given), order);
  if (lookUpId === null || open.some((one) => isNamedBy(lookUpId, one))) return [next, 'due'];
  return namedInPace(next, lookUpId, given);
}

/** As soon as so many may be looked up. One that is due by then stays as it is. */
function namedInPace(order: Order, lookUpId: string, given: Given): Step<Reported> {
  const { nowMs } = given;
  const known = findNamed(order, lookUpId);
  const dueAtMs = toNamedLookUpMs(order, nowMs);
  if (known && known.dueAtMs <= dueAtMs) return [order, 'due'];
  const [next, namedId] = named(order, { lookUpId, forMs: dueAtMs - nowMs }, given);
  return [next, namedId ? 'due' : 'full'];
}

function hinted(order: Order, invoice: KeptInvoice, { nowMs }: Given): Order {
  const { hintPaceMs: paceMs } = times.open;
  const { hintedAtMs = -Infinity, lookUpAtMs } = invoice;
  // The second of two in one millisecond made it due a whole pace ahead.
  const isPaced = isNear(hintedAtMs, paceMs + 1, nowMs);
  const dueAtMs = isPaced ? hintedAtMs + paceMs : nowMs;
  const nextMs = Math.min(lookUpAtMs ?? Infinity, dueAtMs);
  if (isPaced && nextMs === lookUpAtMs) return order;
  return withInvoice(order, { ...invoice, lookUpAtMs: nextMs, hintedAtMs: dueAtMs });
}

/** Whether a look-up may still end it. A card's has ended once its attempt is refused, unless a person said so. */
function isUndecided({ attempts }: Order, invoice: KeptInvoice): boolean {
  if (!mayBePaid(invoice)) return false;
  if (!isCard(invoice) || invoice.isReleased) return true;
  return attempts.some((one) => isOpen(one) && toInvoiceId(one.progress) === invoice.invoiceId);
}

/** Whether no creation, attempt or invoice of the order is known: the store may have lost it. */
function isUnknown({ invoices, attempts, sentAs }: Order): boolean {
  return [invoices, attempts, sentAs].every(({ length }) => length === 0);
}
