/**
 * The screen of a Pix code: its places, filled by awaiting.ts and, before there is a code, by creating.ts, so that
 * nothing jumps when the code arrives.
 *
 * The order of the elements is the one by eye, and the keyboard's: on a phone copying comes first; where there is room and
 * a mouse the QR does, with its own steps, and copying stands in a row under both.
 */

import { html, nothing } from 'lit';
import type { CodeModel, Actions, Model } from '../model.js';
import { renderHead, renderSummary } from '../parts/head.js';
import { alertIcon, ring } from '../parts/error.js';
import { isAt } from '../../machine/state.js';
import { creatingText } from '../announce.js';
import { renderSecondary } from '../parts/field.js';

/** What differs between a code that is there and one that is on its way. */
interface Places {
  /** How long there is to pay. */
  readonly time?: unknown;
  readonly button: unknown;
  readonly status: unknown;
  readonly error?: unknown;
  /** The code is on the clipboard: the first step is done. */
  readonly copied?: boolean;
  readonly receiver: unknown;
  readonly code: unknown;
  /** The code has to be copied by hand: on a phone it stands under the status that says so. */
  readonly byHand?: boolean;
  readonly qr: unknown;
  /** Drawn by a server: the styles choose between the steps. */
  readonly widthUnknown?: boolean;
  /** For a payer who has paid. */
  readonly exit: unknown;
  /** What was found when they said so. */
  readonly answer?: unknown;
  /** For one who cannot. */
  readonly trouble?: unknown;
}

/** Without steps and captions where a card is shown: the payment that is looked for need not be by Pix. */
export function renderLayout(model: CodeModel, places: Places) {
  const { time, button, status, error = nothing, copied, receiver, code, byHand } = places;
  const { qr, exit, answer = nothing, trouble, widthUnknown } = places;
  const { texts, wide, card } = model;
  const copying = renderSteps(texts.howTo, texts.steps, copied ? 'done' : '');
  const scanning = renderSteps(texts.qrHint, texts.scanSteps, '', 'scan');
  const steps = card ? nothing : wide ? scanning : widthUnknown ? [copying, scanning] : copying;
  // About as high as the steps: they change places, and nothing else moves.
  const isSwapped = byHand && !wide;
  return html`<div class="columns">
    ${renderHead(model, time)}${wide ? nothing : button}${status}${error}
    ${isSwapped ? code : steps}${receiver}${isSwapped ? steps : code}${wide ? button : nothing}
    <div class="exits">${exit}${answer}</div>
    ${renderSummary(model)}
    <figure>
      ${qr}
      ${
        card
          ? nothing
          : html`<figcaption>
              <strong>${texts.qrTitle}</strong><span>${texts.qrHint}</span>
            </figcaption>`
      }
    </figure>
    ${trouble ? html`<div class="trouble">${trouble}</div>` : nothing}
  </div>`;
}

/** @param warns it says what is wrong: nothing is on its way */
export function renderStatus(text: string, warns = false, sign = warns ? alertIcon : ring) {
  return html`<p class=${warns ? 'status alarm' : 'status'} part="status">${sign}${text}</p>`;
}

/** @param first look of the first step */
function renderSteps(name: string, steps: readonly string[], first: string, look = '') {
  return html`<ol class=${look} role="list" aria-label=${name}>
    ${steps.map((step, index) => (!index && first ? html`<li class=${first}>${step}</li>` : html`<li>${step}</li>`))}
  </ol>`;
}

// The screen while a code is created without a press of the form's button: the code's own screen, its places still empty.

/** Holds the place of a button, or of anything about as tall. */
const blank = html`<div class="primary blank"></div>`;

/** Holds two lines of text, or a button beside the main one. */
const empty = html`<p class="receiver blank"><br /><br /></p>`;

/** About as tall as the code's screen. On a bad line a payer may ask again at once. */
export function renderCreating(model: Model, actions: Actions) {
  const { state, texts, troubledLine } = model;
  const mayAsk = troubledLine && isAt(state, 'following');
  return renderLayout(model, {
    button: blank,
    status: renderStatus(creatingText(model), model.offline),
    receiver: empty,
    code: html`<div class="code blank"></div>`,
    qr: html`<svg class="plate blank" width="285" viewBox="0 0 1 1"></svg>`,
    exit: mayAsk ? renderSecondary(texts.retry, actions.checkNow) : empty,
  });
}
