/** Package entry `pix-checkout/proxy`: the holder of the access token, and the order tokens of the merchant's pages. */

export { createProxy } from './proxy/proxy.js';
export type {
  DeliveryKind,
  LapsedNotice,
  MismatchNotice,
  OutcomeUnknownNotice,
  PaidNotice,
  PixWaitingNotice,
} from './proxy/orders/deliveries.js';
export type { Ledger } from './proxy/orders/orders.js';
export { Refusal } from './proxy/refusal.js';
export { signOrder, verifyOrder } from './proxy/tokens.js';
export type { OrderTokenOptions } from './proxy/tokens.js';
export type {
  CardDateFormats,
  ConnectionInfo,
  Counts,
  CreateInvoiceInput,
  FieldFormat,
  Formats,
  Hook,
  HumanQuestion,
  LogEntry,
  LogEvent,
  OrderAnswer,
  OrderItem,
  OrderQuestion,
  PayableOrder,
  PixProxy,
  ProxyOptions,
  ResolvedOutcome,
  ResolveOrder,
  StartTimer,
  UndeliveredNotice,
  VerifyHuman,
} from './proxy/types.js';
