/** The status in one line: on the screen while a code is open, and always in the live region. */

import { formatMoney } from '../locales/choose-messages.js';
import { isAt, isCardPending, isClosing } from '../machine/state.js';
import type { CheckoutError, ConfirmingState } from '../machine/state.js';
import type { CodeScreen, ExpiredScreen, Model } from './model.js';
import { isCodeGone, errorText, wayOutText } from './parts/error.js';

/** Minutes before the deadline at which the time left is announced. */
const countdownMarks = [1, 2, 5, 10];

/** Chooses the status line of a code: the payer's latest action, or the result of a look-up. */
export function statusText(model: Model, state: CodeScreen | ExpiredScreen): string {
  const { texts, copyKeys, offline, troubledLine } = model;
  const { copy, check, watch } = state;
  if (offline) return texts.offline;
  if (isClosing(state) || check === 'checking') return texts.checking;
  // A look-up without an answer must not be shown as "not yet paid".
  if (troubledLine || (check === 'not_yet' && watch.failures > 0)) return texts.troubledLine;
  if (check === 'not_yet') return texts.notYet;
  if (copy === 'failed') return copyKeys ? texts.copyWithKeys(copyKeys) : texts.copyFailed;
  return copy === 'copied' ? texts.copied : texts.waiting;
}

/** Whether a status reports trouble: copying failed, or the connection is bad. */
export function isAlarm({ texts }: Model, status: string): boolean {
  return ![texts.waiting, texts.checking, texts.notYet, texts.copied].includes(status);
}

/** Makes the status line of a screen that creates a code or charges a card. */
export function creatingText(model: Model): string {
  const { state, texts, offline, troubledLine } = model;
  if (offline) return texts.offline;
  if (troubledLine) return texts.troubledLine;
  return isCardPending(state) ? texts.keepOpen : progressText(model);
}

/** Names the step that the checkout is at while it creates a code or charges a card. The button shows the same text. */
export function progressText({ state, texts }: Model): string {
  if (isCardPending(state)) return texts.charging;
  return isAt(state, 'posting') ? texts.creating : texts.finding;
}

/** The status in `confirming`: a payment is being confirmed, another one has paid the order, or something disagrees. */
export function confirmingText(
  { texts, externalId }: Model,
  state: ConfirmingState,
  reference = externalId ?? '',
): string {
  if (state.error?.code === 'order_paid') return texts.errors.order_paid;
  return isMismatch(state) ? texts.errors.reference_mismatch : texts.confirming(reference);
}

/** Whether a reported payment does not agree with the order. The payer cannot correct that, and waiting does not help. */
export function isMismatch({ error }: ConfirmingState): boolean {
  return (
    error !== null &&
    !['outcome_unknown', 'order_paid', 'order_closed', 'unauthorized'].includes(error.code)
  );
}

/** Lists the screen's news, one text each. The live region announces the new ones. */
export function toAnnouncement(model: Model): readonly string[] {
  const { state, texts, offline } = model;
  switch (state.phase) {
    case 'form':
      if (offline) return [texts.offlineForm];
      return toFormNews(model, state.error);
    case 'creating':
      return isCardPending(state) && !offline
        ? [texts.charging, creatingText(model)]
        : [creatingText(model)];
    case 'awaiting':
      return toAwaitingNews(model, state);
    case 'confirming':
      if (offline) return [texts.offline];
      return [confirmingText(model, state), state.error ? errorText(model, state.error) : ''];
    case 'expired':
      // A return to the page looks up, too, which is no news.
      return [texts.expired, state.asked && state.check !== 'none' ? toAnswer(model, state) : ''];
    case 'paid':
      return [state.returned ? texts.returned : texts.paid(formatMoney(state.invoice.totalCents))];
    case 'failed':
      return [errorText(model, state.error)];
    default:
      return state satisfies never;
  }
}

/** Lists the form's news: the error, and the button in its box. */
function toFormNews(model: Model, error: CheckoutError | null): readonly string[] {
  const { texts, card } = model;
  const failed = card?.failed;
  return [
    error ? errorText(model, error) : '',
    card?.content && !card.slotted && isCodeGone(error) ? texts.codeAgain : '',
    failed ? texts.formMissing : '',
    error || failed ? wayOutText(model, error) : '',
  ].filter(Boolean);
}

/** Makes the answer to the payer. A screen reader reads only a changed text, so a space makes the same answer a new text. */
function toAnswer(model: Model, state: CodeScreen | ExpiredScreen): string {
  const { troubleOffer } = model.texts;
  const answer = state.trouble === 'offered' ? troubleOffer : statusText(model, state);
  return answer + (state.presses % 2 ? '\u00a0' : '');
}

function toAwaitingNews(model: Model, state: CodeScreen): readonly string[] {
  const { texts, totalCents, secondsLeft } = model;
  const mark = secondsLeft !== null && countdownMarks.find((minutes) => secondsLeft < minutes * 60);
  return [
    texts.ready(formatMoney(totalCents ?? 0)),
    state.trouble === 'none' && state.error ? errorText(model, state.error) : '',
    toAnswer(model, state),
    mark ? texts.lessThan(mark) : '',
  ];
}
