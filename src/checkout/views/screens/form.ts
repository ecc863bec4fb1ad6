/**
 * The payer's form: the last attempt's error where it is seen first, one native form with the payer's fields or the card's,
 * and one button. While the request is in progress the form stays, busy, and nothing typed is lost.
 */

import { html, nothing } from 'lit';
import { formatMoney, splitFirstSentence } from '../../locales/choose-messages.js';
import { isCardPending } from '../../machine/state.js';
import type { CheckoutError } from '../../machine/state.js';
import { creatingText, progressText } from '../announce.js';
import type { Actions, Model } from '../model.js';
import { renderPrimary, renderSecondary, renderField } from '../parts/field.js';
import {
  alertIcon,
  renderError,
  renderSupport,
  renderTrouble,
  wayOutText,
  ring,
} from '../parts/error.js';
import { renderHead, renderSummary } from '../parts/head.js';

/**
 * Renders the form. What failed stands above the button, so that on a phone it is in view with the security code above the
 * keyboard. The element scrolls the page so that the button keeps its place on the screen.
 */
export function renderForm(model: Model, error: CheckoutError | null, actions: Actions) {
  const { card, busy, wide, troubledLine, formerError } = model;
  const isStuck = error ?? formerError ?? (busy && troubledLine);
  const summary = renderSummary(model, wide);
  // Beside a long form, amount and lines stay in view together. Beside a button alone, the lines stand on its other side.
  const isLong = model.fields.length > 0 || card;
  const [fields, failure, button, outcome] = card?.failed
    ? [renderCardMissing(model, error, actions)]
    : [
        renderFields(model, actions),
        renderFailure(model, error, actions),
        renderButton(model, error),
        renderOutcome(model),
      ];
  return html`<div class="sides">
    ${renderHead(model, isLong ? summary : nothing)}${isLong ? nothing : summary}
    <form part="form" novalidate aria-busy=${busy} @submit=${actions.submit}>
      ${fields}${failure}${button}
      <div class="outcome">${outcome}</div>
      ${isStuck ? renderSupport() : nothing}
    </form>
  </div>`;
}

/** Renders the fields. Without fields, only the button stands. */
function renderFields(model: Model, actions: Actions) {
  const { texts, fields, card, busy } = model;
  if (!fields.length && !card) return nothing;
  const payer = fields.map((asked) => renderField(asked, model, actions));
  return html`<fieldset ?disabled=${busy} ?inert=${busy}>
    ${fields.length ? html`<fieldset>${payer}</fieldset>` : nothing}
    ${
      card
        ? [
            fields.length ? html`<h3>${texts.cardData}</h3>` : nothing,
            card.content ?? html`<p class="muted coming">${ring}${texts.loading}</p>`,
          ]
        : nothing
    }
  </fieldset>`;
}

/**
 * Renders the button. It keeps the focus while it is busy, because a disabled button would lose it. Each method has its own
 * button, so that one disappears and the other does not jump.
 */
function renderButton(model: Model, error: CheckoutError | null) {
  const { state, texts, card, totalCents, busy, offline } = model;
  const total = totalCents === null ? '' : formatMoney(totalCents);
  const label = card ? texts.pay(total) : error?.retryable ? texts.retry : texts.generate;
  // Without a connection only a card may be on its way: the button says so, or waits under its own name.
  const isUnderWay = busy && (!offline || isCardPending(state));
  const content = isUnderWay ? html`${offline ? nothing : ring}${progressText(model)}` : label;
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

/** Renders what failed; for a card also the button that pays by Pix instead, if the shop offers Pix. */
function renderFailure(model: Model, error: CheckoutError | null, actions: Actions) {
  const { texts, offline, busy, formerError } = model;
  if (offline && !busy) return renderTrouble(texts.offlineForm);
  const known = error ?? formerError;
  if (!known) return nothing;
  const label = wayOutText(model, known);
  const act = () => actions.chooseMethod('pix');
  return renderError(
    model,
    known,
    label ? renderSecondary(label, act, { disabled: busy }) : nothing,
  );
}

/** Renders the line under the button: what is awaited, how many fields are wrong, or that the card is protected. */
function renderOutcome(model: Model) {
  const { texts, fields, card, busy, offline } = model;
  const status = busy ? creatingText(model) : '';
  if (status && status !== progressText(model)) {
    const [what, rest] = splitFirstSentence(status);
    return html`<p class="note">
      ${offline ? html`${alertIcon}<span><b>${what}</b> ${rest}</span>` : status}
    </p>`;
  }
  const faults = fields.filter(({ fault }) => fault).length + (card?.faults ?? 0);
  return faults > 1
    ? html`<p class="fault">${alertIcon}${texts.checkFields(faults)}</p>`
    : card?.assurance;
}

/** Says that the card's file could not be loaded: the payer can use the other method, or try again. */
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
