/** The head of every screen before the receipt: what is owed, for which order, what Pix saves, and the order's lines. */

import { html, nothing } from 'lit';
import { formatMoney } from '../../locales/choose-messages.js';
import type { CodeModel, Model, Actions, MethodOffer } from '../model.js';
import { isCodePhase } from '../../machine/state.js';
import { cardIcon, qrIcon } from './error.js';

/**
 * The heading can take the focus: the element puts it there when a screen follows another.
 *
 * @param end how long there is to pay, or the order's lines
 */
export function renderHead(model: CodeModel, end: unknown = nothing) {
  const { texts, card, totalCents, fullPriceCents, shareLeft } = model;
  return html`<div class="head">
    <h2 part="heading" id="title" tabindex="-1">${card ? texts.cardTitle : texts.title}</h2>
    ${totalCents === null ? nothing : renderTotal(totalCents)}
    ${
      fullPriceCents === null
        ? nothing
        : html`<p class="discount">
            <span class="muted"
              >${texts.insteadOf} <s translate="no">${formatMoney(fullPriceCents)}</s></span
            >
            <strong>${texts.discount(formatMoney(fullPriceCents - (totalCents ?? 0)))}</strong>
          </p>`
    }
    ${renderReference(model)} ${end}
    ${
      shareLeft === null
        ? nothing
        : html`<svg class="bar" aria-hidden="true">
            <rect width="${shareLeft * 100}%" height="4" />
          </svg>`
    }
  </div>`;
}

/** The merchant asks a payer for it. */
export function renderReference({ texts, externalId }: Pick<Model, 'texts' | 'externalId'>) {
  return externalId ? html`<p class="muted">${texts.order(externalId)}</p>` : nothing;
}

/** Never on two lines: from a hundred thousand reais on it is smaller instead. */
export function renderTotal(cents: number) {
  const amount = formatMoney(cents);
  const look = amount.length > 12 ? 'total long' : 'total';
  return html`<p class=${look} part="amount" translate="no">${amount}</p>`;
}

/** The page's `items` and `lines`: more than three may scroll, and a keyboard has to get there. @param open they are shown without being asked for; else the first of them stands there */
export function renderSummary(model: CodeModel, open = false) {
  const { texts, items, lines } = model;
  if (items.length + lines.length === 0) return nothing;
  return html`<details class="summary" part="summary" ?open=${open}>
    <summary>
      <span
        >${texts.summary}${items[0] ? html`<small class="goods">${items[0].name}${items[1] ? ` +${items.length - 1}` : nothing}</small>` : nothing}</span
      >
    </summary>
    <ul tabindex=${items.length + lines.length > 3 ? 0 : nothing} aria-label=${texts.summary}>
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
      ${[...lines, ...endOf(model)].map(
        ({ label, cents }) =>
          html`<li class=${label === texts.total ? 'sum' : 'muted'}>
            <span>${label}</span><span translate="no">${formatMoney(cents).replace('-', '−')}</span>
          </li>`,
      )}
    </ul>
  </details>`;
}

/** The discount by Pix or the interest, and the sum; nothing if the lines do not add up to the total. */
function endOf({ texts, method, offers, items, lines, totalCents, fullPriceCents }: CodeModel) {
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

// The choice of method, above everything else: what each costs; once it is made, one line. Stands as long as the payer may change it.

/** Nothing, where the page offers one method only, or the order is paid or may be. */
export function renderMethods(model: Model, actions: Actions) {
  const { state, texts, method, offers } = model;
  const stands = state.phase === 'form' || isCodePhase(state);
  if (offers.length < 2 || !(stands || state.phase === 'creating')) return nothing;
  if (isMade(model)) return renderMade(model, actions, stands);
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
          /><span>${renderOffer(offer, texts)}</span>
        </label>`,
    )}
  </fieldset>`;
}

/** One press leads to the other method: there are two. */
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

/** There is a code, or a card was tried. On a phone that is above what the payer looks at, which must not move. */
function isMade({ state, card, busy, formerError, wide }: Model): boolean {
  const error = state.phase === 'form' ? state.error : formerError;
  return state.phase === 'form' || busy ? wide && card !== null && error !== null : true;
}

/** The method, its price, and what is better about it. */
function renderOffer({ method, cents, savedCents, free }: MethodOffer, texts: Model['texts']) {
  const isPix = method === 'pix';
  return html`${isPix ? qrIcon : cardIcon}<span
      ><span
        ><b>${isPix ? texts.payByPix : texts.payByCard}</b>${
          cents === null ? nothing : html`<small translate="no">${formatMoney(cents)}</small> `
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
