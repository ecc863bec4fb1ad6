/** Package entry `pix-checkout/order-token`: signs an order for its page, without the proxy. Web Crypto only. */

export { signOrder, verifyOrder } from './proxy/tokens/tokens.js';
export type { OrderTokenOptions } from './proxy/tokens/tokens.js';
