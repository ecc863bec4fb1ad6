/** The merchant's deadline passed: the code is gone from the screen, still followed, and another may be asked for. */

import { html, nothing } from 'lit';
import type { ExpiredState } from '../../machine/state.js';
import type { Actions, Model } from '../model.js';
import { renderError } from '../parts/error.js';
import { clockIcon } from '../parts/icons.js';
import { renderNotice } from '../parts/notice.js';
import { renderOtherMethod } from '../parts/other-method.js';

/** One thing to do: a new code. */
export function renderExpired(model: Model, { error }: ExpiredState, actions: Actions) {
  const { texts, externalId } = model;
  return renderNotice({
    sign: clockIcon,
    message: texts.expired,
    body: html`${externalId ? html`<p class="muted">${texts.order(externalId)}</p>` : nothing}
      ${renderError(model, error)}
      <button class="primary" type="button" @click=${actions.newCode}>${texts.newCode}</button>
      ${renderOtherMethod(model, actions)}`,
  });
}
