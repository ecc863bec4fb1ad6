/** What is owed, for which order, and what paying by Pix saves: the head of every screen before the receipt. */

import { html, nothing } from 'lit';
import { formatMoney } from '../../locales/format.js';
import type { Model } from '../model.js';

/** The heading can take the focus, for the element to put it there when a screen gives way to the next. */
export function renderAmount({ texts, card, totalCents, externalId, fullPriceCents }: Model) {
  const saved = (fullPriceCents ?? 0) - (totalCents ?? Infinity);
  return html`<div class="head">
    <h2 id="title" tabindex="-1">${card ? texts.cardTitle : texts.title}</h2>
    ${
      totalCents === null
        ? nothing
        : html`<p class="total" part="amount" translate="no">${formatMoney(totalCents)}</p>`
    }
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
  </div>`;
}
