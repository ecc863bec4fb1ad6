/** What the order holds, folded: the page's `items` and `lines`. Display only, never added up. */

import { html, nothing } from 'lit';
import { formatMoney } from '../../locales/format.js';
import type { Model } from '../model.js';

/** Nothing, when the page gave neither items nor lines. */
export function renderSummary({ texts, items, lines }: Model) {
  if (items.length + lines.length === 0) return nothing;
  return html`<details class="summary" part="summary">
    <summary>${texts.summary}</summary>
    <ul>
      ${items.map(
        ({ name, description, quantity, unit_price }) =>
          html`<li>
            <span
              >${quantity > 1 ? `${quantity} × ` : nothing}${name}
              ${description ? html`<small>${description}</small>` : nothing}</span
            >
            <span translate="no">${formatMoney(quantity * unit_price)}</span>
          </li>`,
      )}
      ${lines.map(
        ({ label, cents }) =>
          html`<li class="muted">
            <span>${label}</span><span translate="no">${formatMoney(cents)}</span>
          </li>`,
      )}
    </ul>
  </details>`;
}
