/** The buttons: the main one of a screen without a code, and the outlined ones. */

import { html } from 'lit';

export function renderPrimary(label: string, act: () => void) {
  return html`<button part="submit-button" class="primary" type="button" @click=${act}>
    ${label}
  </button>`;
}

/** What few of them have. */
interface Look {
  /** Before the label. */
  readonly sign?: unknown;
  /** Where it is seen. */
  readonly where?: 'share' | 'print';
  readonly disabled?: boolean;
}

export function renderSecondary(label: string, act: () => void, look: Look = {}) {
  return html`<button
    class="secondary ${look.where ?? ''}"
    part="secondary-button"
    type="button"
    ?disabled=${look.disabled}
    @click=${act}
  >
    ${look.sign}${label}
  </button>`;
}
