/** Charges a card: puts the ask to its order, and carries out the commands that the order replies. */

import type { CardGuards } from './card-guards.js';
import { recordCardOutcome, type CardOutcome } from '../order/attempts.js';
import { toInProgressError, toUnavailableError, ProxyError } from '../set-up/proxy-error.js';
import { recordingMs } from './persistent.js';
import type { PixParts } from './pix.js';
import { toInvoice, type Outcome, type RunAsk } from './run-ask.js';
import type { Card } from '../../contract/types.js';
import { ServiceError, type ServiceClient } from '../../service.js';
import { readCreated, toCreation, toSendableTexts, isListed } from '../outside/invoice-forms.js';
import type { CreationCall, CreationParts, PricedPayment } from '../outside/invoice-forms.js';
import type { LazyQuestion } from '../outside/merchant.js';
import { toIssued, type Attempt, type MadeInvoice } from '../order/order.js';
import type { CardDateFormats, HumanQuestion } from '../set-up/options/options.js';
import { logError, type Log } from '../set-up/log.js';
import { isFinalError, isBarNeeded } from '../order/asks/card.js';

interface CardParts extends PixParts {
  readonly guards: CardGuards;
}

export type PayByCard = ReturnType<typeof createPayByCard>;

/** Creates the function that pays an order by card, within the limits against card testing. */
export function createPayByCard(parts: CardParts) {
  const { runAsk, lookUpFirst, guards, settings } = parts;
  const { now, serviceTimeoutMs, log } = settings;
  const charging = createCardSender(parts);

  /**
   * Pays the order by this card.
   * @returns the invoice of the attempt; only a look-up can confirm its status
   * @throws OrderPaid, or ProxyError as the order answers or as a command failed
   */
  return async function payByCard(payment: CardPayment): Promise<MadeInvoice> {
    const { externalId, attempt, request, clientAddress: remoteAddress, isAwaited } = payment;
    // These steps come before the claim, because it holds for half a minute only.
    const addressHash = await guards.hashAddress(remoteAddress);
    const creation = await charging.toCreation(payment);
    if (!isAwaited()) throw toInProgressError();
    try {
      // The time for two sends (the second if the first provably never left) and for recording the outcome. After that the
      // outcome is unknown.
      const sentForMs = 2 * serviceTimeoutMs + recordingMs;
      const ask = { kind: 'card', externalId, attempt, sentForMs } as const;
      const answer = await runAsk(ask, {
        carryOut: {
          look_up: (command, { learned }) => lookUpFirst(command, learned.said, payment),
          async admit(_command, { order }) {
            await guards.admit(attempt, order, { externalId, request, remoteAddress, addressHash });
            return { learned: { isAdmitted: true } };
          },
          async charge(_command, { askedAtMs }) {
            // The recorded `sent` holds for `sentForMs`. If the store was slow or the process stopped, too little of that is
            // left for the card.
            const maySend = () => now() <= askedAtMs + serviceTimeoutMs && isAwaited();
            return noteEnding(attempt, await charging.send(creation, payment, maySend));
          },
        },
      });
      return toInvoice(answer);
    } finally {
      guards.note(attempt, 'none');
    }
  };

  /** Logs and counts how a charge ended. @returns the fact for the order; for a charge that `failed` only its error */
  function noteEnding(attempt: Attempt, ending: ChargeOutcome): Outcome {
    const { externalId } = attempt;
    if (ending.state === 'failed') return { failed: ending.error };
    if (ending.state === 'unknown') {
      log({ level: 'error', event: 'outcome_unknown', operation: 'create', externalId });
    } else guards.note(attempt, ending.state === 'created' ? 'charged' : 'refused');
    return {
      fact: (order, given) => recordCardOutcome(order, { attempt, ending }, given),
      learned: { madeId: ending.state === 'created' ? ending.invoice.invoiceId : null },
    };
  }
}

// Charging at the service
//
// Sends a card once, and a second time only if the first request provably never left. The card is not kept, logged or hashed.

/** A priced order and the card that pays it. */
export interface CardPayment extends PricedPayment {
  readonly card: Card;
  readonly attempt: Attempt;
  /** The browser's request, for the merchant's human check. */
  readonly request: LazyQuestion<HumanQuestion>['request'];
}

/** How a charge ended. `failed`: nothing was sent, or the service did not take it, for a reason that is not the payer's. */
export type ChargeOutcome = CardOutcome | { readonly state: 'failed'; readonly error: ProxyError };

/**
 * Assumed: these refuse the card or the payer's data (service spec does not show its refusals). All of them give the same
 * answer: a proxy that told a wrong number from a declined card would help to test stolen cards.
 */
const refusingStatuses: ReadonlySet<number | undefined> = new Set([400, 402, 422]);

const unknown: ChargeOutcome = { state: 'unknown', candidate: null };

/**
 * Creates the two halves of a charge: `toCreation` builds the service's request, and `send` sends it. The order records
 * between the two that the card is about to be sent.
 */
function createCardSender(parts: CreationParts) {
  const { settings, service, sandbox, toPostbackUrl } = parts;
  const { log } = settings;

  return {
    /** Builds the service's request, with the card in it. */
    async toCreation(payment: CardPayment): Promise<CreationCall> {
      const postbackUrl = await toPostbackUrl(payment.externalId);
      const { request, options } = toCreation(payment, 'credit_card', settings, postbackUrl);
      return { request: { ...request, card: toWireCard(payment.card, settings.formats) }, options };
    },

    /**
     * Sends the card. A failure of the service is an outcome and no error.
     * @param maySend asked before each send: whether enough is left of the time that `sent` holds
     */
    async send(
      creation: CreationCall,
      payment: CardPayment,
      maySend: () => boolean,
    ): Promise<ChargeOutcome> {
      await service.makeWay();
      if (!maySend()) return { state: 'failed', error: toUnavailableError() };
      const { externalId } = payment;
      try {
        const { isSandbox, ...answer } = await sendCard(service, creation, maySend);
        const wire = sandbox.withhold(answer, isSandbox);
        const { invoice, field } = readCreated(wire, payment, 'credit_card', settings);
        sandbox.noteCreated(invoice.invoiceId, '', isSandbox);
        if (field !== null) {
          log({ level: 'error', event: 'invalid_answer', operation: 'create', externalId, field });
          // This invoice can never be looked up.
          if (field === 'data.order_code') return unknown;
          // The answer names another total or reference, but its invoice may be the card's all the same. A look-up will tell.
          return { state: 'unknown', candidate: toIssued(invoice) };
        }
        const isRefused = isListed(settings.statuses.refused, wire.status);
        return { state: isRefused ? 'refused' : 'created', invoice };
      } catch (thrown) {
        return toChargeOutcome(
          thrown,
          service.toProxyError(thrown, { operation: 'create', externalId }),
        );
      }
    },
  };
}

/** Sends the card. Sends it a second time only if the first request never left, because that cannot charge it twice. */
async function sendCard(
  service: CreationParts['service'],
  { request, options }: CreationCall,
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

/** Tells by the error of a charge whether the card was refused, was not charged (`failed`), or may have been charged. */
function toChargeOutcome(thrown: unknown, error: ProxyError): ChargeOutcome {
  if (!(thrown instanceof ServiceError) || thrown.mayHaveHappened) return unknown;
  const isRefused = refusingStatuses.has(thrown.status);
  return isRefused ? { state: 'refused', invoice: null } : { state: 'failed', error };
}

/**
 * Writes the card as the service takes it: month and year in the formats of the options (a text of another form stays as it
 * is), one instalment by default, and each text without characters that cannot be sent.
 */
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
// Bars the key before the page gets the error. `order/asks/card.ts` decides what the page gets.

interface KeyedRequest {
  readonly key: string;
  readonly externalId: string;
  /** Whether the request may pay this order. Other requests could use up the room for barred keys. */
  readonly mayBar: () => Promise<boolean>;
}

/**
 * Waits for a charge. If it fails with a code that needs a bar, and the request may pay this order, the order bars the key
 * before the page gets the error, so that a repetition of the request charges nothing later.
 * @returns the invoice, also that of an attempt that has this key
 * @throws the error of `charge`; the order's answer for an attempt that has this key; `in_progress` if the key could not be
 * barred and the payer might turn to another payment
 */
export async function barIfFailed(
  { runAsk, log }: { readonly runAsk: RunAsk; readonly log: Log },
  { key, externalId, mayBar }: KeyedRequest,
  charge: Promise<MadeInvoice>,
): Promise<MadeInvoice> {
  try {
    return await charge;
  } catch (thrown) {
    const code = thrown instanceof ProxyError ? thrown.code : 'service_unavailable';
    if (!isBarNeeded(code) || !(await mayBar())) throw thrown;
    const ask = { kind: 'card_failed', externalId, key, code } as const;
    const answer = await runAsk(ask, { carryOut: {} }).catch(noteFailure);
    // The key is not barred, so the request may be charged later. At `in_progress` the page keeps asking by its key.
    if (!answer && isFinalError(code)) throw toInProgressError();
    if (!answer || answer.type === 'as_it_failed') throw thrown;
    return toInvoice(answer);
  }

  function noteFailure(failure: unknown): null {
    logError(log, failure, { operation: 'create', externalId });
    return null;
  }
}
