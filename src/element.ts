/** Package entry `pix-checkout/element`: the class without registering the tag, for scoped registries and wrappers. */

export { PixCheckout } from './checkout/pix-checkout.js';
export * from './checkout/events.js';
export type { CardContext, CardDetails, TokenizeCard } from './checkout/card-desk.js';
export type { Installment, Item, Line } from './checkout/model.js';
export type { CheckoutError, CheckoutErrorCode, Phase } from './checkout/machine/state.js';
export type { InvoiceDetail } from './checkout/machine/messages.js';
export type { Locale, Messages, TextOverrides } from './checkout/locales/messages.js';
export type { CardCredentials, CreatedInvoice, Method, Payer } from './contract/types.js';
