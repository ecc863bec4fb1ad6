/** The way to the other method, under the one that is shown. */

import { html, nothing } from 'lit';
import type { Actions, Model } from '../model.js';

/** Nothing, where the page offers one method only. */
export function renderOtherMethod({ texts, method, methods }: Model, actions: Actions) {
  const other = methods.find((one) => one !== method);
  if (!other) return nothing;
  return html`<button class="link" type="button" @click=${() => actions.chooseMethod(other)}>
    ${other === 'pix' ? texts.payByPix : texts.payByCard}
  </button>`;
}
