/**
 * Charges one card at the service and decides what each answer proves. Sends once, and a second time only if the first
 * provably never left. The card passes through: it is not kept, logged or hashed.
 */

import type { Card } from '../../../contract/types.js';
import { ServiceError } from '../../../service.js';
import type { CreationRequest, SendingOptions, ServiceClient } from '../../../service.js';
import {
  findWrongField,
  toCreationRequest,
  toSendableTexts,
  toMadeInvoice,
  toSendingOptions,
} from '../../outside/invoice-forms.js';
import type { CreationParts, PricedPayment } from '../../outside/invoice-forms.js';
import { isListed } from '../../outside/wire-texts.js';
import type { Unasked } from '../../outside/merchant.js';
import type { CardEnding } from '../../order/charges.js';
import type { Attempt } from '../../order/order.js';
import { toIssued } from '../../order/questions.js';
import { unavailable } from '../../set-up/proxy-error.js';
import type { ProxyError } from '../../set-up/proxy-error.js';
import type { CardDateFormats, HumanQuestion } from '../../set-up/options/options.js';

/** A priced order and the card that pays it. */
export interface CardPayment extends PricedPayment {
  readonly card: Card;
  readonly attempt: Attempt;
  /** The browser's request, for the merchant's human check. */
  readonly request: Unasked<HumanQuestion>['request'];
}

/** How a charge ended. `failed`: the service did not take the request, for a reason that is not the payer's. */
export type ChargeOutcome = CardEnding | { readonly state: 'failed'; readonly error: ProxyError };

/**
 * Assumed: these refuse the card or the payer's data (service spec does not show its refusals). One answer for all of
 * them: a proxy that told a wrong number from a declined one would help to test stolen cards.
 */
const refusingStatuses: ReadonlySet<number | undefined> = new Set([400, 402, 422]);

const unknown: ChargeOutcome = { state: 'unknown', candidate: null };

/** Charging in two steps: between them the store records that the card is about to leave. */
export function createCardCharging(parts: CreationParts) {
  const { settings, service, sandbox, toPostbackUrl } = parts;
  const { log } = settings;

  return {
    async toRequest(payment: CardPayment): Promise<CreationRequest> {
      const postbackUrl = await toPostbackUrl(payment.externalId);
      const request = toCreationRequest(payment, 'credit_card', settings, postbackUrl);
      return { ...request, card: toWireCard(payment.card, settings.formats) };
    },

    /**
     * Never rejects because of the service.
     * @param maySend whether the recorded `sent` still stands: afterwards nothing leaves
     */
    async send(
      request: CreationRequest,
      payment: CardPayment,
      maySend: () => boolean,
    ): Promise<ChargeOutcome> {
      if (!maySend()) return { state: 'failed', error: unavailable() };
      const { externalId } = payment;
      const options = toSendingOptions(payment, settings);
      try {
        const { isSandbox, ...answer } = await sendOnce(service, request, options, maySend);
        const wire = sandbox.withhold(answer, isSandbox);
        const invoice = toMadeInvoice(wire, payment, 'credit_card', settings);
        sandbox.noteCreated(invoice.invoiceId, '', isSandbox);
        const field = findWrongField(invoice, wire, request, settings);
        if (field !== null) {
          log({ level: 'error', event: 'invalid_answer', operation: 'create', externalId, field });
          if (field === 'data.order_code') return unknown;
          // The answer was about something else, but the invoice may still be ours: a look-up will tell.
          return { state: 'unknown', candidate: toIssued(invoice) };
        }
        const isRefused = isListed(settings.statuses.refused, wire.status);
        return { state: isRefused ? 'refused' : 'created', invoice };
      } catch (thrown) {
        return toOutcome(thrown, service.toProxyError(thrown, { operation: 'create', externalId }));
      }
    },
  };
}

/** The second try is no second charge: the first one was never sent. */
async function sendOnce(
  service: CreationParts['service'],
  request: CreationRequest,
  options: SendingOptions,
  maySend: () => boolean,
): ReturnType<ServiceClient['createInvoice']> {
  try {
    return await service.createInvoice(request, options);
  } catch (thrown) {
    const isUnsent = thrown instanceof ServiceError && thrown.kind === 'unsent';
    if (!isUnsent || !maySend()) throw thrown;
    return service.createInvoice(request, options);
  }
}

function toOutcome(thrown: unknown, error: ProxyError): ChargeOutcome {
  if (!(thrown instanceof ServiceError) || thrown.mayHaveHappened) return unknown;
  const isRefused = refusingStatuses.has(thrown.status);
  return isRefused ? { state: 'refused', invoice: null } : { state: 'failed', error };
}

/** Every field as it came, except for characters that are none, and month and year, whose formats are options. */
function toWireCard(card: Card, { month, year }: CardDateFormats): Card {
  return {
    ...toSendableTexts(card),
    installment: card.installment ?? 1,
    ...(card.month === undefined ? {} : { month: toMonth(card.month, month) }),
    ...(card.year === undefined ? {} : { year: toYear(card.year, year) }),
  };
}

function toMonth(month: string, format: CardDateFormats['month']): string {
  if (!/^\d{1,2}$/.test(month)) return month;
  return format === 'M' ? month.replace(/^0(?=\d)/, '') : month.padStart(2, '0');
}

function toYear(year: string, format: CardDateFormats['year']): string {
  if (format === 'YY') return /^\d{4}$/.test(year) ? year.slice(2) : year;
  return /^\d{2}$/.test(year) ? `20${year}` : year;
}
