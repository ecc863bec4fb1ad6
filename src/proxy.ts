/** Package entry `pix-checkout/proxy`: the holder of the access token, and the order tokens of the merchant's pages. */

export { createProxy } from './proxy/proxy.js';
export { Refusal } from './proxy/refusal.js';
export { signOrder, verifyOrder } from './proxy/tokens.js';
export type { OrderTokenOptions } from './proxy/tokens.js';
export type {
  CardDateFormats,
  ConnectionInfo,
  CreateInvoiceInput,
  FieldFormat,
  Formats,
  HumanQuestion,
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
  VerifyHuman,
} from './proxy/types.js';
