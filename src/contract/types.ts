/**
 * The types that browser and proxy share: requests, answers, and the errors.
 *
 * Names and shapes are those of the invoice service, so that a proxy in any language is short; the fields are fewer,
 * so that nothing personal comes back. Validation: readers.ts, schemas.ts.
 */

import type { Payer } from '../domain/payer.js';
import type { ErrorCode } from './codes.js';

export type { Payer };

/** How an order is paid, in the contract's words. */
export type Method = 'pix' | 'credit_card';

/** A card: a provider's token with its 3-D Secure proof, or (if the merchant allows it) the raw card. */
export interface CardCredentials {
  token?: string;
  number?: string;
  first_name?: string;
  last_name?: string;
  month?: string;
  year?: string;
  security_code?: string;
  cavv?: string;
  xid?: string;
  eci?: string;
  version?: string;
  referenceid?: string;
}

/** The `card` of a create request: credentials and the chosen number of instalments. */
export interface Card extends CardCredentials {
  installment?: number;
}

/** Body of `POST {endpoint}/invoices`. */
export interface CreateRequest {
  method: Method;
  /** The merchant's order reference. */
  external_id: string;
  /** Proof, made by the merchant's server, that this payer may pay this order. */
  order_token?: string;
  payer?: Partial<Payer>;
  card?: Card;
  /** The total that the page shows, integer cents: the proxy compares it, and never charges it. */
  expected_total_cents?: number;
  /**
   * A new Pix code is wanted in place of this invoice, which expired or did not work in the bank app.
   * Compare-and-set: when another invoice took its place already, that one is the answer.
   */
  replaces?: string;
}

/** `data` of the create answer. */
export interface CreatedInvoice {
  invoice_id: string;
  order_code: string;
  external_id: string | null;
  /** The Pix code, the same string for the QR and for copy-and-paste; empty for a card. */
  qr_code_pix: string;
  /** The service's word: `pending` and `paid` are known, any other keeps waiting. */
  status: string;
  /** What is owed, integer cents. */
  total_cents: number;
  /** Capability to look this invoice up. */
  lookup_token?: string;
  /** Seconds the code is still offered, counted from this answer; absent: no deadline. */
  expires_in?: number;
}

/** The status instead of `paid` where the payment differs from the creation; `reference_mismatch` also for its method. */
export const mismatchStatuses = ['amount_mismatch', 'reference_mismatch'] as const;

export type MismatchStatus = (typeof mismatchStatuses)[number];

/** `data` of the look-up answer. */
export interface InvoiceStatus {
  invoice_id: string;
  order_code: string;
  external_id: string | null;
  /** As in {@link CreatedInvoice}, or a {@link MismatchStatus}. */
  status: string;
  is_pix: boolean;
  total_cents: number;
  installments: number;
  qr_code_pix?: string;
  /** ISO 8601. */
  created_at: string;
  /** ISO 8601. */
  updated_at: string;
  /** Seconds the code is still offered, counted from this answer; absent: no deadline. */
  expires_in?: number;
  /** It was paid, and the payment went back since. The `status` stays `paid`: nothing is asked for again. */
  returned?: true;
}

/**
 * `data` of `GET {endpoint}/order`: what a payment link is about. An order that cannot be paid is an error answer, as for a
 * create request.
 */
export interface OrderSummary {
  external_id: string;
  /** What is owed by each method on offer, integer cents. */
  totals: Partial<Record<Method, number>>;
  /** As the element's `items`. */
  items: { name: string; description?: string; quantity: number; unit_price: number }[];
}

/** An error answer: RFC 9457 problem details with a code from the closed list. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  code: ErrorCode;
  /**
   * With `invalid_request`: the field or header that is wrong, never its value. With `amount_mismatch`: the order's total
   * and the page's. For the page's developer.
   */
  detail?: string;
  /** With `order_paid`: the invoice that paid the order. */
  data?: CreatedInvoice;
}

/** Longest wait of a long poll, seconds: proxies and gateways commonly cut a silent request at thirty. */
export const maxWaitSeconds = 25;

/**
 * The pattern of a merchant's reference. It travels in URLs, files and other people's systems: letters, digits and four
 * marks, without accents.
 */
export const externalIdPattern = /^[A-Za-z0-9._:-]{1,64}$/;

/** The pattern of every invoice id: nothing that could change the path of a URL. */
export const invoiceIdPattern = /^[A-Za-z0-9_-]{8,64}$/;
