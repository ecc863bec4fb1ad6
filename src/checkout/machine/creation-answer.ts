/**
 * The answer to a creation, sorted by what was asked for: an invoice, a card's charge or its outcome, a new look-up token.
 * Renewals are decided here; the rest in creation.ts and charge.ts.
 */

import type { CreatedInvoice } from '../../contract/types.js';
import { afterCharged, afterChargeFailed, afterInquiryFailed, afterRefused } from './charge.js';
import {
  afterCreationFailed,
  afterInvoiceCreated,
  afterOrderPaid,
  goOn,
  toPosting,
  transient,
} from './creation.js';
import type { Failure, Purpose } from './events-and-commands.js';
import { emitError, failureOf, isRefusal, stay, to, withWatch } from './outcome.js';
import type { Given, Outcome } from './outcome.js';
import { inquiryOf, isAtStep, isCharging, isExpired, requestsInvoice, watchOf } from './state.js';
import type { State, Watch } from './state.js';

/** The proxy answered with an invoice. */
export function afterCreated(
  state: State,
  purpose: Purpose,
  invoice: CreatedInvoice,
  given: Given,
): Outcome {
  if (purpose === 'renewal') return afterRenewed(state, invoice, given);
  if (purpose === 'invoice') {
    return requestsInvoice(state) ? afterInvoiceCreated(state, invoice, given) : stay(state);
  }
  const inquiry = inquiryOf(state);
  return inquiry ? afterCharged(state, inquiry, invoice, given) : stay(state);
}

/** The proxy answered with a failure, or not at all. */
export function afterCreateFailed(
  state: State,
  purpose: Purpose,
  failure: Failure,
  given: Given,
): Outcome {
  const inquiry = inquiryOf(state);
  const expected = requestsInvoice(state) || inquiry !== null || watchOf(state) !== null;
  if (failure.code === 'order_paid' && expected) return afterOrderPaid(state, failure, given);
  if (purpose === 'renewal') return afterRenewalFailed(state, failure, given);
  if (purpose === 'invoice') {
    return requestsInvoice(state) ? afterCreationFailed(state, failure, given) : stay(state);
  }
  if (!inquiry) return stay(state);
  if (isAtStep(state, 'sending')) return afterChargeFailed(state, inquiry, failure, given);
  // A look-up may have moved a charge in flight to `confirming`: its failure counts as that of an inquiry there.
  return state.phase === 'confirming'
    ? afterInquiryFailed(state, inquiry, failure, given)
    : stay(state);
}

/** What a renewal is for; `null` where no invoice is followed any more, or another request took the renewal's place. */
function renewedWatch(state: State): Watch | null {
  return requestsInvoice(state) || inquiryOf(state) ? null : watchOf(state);
}

/** The same order was asked for again with the same key, for a new look-up token. Usually it is the same invoice. */
function afterRenewed(state: State, invoice: CreatedInvoice, given: Given): Outcome {
  const watch = renewedWatch(state);
  if (!watch || watch.attemptKey === null) return stay(state);
  const { attemptKey } = watch;
  const [newest, ...former] = watch.invoices;
  if (invoice.invoice_id !== newest.invoiceId) {
    // Where a payment may have been made, or a card is asked for, no other code is offered.
    return state.phase === 'awaiting' || state.phase === 'expired'
      ? afterInvoiceCreated(
          toPosting({ attemptKey, watch, expired: isExpired(state) }),
          invoice,
          given,
        )
      : afterRenewalFailed(state, failureOf('invalid_answer'), given);
  }
  const { invoiceId, method, totalCents } = newest;
  const lookupToken = invoice.lookup_token ?? newest.lookupToken;
  const invoices = [{ ...newest, lookupToken }, ...former] as const;
  return to(withWatch(state, { ...goOn(watch, given), invoices }), [
    { type: 'remember', attemptKey, method, invoiceId, lookupToken, totalCents },
  ]);
}

/** Look-ups go on, and ask for a new token when they are refused again. */
function afterRenewalFailed(state: State, failure: Failure, given: Given): Outcome {
  const watch = renewedWatch(state);
  if (!watch) return stay(state);
  if (isRefusal(failure) && state.phase === 'confirming' && isCharging(state)) {
    return afterRefused(state, failure);
  }
  const resumed = goOn(watch, given, failure.retryAfterSeconds);
  if (resumed === watch) return stay(state);
  // One failure is counted already: that of the look-up which was refused.
  const news = watch.polling.failures === 1 && !transient.has(failure.code);
  return to(
    withWatch(state, resumed),
    news ? [emitError(failure, watch.invoices[0].invoiceId)] : [],
  );
}
