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
} from './proxy/order/order.js';
export type { Ledger } from './proxy/store/order-store.js';
export type { ForgetAnswer, KeptBecause } from './proxy/order/due.js';
export type { OpenAlert, OrderDescription, OrderEntry } from './proxy/order/told/describe-order.js';
export { ProxyError } from './proxy/set-up/proxy-error.js';
export { proxyMetrics } from './proxy/set-up/metrics.js';
export type { MetricDescription } from './proxy/set-up/metrics.js';
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
} from './proxy/set-up/options/options.js';
