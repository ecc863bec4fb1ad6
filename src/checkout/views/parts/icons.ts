/** The drawings, our own: one pen on a 24-unit square, in the colour of the text beside them, hidden from screen readers. No brand marks. */

import { html } from 'lit';

/** The pen is in the styles. */
function icon(path: string) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${path} /></svg>`;
}

export const copyIcon = icon('M9 9h12v12H9zM5 15H3V3h12v2');
export const checkIcon = icon('m5 12.5 4.5 4.5L19 7.5');
export const clockIcon = icon('M12 3a9 9 0 1 0 .01 0M12 7v5l3 2');
export const alertIcon = icon('M12 3a9 9 0 1 0 .01 0M12 7.5v5M12 16.5v.01');
export const cardIcon = icon('M3 5h18v14H3zM3 10h18M7 15h3');
export const qrIcon = icon('M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h3v3M20 20h-3');

/** Something is on its way. */
export const ring = html`<i class="ring"></i>`;
