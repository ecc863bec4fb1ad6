/** The screen of an open Pix code: copy it, see whom it pays, scan it, say that it is paid or does not work. */

import { html, nothing } from 'lit';
import { unrecorded } from '../../card/card-file-contract.js';
import {
  formatClock,
  formatDeadline,
  formatMoney,
  splitFirstSentence,
} from '../../locales/choose-messages.js';
import type { PixCode } from '../../machine/state.js';
import type { Actions, CodeModel, CodeScreen, Model } from '../model.js';
import { isAlarm, statusText } from '../announce.js';
import { renderSecondary } from '../parts/field.js';
import { renderError, checkIcon, clockIcon, copyIcon } from '../parts/error.js';
import { renderLayout, renderStatus } from './layout.js';
import { renderQr } from '../qr/qr.js';

/** Below this many seconds, the minutes and seconds are shown beside the time of day. */
const clockFromSeconds = 600;

/** Below this many seconds, the time is red. */
const warnFromSeconds = 60;

/** Renders the code. A look-up never moves or hides the code and the QR. */
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
    // Reported trouble has a text of its own.
    error: renderError(model, state.trouble === 'none' ? state.error : null),
    receiver: code && renderReceiver(model, code),
    code: code && renderCode(model, code, byHand),
    byHand,
    copied: state.copy === 'copied',
    qr: code && renderQr(code.text, qrName(model, code)),
    exit: renderSecondary(model.texts.alreadyPaid, actions.checkNow),
    answer: asked ? renderNews(model, statusText(model, state)) : renderHint(model),
    trouble: renderTrouble(model, state, actions),
  });
}

/**
 * Renders until when the code may be paid, if the merchant sets a deadline; on paper always with the date. `role="timer"` is
 * not live, so the live region announces marks.
 */
function renderCountdown({ texts, locale, deadlineAt, secondsLeft }: CodeModel) {
  if (!deadlineAt || secondsLeft === null) return nothing;
  const left = Math.max(0, secondsLeft);
  return html`<p class="deadline ${left <= warnFromSeconds ? 'soon' : ''}" role="timer">
      ${texts.payUntil(formatDeadline(deadlineAt, left, locale))}
      ${left <= clockFromSeconds ? html`<b>${texts.timeLeft(formatClock(left))}</b>` : nothing}
    </p>
    <p
      class="paper"
      .textContent=${texts.payUntil(formatDeadline(deadlineAt, Infinity, locale))}
    ></p>`;
}

function renderCopyButton({ texts }: Model, { justCopied }: CodeScreen, actions: Actions) {
  return html`<button part="copy-button" class="primary" type="button" @click=${actions.copy}>
    ${justCopied ? checkIcon : copyIcon}${justCopied ? texts.copiedLabel : texts.copy}
  </button>`;
}

/** Leaves out the first sentence, unless the text has no other. */
function withoutFirst(text: string): string {
  return splitFirstSentence(text)[1] || text;
}

/** Renders what "Já paguei" does, in the place of its answer. */
function renderHint({ texts, wide }: Model) {
  return wide ? nothing : html`<p class="hint">${texts.checkHint}</p>`;
}

/** Renders the status with the sign that belongs to its text. */
function renderNews(model: Model, text: string) {
  const { copied, notYet, waiting } = model.texts;
  // Without a sign of its own, the status has the ring or, for a problem, the alert.
  const sign = text === notYet ? clockIcon : undefined;
  // The button and the first step say that it is copied. Both sentences are as long as those before them.
  const shown = text === copied ? [copied, waiting].map(withoutFirst).join(' ') : text;
  return renderStatus(shown, isAlarm(model, text), sign);
}

/** Renders the merchant's name for the receiver, or else the name in the code, which a bank may show differently. */
export function renderReceiver({ texts, receiverName }: CodeModel, code: PixCode) {
  const name = receiverName ?? code.receiverName;
  if (!name) return nothing;
  return html`<p class="receiver">
    ${receiverName ? texts.receiver : texts.receiverMaybe} <strong .textContent=${name}></strong>
  </p>`;
}

/**
 * Renders the code as a text box, because every browser can select and copy that by hand, in a shadow root too. It is one
 * line that a checkbox opens, so that the browser keeps its state; it is whole if it must be copied by hand.
 */
export function renderCode({ texts }: CodeModel, code: PixCode, whole = false) {
  return html`<div class="code ${whole ? 'whole' : ''}">
    <label for="code" .textContent=${texts.code}></label>
    ${
      whole
        ? nothing
        : html`<input type="checkbox" id="whole" /><label class="link" for="whole"
              >${texts.wholeCode}</label
            ><label class="link" for="whole">${texts.shortCode}</label>`
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

/**
 * Renders the help for a payer whose bank app refuses the code. It comes last, and is the same button from the question to
 * the offer, so that it keeps the focus.
 */
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
