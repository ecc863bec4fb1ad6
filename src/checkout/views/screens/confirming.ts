/** Someone said paid and no look-up has confirmed it, or one did and something disagrees: nothing may be paid here. */

import type { ConfirmingState } from '../../machine/state.js';
import type { Model } from '../model.js';
import { confirmingText } from '../announce.js';
import { renderError } from '../parts/error.js';
import { checkIcon, clockIcon } from '../parts/icons.js';
import { renderNotice } from '../parts/notice.js';

/** Never offers a way to pay. */
export function renderConfirming(model: Model, state: ConfirmingState) {
  const { error } = state;
  return renderNotice({
    sign: error?.code === 'order_paid' ? checkIcon : clockIcon,
    message: confirmingText(model, state),
    body: renderError(model, error),
  });
}
