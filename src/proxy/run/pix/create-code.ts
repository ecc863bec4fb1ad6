/** Carries out `create`: one Pix invoice at the service, checked before anyone sees it. */

import { BrCodeError, findUnusualField, parseBrCode } from '../../../domain/br-code.js';
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

export function createCreateCode(parts: CreationParts) {
  const { settings, service, sandbox, toPostbackUrl } = parts;
  const { log } = settings;
  const unusual = new Set<string>();

  /**
   * @returns the invoice that the service made; `isWrong`: no payer may see it
   * @throws ProxyError; then nothing was made for this order that is known, and a later try may create another
   */
  return async function createCode(payment: PricedPayment) {
    const { externalId } = payment;
    const call = { operation: 'create', externalId } as const;
    try {
      const postbackUrl = await toPostbackUrl(externalId);
      const request = toCreationRequest(payment, 'pix', settings, postbackUrl);
      if (!payment.isAwaited()) throw new PageLeft();
      const wire = await service.createInvoice(request, toSendingOptions(payment, settings));
      const invoice = toMadeInvoice(wire, payment, 'pix', settings);
      const field = findWrongField(invoice, wire, request, settings);
      if (field !== null) note('invalid_answer', field);
      // It is another order's, or can never be looked up.
      if (field !== null && field !== 'data.total_cents') throw unavailable();
      const fault = findCodeFault(invoice, settings.allowUnverifiedCodes);
      if (field === null && fault !== null) note('invalid_code', fault);
      const isWrong = field !== null || fault !== null;
      sandbox.noteCreated(invoice.invoiceId, isWrong ? '' : invoice.code, wire.isSandbox);
      if (!isWrong) noteUnusual(invoice);
      return { invoice, isWrong };
    } catch (thrown) {
      const isPayerTyped = Object.keys(payment.typedPayer).length > 0;
      throw service.toProxyError(thrown, { ...call, isPayerTyped });
    }

    /** The service created an invoice, but none that may be shown for this order. */
    function note(event: 'invalid_answer' | 'invalid_code', wrong: string): void {
      log({ level: 'error', event, ...call, field: wrong });
    }
  };

  /** Some banks refuse it though nothing is wrong with it: it is shown all the same, and logged once for each kind. */
  function noteUnusual({ code, externalId, invoiceId }: MadeInvoice): void {
    const field = findUnusual(code);
    if (field === null || unusual.has(field)) return;
    unusual.add(field);
    const about = { operation: 'create', externalId, invoiceId, field } as const;
    log({ level: 'warn', event: 'code_unusual', ...about });
  }
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

/** Null, too, for a test environment's placeholder. */
function findUnusual(code: string): string | null {
  try {
    return findUnusualField(code);
  } catch {
    return null;
  }
}
