/** The screen of an open Pix code: copy it, see whom it pays, scan it, say that it is paid or does not work. */

import { html, nothing } from 'lit';
import { unrecorded } from '../../card/card-file-contract.js';
import { formatClock, formatDeadline, formatMoney } from '../../locales/choose-messages.js';
import type { PixCode } from '../../machine/state.js';
import type { Actions, CodeModel, CodeScreen, Model } from '../model.js';
import { isAlarm, statusText } from '../announce.js';
import { renderSecondary } from '../parts/field.js';
import { renderError, checkIcon, copyIcon } from '../parts/error.js';
import { renderLayout, renderStatus } from './layout.js';
import { renderQr } from '../qr/qr.js';

/** With this many seconds left, the minutes and seconds are shown beside the time of day. */
const clockFromSeconds = 600;

/** With this many seconds left, the time turns red. */
const warnFromSeconds = 60;

/** A look-up never moves or hides the code and the QR. */
export function renderAwaiting(model: Model, state: CodeScreen, actions: Actions) {
  const { code } = state.watch.invoices[0];
  const byHand = state.copy === 'failed';
  // With a mouse the status stands beside the button that asks.
  const asked = state.asked && state.check !== 'none' && !model.wide;
  const isElsewhere = asked || state.trouble === 'failed';
  const status = statusText(model, isElsewhere ? { ...state, check: 'none' } : state);
  return renderLayout(model, {
    button: code && renderCopyButton(model, state, actions),
    status: renderNews(model, status),
    time: renderCountdown(model),
    // Reported trouble has news of its own.
    error: renderError(model, state.trouble === 'none' ? state.error : null),
    receiver: code && renderReceiver(model, code),
    code: code && renderCode(model, code, byHand),
    byHand,
    copied: state.copy === 'copied',
    qr: code && renderQr(code.text, qrName(model, code)),
    exit: renderSecondary(model.texts.alreadyPaid, actions.checkNow),
    answer: asked ? renderNews(model, statusText(model, state)) : nothing,
    trouble: renderTrouble(model, state, actions),
  });
}

/** Until when the code may be paid, if the merchant sets a deadline. `role="timer"` is not live: marks are announced. */
function renderCountdown({ texts, locale, deadlineAt, secondsLeft }: CodeModel) {
  if (!deadlineAt || secondsLeft === null) return nothing;
  const left = Math.max(0, secondsLeft);
  return html`<p class="deadline ${left <= warnFromSeconds ? 'soon' : ''}" role="timer">
    ${texts.payUntil(formatDeadline(deadlineAt, left, locale))}
    ${left <= clockFromSeconds ? html`<b>${texts.timeLeft(formatClock(left))}</b>` : nothing}
  </p>`;
}

function renderCopyButton({ texts }: Model, { justCopied }: CodeScreen, actions: Actions) {
  return html`<button part="copy-button" class="primary" type="button" @click=${actions.copy}>
    ${justCopied ? checkIcon : copyIcon}${justCopied ? texts.copiedLabel : texts.copy}
  </button>`;
}

function renderNews(model: Model, text: string) {
  const sign = text === model.texts.copied ? checkIcon : undefined;
  return renderStatus(text, isAlarm(model, text), sign);
}

/** The merchant's word for the receiver, else the code's own, which a bank need not repeat. */
export function renderReceiver({ texts, receiverName }: CodeModel, code: PixCode) {
  const name = receiverName ?? code.receiverName;
  if (!name) return nothing;
  return html`<p class="receiver">
    ${receiverName ? texts.receiver : texts.receiverMaybe} <strong>${name}</strong>
  </p>`;
}

/**
 * A text box, because that is what every browser selects and copies by hand, in a shadow root too. One line that opens
 * by a checkbox, so that its state is the browser's; whole where it must be copied by hand.
 */
export function renderCode({ texts }: CodeModel, code: PixCode, whole = false) {
  return html`<div class="code ${whole ? 'whole' : ''}">
    <label for="code">${texts.code}</label>
    ${
      whole
        ? nothing
        : html`<input type="checkbox" id="whole" /><label class="link" for="whole"
              >${texts.wholeCode}</label
            >`
    }
    <textarea
      part="code"
      class=${unrecorded}
      id="code"
      readonly
      rows="1"
      translate="no"
      spellcheck="false"
      .defaultValue=${code.text}
    ></textarea>
  </div>`;
}

export function qrName({ texts, totalCents, receiverName }: CodeModel, code: PixCode): string {
  return texts.qrName(formatMoney(totalCents ?? 0), receiverName ?? code.receiverName);
}

/** For a payer whose bank app refuses the code. It comes last, and is one button from the question to the offer: the focus stays. */
function renderTrouble(model: Model, state: CodeScreen, actions: Actions) {
  const { texts, mayAskForNewCode } = model;
  const { trouble } = state;
  if (!mayAskForNewCode) return null;
  const isOffered = trouble === 'offered';
  const news = isOffered ? texts.troubleOffer : trouble === 'failed' && statusText(model, state);
  return html`<p>${news || nothing}</p>
    <button
      class=${isOffered ? 'secondary' : 'link'}
      part=${isOffered ? 'secondary-button' : nothing}
      type="button"
      @click=${isOffered ? actions.newCode : actions.reportTrouble}
    >
      ${isOffered ? texts.newCode : trouble === 'checking' ? texts.checking : texts.trouble}
    </button>`;
}
