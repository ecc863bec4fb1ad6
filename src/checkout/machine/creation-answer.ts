/**
 * The answer to a request for an invoice, sorted by what was asked for: an invoice, a card's charge or its outcome, a new
 * look-up token. Renewals are decided here; the rest in creation.ts and charge.ts.
 */

import type { CreatedInvoice } from '../../contract/types.js';
import { afterCharged, afterChargeFailed, afterInquiryFailed, afterRefused } from './charge.js';
import {
  afterCreationFailed,
  afterInvoiceCreated,
  afterOrderPaid,
  toPosting,
  transient,
} from './creation.js';
import type { Answer, Failure, Purpose } from './events-and-commands.js';
import { failureOf, goOn, isRefusal, remember, tell, to, withWatch } from './outcome.js';
import type { Given, Outcome } from './outcome.js';
import { isAtStep, isCharging, isFollowing, openCard, requestsInvoice, watchOf } from './state.js';
import type { State, Watch } from './state.js';

/** The proxy answered a request for an invoice, or did not. One that was given up since changes nothing. */
export function afterAnswered(
  state: State,
  purpose: Purpose,
  answer: Answer<CreatedInvoice>,
  given: Given,
): Outcome {
  const card = openCard(state);
  const renewed = renewedWatch(state);
  const isPaid = 'failure' in answer && answer.failure.code === 'order_paid';
  if (isPaid && (requestsInvoice(state) || card || renewed)) {
    return afterOrderPaid(state, answer.failure, given);
  }
  if (purpose === 'renewal') {
    return renewed ? afterRenewal(state, renewed, answer, given) : to(state);
  }
  if (purpose === 'invoice') {
    if (!requestsInvoice(state)) return to(state);
    return 'failure' in answer
      ? afterCreationFailed(state, answer.failure, given)
      : afterInvoiceCreated(state, answer.invoice, given);
  }
  if (!card) return to(state);
  if ('invoice' in answer) return afterCharged(state, card, answer.invoice, given);
  if (isAtStep(state, 'sending')) return afterChargeFailed(state, answer.failure, given);
  // A look-up may have moved a charge in flight to `confirming`: its failure counts as that of an inquiry there.
  return state.phase === 'confirming'
    ? afterInquiryFailed(state, card, answer.failure, given)
    : to(state);
}

/** What a renewal is for; `null` where no invoice is followed any more, or another request took the renewal's place. */
function renewedWatch(state: State): Watch | null {
  const isOther = requestsInvoice(state) || isFollowing(state) || openCard(state) !== null;
  return isOther ? null : watchOf(state);
}

/** The same order was asked for again with the same key, for a new look-up token. Usually it is the same invoice. */
function afterRenewal(
  state: State,
  watch: Watch,
  answer: Answer<CreatedInvoice>,
  given: Given,
): Outcome {
  const { attemptKey } = watch;
  const [newest, ...former] = watch.invoices;
  if ('failure' in answer) return afterRenewalFailed(state, watch, answer.failure, given);
  if (attemptKey === null) return to(state);
  const { invoice } = answer;
  if (invoice.invoice_id !== newest.invoiceId) {
    const expired = state.phase === 'expired';
    // Where a payment may have been made, or a card is asked for, no other code is offered.
    return state.phase === 'awaiting' || expired
      ? afterInvoiceCreated(toPosting(attemptKey, given, { watch, expired }), invoice, given)
      : afterRenewalFailed(state, watch, failureOf('invalid_answer'), given);
  }
  const renewed = { ...newest, lookupToken: invoice.lookup_token ?? newest.lookupToken };
  const next: Watch = { ...goOn(watch, given), invoices: [renewed, ...former] };
  return to(withWatch(state, next), remember(attemptKey, renewed));
}

/** Look-ups go on, and ask for a new token when they are refused again. */
function afterRenewalFailed(state: State, watch: Watch, failure: Failure, given: Given): Outcome {
  if (isRefusal(failure) && state.phase === 'confirming' && isCharging(state)) {
    return afterRefused(state, watch, failure);
  }
  const resumed = goOn(watch, given, failure.retryAfterSeconds);
  if (resumed === watch) return to(state);
  // One failure is counted already: that of the look-up which was refused.
  const isNews = watch.polling.failures === 1 && !transient.has(failure.code);
  const told = isNews ? [tell(failure, watch.invoices[0].invoiceId)] : [];
  return to(withWatch(state, resumed), ...told);
}
