/** Package entry `pix-checkout/order-token`: signs an order for its page or for a payment link, without the proxy. */

export { toPaymentLink } from './proxy/door/tokens/tokens.js';
export type { PaymentLinkOptions } from './proxy/door/tokens/tokens.js';
export { signOrder, verifyOrder } from './proxy/door/tokens/tokens.js';
export type { OrderTokenOptions } from './proxy/door/tokens/tokens.js';
