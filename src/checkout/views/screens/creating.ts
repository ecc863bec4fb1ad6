/** The screen while a code is created without a press of the form's button: the code's own screen, its places still empty. */

import { html } from 'lit';
import { isAt } from '../../machine/state.js';
import type { Actions, Model } from '../model.js';
import { creatingText } from '../announce.js';
import { renderSecondary } from '../parts/button.js';
import { renderLayout } from './layout.js';

/** Holds the place of a button, or of anything about as tall. */
const blank = html`<div class="primary blank"></div>`;

/** Holds two lines of text, or a button beside the main one. */
const empty = html`<p class="receiver blank"><br /><br /></p>`;

/** About as tall as the code's screen. On a bad line a payer may ask again at once. */
export function renderCreating(model: Model, actions: Actions) {
  const { state, texts, troubledLine } = model;
  const mayAsk = troubledLine && isAt(state, 'following');
  return renderLayout(model, {
    button: blank,
    status: creatingText(model),
    warns: model.offline,
    receiver: empty,
    code: html`<div class="code blank"></div>`,
    qr: html`<svg class="plate blank" width="285" viewBox="0 0 1 1"></svg>`,
    exit: mayAsk ? renderSecondary(texts.retry, actions.checkNow) : empty,
  });
}
