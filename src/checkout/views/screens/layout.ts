/**
 * The screen of a Pix code: its places, filled by awaiting.ts and, before there is a code, by `renderCreating`, so that
 * nothing jumps when the code arrives.
 *
 * The elements stand in the order of the keyboard: copying comes first, because a payer with a screen reader cannot scan. A
 * phone shows them in this order, too. With room and a mouse the QR and its steps stand first, and copying in a row below.
 */

import { html, nothing } from 'lit';
import type { CodeModel, Actions, Model } from '../model.js';
import { renderHead, renderSummary } from '../parts/head.js';
import { alertIcon, ring } from '../parts/error.js';
import { isAt } from '../../machine/state.js';
import { creatingText } from '../announce.js';
import { renderSecondary } from '../parts/field.js';

/** The parts that differ before and after a code is created. */
interface Places {
  /** How long there is to pay. */
  readonly time?: unknown;
  readonly button: unknown;
  readonly status: unknown;
  readonly error?: unknown;
  /** Whether the code is on the clipboard, so that the first step is done. */
  readonly copied?: boolean;
  readonly receiver: unknown;
  readonly code: unknown;
  /** Whether the code has to be copied by hand. On a phone it then stands under the status that says so. */
  readonly byHand?: boolean;
  readonly qr: unknown;
  /** Whether a server renders the screen, so that the styles choose between the steps. */
  readonly widthUnknown?: boolean;
  /** The button for a payer who has paid. */
  readonly exit: unknown;
  /** The answer to that button. */
  readonly answer?: unknown;
  /** The help for a payer who cannot pay. */
  readonly trouble?: unknown;
}

/**
 * Renders the layout. Steps and captions are left out if a card is shown, because the payment that is looked for need not be
 * by Pix.
 */
export function renderLayout(model: CodeModel, places: Places) {
  const { time, copied, receiver, code, trouble } = places;
  const { texts, wide, card, shareLeft } = model;
  const copying = renderSteps(texts.howTo, texts.steps, copied ? 'done' : '', wide ? 'wide' : '');
  const scanning = renderSteps(texts.qrHint, texts.scanSteps, '', 'wide');
  const shown = wide && !copied ? scanning : copying;
  const steps = card ? nothing : places.widthUnknown ? [copying, scanning] : shown;
  // The code is about as high as the steps, so both change places and nothing else moves.
  const isSwapped = places.byHand && !wide;
  return html`<div class="columns">
    ${renderHead(model, shareLeft === null ? time : [time, renderBar(shareLeft)])}${places.button}${places.status}${places.error}
    ${isSwapped ? [code, receiver, steps] : [steps, receiver, code]}
    <div class="exits">${places.exit}${places.answer}</div>
    ${renderSummary(model)}
    <figure>
      ${places.qr}
      ${
        card
          ? nothing
          : html`<figcaption>
              <strong .textContent=${texts.qrTitle}></strong
              ><span .textContent=${texts.qrHint}></span>
            </figcaption>`
      }
    </figure>
    ${trouble && html`<div class="trouble">${trouble}</div>`}
  </div>`;
}

/** Renders the part of the time to pay that is left. */
function renderBar(share: number) {
  return html`<svg class="bar" aria-hidden="true">
    <rect width="${share * 100}%" height="4" />
  </svg>`;
}

/** Renders the status. @param warns whether it reports a problem, so that nothing is in progress */
export function renderStatus(text: string, warns = false, sign = warns ? alertIcon : ring) {
  return html`<p class=${warns ? 'status alarm' : 'status'} part="status">${sign}${text}</p>`;
}

/** Renders the steps. @param first the look of the first step @param look `wide`: beside a QR */
function renderSteps(name: string, steps: readonly string[], first: string, look: string) {
  return html`<ol class=${look} role="list" aria-label=${name}>
    ${steps.map((step, index) => (!index && first ? html`<li class=${first} .textContent=${step}></li>` : html`<li .textContent=${step}></li>`))}
  </ol>`;
}

// If a code is created without a press of the form's button, the payer sees the code's own screen with its places still
// empty.

/** Holds the place of a button, or of anything about as tall. */
const blank = html`<div class="primary blank"></div>`;

/** Holds the place of two lines of text, or of a second button. */
const empty = html`<p class="receiver blank"><br /><br /></p>`;

/** Renders the wait for a code, about as tall as the code's screen. On a bad connection a payer may try again at once. */
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
