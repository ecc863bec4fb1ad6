/**
 * Whom the answer to a creation concerns: an invoice that is being made, a card that was sent, or the token of one that is
 * followed. Part of the machine; pure. What comes of it is decided in creation.ts, charge.ts and renewal.ts.
 */

import type { CreatedInvoice } from '../../contract/types.js';
import { afterInquiryFailed, afterCharged, afterChargeFailed, afterRefused } from './charge.js';
import { afterCreationFailed, afterOrderPaid, afterInvoiceCreated } from './creation.js';
import type { Failure } from './events-and-commands.js';
import { stay } from './outcome.js';
import type { Given, Outcome } from './outcome.js';
import { afterRenewalFailed, afterRenewed } from './renewal.js';
import type { FollowedState } from './renewal.js';
import { inquiryOf, isCharging } from './state.js';
import type { State } from './state.js';

/** The proxy answered with an invoice. */
export function afterCreated(state: State, invoice: CreatedInvoice, given: Given): Outcome {
  if ('retryAtMs' in state) return afterInvoiceCreated(state, invoice, given);
  const attempt = inquiryOf(state);
  if (attempt) return afterCharged(state, attempt, invoice, given);
  return isFollowing(state) ? afterRenewed(state, invoice, given) : stay(state);
}

/** The proxy answered with a failure, or not at all. */
export function afterCreateFailed(state: State, failure: Failure, given: Given): Outcome {
  const posts = 'retryAtMs' in state;
  if (!posts && !isFollowing(state)) return stay(state);
  if (failure.code === 'order_paid') return afterOrderPaid(state, failure, given);
  if (posts) return afterCreationFailed(state, failure, given);
  const attempt = inquiryOf(state);
  if (attempt && state.phase === 'creating') {
    return afterChargeFailed(state, attempt, failure, given);
  }
  if (state.phase !== 'confirming') return afterRenewalFailed(state, failure, given);
  if (attempt) return afterInquiryFailed(state, attempt, failure, given);
  const refused = failure.told && failure.code === 'payment_refused';
  return refused && isCharging(state)
    ? afterRefused(state, failure)
    : afterRenewalFailed(state, failure, given);
}

/** The phases in which the answer to a creation is about what is followed, or about a card. */
function isFollowing(state: State): state is FollowedState {
  if (state.phase === 'form') return state.watch !== null;
  if (state.phase === 'creating') {
    return state.task === 'charging' && (state.step === 'sending' || state.watch !== null);
  }
  return state.phase === 'awaiting' || state.phase === 'expired' || state.phase === 'confirming';
}
