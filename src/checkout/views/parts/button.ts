/** The button that is not the first of its screen. */

import { html } from 'lit';

export function renderSecondary(label: string, act: () => void) {
  return html`<button class="secondary" part="secondary-button" type="button" @click=${act}>
    ${label}
  </button>`;
}
