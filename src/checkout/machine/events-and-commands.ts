/** What the machine hears and what it asks for: its events and its commands. Types only. */

import type { CreatedInvoice, InvoiceStatus, Method } from '../../contract/types.js';
import type { CheckoutError, CheckoutErrorCode, PendingLookUp } from './state.js';

/** Why a request failed, as far as the answer told. */
export interface Failure extends CheckoutError {
  /** The code is the proxy's own word; else it was told from a status, or nothing came back at all. */
  readonly told: boolean;
  readonly retryAfterSeconds: number | null;
  /** With `order_paid`: the invoice that paid the order. */
  readonly invoice: CreatedInvoice | null;
}

/**
 * What a request for an invoice is made for; the event that brings its answer names it again. A Pix invoice (a new one,
 * or that of a known key), a card's charge (or its outcome, where the answer was lost), or a new look-up token.
 */
export type Purpose = 'invoice' | 'charge' | 'renewal';

/** What happens to a checkout. */
export type CheckoutEvent =
  | PageEvent
  /** The proxy answered a create request, or told of a former attempt. */
  | { readonly type: 'created'; readonly purpose: Purpose; readonly invoice: CreatedInvoice }
  | { readonly type: 'create_failed'; readonly purpose: Purpose; readonly failure: Failure }
  | { readonly type: 'looked_up'; readonly invoiceId: string; readonly invoice: InvoiceStatus }
  | { readonly type: 'look_up_failed'; readonly invoiceId: string; readonly failure: Failure }
  /** The card is ready to be sent: tokenized, or raw where the merchant lets it travel. */
  | { readonly type: 'card_ready' }
  /** The card could not be made ready; nothing has been sent. */
  | { readonly type: 'card_failed' }
  /** Something that was waited for is due (see `nextDueMs`). */
  | { readonly type: 'ticked' }
  /** The payer is back on the page, or the line is up again. */
  | { readonly type: 'returned' }
  /** The browser went offline, or the page is being put away. */
  | { readonly type: 'paused' }
  /** "Já paguei". */
  | { readonly type: 'check_asked' }
  /** The page handed an invoice in. */
  | { readonly type: 'given'; readonly invoice: CreatedInvoice }
  /** The page's own set-up makes a checkout impossible. */
  | { readonly type: 'failed'; readonly error: CheckoutError }
  /** The merchant's page asks for a fresh start. Refused while a creation is in flight. */
  | { readonly type: 'reset' }
  /** The page shows another order now, or another price. The former one's record stays for its return. */
  | { readonly type: 'order_changed' };

/** What the payer presses, and what the page begins with. */
export type PageEvent =
  /** The payer (or `auto-start`) asks for an invoice, and the page did not cancel it. */
  | { readonly type: 'submitted'; readonly attemptKey: string }
  /** The payer asks for the card to be charged, and the page did not cancel it. */
  | {
      readonly type: 'card_submitted';
      readonly attemptKey: string;
      /** Another page of this browser has sent the attempt, and its outcome may be open. */
      readonly shared: boolean;
    }
  | { readonly type: 'method_chosen'; readonly method: Method }
  /** A stored attempt whose invoice is not known is asked for. */
  | {
      readonly type: 'recovering';
      readonly attemptKey: string;
      readonly method: Method;
      /** What was owed when it was made, integer cents; `null`: not known. */
      readonly totalCents: number | null;
    }
  /** An invoice known by its id is to be shown. */
  | {
      readonly type: 'following';
      readonly pendingLookUp: PendingLookUp;
      readonly method: Method;
      readonly attemptKey: string | null;
    }
  /** The page promised an invoice. */
  | { readonly type: 'promised' }
  | { readonly type: 'copied'; readonly copied: boolean }
  /** "O código não funcionou?" */
  | { readonly type: 'trouble_reported' }
  | { readonly type: 'new_code_asked'; readonly attemptKey: string };

/**
 * What the machine wants done. At most one look-up and one creation are in flight at any time: a new one takes the place
 * of the one of its kind, whose answer must change nothing any more.
 */
export type Command =
  | InvoiceRequest
  /** Makes the card ready; answered by `card_ready` or `card_failed`. */
  | { readonly type: 'tokenize' }
  | {
      readonly type: 'look_up';
      readonly invoiceId: string;
      readonly lookupToken: string | null;
      readonly waitSeconds: number;
      readonly timeoutMs: number;
    }
  /** Gives up what is in flight: its answer must change nothing any more. */
  | { readonly type: 'abort'; readonly what: 'look_up' | 'all' }
  /** Keeps the attempt for a reload or a second tab. A new one does not replace a card that is not settled. */
  | {
      readonly type: 'remember';
      readonly attemptKey: string;
      readonly method: Method;
      readonly invoiceId: string | null;
      readonly lookupToken: string | null;
      readonly totalCents: number | null;
    }
  /** Drops the stored attempt, unless it is a card that is not settled. */
  | { readonly type: 'forget' }
  /** The proxy has said how this card attempt ended: `forget` and other attempts may take its record. */
  | { readonly type: 'settle'; readonly attemptKey: string | null }
  | { readonly type: 'emit'; readonly event: Emission };

/** A request that is answered by `created` or `create_failed` of the same purpose. */
export type InvoiceRequest =
  | {
      readonly type: 'create';
      readonly purpose: 'invoice' | 'renewal';
      readonly attemptKey: string;
      readonly replaces: string | null;
    }
  | {
      readonly type: 'recover';
      readonly purpose: Purpose;
      readonly attemptKey: string;
    }
  /** Sends the card, once; it is gone from memory then. */
  | { readonly type: 'charge'; readonly purpose: 'charge'; readonly attemptKey: string };

/** A DOM event that the element is to dispatch; `pix-status` follows from the state by itself. */
export type Emission =
  | { readonly name: 'created' | 'paid'; readonly invoice: InvoiceDetail }
  | { readonly name: 'copy'; readonly copied: boolean }
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
