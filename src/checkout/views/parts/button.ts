/** The button that is not the first of its screen. */

import { html } from 'lit';

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
