/** Charges a card: puts the ask to the order and carries out its commands. */

import type { CardGuards } from './card-guards.js';
import { recordCardEnding } from '../order/attempts.js';
import type { Attempt, MadeInvoice } from '../order/order.js';
import { toInProgressError, toUnavailableError, ProxyError } from '../set-up/proxy-error.js';
import { recordingMs } from './persistent.js';
import type { PixParts } from './pix.js';
import type { Outcome, RunAsk } from './run-ask.js';
import { toInvoice } from './run-ask.js';
import type { Card } from '../../contract/types.js';
import { ServiceError } from '../../service.js';
import type { CreationRequest, SendingOptions, ServiceClient } from '../../service.js';
import {
  findWrongField,
  toCreationRequest,
  toSendableTexts,
  toMadeInvoice,
  toSendingOptions,
  isListed,
} from '../outside/invoice-forms.js';
import type { CreationParts, PricedPayment } from '../outside/invoice-forms.js';
import type { LazyQuestion } from '../outside/merchant.js';
import type { CardEnding } from '../order/attempts.js';
import { toIssued } from '../order/order.js';
import type { CardDateFormats, HumanQuestion } from '../set-up/options/options.js';
import { logError } from '../set-up/log.js';
import type { Log } from '../set-up/log.js';
import { isLastWord, needsBar } from '../order/asks/card.js';

interface CardParts extends PixParts {
  readonly guards: CardGuards;
}

export type PayByCard = ReturnType<typeof createPayByCard>;

export function createPayByCard(parts: CardParts) {
  const { runAsk, lookUpFirst, guards, settings } = parts;
  const { now, serviceTimeoutMs, log } = settings;
  const charging = createCardSender(parts);

  /**
   * @returns the invoice of the attempt; only a look-up can confirm its status
   * @throws OrderPaid, or ProxyError as the order answers or as a command failed
   */
  return async function payByCard(payment: CardPayment): Promise<MadeInvoice> {
    const { externalId, attempt, request, clientAddress: remoteAddress, isAwaited } = payment;
    // This stands before the claim, whose time is short.
    const payerHash = await guards.hashAddress(remoteAddress);
    const wire = await charging.toRequest(payment);
    if (!isAwaited()) throw toInProgressError();
    try {
      // The time for two sends (the first may provably not have left) and for recording the outcome. After it the outcome is
      // unknown.
      const sentForMs = 2 * serviceTimeoutMs + recordingMs;
      const ask = { kind: 'card', externalId, attempt, sentForMs } as const;
      const answer = await runAsk(ask, {
        isAwaited,
        carryOut: {
          look_up: (command, { learned }) => lookUpFirst(command, learned.said, payment),
          async admit(_command, { order }) {
            await guards.admit(attempt, order, { externalId, request, remoteAddress, payerHash });
            return { learned: { isAdmitted: true } };
          },
          async charge(_command, { askedAtMs }) {
            // After a slow store or a stopped process, an attempt that was given up meanwhile must not be sent.
            const maySend = () => now() <= askedAtMs + serviceTimeoutMs && isAwaited();
            return toOutcome(attempt, await charging.send(wire, payment, maySend));
          },
        },
      });
      return toInvoice(answer);
    } finally {
      guards.note(attempt, 'none');
    }
  };

  function toOutcome(attempt: Attempt, ending: ChargeOutcome): Outcome {
    const { externalId } = attempt;
    if (ending.state === 'failed') return { failed: ending.error };
    if (ending.state === 'unknown') {
      log({ level: 'error', event: 'outcome_unknown', operation: 'create', externalId });
    } else guards.note(attempt, ending.state === 'created' ? 'charged' : 'refused');
    return {
      fact: (order, given) => recordCardEnding(order, { attempt, ending }, given),
      learned: { madeId: ending.state === 'created' ? ending.invoice.invoiceId : null },
    };
  }
}

// Charging at the service
//
// Sends a card once, and a second time only if the first provably never left. The card is not kept, logged or hashed.

/** A priced order and the card that pays it. */
export interface CardPayment extends PricedPayment {
  readonly card: Card;
  readonly attempt: Attempt;
  /** The browser's request, for the merchant's human check. */
  readonly request: LazyQuestion<HumanQuestion>['request'];
}

/** How a charge ended. `failed`: the service did not take the request, for a reason that is not the payer's. */
export type ChargeOutcome = CardEnding | { readonly state: 'failed'; readonly error: ProxyError };

/**
 * Assumed: these refuse the card or the payer's data (service spec does not show its refusals). All of them give the same
 * answer: a proxy that told a wrong number from a declined card would help to test stolen cards.
 */
const refusingStatuses: ReadonlySet<number | undefined> = new Set([400, 402, 422]);

const unknown: ChargeOutcome = { state: 'unknown', candidate: null };

/**
 * `toRequest` builds the request, `send` sends the card. Between the two, the caller's ask has the order record that the card is
 * about to be sent.
 */
function createCardSender(parts: CreationParts) {
  const { settings, service, sandbox, toPostbackUrl } = parts;
  const { log } = settings;

  return {
    async toRequest(payment: CardPayment): Promise<CreationRequest> {
      const postbackUrl = await toPostbackUrl(payment.externalId);
      const request = toCreationRequest(payment, 'credit_card', settings, postbackUrl);
      return { ...request, card: toWireCard(payment.card, settings.formats) };
    },

    /**
     * Sends the card. Never rejects because of the service.
     * @param maySend whether the recorded `sent` still holds; if not, nothing is sent
     */
    async send(
      request: CreationRequest,
      payment: CardPayment,
      maySend: () => boolean,
    ): Promise<ChargeOutcome> {
      await service.makeWay();
      if (!maySend()) return { state: 'failed', error: toUnavailableError() };
      const { externalId } = payment;
      const options = toSendingOptions(payment, settings);
      try {
        const { isSandbox, ...answer } = await sendAgainIfUnsent(
          service,
          request,
          options,
          maySend,
        );
        const wire = sandbox.withhold(answer, isSandbox);
        const invoice = toMadeInvoice(wire, payment, 'credit_card', settings);
        sandbox.noteCreated(invoice.invoiceId, '', isSandbox);
        const field = findWrongField(invoice, wire, request, settings);
        if (field !== null) {
          log({ level: 'error', event: 'invalid_answer', operation: 'create', externalId, field });
          if (field === 'data.order_code') return unknown;
          // The answer was about something else, but the invoice may still be ours. A look-up will tell.
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

/** Sends a second time only if the first try was never sent, so it is no second charge. */
async function sendAgainIfUnsent(
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

/** Passes each field on as it came, except for unsendable characters, and month and year, whose formats are options. */
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

// Cards that failed before they were sent
//
// Bars the key before the page hears of the failure. `order/asks/card.ts` decides what the page hears.

interface KeyedRequest {
  readonly key: string;
  readonly externalId: string;
  /** Whether the request may pay this order. Others could use up the room for barred keys. */
  readonly mayBar: () => Promise<boolean>;
}

/** @throws what `charge` failed with; if an attempt with this key stands, as the order answers */
export async function barIfFailed(
  { runAsk, log }: { readonly runAsk: RunAsk; readonly log: Log },
  { key, externalId, mayBar }: KeyedRequest,
  charge: Promise<MadeInvoice>,
): Promise<MadeInvoice> {
  try {
    return await charge;
  } catch (thrown) {
    const code = thrown instanceof ProxyError ? thrown.code : 'service_unavailable';
    if (!needsBar(code) || !(await mayBar())) throw thrown;
    const ask = { kind: 'card_failed', externalId, key, code } as const;
    const answer = await runAsk(ask, { isAwaited: () => true, carryOut: {} }).catch(noteFailure);
    // The key is not barred, so the request may come again: the page asks by its key.
    if (!answer && isLastWord(code)) throw toInProgressError();
    if (!answer || answer.type === 'as_it_failed') throw thrown;
    return toInvoice(answer);
  }

  function noteFailure(failure: unknown): null {
    logError(log, failure, { operation: 'create', externalId });
    return null;
  }
}
