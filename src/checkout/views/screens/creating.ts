/** While a code is on its way: the screen it will stand on, with its places still empty. */

import { html, nothing } from 'lit';
import type { Actions, Model } from '../model.js';
import { creatingText } from '../announce.js';
import { clockIcon } from '../parts/icons.js';
import { renderLayout } from './layout.js';
import { renderNotice } from './notices.js';

/** Holds the place of a button, or of anything about as tall. */
const blank = html`<div class="primary blank"></div>`;

/**
 * About as tall as the code's screen. On a bad line a payer may ask again at once; while a card is being charged there is
 * nothing to press.
 */
export function renderCreating(model: Model, actions: Actions) {
  const { state, texts, troubledLine } = model;
  if (state.phase === 'creating' && state.task === 'charging') {
    return renderNotice({ sign: clockIcon, message: creatingText(model), body: nothing });
  }
  const mayAsk = troubledLine && state.phase === 'creating' && state.task === 'following';
  return renderLayout(model, {
    button: blank,
    status: creatingText(model),
    receiver: html`<p class="receiver blank"><br /><br /></p>`,
    code: html`<div class="code blank"></div>`,
    qr: html`<svg class="plate blank" width="285" viewBox="0 0 1 1"></svg>`,
    exits: html`<div class="exits">
      ${
        mayAsk
          ? html`<button class="secondary" type="button" @click=${actions.checkNow}>
              ${texts.retry}
            </button>`
          : nothing
      }
    </div>`,
  });
}
