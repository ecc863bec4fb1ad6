/** Package entry `pix-checkout/proxy`: the holder of the access token, and the order tokens of the merchant's pages. */

export { createProxy } from './proxy/proxy.js';
export type {
  DeliveryKind,
  LapsedNotice,
  MismatchNotice,
  OutcomeUnknownNotice,
  PaidNotice,
  PixWaitingNotice,
  ReturnedNotice,
} from './proxy/order/outbox-events.js';
export type { Ledger } from './proxy/ledger/ledger.js';
export type { OrderDescription, OrderEntry } from './proxy/ledger/order-description.js';
export { ProxyError, ProxyError as Refusal } from './proxy/runtime/proxy-error.js';
export { proxyMetrics } from './proxy/config/metrics.js';
export type { MetricDescription } from './proxy/config/metrics.js';
export { toPaymentLink } from './proxy/tokens/payment-link.js';
export type { PaymentLinkOptions } from './proxy/tokens/payment-link.js';
export { signOrder, verifyOrder } from './proxy/tokens/tokens.js';
export type { OrderTokenOptions } from './proxy/tokens/tokens.js';
export type {
  CardDateFormats,
  ConnectionInfo,
  CreateInvoiceInput,
  FieldFormat,
  Formats,
  Hook,
  HumanQuestion,
  LogEntry,
  LogEvent,
  MetricLabels,
  MetricsSink,
  OrderAnswer,
  OrderItem,
  OrderQuestion,
  PayableOrder,
  PaymentLink,
  PaymentLinkInput,
  PaymentPageOptions,
  PixProxy,
  ProxyOptions,
  DueRun,
  ErrorContext,
  ResolvedOutcome,
  ResolveOrder,
  StartTimer,
  UndeliveredNotice,
  VerifyHuman,
} from './proxy/config/options.js';
