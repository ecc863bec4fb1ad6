/**
 * The metrics of a proxy: their names, and the sink that receives them. No label contains an order, an id or a person. It
 * depends on no metrics library.
 */

import { errorCodes } from '../../contract/codes.js';
import type { ServiceErrorKind } from '../../service.js';
import { hookNames } from '../order/order.js';
import type { LogEvent, MetricLabels, MetricsSink } from './options/options.js';

/** The known values of each label. A label may get a few more at run time. */
type KnownLabels = Readonly<Record<string, readonly string[]>>;

export interface MetricDescription {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly text: string;
  readonly labels: KnownLabels;
}

const methods = ['pix', 'credit_card'];

const serviceOutcomes: readonly (ServiceErrorKind | 'ok')[] = [
  ...(['ok', 'unsent', 'unauthorized', 'rate_limited', 'refused_request', 'not_found'] as const),
  ...(['server', 'redirect', 'timeout', 'network', 'invalid_answer'] as const),
];

/** Log events that alert an operator. They start at 0, because an alert rule cannot see an increase from a missing metric. */
const watchedEvents: readonly LogEvent[] = [
  ...(['service_unauthorized', 'service_failed', 'invalid_answer', 'order_failed'] as const),
  ...(['order_invalid', 'mismatch', 'outcome_unknown', 'card_testing_suspected'] as const),
  ...(['ledger_failed', 'delivery_failed', 'undelivered', 'unexpected_error'] as const),
  ...(['returned', 'ledger_of_other_shop'] as const),
];

const counter = (text: string, labels: KnownLabels = {}) =>
  ({ kind: 'counter', text, labels }) as const;
const gauge = (text: string) => ({ kind: 'gauge', text, labels: {} }) as const;
const histogram = (text: string, labels: KnownLabels) =>
  ({ kind: 'histogram', text, labels }) as const;

const descriptions = {
  pix_creations_total: counter("Creations, by what they came to: `ok` or the contract's code.", {
    method: methods,
    outcome: ['ok', ...Object.keys(errorCodes)],
  }),
  pix_look_ups_total: counter(
    'Look-ups, by what answered: a shared answer, a call, or none (`throttled` by `serviceCallsPerMinute`).',
    { answer: ['shared', 'call', 'throttled'] },
  ),
  pix_postbacks_total: counter('Postbacks that came.'),
  pix_payments_total: counter('Invoices found paid.'),
  pix_payments_found_total: counter(
    'Payments, by what told of them: a postback within ten seconds, or only look-ups.',
    { by: ['postback', 'look_up'] },
  ),
  pix_log_entries_total: counter('Entries of the log, by event.', { event: watchedEvents }),
  pix_long_polls_open: gauge('Open long polls.'),
  pix_reconciliation_lag_seconds: gauge(
    'How late the oldest background look-up is. This and the next five: each minute, of the whole ledger.',
  ),
  pix_returns_lag_seconds: gauge('The same of paid invoices, which may have been returned.'),
  pix_outbox_events: gauge('Hook calls that have not succeeded yet.'),
  pix_outbox_age_seconds: gauge('Age of the oldest of them.'),
  pix_dead_events: gauge('Events that your hooks have not taken for a day or longer.'),
  pix_unresolved_charges: gauge('Card attempts whose outcome is unknown.'),
  pix_service_call_seconds: histogram('Calls of the service, by how they ended.', {
    operation: ['create', 'look_up'],
    outcome: serviceOutcomes,
  }),
  pix_hook_seconds: histogram('Calls of your hooks.', {
    hook: Object.values(hookNames),
    outcome: ['ok', 'failed'],
  }),
  pix_ledger_seconds: histogram('Operations of the ledger.', {
    operation: [],
    outcome: ['ok', 'failed'],
  }),
} satisfies Record<string, MetricDescription>;

/** Every metric by its name. A sink has to declare them before it gets values. */
export const proxyMetrics: Readonly<Record<MetricName, MetricDescription>> = descriptions;

type MetricName = keyof typeof descriptions;
type MetricNameOfKind<Kind> = {
  [Name in MetricName]: (typeof descriptions)[Name]['kind'] extends Kind ? Name : never;
}[MetricName];

type CounterName = MetricNameOfKind<'counter'>;
type HistogramName = MetricNameOfKind<'histogram'>;

/** A sink as the proxy calls it, with declared names only. It never throws. */
export interface Sink extends MetricsSink {
  count(name: CounterName, labels?: MetricLabels): void;
  observe(name: HistogramName, seconds: number, labels?: MetricLabels): void;
  set(name: MetricNameOfKind<'gauge'>, value: number): void;
}

/**
 * Reads the option `metrics`. An error of the merchant's sink never breaks a payment.
 * @throws TypeError
 */
export function toSink(option: string, given: unknown): Sink {
  const sink = given as MetricsSink;
  if (!(['count', 'observe', 'set'] as const).every((name) => typeof sink?.[name] === 'function')) {
    throw new TypeError(`${option} must have the functions count, observe and set`);
  }
  return {
    count: (name, labels) => void runSafely(() => sink.count(name, labels)),
    observe: (name, seconds, labels) => void runSafely(() => sink.observe(name, seconds, labels)),
    set: (name, value) => void runSafely(() => sink.set(name, value)),
  };
}

/** Calls a function of the merchant's. It catches a rejection as well, because an unhandled one would end the process. */
export async function runSafely(tell: () => unknown): Promise<void> {
  try {
    await tell();
  } catch {
    // There is no other place to report this error to.
  }
}
