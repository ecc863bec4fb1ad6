/** Reads the merchant's options once, at the start. One schema says what each option must be, and its default. */

import { parseBaseUrl, parseSecureUrl, parseServiceUrl } from '../../../service/secure-url.js';
import { isOpenToNetwork, parsePageOrigin, parsePublicUrl, toSecrets } from './public-url.js';
import * as z from 'zod/mini';
import { parseAskedFields } from '../../../domain/payer.js';
import {
  oneOf,
  orNull,
  readBy,
  text,
  func,
  group,
  integer,
  onOrOff,
  readAll,
} from './option-schema.js';
import { maxWaitSeconds } from '../../../contract/types.js';
import { checkToken } from '../../../service/client.js';
import { createErrorReporter, createLedgerLog, createLog, createWarnings } from '../log.js';
import type { Log, ReportError } from '../log.js';
import { toSink } from '../metrics.js';
import type { OrderStore } from '../../store/order-store.js';
import type { Outage } from '../../store/shop-store.js';
import type { ProxyOptions, VerifyHuman } from './options.js';
import { startTimeout, type StartTimer } from '../../runtime/running.js';

// Reads `paymentPage`. An address is a path on the proxy's own origin, or absolute.

/**
 * A path on the proxy's origin, or an absolute address. `//host/…` is refused, because it only looks like a path. Characters
 * that would end a directive of the page's policy are refused, too, and a star: the URL parser reads it as a host, and the
 * policy as every host.
 */
const pageUrl = readBy((option, given) => {
  if (typeof given === 'string' && /^\/(?!\/)[\w./~%?=&-]*$/.test(given)) return given;
  const { href, hostname } = parseSecureUrl(option, given);
  if (/^[\w.-]+$|^\[/.test(hostname)) return href;
  throw new TypeError(`${option} must name a host: letters, digits, dots and hyphens`);
});

/** A web address (also of a chat), an e-mail address or a telephone number where the payer reaches a person. */
const contactUrl = readBy((option, given) =>
  typeof given === 'string' && /^(?:mailto:[\w.+-]+@[\w.-]+|tel:\+?[\d-]{3,20})$/.test(given)
    ? given
    : parseSecureUrl(option, given).href,
);

const method = z.enum(['pix', 'credit_card'], 'must be pix or credit_card');
const eachOnce = 'must be a list of methods, each once';
const colour = 'must be a colour such as #0b6b5b';

const paymentPageSchema = z.strictObject(
  {
    name: text,
    methods: z._default(
      z
        .array(method, eachOnce)
        .check(z.refine((all) => all.length > 0 && new Set(all).size === all.length, eachOnce)),
      ['pix'],
    ),
    payerFields: z._default(
      z.string('must be a text').check(
        z.refine((words) => parseAskedFields(words).unknown.length === 0, {
          error: 'holds a word that is no field of a payer',
        }),
      ),
      'name cpf_cnpj email',
    ),
    locale: oneOf('pt-BR', 'en', 'es'),
    receiverName: orNull(text),
    // The accent is checked, because it becomes part of a style sheet.
    accent: orNull(z.string(colour).check(z.regex(/^#(?:[\da-f]{3}){1,2}$/i, colour))),
    logoUrl: orNull(pageUrl),
    stylesheetUrl: orNull(pageUrl),
    supportUrl: orNull(contactUrl),
    returnUrl: orNull(pageUrl),
    // The names of the files are appended to this address.
    assetsUrl: z.optional(
      pageUrl.check(z.refine((url) => !/[?#]/.test(url), 'must not hold a query or a fragment')),
    ),
  },
  'must be an object, with name',
);

/** `paymentPage` with every default. Null stands for an option that was not given. */
export interface PaymentPageSettings extends Readonly<
  Omit<z.output<typeof paymentPageSchema>, 'assetsUrl'>
> {
  /** Without a trailing slash. */
  readonly assetsUrl: string;
}

/** Fills in where the files are. By default they are below the proxy's own path. */
function toPaymentPage(
  { assetsUrl, ...given }: z.output<typeof paymentPageSchema>,
  publicUrl: string,
): PaymentPageSettings {
  const ownAssets = `${new URL(publicUrl).pathname.replace(/\/$/, '')}/assets`;
  return { ...given, assetsUrl: (assetsUrl ?? ownAssets).replace(/\/+$/, '') };
}

export type Hooks = Pick<ProxyOptions, keyof typeof hooks>;

/** `ProxyOptions` has the type of each hook. */
const hook = z.optional(func<never>());

const hooks = {
  onPaid: hook,
  onPixWaiting: hook,
  onLapsed: hook,
  onOutcomeUnknown: hook,
  onMismatch: hook,
  onReturned: hook,
  onUndelivered: hook,
};

// Assumed: a card with one of these statuses was not charged and will not be (service spec shows `pending` and `paid`
// only). `refunded` and `chargedback` are not in the list: the card was charged. Any other word counts as pending.
const refused = 'refused failed canceled cancelled expired blocked processing_error';

// Assumed: a payment that was given back, or is contested, has one of these statuses (service spec names a refund operation,
// and shows no status for it). `onReturned` gets any other word, too, and the log has it.
const returned =
  'refunded partially_refunded refund_pending returned partially_returned reversed chargeback chargedback contested disputed';

// Assumed: only `paid` means paid, in whatever case and with spaces around it or none (service spec shows `paid`).
const paid = 'paid';

// Assumed: these wait for a payment, and a paid invoice that has one is no return (service spec shows `pending`).
const pending =
  'pending active waiting waiting_payment awaiting_payment processing in_process in_analysis created open';

const endStatusMust = 'must be words, without paid and pending';

/** A status that ends a card or returns money: any but the two that the specification shows. */
const endStatus = z
  .string(endStatusMust)
  .check(z.regex(/^(?!\s*(?:paid|pending)\s*$)[^]+$/i, endStatusMust));

/** Statuses are compared without case and surrounding spaces. */
const toComparedWords = (given: readonly string[]): ReadonlySet<string> =>
  new Set(given.map((word) => word.trim().toLowerCase()));

const wordSet = (assumed: string) =>
  z.pipe(
    z._default(z.array(endStatus, endStatusMust), assumed.split(' ')),
    z.transform((given) => toComparedWords(given)),
  );

/** The set always contains the specification's own word, which comes first. */
const wordSetBeside = (assumed: string) => {
  const [own = '', ...others] = assumed.split(' ');
  return z.pipe(
    z._default(z.array(text, 'must be words'), others),
    z.transform((given) => toComparedWords([own, ...given])),
  );
};

/** The table of options. The variables of `serve` are made from it, too. */
export const optionSchema = z
  .strictObject(
    {
      serviceUrl: readBy(parseServiceUrl),
      // The token is checked here and not kept, because only the service's client holds it.
      accessToken: readBy((option, token) => {
        if (typeof token !== 'function') checkToken(option, token);
      }),
      secrets: readBy(toSecrets),
      resolveOrder: func<ProxyOptions['resolveOrder']>(),
      publicUrl: readBy(parsePublicUrl),
      movedFrom: group({
        serviceUrl: orNull(readBy(parseBaseUrl)),
        publicUrl: orNull(readBy(parsePublicUrl)),
      }),
      allowedOrigins: readBy(toOrigins),
      requireOrderToken: onOrOff(true),
      backgroundJobs: onOrOff(true),
      // Assumed: a payment may be returned for 80 days (service spec does not show how it tells of a return).
      watchReturns: onOrOff(true),
      // Assumed: a refused card is not charged later (service spec shows no refusal, nor what becomes of its invoice).
      refusalIsFinal: onOrOff(true),
      rawCard: onOrOff(false),
      forwardIdempotencyKey: onOrOff(false),
      allowSandbox: onOrOff(false),
      allowUnverifiedCodes: onOrOff(false),
      trustedHops: integer(0, 0, 10),
      holdSeconds: integer(maxWaitSeconds, 0, maxWaitSeconds),
      // Assumed: the service allows any number of calls (service spec does not show its rate limits).
      serviceCallsPerMinute: integer(Infinity, 1, 1_000_000),
      processes: integer(1, 1, 10_000),
      addressRequestsPerMinute: integer(60, 1, 1_000_000),
      serviceTimeoutMs: integer(10_000, 1, 120_000),
      // Assumed: the look-up path takes invoice_id (service spec does not show which id).
      lookUpBy: oneOf('invoice_id', 'order_code'),
      // Assumed: a card's answers name the price that was sent (service spec does not say whether interest is added).
      cardLookUpTotal: oneOf('sent', 'any'),
      // Assumed: a postback's body names its invoice in `id` (service spec does not show its payload).
      postbackInvoiceField: z._default(text, 'id'),
      // Assumed: the service calls the methods so (service spec does not show the values).
      methodNames: group({
        pix: z._default(text, 'pix'),
        credit_card: z._default(text, 'credit_card'),
      }),
      // Assumed: the service takes digits and letters without a mask, and an expiry as 05 and 2030 (service spec does
      // not show the formats).
      formats: group({
        cpf_cnpj: oneOf('bare', 'masked'),
        phone: oneOf('bare', 'masked'),
        address_zip: oneOf('bare', 'masked'),
        month: oneOf('MM', 'M'),
        year: oneOf('YYYY', 'YY'),
      }),
      statuses: group({
        paid: wordSetBeside(paid),
        pending: wordSetBeside(pending),
        refused: wordSet(refused),
        returned: wordSet(returned),
      }).check(z.refine(hasPaidAlone, 'must not call one word paid and something else')),
      paymentPage: orNull(paymentPageSchema),
      verifyHuman: orNull(func<VerifyHuman>()),
      ...hooks,
      ledger: orNull(
        z.custom<OrderStore>(
          // A ledger that was not awaited is a promise, which has no `change`.
          (given) => typeof (given as OrderStore | null)?.change === 'function',
          'must be what openLedger resolves with',
        ),
      ),
      metrics: orNull(readBy(toSink)),
      fetch: z._default(func<typeof fetch>(), () => globalThis.fetch),
      now: orNull(func<() => number>()),
      randomUuid: z._default(func<() => string>(), () => crypto.randomUUID.bind(crypto)),
      startTimer: z._default(func<StartTimer>(), () => startTimeout),
      log: z.optional(func<Log>()),
      onError: z.optional(func<ReportError>()),
    } satisfies Record<keyof ProxyOptions, z.ZodMiniType>,
    'must be an object',
  )
  .check(
    z.refine(mayTakeCards, {
      path: ['paymentPage', 'methods'],
      error: 'may hold credit_card only with rawCard',
      when: () => true,
    }),
    ...(['publicUrl', 'allowedOrigins'] as const).map((option) =>
      z.refine((given) => mayBePlain(given, option), {
        path: [option],
        error: 'must be https, except on loopback, and with allowSandbox in a private network',
        when: () => true,
      }),
    ),
  );

type Given = Readonly<z.output<typeof optionSchema>>;

/** The options with every default. `publicUrl` has no trailing slash. Null stands for an option that was not given. */
export interface Settings extends Omit<
  Given,
  'accessToken' | 'log' | 'onError' | 'now' | keyof Hooks
> {
  readonly hooks: Hooks;
  readonly paymentPage: PaymentPageSettings | null;
  /** Wall clock, milliseconds since 1970. */
  readonly now: () => number;
  readonly log: Log;
  /** Logs a warning, but each event at most once a minute. */
  readonly warn: Log;
  readonly outage: Outage;
  readonly onError: ReportError;
}

/** Reads the options. @throws TypeError with a line for each option that is wrong or unknown, never quoting a value */
export function readOptions(options: ProxyOptions): Settings {
  const { accessToken: _token, ...given } = readAll(optionSchema, options);
  const { publicUrl, metrics } = given;
  const paymentPage = given.paymentPage && toPaymentPage(given.paymentPage, publicUrl);
  // The payment page has the proxy's own origin, which may call the proxy, too.
  const own = paymentPage ? [new URL(publicUrl).origin] : [];
  const now = given.now ?? given.ledger?.now ?? Date.now;
  const { log, outage } = createLedgerLog(createLog(given.log, metrics), now);
  const told = (Object.keys(hooks) as (keyof Hooks)[]).filter((name) => given[name]);
  return {
    ...given,
    paymentPage,
    now,
    allowedOrigins: new Set([...given.allowedOrigins, ...own]),
    hooks: Object.fromEntries(told.map((name) => [name, given[name]])),
    log,
    warn: createWarnings(log, now),
    outage,
    onError: createErrorReporter(given.onError),
  };
}

/** Whether no status of `paid` is in another list as well. Otherwise an order could ship without a payment. */
function hasPaidAlone({
  paid: paidWords,
  ...others
}: Readonly<Record<'paid' | 'pending' | 'refused' | 'returned', ReadonlySet<string>>>): boolean {
  const lists = [paidWords, ...Object.values(others)];
  // Another check names a list that is wrong.
  if (lists.some((list: unknown) => !(list instanceof Set))) return true;
  return [...paidWords].every((word) => Object.values(others).every((list) => !list.has(word)));
}

/**
 * Whether these options allow cards. @param given may be any value, because this check runs even if other options are wrong
 */
function mayTakeCards(given: unknown): boolean {
  const { rawCard, paymentPage } = (given ?? {}) as Partial<ProxyOptions>;
  const methods: unknown = paymentPage?.methods;
  return rawCard === true || !Array.isArray(methods) || !methods.includes('credit_card');
}

/**
 * Whether an address may be http. @param given as for {@link mayTakeCards}. Another check names a value that is not an
 * address
 */
function mayBePlain(given: unknown, option: 'publicUrl' | 'allowedOrigins'): boolean {
  const { allowSandbox, [option]: value } = (given ?? {}) as Record<string, unknown>;
  if (allowSandbox === true) return true;
  const addresses = value instanceof Set ? [...value] : [value];
  return !addresses.some((one) => typeof one === 'string' && isOpenToNetwork(one));
}

/** Reads exact origins of pages. Origins are compared as text, so each must be written as browsers write it. */
function toOrigins(option: string, values: unknown): ReadonlySet<string> {
  // The URL parser reads a star as a host name, but the merchant means a pattern.
  if ([values].flat().some((value) => typeof value === 'string' && value.includes('*'))) {
    throw new TypeError(`${option} must not hold a wildcard: list the exact origin of each page`);
  }
  if (!Array.isArray(values)) throw new TypeError(`${option} must be a list`);
  const origins = values.map((value) => parsePageOrigin(option, value));
  if (origins.every((origin, index) => origin === values[index])) return new Set(origins);
  throw new TypeError(`${option} must be exact origins: scheme, host and port, nothing else`);
}
