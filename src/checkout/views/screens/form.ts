/** The payer's form: one native form with the payer's fields or the card's, the last attempt's error, one button. */

import { html, nothing } from 'lit';
import { formatMoney } from '../../locales/format.js';
import type { FormState } from '../../machine/state.js';
import type { Actions, Model } from '../model.js';
import { renderError } from '../parts/error.js';
import { renderField } from '../parts/field.js';
import { renderHead } from '../parts/head.js';
import { alertIcon } from '../parts/icons.js';
import { renderOtherMethod } from '../parts/other-method.js';

/** With no field to ask, only the button stands. */
export function renderForm(model: Model, { error }: FormState, actions: Actions) {
  const { texts, fields, card, totalCents, offline } = model;
  const total = totalCents === null ? '' : formatMoney(totalCents);
  return html`${renderHead(model)}
    <form part="form" novalidate @submit=${actions.submit}>
      ${fields.map((asked) => renderField(asked, model, actions))}
      ${card ? renderCard(model, actions) : nothing}
      ${offline ? html`<p class="muted">${texts.offline}</p>` : renderError(model, error)}
      <button part="submit-button" class="primary" ?disabled=${card !== null && !card.content}>
        ${card ? texts.pay(total) : texts.generate}
      </button>
    </form>
    ${renderOtherMethod(model, actions)}`;
}

function renderCard({ card, texts }: Model, actions: Actions) {
  if (card?.content) return card.content;
  return card?.failed
    ? html`<p class="error" part="error">${alertIcon}<span>${texts.formMissing}</span></p>
        <button class="secondary" type="button" @click=${() => actions.reloadCard()}>
          ${texts.retry}
        </button>`
    : html`<p class="muted">${texts.loading}</p>`;
}
