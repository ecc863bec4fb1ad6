/** Small drawings of a card in the colour of the text beside them, hidden from screen readers. No brand marks. */

import type { CardTools } from '../card-file-contract.js';

/** One stroke path each, in a 24-unit square: a card, its back with the code, its front with the code. */
const paths = {
  card: 'M3 6h18v13H3zM3 10h18M6 15h4',
  back: 'M3 6h18v13H3zM3 10h18M13 15h5',
  front: 'M3 6h18v13H3zM6 15h6M14 10h4',
} as const;

export type CardIcon = keyof typeof paths;

export function renderIcon(icon: CardIcon, { html }: CardTools) {
  return html`<svg
    class="icon"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-width="1.75"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d=${paths[icon]} />
  </svg>`;
}
