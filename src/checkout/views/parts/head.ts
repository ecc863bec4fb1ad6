/** The head of every screen before the receipt: what is owed, for which order, what Pix saves, and the order's lines. */

import { html, nothing } from 'lit';
import { formatMoney } from '../../locales/choose-messages.js';
import type { CodeModel, Model, Actions, MethodOffer } from '../model.js';
import { cardIcon, qrIcon } from './error.js';

/**
 * Renders the head. Its heading can take the focus, which the element moves there when a screen follows another.
 *
 * @param end how long there is to pay, or the order's lines
 */
export function renderHead(model: CodeModel, end: unknown = nothing) {
  const { texts, card, totalCents, fullPriceCents } = model;
  return html`<div class="head">
    <h2
      part="heading"
      id="title"
      tabindex="-1"
      .textContent=${card ? texts.cardTitle : texts.title}
    ></h2>
    ${totalCents === null ? nothing : renderTotal(totalCents)}
    ${
      fullPriceCents === null
        ? nothing
        : html`<p class="discount">
            <span class="muted"
              >${texts.insteadOf} <s translate="no">${formatMoney(fullPriceCents)}</s></span
            >
            <strong
              .textContent=${texts.discount(formatMoney(fullPriceCents - (totalCents ?? 0)))}
            ></strong>
          </p>`
    }
    ${renderReference(model)}${end}
  </div>`;
}

/** Renders the reference, because a merchant asks a payer for it. */
export function renderReference({ texts, externalId }: Pick<Model, 'texts' | 'externalId'>) {
  return externalId ? html`<p class="muted" .textContent=${texts.order(externalId)}></p>` : nothing;
}

/** Renders the total, always on one line: from a hundred thousand reais on it is smaller. */
export function renderTotal(cents: number) {
  const amount = formatMoney(cents);
  const look = amount.length > 12 ? 'total long' : 'total';
  return html`<p class=${look} part="amount" translate="no" .textContent=${amount}></p>`;
}

/**
 * Renders the page's `items` and `lines`. @param open whether all are shown at once; if not, the first of them stands on the
 * line that opens the others
 */
export function renderSummary(model: CodeModel, open = false) {
  const { texts, items, lines } = model;
  if (items.length + lines.length === 0) return nothing;
  return html`<details class="summary" part="summary" ?open=${open}>
    <summary>
      <span
        >${texts.summary}${items[0] ? html`<small class="goods">${items[0].name}${items[1] ? ` +${items.length - 1}` : nothing}</small>` : nothing}</span
      >
    </summary>
    <ul aria-label=${texts.summary}>
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
      ${[...lines, ...toClosingLines(model)].map(
        ({ label, cents }) =>
          html`<li class=${label === texts.total ? 'sum' : 'muted'}>
            <span>${label}</span><span translate="no">${formatMoney(cents)}</span>
          </li>`,
      )}
    </ul>
  </details>`;
}

/** Makes the summary's last lines: the discount by Pix or the interest, and the sum; none if they would not add up. */
function toClosingLines({
  texts,
  method,
  offers,
  items,
  lines,
  totalCents,
  fullPriceCents,
}: CodeModel) {
  let rest = totalCents ?? NaN;
  for (const { quantity, unit_price } of items) rest -= quantity * unit_price;
  for (const { cents } of lines) rest -= cents;
  const saved = (fullPriceCents ?? 0) - (totalCents ?? 0);
  const { savedCents = 0, cents } = offers.find((offer) => offer.method === method) ?? {};
  const label =
    rest === -(savedCents || saved)
      ? texts.pixDiscount
      : method === 'credit_card' &&
        rest > 0 &&
        rest === (totalCents ?? 0) - (cents ?? 0) &&
        texts.interest;
  const sum = { label: texts.total, cents: totalCents ?? 0 };
  if (rest === 0) return [sum];
  return label ? [{ label, cents: rest }, sum] : [];
}

// The choice of method, above everything else: what each costs, or one line once the choice is made. It stays as long as the
// payer may change it.

/** Renders the choice; nothing if the page offers only one method, or in a phase after `awaiting`. */
export function renderMethods(model: Model, actions: Actions) {
  const { state, texts, method, offers } = model;
  const stands = state.phase === 'form' || state.phase === 'awaiting';
  if (offers.length < 2 || !(stands || state.phase === 'creating')) return nothing;
  // The choice is made once there is a code.
  if (state.phase !== 'form' && !model.busy) return renderMade(model, actions, stands);
  const [first, second] = offers;
  return html`<fieldset class="methods" ?disabled=${!stands}>
    <legend class="said">${texts.method}</legend>
    ${offers.map(
      (offer) =>
        html`<label>
          <input
            type="radio"
            name="method"
            .checked=${offer.method === method}
            @change=${() => actions.chooseMethod(offer.method)}
          /><span>${renderOffer(offer, texts, first?.cents !== second?.cents)}</span>
        </label>`,
    )}
  </fieldset>`;
}

/** Renders the chosen method on one line, with a button that changes to the other one. */
function renderMade({ texts, method, offers }: Model, actions: Actions, mayChange: boolean) {
  const isPix = method === 'pix';
  const { savedCents = 0 } = offers.find((offer) => offer.method === method) ?? {};
  const change = () => actions.chooseMethod(isPix ? 'credit_card' : 'pix');
  return html`<div class="line">
    ${isPix ? qrIcon : cardIcon}<span class="made"
      ><b>${isPix ? texts.payByPix : texts.payByCard}</b> ${
        savedCents > 0
          ? html`<span class="muted" translate="no">${texts.saved(formatMoney(savedCents))}</span>`
          : nothing
      }</span
    >${
      mayChange
        ? html`<button class="link" type="button" @click=${change}>${texts.change}</button>`
        : nothing
    }
  </div>`;
}

/** Renders the method, its price if prices differ, and its advantage. */
function renderOffer(
  { method, cents, savedCents, free }: MethodOffer,
  texts: Model['texts'],
  differ: boolean,
) {
  const isPix = method === 'pix';
  return html`${isPix ? qrIcon : cardIcon}<span
      ><span
        ><b>${isPix ? texts.payByPix : texts.payByCard}</b>${
          cents === null || !differ
            ? nothing
            : html`<small translate="no">${formatMoney(cents)}</small> `
        }${
          free
            ? html`<small translate="no"
                >${texts.upTo(free.installment, formatMoney(free.eachCents))}</small
              >`
            : nothing
        }</span
      >${
        savedCents > 0
          ? html`<em class="chip" translate="no">${texts.saved(formatMoney(savedCents))}</em>`
          : nothing
      }</span
    >`;
}
