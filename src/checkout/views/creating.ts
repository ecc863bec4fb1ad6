/** While a code is on its way: the screen it will stand on, with its places still empty. */

import { html, nothing } from 'lit';
import type { Model } from '../model.js';
import { creatingText } from './announce.js';
import { clockIcon } from './icons.js';
import { renderLayout } from './layout.js';
import { renderNotice } from './notice.js';

/** As tall as what comes; a card being charged says so, and offers nothing. */
export function renderCreating(model: Model) {
  const { state } = model;
  if (state.phase === 'creating' && state.task === 'charging') {
    return renderNotice({ sign: clockIcon, heading: creatingText(model), body: nothing });
  }
  return renderLayout(model, {
    button: html`<div class="primary blank"></div>`,
    status: creatingText(model),
    notes: nothing,
    code: html`<div class="blank lines"></div>`,
    qr: html`<div class="plate blank"></div>`,
    exits: nothing,
  });
}
