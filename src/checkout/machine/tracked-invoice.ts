/**
 * Turns answers into tracked invoices, and compares a look-up with what is known of one.
 *
 * Promise kept here: a code is read before it is shown. A wrong check sum, or a static code for another amount, never
 * reaches the payer.
 * The location inside a dynamic code is for the payer's bank and is never fetched.
 */

import { BrCodeError, maxBrCodeLength, parseBrCode } from '../../domain/br-code.js';
import { mismatchStatuses } from '../../contract/types.js';
import type { CreatedInvoice, InvoiceStatus, Method } from '../../contract/types.js';
import type { MismatchStatus } from '../../contract/types.js';
import type { CheckoutErrorCode, PixCode, PricedInvoice, Terms } from './state.js';

/** A year: the calendar's own arithmetic ends somewhere beyond. */
const longestDeadlineSeconds = 31_536_000;

/** What the sandbox's codes name as receiver. */
const testReceiver = 'TESTE NAO PAGAR';

/** A code that may be shown, perhaps with a warning for the merchant; or the reason why it may not. */
type ReadCode =
  | { readonly code: PixCode; readonly warning: CheckoutErrorCode | null }
  | { readonly refused: CheckoutErrorCode };

/** Reads a Pix code for an amount. */
export function readCode(text: string, totalCents: number, terms: Terms): ReadCode {
  try {
    const read = parseBrCode(text);
    // Paying it, alone or with a charge, would authorise later debits, which nothing here explains to a payer.
    if (read.recurrenceLocation) return refuse(text, 'invalid_code', terms);
    const differs = read.amountCents !== null && read.amountCents !== totalCents;
    // The payer's bank charges a static code's own amount; a dynamic one's it asks for again (field 54 is ignored).
    if (differs && read.kind === 'static') return refuse(text, 'code_amount_differs', terms);
    return {
      code: {
        text: read.text,
        receiverName: read.merchantName,
        test: terms.allowUnverifiedCode || read.merchantName === testReceiver,
      },
      warning: differs ? 'code_amount_differs' : null,
    };
  } catch (error) {
    if (!(error instanceof BrCodeError)) throw error;
    return refuse(text, 'invalid_code', terms);
  }
}

function refuse(text: string, refused: CheckoutErrorCode, terms: Terms): ReadCode {
  const trimmed = text.trim();
  if (!terms.allowUnverifiedCode || trimmed === '' || trimmed.length > maxBrCodeLength) {
    return { refused };
  }
  return { code: { text: trimmed, receiverName: '', test: true }, warning: null };
}

/** What a tracked invoice and a look-up can disagree about. */
export type Disagreement = 'reference_mismatch' | 'amount_mismatch' | 'invalid_code';

/** Compares the answer to a Pix creation with what the page said. What the page left out is not compared. */
export function checkCreated(created: CreatedInvoice, terms: Terms): Disagreement | null {
  return checkLookUp(created, { externalId: terms.externalId, totalCents: terms.pixCents });
}

/** Whether a payment was made, be it of what was created or not. */
export function isPayment({ status }: { readonly status: string }): boolean {
  return status === 'paid' || mismatchOf(status) !== null;
}

function mismatchOf(status: string): MismatchStatus | null {
  return mismatchStatuses.find((word) => word === status) ?? null;
}

/**
 * Compares a look-up with what is known of the invoice; null in `known` means not known, so not compared. A proxy that
 * compares with what it created knows more than any page.
 */
export function checkLookUp(
  answer: CreatedInvoice | InvoiceStatus,
  known: {
    readonly externalId: string | null;
    readonly totalCents: number | null;
    readonly code?: PixCode | null;
    readonly verified?: boolean;
  },
): Disagreement | null {
  const told = mismatchOf(answer.status);
  if (told) return told;
  if (known.externalId !== null && answer.external_id !== known.externalId) {
    return 'reference_mismatch';
  }
  if (known.totalCents !== null && answer.total_cents !== known.totalCents) {
    return 'amount_mismatch';
  }
  // An invoice that the page handed in is believed only once the proxy names the very same code.
  const unverified = known.verified === false && known.code;
  if (unverified && answer.qr_code_pix && answer.qr_code_pix.trim() !== unverified.text) {
    return 'invalid_code';
  }
  return null;
}

/** The invoice that a create answer names, its code not yet read. */
export function toTracked(
  created: CreatedInvoice,
  terms: Terms,
  nowMs: number,
  verified: boolean,
  method: Method = 'pix',
): PricedInvoice {
  return {
    invoiceId: created.invoice_id,
    orderCode: created.order_code,
    externalId: created.external_id,
    method,
    totalCents: created.total_cents,
    code: null,
    lookupToken: created.lookup_token ?? null,
    status: created.status,
    createdAtMs: nowMs,
    // A code is offered for a time, a charge is not.
    deadlineMs: method === 'pix' ? toDeadline(created.expires_in, terms, nowMs, nowMs) : null,
    verified,
  };
}

/**
 * The merchant's deadline in monotonic milliseconds. An answer's `expires_in` counts from that answer and wins over the
 * page's own, which counts from the code's creation.
 */
export function toDeadline(
  expiresIn: number | undefined,
  terms: Terms,
  createdAtMs: number,
  nowMs: number,
): number | null {
  if (expiresIn !== undefined) return deadlineIn(expiresIn, nowMs);
  return terms.expiresInSeconds === null ? null : deadlineIn(terms.expiresInSeconds, createdAtMs);
}

/** A deadline only ever comes nearer: a proxy that repeats the same number must not put it off. */
export function sooner(
  deadlineMs: number | null,
  expiresIn: number | undefined,
  nowMs: number,
): number | null {
  if (expiresIn === undefined) return deadlineMs;
  return Math.min(deadlineMs ?? Infinity, deadlineIn(expiresIn, nowMs));
}

function deadlineIn(seconds: number, fromMs: number): number {
  return fromMs + Math.min(seconds, longestDeadlineSeconds) * 1_000;
}
