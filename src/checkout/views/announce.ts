/** The status in one line: on the screen while a code is open, in the live region always. */

import { formatMoney } from '../locales/format.js';
import { isAt, isCharging } from '../machine/state.js';
import type { ConfirmingState } from '../machine/state.js';
import type { CodeScreen, Model } from './model.js';
import { errorText } from './parts/error.js';

/** Minutes before the deadline at which the time left is announced. */
const countdownMarks = [1, 2, 5, 10];

/** The status line under the copy button: the newest of what the payer did, and of what was found. */
export function statusText(model: Model, { copy, check, closing, watch }: CodeScreen): string {
  const { texts, copyKeys, offline, troubledLine } = model;
  if (offline) return texts.offline;
  if (closing || check === 'checking') return texts.checking;
  // A look-up that had no answer found nothing out.
  if (troubledLine || (check === 'not_yet' && watch.failures > 0)) return texts.troubledLine;
  if (check === 'not_yet') return texts.notYet;
  if (copy === 'failed') return copyKeys ? texts.copyWithKeys(copyKeys) : texts.copyFailed;
  return copy === 'copied' ? texts.copied : texts.waiting;
}

/** The status before there is a code. */
export function creatingText(model: Model): string {
  const { state, texts, offline, troubledLine } = model;
  if (offline) return texts.offline;
  if (troubledLine) return texts.troubledLine;
  return isCharging(state) ? texts.keepOpen : progressText(model);
}

/** What is being done before there is a code. */
export function progressText({ state, texts }: Model): string {
  if (isCharging(state)) return texts.charging;
  return isAt(state, 'posting') ? texts.creating : texts.finding;
}

/** The status once the order may be paid; an order that another payment paid is good news, too. */
export function confirmingText(
  { texts, externalId }: Model,
  state: ConfirmingState,
  reference = externalId ?? '',
): string {
  if (state.error?.code === 'order_paid') return texts.errors.order_paid;
  return isMismatch(state) ? texts.errors.reference_mismatch : texts.confirming(reference);
}

/** A payment was reported and does not agree: the payer cannot mend that, and nothing is "being confirmed". */
export function isMismatch({ error }: ConfirmingState): boolean {
  return (
    error !== null &&
    !['outcome_unknown', 'order_paid', 'order_closed', 'unauthorized'].includes(error.code)
  );
}

/** The text of the live region. It changes only with news: a screen reader reads every change. */
export function announcement(model: Model): string {
  const { state, texts, offline } = model;
  switch (state.phase) {
    case 'form':
      if (offline) return texts.offlineForm;
      return state.error ? errorText(model, state.error) : '';
    case 'creating':
      return isCharging(state) && !offline
        ? `${texts.charging} ${creatingText(model)}`
        : creatingText(model);
    case 'awaiting':
      return awaitingAnnouncement(model, state);
    case 'confirming': {
      const error = state.error ? errorText(model, state.error) : '';
      return offline ? texts.offline : `${confirmingText(model, state)} ${error}`.trim();
    }
    case 'expired':
      return texts.expired;
    case 'paid':
      return texts.paid(formatMoney(state.invoice.totalCents));
    case 'failed':
      return errorText(model, state.error);
    default:
      return state satisfies never;
  }
}

function awaitingAnnouncement(model: Model, state: CodeScreen): string {
  const { texts, totalCents, secondsLeft } = model;
  const status = state.trouble === 'offered' ? texts.troubleOffer : statusText(model, state);
  const ready = status === texts.waiting && totalCents !== null;
  // A screen reader reads what has changed: a code that is copied again changes only this.
  const again = state.copies % 2 ? '\u00a0' : '';
  const mark = secondsLeft !== null && countdownMarks.find((minutes) => secondsLeft < minutes * 60);
  return [
    ready && texts.ready(formatMoney(totalCents)),
    state.trouble === 'none' && state.error && errorText(model, state.error),
    // The time left is the news then.
    ready && mark ? '' : status + again,
    mark && texts.lessThan(mark),
  ]
    .filter(Boolean)
    .join(' ');
}
