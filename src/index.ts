/** Package entry `pix-checkout`: the element, registered as `<pix-checkout>`, and the call that shows it in a dialog. */

import './checkout/element/register.js';

export * from './element.js';
export { createInstallments } from './domain/card/create-installments.js';
export type { InstallmentRow, InstallmentTerms } from './domain/card/create-installments.js';
export { openCheckout } from './checkout/modal/open-checkout.js';
export type { CheckoutOptions, CheckoutOutcome } from './checkout/modal/open-checkout.js';
