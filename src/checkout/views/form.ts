/** The payer's form: one native form, the fields that are asked, the error of the last attempt, one button. */

import { html } from 'lit';
import type { FormState } from '../machine/state.js';
import type { Actions, Model } from '../model.js';
import { renderAmount } from './amount.js';
import { renderError } from './error.js';
import { renderField } from './field.js';
import { renderSummary } from './summary.js';

/** With no field to ask it is the button alone. */
export function renderForm(model: Model, { error }: FormState, actions: Actions) {
  const { texts, fields, offline } = model;
  return html`${renderAmount(model)} ${renderSummary(model)}
    <form part="form" novalidate @submit=${actions.submit}>
      ${fields.map((asked) => renderField(asked, model, actions))}
      ${offline ? html`<p class="muted">${texts.offline}</p>` : renderError(model, error)}
      <button part="submit-button" class="primary">${texts.generate}</button>
    </form>`;
}
