/** The alerts of an order that wait for a person's word. */

import { isInQuestion } from '../invoices.js';
import type { KeptAttempt, Order } from '../order.js';
import { invoiceOf, isCard, toInvoiceId } from '../questions.js';
import { isUnanswered, toMismatchId, toOutcomeUnknownId } from './alerts.js';
import type { OpenAlert } from './order-description.js';
import { hookNames } from './outbox-events.js';

/** Of a card that may be charged, and of what is paid and differs. A word names the `deliveryId`. */
export function openAlertsOf(order: Order): readonly OpenAlert[] {
  const cards = order.attempts.flatMap((card) => {
    const deliveryId = isCard(card) ? findAlert(order, card) : null;
    if (deliveryId === null || invoiceOf(order, card)?.isPaid) return [];
    const about = { ...card, invoiceId: toInvoiceId(card.progress) };
    return [toAlert('outcome_unknown', deliveryId, about)];
  });
  const invoices = order.invoices
    .filter(isInQuestion)
    .map((one) => toAlert('mismatch', toMismatchId(one), one));
  return [...cards, ...invoices];
}

/** The one that was told last; null: it needs no person, or not yet. */
function findAlert({ events }: Order, card: KeptAttempt): string | null {
  const { state } = card.progress;
  if (state !== 'unknown' && state !== 'created') return null;
  const told = events.findLast(({ notice }) => isUnanswered(card, notice.deliveryId));
  return told?.notice.deliveryId ?? (state === 'unknown' ? toOutcomeUnknownId(card) : null);
}

function toAlert(
  kind: 'outcome_unknown' | 'mismatch',
  deliveryId: string,
  about: { readonly invoiceId: string | null; readonly totalCents: number },
): OpenAlert {
  const { invoiceId, totalCents } = about;
  const found = invoiceId !== null && { invoiceId };
  return { hook: hookNames[kind], deliveryId, totalCents, ...found };
}
