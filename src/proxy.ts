/** Package entry `pix-checkout/proxy`: the holder of the access token, and the order tokens of the merchant's pages. */

export { createProxy } from './proxy/proxy.js';
export { Refusal } from './proxy/refusal.js';
export { signOrder, verifyOrder } from './proxy/tokens.js';
export type { OrderTokenOptions } from './proxy/tokens.js';
export type {
  ConnectionInfo,
  CreateInvoiceInput,
  FieldFormat,
  LogEntry,
  LogEvent,
  OrderAnswer,
  OrderItem,
  OrderQuestion,
  PayableOrder,
  PixProxy,
  ProxyOptions,
  ResolveOrder,
  StartTimer,
} from './proxy/types.js';
