/**
 * The DOM events of the element. Each has its own class, bubbles and is composed, so that a page can listen on any ancestor.
 * None contains CPF, e-mail, phone or card data. Any script of the page can dispatch such an event, so a page may change its
 * screen by it, but must not ship goods.
 */

import type { Method } from '../../contract/types.js';
import type { InvoiceDetail, CheckoutErrorCode, Phase } from '../machine/state.js';

const init = <T>(detail: T, cancelable = false) => ({
  detail,
  bubbles: true,
  composed: true,
  cancelable,
});

/** The element is usable. */
export class PixReadyEvent extends CustomEvent<{ methods: readonly Method[] }> {
  constructor(methods: readonly Method[]) {
    super('pix-ready', init({ methods }));
  }
}

/** An invoice is about to be requested; `preventDefault()` keeps the form. */
export class PixSubmitEvent extends CustomEvent<{ method: Method; externalId: string }> {
  constructor(method: Method, externalId: string) {
    super('pix-submit', init({ method, externalId }, true));
  }
}

/** The proxy answered with an invoice. */
export class PixCreatedEvent extends CustomEvent<InvoiceDetail> {
  constructor(invoice: InvoiceDetail) {
    super('pix-created', init(invoice));
  }
}

/** The phase or the service's status changed. */
export class PixStatusEvent extends CustomEvent<{
  phase: Phase;
  /** The service's status; `null` while no invoice is known. */
  status: string | null;
  invoiceId: string | null;
}> {
  constructor(phase: Phase, status: string | null, invoiceId: string | null) {
    super('pix-status', init({ phase, status, invoiceId }));
  }
}

/** The code is on the clipboard, or could not be put there. */
export class PixCopyEvent extends CustomEvent<{ copied: boolean }> {
  constructor(copied: boolean) {
    super('pix-copy', init({ copied }));
  }
}

/** A look-up said paid and everything agreed. Once for each invoice and page load. */
export class PixPaidEvent extends CustomEvent<InvoiceDetail> {
  constructor(invoice: InvoiceDetail) {
    super('pix-paid', init(invoice));
  }
}

/**
 * The merchant's deadline passed and a last look-up said not paid. Once for each invoice and page load. A late `pix-paid` may
 * follow.
 */
export class PixExpiredEvent extends CustomEvent<{ invoiceId: string }> {
  constructor(invoiceId: string) {
    super('pix-expired', init({ invoiceId }));
  }
}

/** Something the merchant should know. */
export class PixErrorEvent extends CustomEvent<{
  code: CheckoutErrorCode;
  retryable: boolean;
  invoiceId?: string;
  /** A web server in front of the proxy asks for a password of its own (`WWW-Authenticate: Basic`). */
  reason?: 'http_basic';
}> {
  constructor(
    code: CheckoutErrorCode,
    retryable: boolean,
    invoiceId: string | null,
    reason?: 'http_basic',
  ) {
    const invoice = invoiceId === null ? {} : { invoiceId };
    super('pix-error', init({ code, retryable, ...invoice, ...(reason && { reason }) }));
  }
}

declare global {
  /** The events bubble, so elements, `document` and `window` all get them. */
  interface GlobalEventHandlersEventMap {
    'pix-ready': PixReadyEvent;
    'pix-submit': PixSubmitEvent;
    'pix-created': PixCreatedEvent;
    'pix-status': PixStatusEvent;
    'pix-copy': PixCopyEvent;
    'pix-paid': PixPaidEvent;
    'pix-expired': PixExpiredEvent;
    'pix-error': PixErrorEvent;
  }
}
