/** The merchant's deadline passed: the code is gone from the screen, still followed, and another may be asked for. */

import { html } from 'lit';
import type { ExpiredState } from '../machine/state.js';
import type { Actions, Model } from '../model.js';
import { renderError } from './error.js';
import { clockIcon } from './icons.js';
import { renderNotice } from './notice.js';

/** One thing to do: a new code. */
export function renderExpired(model: Model, { error }: ExpiredState, actions: Actions) {
  return renderNotice({
    sign: clockIcon,
    heading: model.texts.expired,
    body: html`${renderError(model, error)}
      <button class="primary" type="button" @click=${() => actions.newCode()}>
        ${model.texts.newCode}
      </button>`,
  });
}
