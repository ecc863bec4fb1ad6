/**
 * The payer's form: the last attempt's error where it is seen first, one native form with the payer's fields or the
 * card's, one button. It stays where it is while what was asked for is on its way: busy, and nothing typed is lost.
 */

import { html, nothing } from 'lit';
import { formatMoney } from '../../locales/format.js';
import type { CheckoutError } from '../../machine/state.js';
import { creatingText, progressText } from '../announce.js';
import type { Actions, Model } from '../model.js';
import { renderSecondary } from '../parts/button.js';
import { renderError, renderTrouble } from '../parts/error.js';
import { renderField } from '../parts/field.js';
import { renderHead } from '../parts/head.js';

/** With no field to ask, only the button stands. */
export function renderForm(model: Model, error: CheckoutError | null, actions: Actions) {
  const { texts, fields, card, offline, busy } = model;
  const note = offline && !busy ? renderTrouble(texts.offlineForm) : renderError(model, error);
  return html`${renderHead(model, note)}
    <form part="form" novalidate aria-busy=${busy} @submit=${actions.submit}>
      ${
        fields.length || card
          ? html`<fieldset ?disabled=${busy} ?inert=${busy}>
              ${fields.map((asked) => renderField(asked, model, actions))}
              ${card ? renderCard(model, actions) : nothing}
            </fieldset>`
          : nothing
      }
      ${renderButton(model)}
    </form>`;
}

/** Keeps the focus while it is busy: a disabled button would lose it. */
function renderButton(model: Model) {
  const { texts, card, totalCents, busy } = model;
  const total = totalCents === null ? '' : formatMoney(totalCents);
  // On the button the first sentence; what else there is to say under it.
  const [progress, ...more] = progressText(model).split('. ');
  const status = creatingText(model);
  const rest = status === progressText(model) ? more.join('. ') : status;
  return html`<button
      part="submit-button"
      class="primary"
      aria-disabled=${busy}
      ?disabled=${card !== null && !card.content}
    >
      ${busy ? html`<i class="turning"></i>${progress}` : card ? texts.pay(total) : texts.generate}
    </button>
    ${busy && rest ? html`<p class="muted">${rest}</p>` : nothing}`;
}

function renderCard({ card, texts }: Model, actions: Actions) {
  if (card?.content) return card.content;
  return card?.failed
    ? html`${renderTrouble(texts.formMissing, 'card')}
      ${renderSecondary(texts.retry, actions.reloadCard)}`
    : html`<p class="muted">${texts.loading}</p>`;
}
