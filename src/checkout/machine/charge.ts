/**
 * How a card is charged: made ready, sent once, and never sent again by itself. Part of the machine; pure.
 *
 * A card moves money the moment the service hears of it, so a lost answer is an outcome nobody knows: it is asked for by
 * the attempt's key, it is never shown as failed, and nothing else of the order may be paid meanwhile.
 */

import type { CreatedInvoice } from '../../contract/types.js';
import type { Failure } from './messages.js';
import { checkCreated, toOffer } from './offers.js';
import { emitError, enterPolling, fatal, forget, to, withCommands } from './outcome.js';
import type { Given, Outcome } from './outcome.js';
import { afterReturn, startPolling } from './polling.js';
import { emptyForm } from './state.js';
import type {
  ChargingState,
  CheckoutError,
  ConfirmingState,
  Offer,
  State,
  Watch,
} from './state.js';

/** First span of the jitter before an attempt is asked for again, milliseconds. */
const askSpanMs = 2_000;

/** Largest span: an outcome that nobody knows yet may take a human. */
const askCapMs = 30_000;

/** After these the proxy has certainly charged nothing, and the payer may try again at once. */
const formCodes: ReadonlySet<string> = new Set([
  'payment_refused',
  'invalid_request',
  'key_reused',
  'too_many_requests',
  'service_unavailable',
]);

/** After these the next attempt is another one and takes a new key. */
const endsAttempt: ReadonlySet<string> = new Set([
  'payment_refused',
  'invalid_request',
  'key_reused',
]);

/** The payer asks for the card to be charged. */
export function startCharging(attemptKey: string, watch: Watch | null): Outcome {
  return to({ phase: 'creating', task: 'charging', step: 'tokenizing', attemptKey, watch }, [
    { type: 'tokenize' },
  ]);
}

/** The card is ready: an open Pix code is looked up first, and `paid` wins. */
export function afterCardReady(state: ChargingState, given: Given): Outcome {
  const { watch } = state;
  if (!watch) return send(state, given);
  const polling = afterReturn(watch.polling, given.nowMs);
  return enterPolling({ ...state, step: 'checking', watch: { ...watch, polling } }, given);
}

/** Sends the card. The attempt is stored first: a reload must find its key. */
export function send(state: ChargingState, { terms }: Given): Outcome {
  const { attemptKey } = state;
  const { method, expectedCents: totalCents } = terms;
  return to({ ...state, step: 'sending' }, [
    { type: 'remember', attemptKey, method, invoiceId: null, lookupToken: null, totalCents },
    { type: 'charge', attemptKey },
  ]);
}

/** Nothing was sent, or the proxy says that nothing was charged: the form again, with what was typed. */
export function backToForm(watch: Watch | null, error: CheckoutError): Outcome {
  return to({ ...emptyForm, watch, error }, [emitError(error, null)]);
}

/** The proxy answered the charge, or told of it when it was asked: from here on the invoice is followed. */
export function afterCharged(
  state: ChargingState | ConfirmingState,
  attemptKey: string,
  invoice: CreatedInvoice,
  given: Given,
): Outcome {
  const { terms, nowMs } = given;
  const made = toOffer(invoice, null, terms, nowMs, true);
  // What was asked for is what counts: an answer about something else stays one that disagrees.
  const offer: Offer = {
    ...made,
    method: 'credit_card',
    deadlineMs: null,
    externalId: terms.externalId ?? made.externalId,
    totalCents: terms.expectedCents ?? made.totalCents,
  };
  const { invoiceId, lookupToken, totalCents } = offer;
  const disagreement = checkCreated(invoice, terms);
  const error = disagreement && fatal(disagreement);
  const former = state.watch?.offers.filter((one) => one.invoiceId !== invoiceId) ?? [];
  const watch: Watch = {
    offers: [offer, ...former],
    polling: startPolling(nowMs, 'plain'),
    attemptKey,
  };
  const entered = enterPolling({ phase: 'confirming', watch, asking: null, error }, given);
  const { orderCode, externalId } = made;
  const detail = {
    invoiceId,
    orderCode,
    externalId,
    method: offer.method,
    totalCents: made.totalCents,
  };
  return to(entered.state, [
    { type: 'remember', attemptKey, method: 'credit_card', invoiceId, lookupToken, totalCents },
    ...(state.phase === 'creating'
      ? [{ type: 'emit', event: { name: 'created', invoice: detail } } as const]
      : []),
    ...(error ? [emitError(error, invoiceId)] : []),
    ...entered.commands,
  ]);
}

/** The charge failed, or its answer was lost. Only the proxy's own word is an outcome. */
export function afterChargeFailed(state: ChargingState, failure: Failure, given: Given): Outcome {
  const { attemptKey, watch } = state;
  if (failure.told && failure.code !== 'outcome_unknown' && failure.code !== 'in_progress') {
    return concluded(watch, failure);
  }
  const unknown = failure.told && failure.code === 'outcome_unknown';
  const asking = { attemptKey, tries: 0, retryAtMs: given.nowMs };
  return confirmAttempt({ watch, asking, known: false, unknown, given });
}

/** The attempt was asked for in vain. */
export function afterAskFailed(state: ConfirmingState, failure: Failure, given: Given): Outcome {
  const { asking, watch } = state;
  if (!asking) return to(state);
  if (failure.told && failure.code === 'not_found') {
    // It never reached the proxy. The key stays: should the request arrive late, it is the same attempt.
    return backToForm(watch, { code: 'network', retryable: true });
  }
  const open = failure.code === 'outcome_unknown' || failure.code === 'in_progress';
  const final =
    failure.told && formCodes.has(failure.code) && failure.code !== 'service_unavailable';
  if (final && !open && failure.code !== 'too_many_requests') return concluded(watch, failure);
  const span = Math.min(askCapMs, askSpanMs * 2 ** Math.min(asking.tries, 16));
  const pause = Math.max(given.random * span, (failure.retryAfterSeconds ?? 0) * 1_000, 250);
  // A proxy without this route can tell no more than one that does not know the outcome itself.
  const mute =
    !failure.told && (failure.code === 'not_found' || failure.code === 'invalid_request');
  return confirmAttempt({
    watch,
    asking: { ...asking, tries: asking.tries + 1, retryAtMs: given.nowMs + pause },
    known: state.error?.code === 'outcome_unknown',
    unknown: mute || failure.code === 'outcome_unknown' || state.error !== null,
    given,
  });
}

/** A look-up said that the card was refused: another try, or Pix, for the same order. */
export function afterRefused(watch: Watch, failure: Failure): Outcome {
  const [refused, ...former] = watch.offers;
  const [first, ...others] = former;
  const rest: Watch | null = first
    ? { ...watch, offers: [first, ...others], polling: startPolling(watch.polling.startedAtMs) }
    : null;
  const error = { code: failure.code, retryable: failure.retryable };
  return to({ ...emptyForm, watch: rest, error }, [forget, emitError(failure, refused.invoiceId)]);
}

/** A stored card attempt of which only the key is known: after a reload, in a second tab. */
export function resumeAttempt(attemptKey: string): Outcome {
  return to(
    {
      phase: 'confirming',
      watch: null,
      asking: { attemptKey, tries: 0, retryAtMs: null },
      error: null,
    },
    [{ type: 'recover', attemptKey }],
  );
}

/** Asks for the attempt that is due. */
export function askForAttempt(state: ConfirmingState): Outcome {
  const { asking } = state;
  if (!asking) return to(state);
  return to({ ...state, asking: { ...asking, retryAtMs: null } }, [
    { type: 'recover', attemptKey: asking.attemptKey },
  ]);
}

function confirmAttempt(outcome: {
  watch: Watch | null;
  asking: ConfirmingState['asking'];
  /** The page has been told already. */
  known: boolean;
  unknown: boolean;
  given: Given;
}): Outcome {
  const { watch, asking, known, unknown, given } = outcome;
  const error = unknown ? fatal('outcome_unknown') : null;
  const state: State = { phase: 'confirming', watch, asking, error };
  const told = error && !known ? [emitError(error, null)] : [];
  return withCommands(enterPolling(state, given), ...told);
}

/** The proxy has said how the attempt ended, and nothing was charged. */
function concluded(watch: Watch | null, failure: Failure): Outcome {
  const error = { code: failure.code, retryable: failure.retryable };
  const forgets = endsAttempt.has(failure.code) ? [forget] : [];
  const told = emitError(failure, null);
  if (formCodes.has(failure.code)) return to({ ...emptyForm, watch, error }, [...forgets, told]);
  return to({ phase: 'failed', error, invoiceId: null }, [forget, told]);
}
