/** While a code is on its way: the screen it will stand on, with its places still empty. */

import { html, nothing } from 'lit';
import type { Actions, Model } from '../model.js';
import { creatingText } from './announce.js';
import { clockIcon } from './icons.js';
import { renderLayout } from './layout.js';
import { renderNotice } from './notice.js';

/**
 * As tall as what comes. On a bad line a payer may ask again at once; a card being charged says so, and offers nothing.
 */
export function renderCreating(model: Model, actions: Actions) {
  const { state, texts, troubledLine } = model;
  if (state.phase === 'creating' && state.task === 'charging') {
    return renderNotice({ sign: clockIcon, heading: creatingText(model), body: nothing });
  }
  const mayAsk = troubledLine && state.phase === 'creating' && state.task === 'following';
  return renderLayout(model, {
    button: html`<div class="primary blank"></div>`,
    status: creatingText(model),
    notes: nothing,
    code: html`<div class="blank lines"></div>`,
    qr: html`<div class="plate blank"></div>`,
    exits: mayAsk
      ? html`<div class="exits">
          <button class="secondary" type="button" @click=${actions.checkNow}>${texts.retry}</button>
        </div>`
      : nothing,
  });
}
