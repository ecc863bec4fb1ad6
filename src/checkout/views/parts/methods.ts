/** The choice of method, above everything else: what each costs. Stands as long as the payer may change it. */

import { html, nothing } from 'lit';
import { formatMoney } from '../../locales/format.js';
import type { Actions, MethodOffer, Model } from '../model.js';

/** Nothing, where the page offers one method only, or the order is paid or may be. */
export function renderMethods({ state, texts, method, offers }: Model, actions: Actions) {
  const { phase } = state;
  const stands = phase === 'form' || phase === 'awaiting' || phase === 'expired';
  if (offers.length < 2 || !(stands || phase === 'creating')) return nothing;
  return html`<fieldset class="methods" part="methods" ?disabled=${!stands}>
    <legend class="said">${texts.method}</legend>
    ${offers.map(
      (offer) =>
        html`<label>
          <input
            type="radio"
            name="method"
            .checked=${offer.method === method}
            @change=${() => actions.chooseMethod(offer.method)}
          /><span part=${offer.method === method ? 'method chosen' : 'method'}
            ><b>${offer.method === 'pix' ? texts.payByPix : texts.payByCard}</b>${costsOf(
              offer,
              texts,
            ).map((cost) => html`<small translate="no">${cost}</small>`)}</span
          >
        </label>`,
    )}
  </fieldset>`;
}

/** Instalments without interest say more than the price that they add up to. */
function costsOf({ cents, savedCents, free }: MethodOffer, texts: Model['texts']): string[] {
  if (free) return [texts.upTo(free.installment, formatMoney(free.eachCents))];
  const price = cents === null ? [] : [formatMoney(cents)];
  return savedCents > 0 ? [...price, texts.saved(formatMoney(savedCents))] : price;
}
