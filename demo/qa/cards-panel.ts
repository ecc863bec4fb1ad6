/** The test cards: how each ends, what belongs to it, to be typed into the form or copied. */

import { html, render } from 'lit';
import { toCardValues } from './stage.js';
import { brandCards, decidingCards } from './test-card-list.js';
import type { ListedCard } from './test-card-list.js';

/** Shows the panel. @param fill types a number, with what belongs to it, into the form */
export function showCards(container: HTMLElement, fill: (number: string) => void): void {
  render(
    html`<p class="hint">Any name goes with them; the sandbox checks neither expiry nor code.</p>
      ${renderCards(decidingCards, fill)}
      <details>
        <summary>Other brands: pending until the bank decides</summary>
        ${renderCards(brandCards, fill)}
      </details>`,
    container,
  );
}

function renderCards(cards: readonly ListedCard[], fill: (number: string) => void) {
  return html`<ul class="cards">
    ${cards.map(({ name, outcome, number }) => {
      const { card_expiry: expiry, card_code: code } = toCardValues(number);
      return html`<li>
        <p>
          <b>${name}</b> <span>${outcome}</span>
          <code>${number.replace(/\d{4}(?=\d)/g, '$& ')}</code>
          <small>${expiry} · ${code}</small>
        </p>
        <button type="button" aria-label="Fill in ${name}" @click=${() => fill(number)}>
          Fill
        </button>
        <button
          type="button"
          aria-label="Copy ${name}"
          @click=${() => void navigator.clipboard.writeText(number)}
        >
          Copy
        </button>
      </li>`;
    })}
  </ul>`;
}
