/**
 * Recognises invoices of the sandbox, where no money moves, and keeps their payments from counting.
 *
 * The sandbox marks its answers with a header and its codes with a name; either is enough, for a header may get lost.
 */

import { parseBrCode } from '../../domain/br-code.js';
import type { Log } from '../config/log.js';

/** The receiver's name in every code of the sandbox. */
const sandboxName = 'TESTE NAO PAGAR';

interface PayableInvoice {
  readonly invoice_id: string;
  readonly status: string;
  readonly qr_code_pix?: string;
}

/** What a proxy does about invoices of the sandbox. */
export interface Sandbox {
  /** Warns of an invoice just made there. */
  noteCreated(invoiceId: string, code: string, isMarked: boolean): void;
  /** The answer as it is reported: a payment that is none stays `pending`. */
  withhold<T extends PayableInvoice>(data: T, isMarked: boolean): T;
}

/** @param isAllowed the merchant typed out `allowSandbox`: test payments count */
export function createSandboxMark(isAllowed: boolean, log: Log): Sandbox {
  return {
    noteCreated(invoiceId, code, isMarked) {
      if (isAllowed || !(isMarked || isSandboxCode(code))) return;
      log({ level: 'warn', event: 'sandbox_invoice', invoiceId });
    },

    withhold(data, isMarked) {
      if (isAllowed || data.status !== 'paid') return data;
      if (!isMarked && !isSandboxCode(data.qr_code_pix)) return data;
      log({ level: 'warn', event: 'sandbox_payment_withheld', invoiceId: data.invoice_id });
      return { ...data, status: 'pending' };
    },
  };
}

function isSandboxCode(code: string | undefined): boolean {
  try {
    return parseBrCode(code).merchantName === sandboxName;
  } catch {
    return false;
  }
}
