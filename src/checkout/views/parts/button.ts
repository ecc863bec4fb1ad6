/** The button that is not the first of its screen. */

import { html, nothing } from 'lit';

/** @param sign before the label */
export function renderSecondary(label: string, act: () => void, sign: unknown = nothing) {
  return html`<button class="secondary" part="secondary-button" type="button" @click=${act}>
    ${sign}${label}
  </button>`;
}
