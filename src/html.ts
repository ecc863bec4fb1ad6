/** Package entry `pix-checkout/html`: an open Pix code as the children of `<pix-checkout>`, for pages made on a server. */

export { renderInvoice } from './checkout/html/render-invoice.js';
export type { RenderOptions } from './checkout/html/render-invoice.js';
export type { Locale } from './checkout/locales/choose-messages.js';
export type { Item, Line } from './checkout/page/order.js';
export type { CreatedInvoice } from './contract/types.js';
