/**
 * What the proxy must remember of orders so that each is one debt. The interface only: `memory.ts` keeps it in process.
 *
 * Holds no personal data, no token, no key of the merchant. Each operation is whole by itself (no caller reads, waits
 * and writes back), so that a durable record can stand behind it.
 */

import type { Method } from '../../contract/types.js';

/** What an invoice was created as. Every look-up is compared with this. */
export interface IssuedInvoice {
  readonly invoiceId: string;
  /** The id the service takes in a look-up. */
  readonly lookUpId: string;
  readonly externalId: string;
  /** Integer cents. */
  readonly totalCents: number;
  readonly method: Method;
  /** When the merchant's deadline for the code ends, milliseconds since 1970; null: no deadline. */
  readonly deadlineMs: number | null;
}

/** An invoice with what its create answer is made of. */
export interface RememberedInvoice extends IssuedInvoice {
  readonly orderCode: string;
  /** The Pix code. */
  readonly code: string;
  /** The service's word. */
  readonly status: string;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
}

/** What is known of one order. */
export interface OrderRecord {
  /** Every invoice of the order that was handed out, oldest first. Any of them may be paid. */
  readonly invoices: readonly RememberedInvoice[];
  /** When creations of Pix were sent to the service, milliseconds since 1970, whatever became of them. */
  readonly sentAtMs: readonly number[];
  /** When cards were. */
  readonly cardSentAtMs: readonly number[];
  /** The order's card attempts, oldest first. One at most is not refused. */
  readonly cards: readonly RememberedAttempt[];
  /** The invoice that a look-up found paid. Never taken back. */
  readonly paid: RememberedInvoice | null;
}

/** A request with an idempotency key. */
export interface Attempt {
  readonly key: string;
  /** Digest of what the key is good for: order, order token, method. */
  readonly scope: string;
  readonly externalId: string;
  readonly method: Method;
  /** With the scope, the fingerprint of the request: the total, integer cents, and the instalments. */
  readonly totalCents: number;
  readonly installment: number;
  /** With a card: whose attempt it is, the payer's address as a keyed hash; null where it is not known. */
  readonly payerHash: string | null;
}

/**
 * How far an attempt has come. Pix knows `claimed` and `created` only.
 *
 * `claimed`: nothing has left. `sent`: the service may hear of it. `unknown`: it may have charged, and nobody can say;
 * `candidate` is an invoice that may be it. `created`: there is an invoice. `refused`: it ended, and nothing was charged.
 */
export type AttemptProgress =
  | { readonly state: 'claimed' | 'sent' | 'refused' }
  | { readonly state: 'unknown'; readonly candidate: IssuedInvoice | null }
  | { readonly state: 'created'; readonly invoiceId: string };

/** An attempt and how far it has come. */
export type RememberedAttempt = Attempt & { readonly progress: AttemptProgress };

/**
 * `new`: first seen, now in progress. `known`: the same request again. `reused`: the key belongs to another request.
 * `busy`: another card of this order is in flight, pending or unknown.
 */
export type Claim = 'new' | 'known' | 'reused' | 'busy';

/** The memory of orders and attempts. */
export interface OrderMemory {
  /** An unknown order reads as one without invoices. */
  find(externalId: string): Promise<OrderRecord>;
  /** Before a creation is sent. */
  recordSend(externalId: string, method: Method, atMs: number): Promise<void>;
  /** Before an invoice is handed out. */
  recordInvoice(invoice: RememberedInvoice): Promise<void>;
  /** After a look-up said paid and agreed. The first one stays. */
  recordPaid(invoice: RememberedInvoice): Promise<void>;
  claimAttempt(attempt: Attempt): Promise<Claim>;
  /**
   * Takes an attempt on. Only forward: a late word about an earlier state changes nothing.
   * @returns whether it is in another state now
   */
  advanceAttempt(attempt: Attempt, progress: AttemptProgress): Promise<boolean>;
  /** Forgets an attempt that ended without a trace. */
  releaseAttempt(attempt: Attempt): Promise<void>;
  /** Attempts with this key, in any scope. */
  findAttempts(key: string): Promise<readonly RememberedAttempt[]>;
}
