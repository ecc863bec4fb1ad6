/** Carries out `create`: one Pix invoice at the service, checked before anyone sees it. */

import { BrCodeError, parseBrCode } from '../../../domain/br-code.js';
import {
  findWrongField,
  toCreationRequest,
  toMadeInvoice,
  toSendingOptions,
} from '../../outside/invoice-forms.js';
import type { CreationParts, PricedPayment } from '../../outside/invoice-forms.js';
import { isPassableCode } from '../../outside/wire-texts.js';
import type { MadeInvoice } from '../../order/order.js';
import { PageLeft, unavailable } from '../../set-up/proxy-error.js';
import { createUnusualCodes } from './unusual-codes.js';

/** @throws ProxyError; then nothing was handed out, and a later try may create another */
type CreateCode = (payment: PricedPayment) => Promise<MadeInvoice>;

export function createCreateCode(parts: CreationParts): CreateCode {
  const { settings, service, sandbox, log, toPostbackUrl } = parts;
  const noteUnusual = createUnusualCodes(log);

  return async function createCode(payment) {
    const { externalId } = payment;
    const call = { operation: 'create', externalId } as const;
    try {
      const postbackUrl = await toPostbackUrl(externalId);
      const request = toCreationRequest(payment, 'pix', settings, postbackUrl);
      if (!payment.isAwaited()) throw new PageLeft();
      const wire = await service.createInvoice(request, toSendingOptions(payment, settings));
      const invoice = toMadeInvoice(wire, payment, 'pix', settings);
      refuseIf('invalid_answer', findWrongField(invoice, wire, request, settings));
      refuseIf('invalid_code', findCodeFault(invoice, settings.allowUnverifiedCodes));
      sandbox.noteCreated(invoice.invoiceId, invoice.code, wire.isSandbox);
      noteUnusual(invoice);
      return invoice;
    } catch (thrown) {
      const isPayerTyped = Object.keys(payment.typedPayer).length > 0;
      throw service.toProxyError(thrown, { ...call, isPayerTyped });
    }

    /** The service created an invoice, but none that may be shown for this order. */
    function refuseIf(event: 'invalid_answer' | 'invalid_code', field: string | null): void {
      if (field === null) return;
      log({ level: 'error', event, ...call, field });
      throw unavailable();
    }
  };
}

/** Why a bank would not pay this code, or would pay another amount; null: it would pay it. */
function findCodeFault({ code, totalCents }: MadeInvoice, isUnverified: boolean): string | null {
  if (code === '') return 'no-code';
  if (isUnverified) return isPassableCode(code, true) ? null : 'unreadable';
  try {
    const { kind, amountCents, recurrenceLocation } = parseBrCode(code);
    // Paying it, alone or with a charge, would authorise later debits.
    if (recurrenceLocation !== null) return 'recurrence';
    // A bank asks a location for the amount again; it pays a key's code as it is written.
    const differs = kind === 'static' && amountCents !== null && amountCents !== totalCents;
    return differs ? 'amount-differs' : null;
  } catch (thrown) {
    return thrown instanceof BrCodeError ? thrown.fault : 'unreadable';
  }
}
