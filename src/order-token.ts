/** Package entry `pix-checkout/order-token`: signs an order for its page or for a payment link, without the proxy. Web Crypto only. */

export { toPaymentLink } from './proxy/tokens/payment-link.js';
export type { PaymentLink, PaymentLinkOptions } from './proxy/tokens/payment-link.js';
export { signOrder, verifyOrder } from './proxy/tokens/tokens.js';
export type { OrderTokenOptions } from './proxy/tokens/tokens.js';
