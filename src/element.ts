/** Package entry `pix-checkout/element`: the class without registering the tag, for scoped registries and wrappers. */

export { PixCheckout } from './checkout/element/pix-checkout.js';
export * from './checkout/element/events.js';
export type { CardContext, CardDetails, TokenizeCard } from './checkout/card/card-file-contract.js';
export type { Installment } from './checkout/views/model.js';
export type { Item, Line } from './checkout/page/order.js';
export type { CheckoutError, CheckoutErrorCode, Phase } from './checkout/machine/state.js';
export type { InvoiceDetail } from './checkout/machine/state.js';
export type { Locale } from './checkout/locales/choose-messages.js';
export type { Messages, TextOverrides } from './checkout/locales/pt-br.js';
export type { CardCredentials, CreatedInvoice, Method, Payer } from './contract/types.js';
