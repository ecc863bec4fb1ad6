/** The test cards: one click types a card into the form, into our fields or the provider's. */

import { html, render } from 'lit';
import { brandCards, decidingCards } from './test-card-list.js';
import type { ListedCard } from './test-card-list.js';

/** Shows the panel. @param fill types a number, with what belongs to it, into the form */
export function showCards(container: HTMLElement, fill: (number: string) => void): void {
  render(
    html`<header>
        <h3>Test cards</h3>
        <p>One click fills the form in</p>
      </header>
      ${renderCards(decidingCards, fill)}
      <details>
        <summary>Other brands (pending until the bank decides)</summary>
        ${renderCards(brandCards, fill)}
      </details>`,
    container,
  );
}

function renderCards(cards: readonly ListedCard[], fill: (number: string) => void) {
  return html`<ul class="cards">
    ${cards.map(
      ({ name, number }) =>
        html`<li>
          <button type="button" @click=${() => fill(number)}>${name.replaceAll('_', ' ')}</button>
          <code>${number.replace(/\d{4}(?=\d)/g, '$& ')}</code>
        </li>`,
    )}
  </ul>`;
}
