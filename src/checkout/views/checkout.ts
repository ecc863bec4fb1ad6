/**
 * The whole shadow content: the frame, the page's slots, the live region, and the screen of the phase.
 *
 * The live region is there from the start and is never replaced, because a screen reader ignores a region that appears
 * together with its text.
 *
 * An element that holds nothing but one text gets it as `.textContent`: a text between the tags costs a comment node of Lit.
 */

import { html, nothing } from 'lit';
import type { Actions, Model } from './model.js';
import { toAnnouncement } from './announce.js';
import { renderMethods } from './parts/head.js';
import { renderAwaiting } from './screens/awaiting.js';
import { renderCreating } from './screens/layout.js';
import { renderSupport } from './parts/error.js';
import { renderForm } from './screens/form.js';
import { renderConfirming, renderExpired, renderFailed, renderReceipt } from './screens/notices.js';

/** Renders everything that the element shows. @param said the text of the live region */
export function renderCheckout(
  model: Model,
  actions: Actions,
  said = toAnnouncement(model).join(' ').trim(),
) {
  const { state, texts, locale, test, busy } = model;
  return html`<section
    part="card"
    class="checkout ${busy ? 'form' : state.phase}"
    lang=${locale}
    aria-labelledby="title"
  >
    <p class="said" role="status" aria-live="polite" .textContent=${said}></p>
    ${test ? html`<p class="test">${texts.test}</p>` : nothing}
    <slot name="header"></slot>
    ${renderMethods(model, actions)}${renderPhase(model, actions)}
    ${needsSupport(model) ? renderSupport() : nothing}
    <slot name="footer"></slot>
  </section>`;
}

function renderPhase(model: Model, actions: Actions) {
  const { state } = model;
  switch (state.phase) {
    case 'form':
      return renderForm(model, state.error, actions);
    case 'creating':
      return model.busy ? renderForm(model, null, actions) : renderCreating(model, actions);
    case 'awaiting':
      return renderAwaiting(model, state, actions);
    case 'confirming':
      return renderConfirming(model, state);
    case 'expired':
      return renderExpired(model, state, actions);
    case 'paid':
      return renderReceipt(model, state);
    case 'failed':
      return renderFailed(model, state, actions);
    default:
      return state satisfies never;
  }
}

/**
 * Whether the page's own help (slot `support`) is shown here, because the payer may be stuck. Form and notices contain it
 * themselves.
 */
function needsSupport({ state, troubledLine, busy }: Model): boolean {
  if (state.phase === 'creating') return troubledLine && !busy;
  return state.phase === 'awaiting' && (state.trouble === 'offered' || state.error !== null);
}
