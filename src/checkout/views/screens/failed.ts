/** Nothing can be done here without the merchant; or, where an error may pass, one more try. Or nothing has to be done. */

import { html, nothing } from 'lit';
import type { FailedState } from '../../machine/state.js';
import type { Actions, Model } from '../model.js';
import { errorText } from '../parts/error.js';
import { alertIcon, checkIcon } from '../parts/icons.js';
import { renderNotice } from '../parts/notice.js';

/** Names the order, which is what the merchant will ask for. */
export function renderFailed(model: Model, { error }: FailedState, actions: Actions) {
  const { texts, externalId } = model;
  const settled = error.code === 'order_paid';
  return renderNotice({
    ...(settled ? {} : { part: 'error' }),
    sign: settled ? checkIcon : alertIcon,
    message: errorText(model, error),
    body: html`${externalId ? html`<p class="muted">${texts.order(externalId)}</p>` : nothing}
    ${
      error.retryable
        ? html`<button class="primary" type="button" @click=${actions.retry}>
            ${texts.retry}
          </button>`
        : nothing
    }`,
  });
}
