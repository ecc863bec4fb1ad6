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
import { renderHead, renderSummary } from '../parts/head.js';
import { ring } from '../parts/icons.js';

/**
 * With no field to ask, only the button stands. What failed is said where the payer looks: beside the button that was
 * pressed, or, for a card whose security code is asked for again, above its fields.
 */
export function renderForm(model: Model, error: CheckoutError | null, actions: Actions) {
  const { texts, fields, card, offline, busy, formerError, wide } = model;
  const note =
    offline && !busy
      ? renderTrouble(texts.offlineForm)
      : renderError(
          model,
          error ?? formerError,
          renderWayOut(model, error ?? formerError, actions),
        );
  return html`<div class="sides">
    ${renderHead(model)} ${renderSummary(model, wide)}
    <form part="form" novalidate aria-busy=${busy} @submit=${actions.submit}>
      ${card ? note : nothing}
      ${
        fields.length || card
          ? html`<fieldset ?disabled=${busy} ?inert=${busy}>
              ${fields.length && card ? html`<h3>${texts.yourData}</h3>` : nothing}
              ${fields.map((asked) => renderField(asked, model, actions))}
              ${fields.length && card ? html`<h3>${texts.payByCard}</h3>` : nothing}
              ${card ? renderCard(model, actions) : nothing}
            </fieldset>`
          : nothing
      }
      ${card ? nothing : note} ${renderButton(model, error)}
    </form>
  </div>`;
}

/** Keeps the focus while it is busy: a disabled button would lose it. */
function renderButton(model: Model, error: CheckoutError | null) {
  const { texts, card, totalCents, busy } = model;
  const total = totalCents === null ? '' : formatMoney(totalCents);
  const label = card ? texts.pay(total) : error?.retryable ? texts.retry : texts.generate;
  const [progress, status] = [progressText(model), creatingText(model)];
  return html`<button
      part="submit-button"
      class="primary"
      aria-disabled=${busy}
      ?disabled=${card !== null && !card.content}
    >
      ${busy ? html`${ring}${progress}` : label}
    </button>
    ${
      busy && status !== progress
        ? html`<p class="muted note">${status}</p>`
        : (card?.assurance ?? nothing)
    }`;
}

/** A card was refused: what can be done without another one. */
function renderWayOut(
  { texts, offers, busy }: Model,
  error: CheckoutError | null,
  actions: Actions,
) {
  const pix = offers.find(({ method }) => method === 'pix');
  if (!pix || error?.code !== 'payment_refused') return nothing;
  const label = texts.payWithPix(pix.cents === null ? '' : formatMoney(pix.cents));
  return renderSecondary(label, () => actions.chooseMethod('pix'), { disabled: busy });
}

function renderCard({ card, texts, offers }: Model, actions: Actions) {
  if (card?.content) return card.content;
  return card?.failed
    ? html`${renderTrouble(texts.formMissing)} ${renderSecondary(texts.retry, actions.reloadCard)}
      ${
        offers.length > 1
          ? renderSecondary(texts.title, () => actions.chooseMethod('pix'))
          : nothing
      }`
    : html`<p class="muted">${texts.loading}</p>`;
}
