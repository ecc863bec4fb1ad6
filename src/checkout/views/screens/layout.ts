/**
 * The screen of a Pix code: its places, filled by awaiting.ts and, before there is a code, by creating.ts, so that
 * nothing jumps when the code arrives.
 *
 * The order of the elements is the phone's, and the keyboard's; where there is room and a mouse the styles put the QR
 * first, and its steps in place of those for copying.
 */

import { html, nothing } from 'lit';
import type { CodeModel } from '../model.js';
import { renderHead } from '../parts/head.js';

/** What differs between a code that is there and one that is on its way. */
interface Places {
  /** How long there is to pay. */
  readonly time?: unknown;
  readonly button: unknown;
  readonly status: string;
  readonly error?: unknown;
  readonly receiver: unknown;
  readonly code: unknown;
  /** The code has to be copied by hand: it stands under the status that says so. */
  readonly byHand?: boolean;
  readonly qr: unknown;
  /** For a payer who has paid. */
  readonly exit: unknown;
  /** For one who cannot. */
  readonly trouble?: unknown;
}

/** The whole screen. */
export function renderLayout(model: CodeModel, places: Places) {
  const { time, button, status, error = nothing, receiver, code, byHand } = places;
  const { qr, exit, trouble } = places;
  const { texts } = model;
  return html`<div class="columns">
    ${renderHead(model, time)} ${button}
    <p class="status" part="status"><i class="dot ${byHand ? 'soon' : ''}"></i>${status}</p>
    ${error} ${byHand ? code : nothing} ${renderSteps(texts.howTo, texts.steps)}
    ${renderSteps(texts.qrHint, texts.scanSteps, 'scan')} ${receiver}
    <div class="exits" part="actions">${exit}</div>
    ${byHand ? nothing : code}
    <figure part="qr-box">
      ${qr}
      <figcaption><strong>${texts.qrTitle}</strong><br />${texts.qrHint}</figcaption>
    </figure>
    ${trouble ? html`<div class="trouble">${trouble}</div>` : nothing}
  </div>`;
}

function renderSteps(name: string, steps: readonly string[], look = '') {
  return html`<ol part="steps" class=${look} role="list" aria-label=${name}>
    ${steps.map((step) => html`<li>${step}</li>`)}
  </ol>`;
}
