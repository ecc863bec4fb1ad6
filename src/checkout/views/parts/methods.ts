/** The choice of method, above everything else: what each costs; once it is made, one line. Stands as long as the payer may change it. */

import { html, nothing } from 'lit';
import { formatMoney } from '../../locales/format.js';
import { isOfCode } from '../../machine/state.js';
import type { Actions, MethodOffer, Model } from '../model.js';
import { renderFold } from './fold.js';
import { cardIcon, qrIcon } from './icons.js';

/** Nothing, where the page offers one method only, or the order is paid or may be. */
export function renderMethods(model: Model, actions: Actions) {
  const { state, texts, method, offers } = model;
  const stands = state.phase === 'form' || isOfCode(state);
  if (offers.length < 2 || !(stands || state.phase === 'creating')) return nothing;
  const boxes = html`<fieldset class="methods" ?disabled=${!stands}>
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
  const offer = offers.find((one) => one.method === method);
  return renderFold(isMade(model), offer && renderLine(offer, texts), texts.change, boxes);
}

/** There is a code, or a card was tried. On a phone that is above what the payer looks at, which must not move. */
function isMade({ state, card, busy, formerError, wide }: Model): boolean {
  const error = state.phase === 'form' ? state.error : formerError;
  return state.phase === 'form' || busy ? wide && card !== null && error !== null : true;
}

function renderLine({ method, savedCents }: MethodOffer, texts: Model['texts']) {
  const isPix = method === 'pix';
  return html`${isPix ? qrIcon : cardIcon}<span class="made"
      ><b>${isPix ? texts.payByPix : texts.payByCard}</b> ${
        savedCents > 0
          ? html`<span class="muted" translate="no">${texts.saved(formatMoney(savedCents))}</span>`
          : nothing
      }</span
    >`;
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
