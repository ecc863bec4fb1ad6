/**
 * A look-up token that ran out is renewed: the same order is asked for again with the same key, and its answer brings a
 * new one. Part of the machine; pure.
 */

import type { CreatedInvoice } from '../../contract/types.js';
import { goOn, afterInvoiceCreated, toPosting, transient } from './creation.js';
import type { Failure } from './events-and-commands.js';
import { emitError, failureOf, stay, to, withWatch } from './outcome.js';
import type { Given, Outcome } from './outcome.js';
import type {
  AwaitingState,
  ChargingState,
  ConfirmingState,
  ExpiredState,
  FormState,
} from './state.js';

/** The phases that follow an invoice whose token may have to be renewed. */
export type FollowedState =
  AwaitingState | ExpiredState | ConfirmingState | FormState | ChargingState;

/** The renewal was answered. Usually it is the same invoice. */
export function afterRenewed(state: FollowedState, invoice: CreatedInvoice, given: Given): Outcome {
  const { watch } = state;
  if (!watch) return stay(state);
  const { attemptKey } = watch;
  const [newest, ...former] = watch.invoices;
  if (attemptKey === null) return stay(state);
  if (invoice.invoice_id !== newest.invoiceId) {
    // Where somebody may have paid already, or a card is asked for, no other code is offered.
    return state.phase === 'awaiting' || state.phase === 'expired'
      ? afterInvoiceCreated(
          toPosting({ attemptKey, watch, expired: state.phase === 'expired' }),
          invoice,
          given,
        )
      : afterRenewalFailed(state, failureOf('invalid_answer'), given);
  }
  const { invoiceId, method, totalCents } = newest;
  const lookupToken = invoice.lookup_token ?? newest.lookupToken;
  const invoices = [{ ...newest, lookupToken }, ...former] as const;
  return to({ ...state, watch: { ...goOn(watch, given), invoices } }, [
    { type: 'remember', attemptKey, method, invoiceId, lookupToken, totalCents },
  ]);
}

/** The renewal failed: look-ups go on, and ask for it again when they are refused again. */
export function afterRenewalFailed(state: FollowedState, failure: Failure, given: Given): Outcome {
  const { watch } = state;
  if (!watch) return stay(state);
  const resumed = goOn(watch, given, failure.retryAfterSeconds);
  if (resumed === watch) return stay(state);
  // One failure is counted already: that of the look-up which was refused.
  const news = watch.polling.failures === 1 && !transient.has(failure.code);
  return to(
    withWatch(state, resumed),
    news ? [emitError(failure, watch.invoices[0].invoiceId)] : [],
  );
}
