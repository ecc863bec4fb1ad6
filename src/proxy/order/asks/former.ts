/** Rules that all asks for a payment share: what was paid, or may be, comes before anything new. */

import { dayMs, isNear } from '../../../domain/spans.js';
import { times } from '../due/times.js';
import { isInQuestion } from '../invoices.js';
import { maxCodes } from '../sends.js';
import { blockingCardOf, invoiceOf, isCard, isNamedBy, paidInvoiceOf } from '../questions.js';
import type { IssuedInvoice, KeptInvoice, KnownAttempt, MadeInvoice, Order } from '../order.js';
import { inProgress } from './reply.js';
import type { Answer, Learned, LookUp, Said } from './reply.js';

/** The invoice that paid the order: as it is written, or as a look-up said that could not be written. */
export function findPaid(order: Order, { said }: Learned): MadeInvoice | null {
  const found = order.invoices.find(({ invoiceId }) => said.get(invoiceId) === 'paid');
  return paidInvoiceOf(order) ?? (found ? { ...found, status: 'paid' } : null);
}

/** A person has to look at an invoice that is paid and differs from what was created. */
export function isStopped({ invoices }: Order, { said }: Learned): boolean {
  return invoices.some(
    (one) => isInQuestion(one) || (said.get(one.invoiceId) === 'mismatch' && !one.isReleased),
  );
}

/** What keeps a code from every page: the order is paid, a card of it is open, or a person has to look at a payment. */
export function keepsCodesBack(
  order: Order,
  learned: Learned,
  nowMs: number,
): Answer | LookUp | null {
  const paid = findPaid(order, learned);
  if (paid) return { type: 'paid', invoice: paid };
  const card = blockingCardOf(order, nowMs);
  if (card) return awaitCard(order, card, learned);
  return isStopped(order, learned) ? inProgress : null;
}

/** A card is in the way. It is looked up once: one that was refused gives the order free. */
export function awaitCard(order: Order, card: KnownAttempt, learned: Learned): Answer | LookUp {
  return lookAtCharge(order, card, learned) ?? inProgress;
}

/** @returns null: nothing can be looked up, or it was */
export function lookAtCharge(order: Order, card: KnownAttempt, { said }: Learned): LookUp | null {
  const charge = chargeOf(order, card);
  if (!charge || said.has(charge.invoiceId)) return null;
  return { type: 'look_up', invoices: [charge], mayFail: true };
}

/** The invoice of a charge: its own, or the unverified match while its outcome is unknown. */
export function chargeOf(order: Order, card: KnownAttempt): IssuedInvoice | null {
  const { progress } = card;
  return (progress.state === 'unknown' ? progress.candidate : invoiceOf(order, card)) ?? null;
}

/**
 * Any invoice of the order may have been paid since the request came, after it was replaced, after its deadline and after the price
 * changed: each is looked up, the newest first, before anything else of the order may be paid. @param open may be handed out again
 */
export function lookUpFormer(
  order: Order,
  { said, madeId }: Learned,
  open: KeptInvoice | null,
  nowMs: number,
): LookUp | Answer | null {
  const { invoices } = order;
  if (!open && hasUnknownName(order)) return inProgress;
  const isUnseen = (one: KeptInvoice) => isToldOf(order, one, said.get(one.invoiceId), nowMs);
  if (invoices.some((one) => one !== open && isUnseen(one))) return inProgress;
  const isUntold = ({ invoiceId }: KeptInvoice) => (said.get(invoiceId) ?? 'untold') === 'untold';
  // What this request has made was shown to no payer yet.
  const isFormer = (one: KeptInvoice) => one !== open && one.invoiceId !== madeId;
  const unsure = mayBePaidNow(invoices, nowMs).filter((one) => isFormer(one) && isUntold(one));
  if (unsure.length === 0) return null;
  return { type: 'look_up', invoices: unsure.toReversed(), mayFail: false };
}

/**
 * Cards, the newest codes, and each that a postback told of. Others are over: a code a day past its deadline, and the oldest of an
 * order with very many. They are looked up by themselves, so that what one request costs does not grow with its order.
 */
function mayBePaidNow(invoices: readonly KeptInvoice[], nowMs: number): readonly KeptInvoice[] {
  const newest = new Set(invoices.filter((one) => !isCard(one)).slice(-maxCodes));
  return invoices.filter((one) => {
    const { deadlineMs, hintedAtMs = -Infinity } = one;
    const isOver = !newest.has(one) || nowMs >= (deadlineMs ?? Infinity) + dayMs;
    return isCard(one) || !isOver || isNear(hintedAtMs, dayMs, nowMs);
  });
}

/**
 * A postback told of this invoice, and its look-up does not show of what. A charge that was named blocks the order as soon as the
 * present attempt has ended; one that the service does not know may be known to it in a minute.
 */
function isToldOf(
  { named }: Order,
  invoice: KeptInvoice,
  said: Said | undefined,
  nowMs: number,
): boolean {
  const isNamed = isCard(invoice) && named.some(({ lookUpId }) => isNamedBy(lookUpId, invoice));
  const afterMs = Math.max(...times.open.afterHintMs);
  const isHinted = isNear(invoice.hintedAtMs ?? -Infinity, afterMs, nowMs);
  return (said === 'none' && (isNamed || isHinted)) || (said === 'open' && isNamed);
}

/** A postback named an invoice that the order does not have, and its look-up has not said yet what it is: it may be paid. */
function hasUnknownName({ invoices, named }: Order): boolean {
  return named.some(({ lookUpId }) => !invoices.some((one) => isNamedBy(lookUpId, one)));
}
