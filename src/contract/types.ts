/**
 * The types that browser and proxy share: requests, answers, and errors.
 *
 * Names and shapes are those of the invoice service, which keeps a proxy in any language short. The fields are fewer, so that
 * no personal data comes back. They are validated in readers.ts and schemas.ts.
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
  /** Proves that this payer may pay this order. The merchant's server makes it. */
  order_token?: string;
  payer?: Partial<Payer>;
  card?: Card;
  /** The total that the page shows, integer cents: the proxy compares it, and never charges it. */
  expected_total_cents?: number;
  /**
   * Asks for a new Pix code in place of this invoice, which expired or did not work in the bank app. Compare-and-set: if
   * another invoice has taken its place already, the answer is that one.
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
  /** The service's status: `pending` and `paid` are known, and with any other the page keeps waiting. */
  status: string;
  /** The price, integer cents. */
  total_cents: number;
  /** Allows its holder to look this invoice up. */
  lookup_token?: string;
  /** Seconds the code is still offered, counted from this answer; absent: no deadline. */
  expires_in?: number;
}

/**
 * The status in place of `paid` if the payment differs from the creation. `reference_mismatch` also stands for another
 * method.
 */
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
  /**
   * Whether the payment went back after it was paid. The `status` stays `paid`, so that the page asks for no second payment.
   */
  returned?: true;
}

/**
 * `data` of `GET {endpoint}/order`: the order behind a payment link. If it cannot be paid, the answer is an error, as for a
 * create request.
 */
export interface OrderSummary {
  external_id: string;
  /** The price of each method that the shop offers, integer cents. */
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

/** Longest wait of a long poll, seconds, because proxies and gateways commonly cut a silent request after thirty. */
export const maxWaitSeconds = 25;

/**
 * The pattern of a merchant's reference. It appears in URLs, files and other systems, so it has letters without accents,
 * digits and four marks only.
 */
export const externalIdPattern = /^[A-Za-z0-9._:-]{1,64}$/;

/** The pattern of every invoice id. It has no character that could change the path of a URL. */
export const invoiceIdPattern = /^[A-Za-z0-9_-]{8,64}$/;
