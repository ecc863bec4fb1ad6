/**
 * Reads the merchant's options once, at start: defaults and checks. The service's client checks `serviceUrl` and
 * `accessToken`, which it alone holds.
 */

import { maxWaitSeconds } from '../../contract/types.js';
import type { Method } from '../../contract/types.js';
import { parseBaseUrl } from '../../service/secure-url.js';
import { createLog } from './log.js';
import type { Log } from './log.js';
import { toSink } from './metrics.js';
import type { Sink } from './metrics.js';
import {
  readEach,
  readOver,
  refuseUnknown,
  toBoolean,
  toFunction,
  toInteger,
  toOrigins,
  toSecrets,
  toText,
  toWord,
} from './option-readers.js';
import type { Ledger } from '../ledger/ledger.js';
import type { Formats, ProxyOptions, VerifyHuman } from './options.js';
import { toPaymentPage } from './payment-page-option.js';
import type { PaymentPageSettings } from './payment-page-option.js';

/** Options that are read into another form, or by the service's client. */
type Changed =
  | 'serviceUrl'
  | 'accessToken'
  | 'allowedOrigins'
  | 'methodNames'
  | 'formats'
  | 'statuses'
  | 'verifyHuman'
  | 'paymentPage'
  | 'ledger'
  | 'metrics'
  | 'log';

/** The options with every default filled in. `publicUrl` has no trailing slash; no limit of calls is Infinity. */
export interface Settings extends Omit<Readonly<Required<ProxyOptions>>, Changed | keyof Hooks> {
  readonly allowedOrigins: ReadonlySet<string>;
  readonly methodNames: Readonly<Record<Method, string>>;
  readonly formats: Formats;
  readonly statuses: { readonly refused: ReadonlySet<string> };
  /** Null: there is no way to tell. */
  readonly verifyHuman: VerifyHuman | null;
  readonly hooks: Hooks;
  /** Null: payment links lead nowhere. */
  readonly paymentPage: PaymentPageSettings | null;
  /** Null: none was given. */
  readonly ledger: Ledger | null;
  /** Null: no numbers are told. */
  readonly metrics: Sink | null;
  readonly log: Log;
}

// Assumed: the service calls the methods so (service spec does not show the values).
const methodNames: Settings['methodNames'] = { pix: 'pix', credit_card: 'credit_card' };

// Assumed: the service takes digits and letters without a mask, and an expiry as 05 and 2030 (service spec does not
// show the formats). The first word is the default.
const formatWords: { readonly [K in keyof Formats]: readonly Formats[K][] } = {
  cpf_cnpj: ['bare', 'masked'],
  phone: ['bare', 'masked'],
  address_zip: ['bare', 'masked'],
  month: ['MM', 'M'],
  year: ['YYYY', 'YY'],
};

// Assumed: a card with one of these statuses was not charged and will not be (service spec shows `pending` and `paid`
// only). `refunded` and `chargedback` are not in the list: the card was charged. Any other word counts as pending.
const refusedStatuses: readonly string[] = [
  'refused',
  'failed',
  'canceled',
  'cancelled',
  'expired',
  'blocked',
  'processing_error',
];

// Assumed: a postback's body names its invoice in `id` (service spec does not show its payload).
const postbackInvoiceField = 'id';

/** The merchant's code for each kind of event, and for events that could not be delivered. */
export type Hooks = Pick<ProxyOptions, keyof typeof hookNames>;

const hookNames = {
  onPaid: true,
  onPixWaiting: true,
  onLapsed: true,
  onOutcomeUnknown: true,
  onMismatch: true,
  onUndelivered: true,
} as const;

/** Options that are one of some words; the first is the default. */
const words = {
  // Assumed: the look-up path takes invoice_id (service spec does not show which id).
  lookUpBy: ['invoice_id', 'order_code'],
  // Assumed: a card's answers name the price that was sent (service spec does not say whether interest is added).
  cardLookUpTotal: ['sent', 'any'],
} as const;

/** Options that are on or off, with their defaults. */
const switches = {
  requireOrderToken: true,
  backgroundJobs: true,
  rawCard: false,
  forwardIdempotencyKey: false,
  allowSandbox: false,
  allowUnverifiedCodes: false,
} as const;

/** Options that are whole numbers, with their defaults and bounds. */
const integers = {
  trustedHops: { fallback: 0, max: 10 },
  holdSeconds: { fallback: maxWaitSeconds, max: maxWaitSeconds },
  // Assumed: the service allows any number of calls (service spec does not show its rate limits).
  serviceCallsPerMinute: { fallback: Infinity, min: 1, max: 1_000_000 },
  serviceTimeoutMs: { fallback: 10_000, min: 1, max: 120_000 },
} as const;

const optionNames: Readonly<Record<keyof ProxyOptions, unknown>> = {
  serviceUrl: true,
  accessToken: true,
  secrets: true,
  resolveOrder: true,
  publicUrl: true,
  allowedOrigins: true,
  methodNames: true,
  formats: true,
  statuses: true,
  verifyHuman: true,
  paymentPage: true,
  postbackInvoiceField: true,
  ledger: true,
  metrics: true,
  ...switches,
  ...integers,
  ...words,
  ...hookNames,
  fetch: true,
  now: true,
  randomUuid: true,
  startTimer: true,
  log: true,
};

/** @throws TypeError naming the first option that is wrong or unknown, never quoting its value */
export function readOptions(options: ProxyOptions): Settings {
  refuseUnknown('', options, optionNames);
  const { verifyHuman, log, postbackInvoiceField: field } = options;
  const metrics = toSink(options.metrics);
  const publicUrl = parseBaseUrl('publicUrl', options.publicUrl);
  const paymentPage = toPaymentPage(options, publicUrl);
  return {
    ...readEach(options, switches, toBoolean),
    ...readEach(options, integers, toInteger),
    lookUpBy: toWord('lookUpBy', options.lookUpBy, words.lookUpBy),
    cardLookUpTotal: toWord('cardLookUpTotal', options.cardLookUpTotal, words.cardLookUpTotal),
    secrets: toSecrets(options.secrets),
    resolveOrder: toFunction('resolveOrder', options.resolveOrder),
    publicUrl,
    paymentPage,
    allowedOrigins: toOrigins(options.allowedOrigins, paymentPage && publicUrl),
    methodNames: readOver('methodNames', options.methodNames, methodNames, toText),
    formats: readOver('formats', options.formats, formatWords, toWord) as Formats,
    statuses: toStatuses(options.statuses),
    verifyHuman: verifyHuman === undefined ? null : toFunction('verifyHuman', verifyHuman),
    postbackInvoiceField: toText('postbackInvoiceField', field, postbackInvoiceField),
    hooks: toHooks(options),
    ledger: toLedger(options.ledger),
    metrics,
    fetch: toFunction('fetch', options.fetch, globalThis.fetch),
    now: toFunction('now', options.now, options.ledger?.now ?? Date.now),
    randomUuid: toFunction('randomUuid', options.randomUuid, () => crypto.randomUUID()),
    startTimer: toFunction('startTimer', options.startTimer, startTimeout),
    log: createLog(log === undefined ? undefined : toFunction('log', log), metrics),
  };
}

function toHooks(options: ProxyOptions): Hooks {
  const names = Object.keys(hookNames) as (keyof Hooks)[];
  const given = names.filter((name) => options[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, toFunction(name, options[name])]));
}

/** @throws TypeError also for a promise of a ledger, which was not awaited */
function toLedger(ledger: Ledger | undefined): Ledger | null {
  if (ledger === undefined) return null;
  if (typeof ledger?.claimAttempt === 'function') return ledger;
  throw new TypeError('ledger must be what openLedger resolves with');
}

function toStatuses(given: ProxyOptions['statuses'] = {}): Settings['statuses'] {
  refuseUnknown('statuses', given, { refused: true });
  const { refused = refusedStatuses }: { readonly refused?: unknown } = given;
  if (!Array.isArray(refused) || !refused.every(isEnd)) {
    throw new TypeError('statuses.refused must be a list of words, without paid and pending');
  }
  return { refused: new Set(refused) };
}

/** Neither of the two words that the specification shows can mean that a card was not charged. */
function isEnd(word: unknown): word is string {
  return typeof word === 'string' && word !== '' && word !== 'paid' && word !== 'pending';
}

function startTimeout(run: () => void, delayMs: number): () => void {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}
