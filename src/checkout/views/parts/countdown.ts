/** Until when the code may be paid: a time of day, and in the last ten minutes the minutes and seconds left. */

import { html, nothing } from 'lit';
import { formatClock, formatDeadline } from '../../locales/format.js';
import type { Model } from '../model.js';

/** From here on, in seconds, what is left is shown as well. */
const clockFromSeconds = 600;

/** Nothing, where the merchant sets no deadline. `role="timer"` is not live: marks are announced instead. */
export function renderCountdown({ texts, locale, deadlineAt, secondsLeft }: Model) {
  if (!deadlineAt || secondsLeft === null) return nothing;
  const left = Math.max(0, secondsLeft);
  return html`<p class="deadline" role="timer">
    ${texts.payUntil(formatDeadline(deadlineAt, left, locale))}
    ${left <= clockFromSeconds ? html`<b>${texts.timeLeft(formatClock(left))}</b>` : nothing}
  </p>`;
}
