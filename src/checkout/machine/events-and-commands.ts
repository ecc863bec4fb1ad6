/** What the machine hears and what it asks for: its events, its commands, and how the machine makes these. */

import type { CreatedInvoice, InvoiceStatus, Method } from '../../contract/types.js';
import type { CheckoutError, CheckoutErrorCode, PricedInvoice } from './state.js';

/** Why a request failed, as far as the answer told. */
export interface Failure extends CheckoutError {
  /** The code is the proxy's own word; else it was told from a status, or nothing came back at all. */
  readonly told: boolean;
  readonly retryAfterSeconds: number | null;
  /** With `order_paid`: the invoice that paid the order. */
  readonly invoice: CreatedInvoice | null;
}

/** What came of a request. */
export type Answer<T> = { readonly invoice: T } | { readonly failure: Failure };

/**
 * What a request for an invoice is made for; its answer names it again. A Pix invoice (a new one, or that of a known
 * key), a card's charge (or its outcome, where the answer was lost), or a new look-up token.
 */
export type Purpose = 'invoice' | 'charge' | 'renewal';

/** What happens to a checkout. */
export type CheckoutEvent =
  /** The payer (or `auto-start`) pays, and the page did not cancel it. */
  | {
      readonly type: 'submitted';
      readonly method: Method;
      readonly attemptKey: string;
    }
  | { readonly type: 'method_chosen'; readonly method: Method }
  | { readonly type: 'new_code_asked'; readonly attemptKey: string }
  /** "Já paguei", or a code that does not work: look now. */
  | { readonly type: 'check_asked' }
  | {
      readonly type: 'answered';
      readonly purpose: Purpose;
      readonly answer: Answer<CreatedInvoice>;
    }
  | {
      readonly type: 'looked_up';
      readonly invoiceId: string;
      readonly answer: Answer<InvoiceStatus>;
    }
  /** The card can be sent: tokenized, or raw where the merchant lets it travel. Or it cannot; nothing has been sent. */
  | { readonly type: 'card_prepared'; readonly ready: boolean }
  /** Something that was waited for is due (see `nextDueMs`). */
  | { readonly type: 'ticked' }
  /** The payer is back on the page, or the line is up again. */
  | { readonly type: 'returned' }
  /** The browser went offline, or the page is being put away. */
  | { readonly type: 'paused' }
  /** What was stored, or what the page names, is taken up: an attempt, an invoice, or both. */
  | ({ readonly type: 'resumed' } & Former)
  /** The page promised an invoice. */
  | { readonly type: 'promised' }
  /** The page handed an invoice in; with the key of a creation of ours that began before the element was there. */
  | {
      readonly type: 'given';
      readonly invoice: CreatedInvoice;
      readonly attemptKey?: string | undefined;
    }
  /** The page's own set-up makes a checkout impossible, or its promise is broken. */
  | { readonly type: 'failed'; readonly code: CheckoutErrorCode }
  /** The merchant's page asks for a fresh start. Refused while a creation is in flight. */
  | { readonly type: 'reset' }
  /** The page shows another order now, or another price. The former one's record stays for its return. */
  | { readonly type: 'order_changed' };

/** A press that pays. */
export type Submitted = Extract<CheckoutEvent, { type: 'submitted' }>;

/** What is kept of an attempt. */
export interface KeptAttempt {
  readonly attemptKey: string;
  readonly method: Method;
  /** Integer cents; `null`: neither page nor answer has named a total, so none is compared. */
  readonly totalCents: number | null;
  /** `null` while the request has not been answered: the attempt is asked for by its key. */
  readonly invoiceId: string | null;
  readonly lookupToken: string | null;
}

/** What is known of an attempt or an invoice from before. */
export interface Former extends Omit<KeptAttempt, 'attemptKey'> {
  /** `null`: the page named an invoice, there is no attempt to ask for again. */
  readonly attemptKey: string | null;
  /** When it was made, monotonic milliseconds; `null`: not known, counted from when it is first shown. */
  readonly createdAtMs: number | null;
}

/**
 * What the machine wants done. At most one look-up and one request for an invoice are in flight at any time: a new one
 * takes the place of the one of its kind, whose answer must change nothing any more.
 */
export type Command =
  | InvoiceRequest
  /** Makes the card ready; answered by `card_prepared`. */
  | { readonly type: 'tokenize' }
  | LookUp
  /** Gives up what is in flight: its answer must change nothing any more. */
  | { readonly type: 'abort'; readonly what: 'look_up' | 'all' }
  /** Keeps the attempt for a reload or a second tab. A new one does not replace a card whose outcome is open. */
  | ({ readonly type: 'remember' } & KeptAttempt)
  /**
   * An attempt is over, and if it was a card the proxy has said how it ended. The record goes, unless it is of another
   * card whose outcome is open, or `keepsKey`: another try is the same attempt.
   */
  | { readonly type: 'forget'; readonly attemptKey: string | null; readonly keepsKey: boolean }
  | { readonly type: 'emit'; readonly event: Emission };

/** Asks for an invoice; answered by `answered` of the same purpose. */
export interface InvoiceRequest {
  readonly type: 'request';
  /** `create` an invoice of Pix, `charge` the card (once; it is gone from memory then), or `recover` by the key. */
  readonly action: 'create' | 'charge' | 'recover';
  readonly purpose: Purpose;
  readonly attemptKey: string;
  /** The invoice for which the payer wants another code. */
  readonly replaces: string | null;
}

/** Looks one invoice up; answered by `looked_up`. */
export interface LookUp {
  readonly type: 'look_up';
  readonly invoiceId: string;
  readonly lookupToken: string | null;
  /** How long the proxy may hold the answer; 0: not at all. */
  readonly waitSeconds: number;
  readonly timeoutMs: number;
}

/** A DOM event that the element is to dispatch; `pix-status` follows from the state by itself. */
export type Emission =
  | { readonly name: 'created' | 'paid'; readonly invoice: InvoiceDetail }
  | { readonly name: 'expired'; readonly invoiceId: string }
  | {
      readonly name: 'error';
      readonly code: CheckoutErrorCode;
      readonly retryable: boolean;
      readonly invoiceId: string | null;
    };

/** What `pix-created` and `pix-paid` tell. */
export interface InvoiceDetail {
  readonly invoiceId: string;
  readonly orderCode: string;
  /** Empty where the invoice has none: one that the page named without a reference of its own. */
  readonly externalId: string;
  readonly method: Method;
  readonly totalCents: number;
}

/** Gives up all that is in flight. */
export const abortAll: Command = { type: 'abort', what: 'all' };

/** Ends an attempt, and drops its record. */
export function forget(attemptKey: string | null = null, keepsKey = false): Command {
  return { type: 'forget', attemptKey, keepsKey };
}

/** Stores an attempt, with its invoice once there is one. */
export function remember(
  attemptKey: string,
  { method, totalCents, invoiceId = null, lookupToken = null }: Recordable,
): Command {
  return { type: 'remember', attemptKey, invoiceId, lookupToken, method, totalCents };
}

type Recordable = Pick<KeptAttempt, 'method' | 'totalCents'> & Partial<KeptAttempt>;

/** Asks for an invoice. */
export function request(
  action: InvoiceRequest['action'],
  purpose: Purpose,
  attemptKey: string,
  replaces: string | null = null,
): InvoiceRequest {
  return { type: 'request', action, purpose, attemptKey, replaces };
}

/** Tells the page of an invoice. */
export function announce(name: 'created' | 'paid', priced: PricedInvoice): Command {
  return { type: 'emit', event: { name, invoice: toDetail(priced) } };
}

/** What the page may know of an invoice. */
export function toDetail(priced: PricedInvoice): InvoiceDetail {
  const { invoiceId, orderCode, method, totalCents } = priced;
  return { invoiceId, orderCode, externalId: priced.externalId ?? '', method, totalCents };
}

/** Tells the page of something it should know. */
export function tell({ code, retryable }: CheckoutError, invoiceId: string | null): Command {
  return { type: 'emit', event: { name: 'error', code, retryable, invoiceId } };
}
