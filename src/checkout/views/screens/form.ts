/**
 * The payer's form: the last attempt's error where it is seen first, one native form with the payer's fields or the
 * card's, one button. It stays where it is while what was asked for is on its way: busy, and nothing typed is lost.
 */

import { html, nothing } from 'lit';
import { formatMoney } from '../../locales/choose-messages.js';
import type { CheckoutError } from '../../machine/state.js';
import { creatingText, progressText } from '../announce.js';
import type { Actions, Model } from '../model.js';
import { renderPrimary, renderSecondary, renderField } from '../parts/field.js';
import { renderError, renderSupport, renderTrouble, wayOutText, ring } from '../parts/error.js';
import { renderHead, renderSummary } from '../parts/head.js';

/** The outcome stands under the button, which keeps its place while it is busy, so that nothing moves. */
export function renderForm(model: Model, error: CheckoutError | null, actions: Actions) {
  const { fields, card, busy, wide, troubledLine, formerError } = model;
  const isStuck = error ?? formerError ?? (busy && troubledLine);
  const summary = renderSummary(model, wide);
  // Beside a long form amount and lines stay in view together; beside a button alone the lines stand on its other side.
  const isLong = fields.length > 0 || card;
  return html`<div class="sides">
    ${renderHead(model, isLong ? summary : nothing)}${isLong ? nothing : summary}
    <form part="form" novalidate aria-busy=${busy} @submit=${actions.submit}>
      ${
        card?.failed
          ? renderCardMissing(model, error, actions)
          : html`${renderFields(model, error, actions)}${renderButton(model, error)}
              <div class="outcome">${renderOutcome(model, error, actions)}</div>`
      }
      ${isStuck ? renderSupport() : nothing}
    </form>
  </div>`;
}

/** With no field to ask, only the button stands. */
function renderFields(model: Model, error: CheckoutError | null, actions: Actions) {
  const { texts, fields, card, busy, wide, formerError } = model;
  if (!fields.length && !card) return nothing;
  const payer = fields.map((asked) => renderField(asked, model, actions));
  // On a phone a card that was tried is what is to be seen: who pays is settled.
  const tried = card !== null && (error ?? formerError) !== null;
  const settled = tried && !wide && !fields.some(({ fault }) => fault);
  // Its line names not the data itself: scripts that record a page mask what is typed, and no text.
  return html`<fieldset ?disabled=${busy} ?inert=${busy}>
    ${
      fields.length
        ? html`<details ?open=${!settled}>
            <summary class="line" ?hidden=${!settled}>
              <b>${texts.yourData}</b><span class="link">${texts.edit}</span>
            </summary>
            <fieldset>${payer}</fieldset>
          </details>`
        : nothing
    }
    ${fields.length && card ? html`<h3>${texts.payByCard}</h3>` : nothing}
    ${card ? (card.content ?? html`<p class="muted coming">${ring}${texts.loading}</p>`) : nothing}
  </fieldset>`;
}

/**
 * Keeps the focus while it is busy: a disabled button would lose it. Each method has its own: the one that would stand
 * elsewhere goes, and does not jump.
 */
function renderButton(model: Model, error: CheckoutError | null) {
  const { texts, card, totalCents, busy } = model;
  const total = totalCents === null ? '' : formatMoney(totalCents);
  const label = card ? texts.pay(total) : error?.retryable ? texts.retry : texts.generate;
  const content = busy ? html`${ring}${progressText(model)}` : label;
  return card
    ? html`<button
        part="submit-button"
        class="primary"
        aria-disabled=${busy}
        ?disabled=${!card.content}
      >
        ${content}
      </button>`
    : html`<button part="submit-button" class="primary" aria-disabled=${busy}>${content}</button>`;
}

function renderOutcome(model: Model, error: CheckoutError | null, actions: Actions) {
  const { texts, fields, card, offline, busy, formerError } = model;
  if (offline && !busy) return renderTrouble(texts.offlineForm);
  const known = error ?? formerError;
  const status = busy ? creatingText(model) : '';
  const faults = fields.filter(({ fault }) => fault).length + (card?.faults ?? 0);
  const outcome = known
    ? renderError(model, known, renderWayOut(model, known, actions))
    : busy
      ? nothing
      : faults > 1
        ? html`<p class="fault">${texts.checkFields(faults)}</p>`
        : card?.assurance;
  if (!status || status === progressText(model)) return outcome;
  return [outcome, html`<p class="muted note">${status}</p>`];
}

/** The button to pay by Pix instead, under the error of a card; nothing if the shop offers no Pix. */
function renderWayOut(model: Model, error: CheckoutError, actions: Actions) {
  const label = wayOutText(model, error);
  const disabled = model.busy;
  return label ? renderSecondary(label, () => actions.chooseMethod('pix'), { disabled }) : nothing;
}

/** The card's file did not come: there is another way to pay, or none yet. */
function renderCardMissing(model: Model, error: CheckoutError | null, actions: Actions) {
  const { texts } = model;
  const label = wayOutText(model, error);
  const again = [texts.retry, actions.reloadCard] as const;
  return html`${renderError(model, error)} ${renderTrouble(texts.formMissing)}
  ${
    label
      ? [renderPrimary(label, () => actions.chooseMethod('pix')), renderSecondary(...again)]
      : renderPrimary(...again)
  }`;
}
