/** The head of every screen before the receipt: what is owed, for which order, what Pix saves, and the order's lines. */

import { html, nothing } from 'lit';
import { formatMoney } from '../../locales/format.js';
import type { CodeModel } from '../model.js';

/**
 * The heading can take the focus: the element puts it there when a screen follows another.
 *
 * @param time how long there is to pay, beside the amount
 */
export function renderHead(model: CodeModel, time: unknown = nothing) {
  const { texts, card, totalCents, externalId, fullPriceCents } = model;
  const saved = (fullPriceCents ?? 0) - (totalCents ?? Infinity);
  return html`<div class="head" part="head">
      <h2 part="heading" id="title" tabindex="-1">${card ? texts.cardTitle : texts.title}</h2>
      ${totalCents === null ? nothing : renderTotal(totalCents)} ${time}
      ${
        saved > 0 && fullPriceCents
          ? html`<p class="discount">
              <span class="muted"
                >${texts.insteadOf} <s translate="no">${formatMoney(fullPriceCents)}</s></span
              >
              <strong>${texts.discount(formatMoney(saved))}</strong>
            </p>`
          : nothing
      }
      ${externalId ? html`<p class="muted">${texts.order(externalId)}</p>` : nothing}
    </div>
    ${renderSummary(model)}`;
}

/** Never on two lines: from a hundred thousand reais on it is smaller instead. */
function renderTotal(cents: number) {
  const amount = formatMoney(cents);
  const look = amount.length > 12 ? 'total long' : 'total';
  return html`<p class=${look} part="amount" translate="no">${amount}</p>`;
}

/** The page's `items` and `lines`, folded. Display only: nothing is added up. */
function renderSummary({ texts, items, lines }: CodeModel) {
  if (items.length + lines.length === 0) return nothing;
  return html`<details class="summary" part="summary">
    <summary>${texts.summary}</summary>
    <ul tabindex="0" aria-label=${texts.summary}>
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
