/**
 * The screen of a Pix code: its places, filled by awaiting.ts and, before there is a code, by creating.ts, so that
 * nothing jumps when the code arrives.
 *
 * The order of the elements is the phone's, and the keyboard's; where there is room the styles put the QR first.
 */

import { html } from 'lit';
import type { CodeModel } from '../model.js';
import { renderHead } from '../parts/head.js';

/** What differs between a code that is there and one that is on its way. */
interface Places {
  readonly button: unknown;
  readonly status: unknown;
  /** Between the status and the steps. */
  readonly notes: unknown;
  /** Receiver and code. */
  readonly code: unknown;
  readonly qr: unknown;
  readonly exits: unknown;
}

/** The whole screen. */
export function renderLayout(model: CodeModel, { button, status, notes, code, qr, exits }: Places) {
  const { texts } = model;
  return html`<div class="columns">
    <div class="main">
      ${renderHead(model)} ${button}
      <p class="status" part="status"><i class="dot"></i>${status}</p>
      ${notes}
      <ol role="list" aria-label=${texts.howTo}>
        ${texts.steps.map((step) => html`<li>${step}</li>`)}
      </ol>
      ${code}
    </div>
    <figure>
      ${qr}
      <figcaption><strong>${texts.qrTitle}</strong><br />${texts.qrHint}</figcaption>
    </figure>
    ${exits}
  </div>`;
}
