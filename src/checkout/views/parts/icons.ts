/** Small drawings in the colour of the text beside them, hidden from screen readers. No brand marks. */

import { html } from 'lit';
import type { TemplateResult } from 'lit';

/** One stroke path in a 24-unit square. */
function icon(path: string): TemplateResult {
  return html`<svg
    class="icon"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="2"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d=${path} />
  </svg>`;
}

export const copyIcon = icon('M9 9h11v11H9zM5 15H4V4h11v1');
export const checkIcon = icon('m5 13 4.5 4.5L19 7');
export const clockIcon = icon('M12 3a9 9 0 1 0 .01 0M12 7v5l3 2');
export const alertIcon = icon('M12 3a9 9 0 1 0 .01 0M12 7.5v5.5M12 16.5v.01');
