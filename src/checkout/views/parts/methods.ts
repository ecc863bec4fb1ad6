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

/** The price, and what is better about it. */
function costsOf({ cents, savedCents, free }: MethodOffer, texts: Model['texts']): string[] {
  return [
    cents === null ? '' : formatMoney(cents),
    free ? texts.upTo(free.installment, formatMoney(free.eachCents)) : '',
    savedCents > 0 ? texts.saved(formatMoney(savedCents)) : '',
  ].filter(Boolean);
}
