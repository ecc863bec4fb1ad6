/** Package entry `pix-checkout/proxy`: the holder of the access token. */

export { createInstallments } from './domain/card/create-installments.js';
export type { InstallmentRow, InstallmentTerms } from './domain/card/create-installments.js';
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
export type { Ledger } from './proxy/store/ledger.js';
export type { ForgetAnswer, KeptBecause } from './proxy/order/forgetting.js';
export type { OrderDescription, OrderEntry } from './proxy/order/order-description.js';
export { ProxyError } from './proxy/runtime/proxy-error.js';
export { proxyMetrics } from './proxy/config/metrics.js';
export type { MetricDescription } from './proxy/config/metrics.js';
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
  UndeliveredNotice,
  VerifyHuman,
} from './proxy/config/options.js';
