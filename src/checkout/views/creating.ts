/** While a code is on its way: the screen it will stand on, with its places still empty. */

import { html, nothing } from 'lit';
import type { Model } from '../model.js';
import { creatingText } from './announce.js';
import { renderLayout } from './layout.js';

/** As tall as what comes. */
export function renderCreating(model: Model) {
  return renderLayout(model, {
    button: html`<div class="primary blank"></div>`,
    status: creatingText(model),
    notes: nothing,
    code: html`<div class="blank lines"></div>`,
    qr: html`<div class="plate blank"></div>`,
    exits: nothing,
  });
}
