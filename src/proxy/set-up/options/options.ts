/**
 * The types that a merchant's server writes and gets: the options of the proxy, the order that it resolves, and the log's
 * entries.
 *
 * Types only. The file is long, because merchants read them in one place. The types of the browser's contract and of the
 * invoice service are in `contract/` and `service/`.
 */

import type { CardCredentials, CreatedInvoice, Method, Payer } from '../../../contract/types.js';
import type { AccessToken, ServiceErrorKind } from '../../../service.js';
import type {
  DeliveryKind,
  LapsedNotice,
  MismatchNotice,
  OutcomeUnknownNotice,
  PaidNotice,
  PixWaitingNotice,
  ReturnedNotice,
} from '../../order/order.js';
import type { StartTimer } from '../../runtime/running.js';
import type { Ledger } from '../../store/order-store.js';
import type { ForgetAnswer } from '../../order/due.js';
import type { OrderDescription } from '../../order/told/describe-order.js';
import type { logHints } from '../log-hints.js';
import type { OrderTokenFault } from './public-url.js';

/** What `resolveOrder` gets: the order whose price the proxy needs. */
export interface OrderQuestion {
  /** The merchant's reference. */
  readonly externalId: string;
  /** The token that the browser sent. It is verified already unless `requireOrderToken` is false. Null if none was sent. */
  readonly orderToken: string | null;
  readonly method: Method;
  /** Number of instalments that the payer chose; 1 for Pix. */
  readonly installment: number;
  /** The browser's request, whose body has been read already. Null if the merchant's server calls `createInvoice` itself. */
  readonly request: Request | null;
}

/** A line of the order, in the service's names. `unit_price` in integer cents. */
export interface OrderItem {
  name?: string;
  description?: string;
  quantity?: number;
  unit_price?: number;
}

/** An order that can be paid. Unknown keys are refused, so that the first test shows a typing error. */
export interface PayableOrder {
  /** The price, integer cents, one or more. For a price of zero, as with a coupon of 100 %, answer `{ status: 'paid' }`. */
  total_price_cents: number;
  items?: OrderItem[];
  /** Passed on to the service unchanged. The service's specification does not show its values. */
  product_fisical?: string;
  /** What the merchant knows of the payer. Each of these fields replaces the browser's. */
  payer?: Partial<Payer>;
  /** How long a Pix code may be paid, in whole seconds from its creation; absent if it has no deadline. */
  expires_in?: number;
}

/** What the merchant's code knows of an order: it can be paid, is paid or closed by other means, or is unknown (null). */
export type OrderAnswer = PayableOrder | { status: 'paid' | 'closed' } | null | undefined;

/**
 * How the merchant's code prices an order. If it throws, or does not answer in 15 s, the answer is `service_unavailable`:
 * that may pass, and the page asks again. An answer that is no `OrderAnswer` becomes `order_failed`: that will not pass, and
 * the page sends the payer to the shop.
 */
export type ResolveOrder = (question: OrderQuestion) => OrderAnswer | Promise<OrderAnswer>;

/** How one payer field is written to the service: bare characters, or with its mask. */
export type FieldFormat = 'bare' | 'masked';

/** How a card's expiry is written to the service. */
export interface CardDateFormats {
  readonly month: 'MM' | 'M';
  readonly year: 'YYYY' | 'YY';
}

/** The formats of fields that the service's specification does not show. */
export type Formats = Readonly<Record<'cpf_cnpj' | 'phone' | 'address_zip', FieldFormat>> &
  CardDateFormats;

/** What `verifyHuman` gets: a payment by card, at a time when many cards are refused in this shop. */
export interface HumanQuestion {
  readonly externalId: string;
  /** The browser's request, whose body has been read already. Null if the merchant's server calls `createInvoice` itself. */
  readonly request: Request | null;
  /** The payer's address, after `trustedHops`; null if it is not known. */
  readonly remoteAddress: string | null;
}

/**
 * Whether the payer is a human, by the proof that the merchant's page put into the request, such as a captcha's. If it
 * throws, or does not answer in 15 s, the answer counts as no.
 */
export type VerifyHuman = (question: HumanQuestion) => boolean | Promise<boolean>;

/**
 * A function of the merchant's that the proxy tells something. Its result is ignored; if it throws, or does not end in 30 s,
 * the try has failed. Any process may call it again with the same `deliveryId` at any time; then it should do nothing.
 */
export type Hook<T> = (notice: T) => unknown;

/** Where an error of the merchant's own code comes from. */
export interface ErrorContext {
  /** `postback` is no function of yours: the service has not answered for an hour about an id that a postback named. */
  readonly hook:
    | 'resolveOrder'
    | 'verifyHuman'
    | 'postback'
    | 'onPaid'
    | 'onPixWaiting'
    | 'onLapsed'
    | 'onOutcomeUnknown'
    | 'onMismatch'
    | 'onReturned'
    | 'onUndelivered';
  /** The merchant's reference. */
  readonly externalId: string;
}

/** An event that a hook has failed to take for a day. */
export interface UndeliveredNotice {
  readonly kind: DeliveryKind;
  readonly deliveryId: string;
  readonly externalId: string;
  /** How often it was tried. */
  readonly tries: number;
}

/** The page that payment links open, served by the proxy. */
export interface PaymentPageOptions {
  /** Your name, as payers know it: the page's heading, and the whole preview of a link. */
  name: string;
  /** Your logo: a path on the proxy's origin or an absolute URL, like `returnUrl` and `stylesheetUrl`. */
  logoUrl?: string;
  /**
   * `pix`, `credit_card`, in order of preference. Cards need `rawCard`: the page has no tokenizer.
   * @defaultValue `['pix']`
   */
  methods?: readonly Method[];
  /**
   * The same as the element's `payer-fields`; empty if `resolveOrder` knows the payer.
   * @defaultValue `'name cpf_cnpj email'`
   */
  payerFields?: string;
  /**
   * The language of the page and the element.
   * @defaultValue `'pt-BR'`
   */
  locale?: 'pt-BR' | 'en' | 'es';
  /** The receiver whom the payer will see in the bank app. */
  receiverName?: string;
  /** The colour of the main button, as `#0b6b5b`. */
  accent?: string;
  /** Where a payer who is stuck reaches you: an `https` address (also WhatsApp's), `mailto:` or `tel:`. */
  supportUrl?: string;
  /** Where "Voltar para a loja" leads, after the payment or if nothing can be paid. */
  returnUrl?: string;
  /** Your style sheet, after the page's own. */
  stylesheetUrl?: string;
  /**
   * Where the files `dist/pix-checkout*` are, if the proxy does not serve them.
   * @defaultValue `{publicUrl}/assets`
   */
  assetsUrl?: string;
}

/** Options of `createProxy`. A wrong or unknown one throws a `TypeError` that names it. */
export interface ProxyOptions {
  /** Base address of the invoice service: HTTPS, except on loopback. */
  serviceUrl: string;
  /**
   * The service's access token: a string, or an async function that is asked before each call of the service, within that
   * call's `serviceTimeoutMs`. The proxy keeps no token, so let your function keep one that is still valid.
   */
  accessToken: AccessToken;
  /** `[current, ...previous]`, each at least 32 bytes. The first signs, all of them verify. */
  secrets: readonly string[];
  /**
   * Your code, the only source of the price. It gets `{externalId, orderToken, method, installment, request}` and
   * answers `{total_price_cents, items?, product_fisical?, payer?, expires_in?}`, `{status: 'paid'}`, `{status:
   * 'closed'}`, or `null` for an unknown order. It has 15 seconds.
   */
  resolveOrder: ResolveOrder;
  /**
   * Whether `order_token`, made by `signOrder`, is verified before all else. With `false` anyone who knows a reference can
   * ask for its code.
   * @defaultValue `true`
   */
  requireOrderToken?: boolean;
  /**
   * With `requireOrderToken: false`: how often one address (after `trustedHops`; of IPv6 its /64) may create or read
   * orders in a minute, before it gets `too_many_requests`. If the address is unknown or private (a web server's),
   * requests are counted for each order instead. Each process counts for itself.
   * @defaultValue `60`
   */
  addressRequestsPerMinute?: number;
  /**
   * Where browsers and the service reach the proxy: HTTPS, except on loopback; with `allowSandbox` also HTTP in a private
   * network. Routes are relative to its path.
   */
  publicUrl: string;
  /**
   * The addresses that your shop had before it moved, as `{publicUrl: 'https://old.example/pix'}`, or `serviceUrl`, or both.
   * Otherwise a ledger refuses the new addresses, because they may be those of another shop, such as staging with a copied
   * environment. Needed once, and may stay.
   */
  movedFrom?: { readonly serviceUrl?: string; readonly publicUrl?: string };
  /** The exact origins of the pages that may call the proxy, such as `https://shop.example`. */
  allowedOrigins: readonly string[];
  /** The page that payment links open. Without this option there is no such page. */
  paymentPage?: PaymentPageOptions;
  /**
   * How many forwarding proxies to trust, counted from the right of `X-Forwarded-For`.
   * @defaultValue `0`
   */
  trustedHops?: number;
  /**
   * Assumed: how the service names the methods, as `{pix, credit_card}`.
   * @defaultValue `'pix'`, `'credit_card'`
   */
  methodNames?: Partial<Record<Method, string>>;
  /**
   * Assumed: how the service takes `cpf_cnpj`, `phone` and `address_zip` (`'bare'`: digits, and the letters of a CNPJ
   * as capitals; or `'masked'`), and a card's `month` (`'MM'` or `'M'`) and `year` (`'YYYY'` or `'YY'`).
   * @defaultValue `'bare'`, `'MM'`, `'YYYY'`
   */
  formats?: Partial<Formats>;
  /**
   * Assumed: the id that the service's look-up path takes, `'invoice_id'` or `'order_code'`.
   * @defaultValue `'invoice_id'`
   */
  lookUpBy?: 'invoice_id' | 'order_code';
  /**
   * Lets card numbers pass, which puts your server in PCI DSS scope; none is kept. Otherwise they are `invalid_request`.
   * @defaultValue `false`
   */
  rawCard?: boolean;
  /**
   * Your captcha's check. It gets `{externalId, request, remoteAddress}` and answers a boolean; no answer in 15 seconds
   * counts as no. While too many cards are refused, the proxy asks it before each card; without it no card passes then.
   */
  verifyHuman?: VerifyHuman;
  /**
   * Assumed: the service's words, compared without case and outer spaces. `{paid}` and `{pending}` list further ones
   * beside those two, `{refused}` those of a card that was not charged or a code that ended, `{returned}` those of a
   * payment that was given back or is contested.
   * @defaultValue paid: none; pending: `active`, `waiting`, `waiting_payment`, `awaiting_payment`, `processing`,
   * `in_process`, `in_analysis`, `created`, `open`; refused: `refused`, `failed`, `canceled`, `cancelled`, `expired`, `blocked`, `processing_error`;
   * returned: `refunded`, `partially_refunded`, `refund_pending`, `returned`, `partially_returned`, `reversed`,
   * `chargeback`, `chargedback`, `contested`, `disputed`
   */
  statuses?: Partial<Record<'paid' | 'pending' | 'refused' | 'returned', readonly string[]>>;
  /**
   * Assumed: a refusal of a card is final, though many services leave its invoice `pending`. With `false` a refused
   * card that a look-up calls pending keeps other payments of its order out until it ends.
   * @defaultValue `true`
   */
  refusalIsFinal?: boolean;
  /**
   * Assumed: a payment may be returned for 80 days, so a paid invoice is looked up again after 1, 7, 30 and 80 days.
   * With `false` only after a postback that names it.
   * @defaultValue `true`
   */
  watchReturns?: boolean;
  /**
   * Assumed: the service's answers about a card name the price that was sent (`'sent'`). With `'any'` it is not
   * compared.
   * @defaultValue `'sent'`
   */
  cardLookUpTotal?: 'sent' | 'any';
  /**
   * Longest long poll in seconds, 0 to 25; `0` where long requests are not possible.
   * @defaultValue `25`
   */
  holdSeconds?: number;
  /**
   * Assumed: how many calls per minute the service allows, shared by `processes`. Creations count and never wait;
   * look-ups do.
   * @defaultValue any number
   */
  serviceCallsPerMinute?: number;
  /**
   * How many processes run this proxy at most. Each gets its part of `serviceCallsPerMinute`.
   * @defaultValue `1`
   */
  processes?: number;
  /**
   * Assumed: the field of a postback's body that may name the invoice, which the proxy then looks up.
   * @defaultValue `'id'`
   */
  postbackInvoiceField?: string;
  /**
   * Time-out of one call of the service, in milliseconds, 1 to 120,000.
   * @defaultValue `10000`
   */
  serviceTimeoutMs?: number;
  /**
   * Assumed: the service ignores `Idempotency-Key`, so none is sent. With `true` each creation carries one.
   * @defaultValue `false`
   */
  forwardIdempotencyKey?: boolean;
  /**
   * Counts payments of the sandbox as paid.
   * @defaultValue `false`
   */
  allowSandbox?: boolean;
  /**
   * Gives codes to pages without reading them or comparing their amount, for placeholder codes of a test environment.
   * @defaultValue `false`
   */
  allowUnverifiedCodes?: boolean;
  /**
   * Where orders are kept, so that they survive a restart, made by `openLedger`. Close it after the proxy.
   * @defaultValue this process's memory
   */
  ledger?: Ledger;
  /**
   * Finds payments and calls your hooks between requests. Set `false` if no process keeps running, and call `runDue`.
   * @defaultValue `true`
   */
  backgroundJobs?: boolean;
  /**
   * Receives the metrics as they change: `serveMetrics` of `pix-checkout/node` makes one.
   * @defaultValue no metrics
   */
  metrics?: MetricsSink;
  /**
   * A look-up says paid and agrees in invoice, reference, method and total. Compare `totalCents` with what the order
   * owes now: a payer may pay an older code after the price went up. Then ship.
   */
  onPaid?: Hook<PaidNotice>;
  /**
   * The payer got a Pix code: for reminders. `qrImageUrl` is a picture for e-mails, `paymentUrl` a link to the payment
   * page.
   */
  onPixWaiting?: Hook<PixWaitingNotice>;
  /**
   * The deadline (`expires_in`) passed, and nothing of the order is paid, open or unknown: for stock. A payment with
   * `late` may follow.
   */
  onLapsed?: Hook<LapsedNotice>;
  /**
   * A card's outcome is unknown, or the card is still open after an hour (a day if its look-ups fail). The order takes no
   * other payment until a look-up or a postback tells, or a person finds out and calls `resolveOutcome`.
   */
  onOutcomeUnknown?: Hook<OutcomeUnknownNotice>;
  /**
   * The service calls an invoice paid that differs from what was created, in `field`. Nothing is fulfilled, and no page
   * gets `paid`.
   */
  onMismatch?: Hook<MismatchNotice>;
  /**
   * A paid invoice now has another `status` of the service, such as `refunded` or `contested`. Called once for each
   * status. With `isListed: false` the status is in no list of `statuses`: let a person look. The order stays paid, and
   * takes no second payment.
   */
  onReturned?: Hook<ReturnedNotice>;
  /**
   * Another hook has failed for a day. The proxy now tries it every six hours; `tellAgain` tries at once. If
   * `onUndelivered` fails, the proxy calls it again about daily, until it succeeds once; it may come twice.
   */
  onUndelivered?: Hook<UndeliveredNotice>;
  /**
   * Gets an error, with `{hook, externalId}`, for an error tracker: your own code threw, took too long or answered
   * something wrong (also if `resolveOrder` sells a paid reference again). The log keeps only the error's name. The hook
   * `postback` stands for the log's `postback_unanswered`. A failure of `accessToken` is the log's `service_failed`.
   * @defaultValue a line on stderr, with the place in your files
   */
  onError?: (error: unknown, context: ErrorContext) => unknown;
  /**
   * Injected: how the proxy reaches the service.
   * @defaultValue the global `fetch`
   */
  fetch?: typeof fetch;
  /**
   * For tests: wall clock, milliseconds since 1970.
   * @internal
   */
  now?: () => number;
  /**
   * For tests: where new ids come from.
   * @internal
   */
  randomUuid?: () => string;
  /**
   * For tests: timers of long polls and hooks.
   * @internal
   */
  startTimer?: StartTimer;
  /**
   * Injected: where log entries go.
   * @defaultValue one JSON line per entry on stderr
   */
  log?: (entry: LogEntry) => void;
}

/**
 * The events of the log, for the merchant's operators. An event that any request can cause is written once a minute at most.
 */
export type LogEvent = keyof typeof logHints;

/** One log entry. It has these fields and no others: no personal data, no token, no code, no message of a foreign error. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly event: LogEvent;
  readonly operation?: 'create' | 'look_up' | 'sweep' | 'deliver' | 'postback' | 'prune' | 'count';
  readonly delivery?: DeliveryKind;
  readonly tries?: number;
  readonly kind?: ServiceErrorKind;
  readonly status?: number;
  /** The service's status, if it looks like a status word. */
  readonly serviceStatus?: string;
  readonly field?: string;
  /** What a request contained, in contrast to your options: an origin (`none`, `unreadable`), a host or a path. */
  readonly got?: string;
  readonly expected?: string;
  /** What to do about it, in a fixed text of this package. */
  readonly hint?: string;
  /** Why an order token was refused, or `nothing_owed` if the shop answered a total of 0. */
  readonly reason?: OrderTokenFault | 'nothing_owed';
  /** Host of the service. */
  readonly host?: string;
  /** The request to the service, without its query. */
  readonly method?: string;
  readonly path?: string;
  /** Why a connection to the service failed, such as `ECONNREFUSED`. */
  readonly code?: string;
  /** Where the service's postbacks go. The rest of the address names the order. */
  readonly postbacksTo?: string;
  /** Whether that address looks reachable from outside. `other_port` may be behind a firewall. */
  readonly reach?: 'public' | 'other_port' | 'private' | 'loopback';
  readonly errorName?: string;
  readonly externalId?: string;
  readonly invoiceId?: string;
}

/** The labels of a metric, by name. */
export type MetricLabels = Readonly<Record<string, string>>;

/** Receives the metrics: `serveMetrics` of `pix-checkout/node` makes one, or you write it over your own library. */
export interface MetricsSink {
  /** Adds one to a counter. */
  count(name: string, labels?: MetricLabels): void;
  /** Adds a duration to a histogram. */
  observe(name: string, seconds: number, labels?: MetricLabels): void;
  /** Sets a gauge. */
  set(name: string, value: number): void;
}

/** The input of `createInvoice`, which the merchant's own server calls. */
export interface CreateInvoiceInput {
  /** The merchant's reference. */
  externalId: string;
  /** Passed on to `resolveOrder`. It is not verified, because your own server calls. */
  orderToken?: string;
  method: Method;
  /** What you know of the payer. A field that `resolveOrder` answers replaces it. */
  payer?: Partial<Payer>;
  /** In how many instalments the card is charged; default 1. */
  installment?: number;
  /** A provider's token with its fields. Card numbers are not accepted here. */
  card?: Omit<CardCredentials, 'number' | 'security_code'>;
  /**
   * The `invoice_id` of the Pix code in whose place a new one is wanted. If the order has a newer code already, that one is
   * returned.
   */
  replaces?: string;
  /** The payer's address, for the service's `ip_payer`. */
  remoteAddress?: string;
}

/** The input of `createPaymentLink`, which the merchant's own server calls. */
export interface PaymentLinkInput {
  externalId: string;
  /** How long the link works, in whole seconds, up to ten years; default 24 h. Not with `requireOrderToken: false`. */
  expiresInSeconds?: number;
}

/** A link that a payer opens to pay one order. */
export interface PaymentLink {
  readonly url: string;
  /** Null if the link works as long as its order, which is public (`requireOrderToken: false`). */
  readonly expiresAt: Date | null;
}

/** What the server knows about a request besides the request itself. */
export interface ConnectionInfo {
  /** The address of the connection's peer. */
  readonly remoteAddress?: string;
}

/** The proxy: a Web-standard request handler, and functions for the merchant's own server. */
export interface PixProxy {
  /** Answers every request, and never rejects. */
  fetch(this: void, request: Request, info?: ConnectionInfo): Promise<Response>;
  /**
   * Creates the order's invoice, or returns the existing one, for pages that contain it.
   * @returns the create answer's `data`, with its `lookup_token`
   * @throws ProxyError with a `code` of the contract
   */
  createInvoice(this: void, input: CreateInvoiceInput): Promise<CreatedInvoice>;
  /**
   * Makes a link with which its holder can pay the order, on the page of `paymentPage`. The link is a capability, like the
   * order token in it: send it to the payer and to no one else.
   * @throws TypeError naming what is wrong, also if there is no `paymentPage`
   */
  createPaymentLink(this: void, input: PaymentLinkInput): Promise<PaymentLink>;
  /**
   * Records what a person found out about a card whose outcome is unknown or still open, or decided about a payment that
   * differs (`onMismatch`).
   *
   * With the invoice's id (where `lookUpBy` says so, its order code) the proxy looks it up, and binds it to the order if
   * reference, total and method agree. A payment that differs becomes the order's if this answers its own alert. With null
   * the card was not charged, or the payment is given back, and the order may be paid again; the proxy looks a known invoice
   * of the card up before it believes that.
   * @returns whether that settled it: false if the alert is settled, or about something that no longer blocks the order; if
   *   the invoice is another's, or known and still open; with null, if it turns out to be paid
   * @throws ProxyError `service_unavailable`
   */
  resolveOutcome(this: void, outcome: ResolvedOutcome): Promise<boolean>;
  /**
   * Tells what happened to an order, for support and for a dispute: from the ledger alone, without personal data, codes and
   * tokens. `npx pix-checkout order` prints the same.
   * @returns null if the ledger does not know the order, or no longer
   * @throws ProxyError `service_unavailable` if the ledger failed
   */
  describeOrder(this: void, externalId: string): Promise<OrderDescription | null>;
  /**
   * Deletes one order because a person asked for it (LGPD). Refuses, with the reason, while some of its work is due. `npx
   * pix-checkout order --forget` does the same.
   * @throws ProxyError `service_unavailable` if the ledger failed
   */
  forget(this: void, externalId: string): Promise<ForgetAnswer>;
  /**
   * Calls your hooks at once with the events of an order that they have failed to take, one after the other. Call it after
   * you have repaired them. `npx pix-checkout order REF --tell-again` does the same beside a running proxy.
   * @returns whether there was anything to tell
   * @throws ProxyError `service_unavailable` if the ledger failed
   */
  tellAgain(this: void, order: { readonly externalId: string }): Promise<boolean>;
  /**
   * Does all due work once: finds payments that no page saw, calls your hooks and waits for them. It is for a cron trigger,
   * if no process keeps running. It may run anywhere at any time, several times at once; if a run is cut off, the next one
   * goes on a minute later. Called in a function of yours, such as a hook, it waits only for work that it begins. Never
   * rejects.
   */
  runDue(this: void): Promise<DueRun>;
  /**
   * Answers long polls, refuses new payments with 503, and resolves when everything that was sent has ended and is recorded.
   * The ledger stays open, and its owner closes it afterwards. Called in a function of yours, such as a hook or
   * `accessToken`, it does not wait for that function.
   */
  close(this: void): Promise<void>;
}

/** The result of `runDue`. */
export interface DueRun {
  /** When to call it again, in five seconds or later; null if nothing will be due until another payment begins. */
  readonly nextAt: Date | null;
}

/** How a card of unknown outcome ended, or what becomes of a payment that differs. */
export interface ResolvedOutcome {
  readonly externalId: string;
  /** The alert that is answered: the `deliveryId` of `onOutcomeUnknown` or `onMismatch`. */
  readonly deliveryId: string;
  /** The invoice that charged the card; null if it was not charged. */
  readonly invoiceId: string | null;
}
