/** Someone said paid and no look-up has confirmed it, or one did and something disagrees: nothing may be paid here. */

import type { ConfirmingState } from '../machine/state.js';
import type { Model } from '../model.js';
import { renderError } from './error.js';
import { clockIcon } from './icons.js';
import { renderNotice } from './notice.js';

/** Never offers a way to pay. */
export function renderConfirming(model: Model, { error }: ConfirmingState) {
  return renderNotice({
    sign: clockIcon,
    message: model.texts.confirming(model.externalId ?? ''),
    body: renderError(model, error),
  });
}
