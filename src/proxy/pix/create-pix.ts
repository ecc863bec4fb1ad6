/**
 * Makes one Pix invoice at the service and checks what came back before anybody sees it.
 *
 * Owns what an invoice without effect means. Knows nothing of other invoices of the order (`debts.ts`), and sends once.
 */

import { BrCodeError, parseBrCode } from '../../domain/br-code.js';
import type { ServiceClient } from '../../service.js';
import {
  findWrongField,
  toCreationRequest,
  toRememberedInvoice,
} from '../gateway/invoice-request.js';
import type { CreationParts, PricedPayment } from '../gateway/invoice-request.js';
import type { Log } from '../config/log.js';
import type { Settings } from '../config/read-options.js';
import type { RememberedInvoice } from '../ledger/ledger.js';
import { isPassableCode } from '../gateway/passed-on.js';
import { unavailable } from '../runtime/proxy-error.js';
import type { Sandbox } from '../gateway/sandbox-mark.js';
import type { ServiceErrors } from '../gateway/service-errors.js';

/** Makes one invoice. @throws ProxyError; then nothing was handed out, and a later try may make another */
export type CreatePix = (payment: PricedPayment) => Promise<RememberedInvoice>;

/** Makes the function that creates Pix invoices. */
export function createPixCreation(parts: CreationParts): CreatePix {
  const { settings, service, faults, sandbox, log, toPostbackUrl } = parts;

  return async function createPix(payment) {
    const { externalId, idempotencyKey } = payment;
    const isPayerTyped = Object.keys(payment.typedPayer).length > 0;
    try {
      const postbackUrl = await toPostbackUrl(externalId);
      const request = toCreationRequest(payment, 'pix', settings, postbackUrl);
      const options = settings.forwardIdempotencyKey ? { idempotencyKey } : {};
      const wire = await service.createInvoice(request, options);
      faults.succeeded();
      const invoice = toRememberedInvoice(wire, payment, 'pix', settings);
      refuseIf(externalId, 'invalid_answer', findWrongField(invoice, wire, request, settings));
      refuseIf(externalId, 'invalid_code', findCodeFault(invoice, settings.allowUnverifiedCodes));
      sandbox.noteCreated(invoice.invoiceId, invoice.code, wire.isSandbox);
      return invoice;
    } catch (thrown) {
      throw faults.toProxyError(thrown, { operation: 'create', externalId, isPayerTyped });
    }
  };

  /** The service made something, but nothing that may be shown for this order. Nobody saw it: it harms nobody. */
  function refuseIf(
    externalId: string,
    event: 'invalid_answer' | 'invalid_code',
    field: string | null,
  ): void {
    if (field === null) return;
    log({ level: 'error', event, operation: 'create', externalId, field });
    throw unavailable();
  }
}

/** Why no bank would pay this code, or would pay another sum; null if one would. */
function findCodeFault(
  { code, totalCents }: RememberedInvoice,
  isUnverified: boolean,
): string | null {
  if (code === '') return 'no-code';
  if (isUnverified) return isPassableCode(code, true) ? null : 'unreadable';
  try {
    const { kind, amountCents } = parseBrCode(code);
    if (kind === 'recurrence') return 'recurrence';
    // Behind a location the bank asks for the amount again; a key's code is paid as it is written.
    const differs = kind === 'static' && amountCents !== null && amountCents !== totalCents;
    return differs ? 'amount-differs' : null;
  } catch (thrown) {
    return thrown instanceof BrCodeError ? thrown.fault : 'unreadable';
  }
}
