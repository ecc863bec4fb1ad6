/**
 * What a merchant's server writes and gets: the options of the proxy, the order it resolves, and the log's entries.
 *
 * Types only; over 300 lines because merchants read them in one place. What the browser and the invoice service say stands in `contract/` and `service/`.
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

/** Who asks which order to be priced. */
export interface OrderQuestion {
  /** The merchant's reference. */
  readonly externalId: string;
  /** As the browser sent it; verified already unless `requireOrderToken` is false. Null: none was sent. */
  readonly orderToken: string | null;
  readonly method: Method;
  /** Number of instalments asked for; 1 for Pix. */
  readonly installment: number;
  /** The browser's request, its body read already. Null when the merchant's server calls `createInvoice` itself. */
  readonly request: Request | null;
}

/** A line of the order, in the service's names. `unit_price` in integer cents. */
export interface OrderItem {
  name?: string;
  description?: string;
  quantity?: number;
  unit_price?: number;
}

/** An order that can be paid. Unknown keys are refused, so that a typing error is seen at the first test. */
export interface PayableOrder {
  /** What is owed, integer cents, one or more. Where nothing is owed, as by a coupon of 100 %, answer `{ status: 'paid' }`. */
  total_price_cents: number;
  items?: OrderItem[];
  /** Passed to the service as it is; its values are not shown by the service's specification. */
  product_fisical?: string;
  /** What the merchant knows of the payer; each field given wins over the browser's. */
  payer?: Partial<Payer>;
  /** Seconds the Pix code is offered; absent: no deadline. */
  expires_in?: number;
}

/** What the merchant's code says of an order: payable, paid or closed by other means, or not known (null). */
export type OrderAnswer = PayableOrder | { status: 'paid' | 'closed' } | null | undefined;

/**
 * How the merchant's code prices an order. A throw, or 15 s without an answer, is `service_unavailable`: that may pass, and the
 * page asks again. An answer that is none of `OrderAnswer` is `order_failed`: it stays wrong, and the payer is sent to the shop.
 */
export type ResolveOrder = (question: OrderQuestion) => OrderAnswer | Promise<OrderAnswer>;

/** How one payer field is written to the service: bare characters, or with its mask. */
export type FieldFormat = 'bare' | 'masked';

/** How a card's expiry is written to the service. */
export interface CardDateFormats {
  readonly month: 'MM' | 'M';
  readonly year: 'YYYY' | 'YY';
}

/** How fields are written to the service whose form its specification does not show. */
export type Formats = Readonly<Record<'cpf_cnpj' | 'phone' | 'address_zip', FieldFormat>> &
  CardDateFormats;

/** A payer by card, while many cards are refused in this shop. */
export interface HumanQuestion {
  readonly externalId: string;
  /** The browser's request, its body read already. Null when the merchant's server calls `createInvoice` itself. */
  readonly request: Request | null;
  /** The payer's address, after `trustedHops`; null where it is not known. */
  readonly remoteAddress: string | null;
}

/** Whether a human asks, by whatever proof the merchant's page put into the request. A throw, or 15 s without an answer, means no. */
export type VerifyHuman = (question: HumanQuestion) => boolean | Promise<boolean>;

/**
 * The merchant's code that is told something. What it resolves with is not read; a throw, or 30 s without an end, is a
 * failed try. It may be called again with the same `deliveryId` at any time, by any process: then it does nothing.
 */
export type Hook<T> = (notice: T) => unknown;

/** Where an error of the merchant's own code came from. */
export interface ErrorContext {
  /** `postback`: no function of yours, but an id that closes its order until the service says what it is. */
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
  /** Your name, as payers know it: the page's heading, and all that a preview of the link says. */
  name: string;
  /** Your logo: a path on the proxy's origin or an absolute URL, like `returnUrl` and `stylesheetUrl`. */
  logoUrl?: string;
  /**
   * `pix`, `credit_card`, in order of preference. Cards need `rawCard`: the page has no tokenizer.
   * @defaultValue `['pix']`
   */
  methods?: readonly Method[];
  /**
   * As the element's `payer-fields`; empty where `resolveOrder` knows the payer.
   * @defaultValue `'name cpf_cnpj email'`
   */
  payerFields?: string;
  /**
   * The language of the page and the element.
   * @defaultValue `'pt-BR'`
   */
  locale?: 'pt-BR' | 'en' | 'es';
  /** Whom the payer will see in the bank app. */
  receiverName?: string;
  /** The colour of the main button, as `#0b6b5b`. */
  accent?: string;
  /** Where a payer who is stuck finds you: an `https` address (WhatsApp's, too), `mailto:` or `tel:`. */
  supportUrl?: string;
  /** Where "Voltar para a loja" leads, after the payment and where nothing can be paid. */
  returnUrl?: string;
  /** Your style sheet, after the page's own. */
  stylesheetUrl?: string;
  /**
   * Where `dist/pix-checkout*` lie, if not where the proxy serves them.
   * @defaultValue `{publicUrl}/assets`
   */
  assetsUrl?: string;
}

/** Options of `createProxy`. A wrong or unknown one throws a `TypeError` that names it. */
export interface ProxyOptions {
  /** Base address of the invoice service: HTTPS, except on loopback. */
  serviceUrl: string;
  /** The service's access token: a string, or an async function called before each call. */
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
   * Verify `order_token`, made by `signOrder`, before all else. With `false` anyone who knows a reference can ask for its code.
   * @defaultValue `true`
   */
  requireOrderToken?: boolean;
  /**
   * With `requireOrderToken: false`: how often one address (after `trustedHops`; of IPv6 its /64) may create or read
   * orders in a minute, before it hears `too_many_requests`. Where it is unknown or private (a web server's), each
   * order is counted. Each process counts for itself.
   * @defaultValue `60`
   */
  addressRequestsPerMinute?: number;
  /** Where browsers and the service reach the proxy. Routes are relative to its path. */
  publicUrl: string;
  /**
   * What your shop had before it moved, as `{publicUrl: 'https://old.example/pix'}`, or `serviceUrl`, or both: a ledger
   * refuses another shop, such as staging with a copied environment. Needed once, and may stay.
   */
  movedFrom?: { readonly serviceUrl?: string; readonly publicUrl?: string };
  /** Exact origins of the pages that may call the proxy. */
  allowedOrigins: readonly string[];
  /** The page that payment links open. Without it there is none. */
  paymentPage?: PaymentPageOptions;
  /**
   * How many forwarding proxies to believe, counted from the right of `X-Forwarded-For`.
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
   * Let card numbers pass, else `invalid_request`; none is kept. It puts your server in PCI DSS scope.
   * @defaultValue `false`
   */
  rawCard?: boolean;
  /**
   * Your captcha's check: it gets `{externalId, request, remoteAddress}` and answers a boolean, after 15 seconds no.
   * The proxy asks before each card while too many are refused; without it none passes then.
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
   * How many processes run this proxy, at most: they share `serviceCallsPerMinute`.
   * @defaultValue `1`
   */
  processes?: number;
  /**
   * Assumed: the field of a postback's body that may name the invoice, which the proxy then looks up.
   * @defaultValue `'id'`
   */
  postbackInvoiceField?: string;
  /**
   * Time-out of one call of the service, in milliseconds.
   * @defaultValue `10000`
   */
  serviceTimeoutMs?: number;
  /**
   * Assumed: the service ignores `Idempotency-Key`, so none is sent. With `true` each creation carries one.
   * @defaultValue `false`
   */
  forwardIdempotencyKey?: boolean;
  /**
   * Count payments of the sandbox as paid.
   * @defaultValue `false`
   */
  allowSandbox?: boolean;
  /**
   * Hand codes out without reading them or comparing their amount: for placeholder codes of a test environment.
   * @defaultValue `false`
   */
  allowUnverifiedCodes?: boolean;
  /**
   * What must survive a restart, made by `openLedger`. Close it after the proxy.
   * @defaultValue this process's memory
   */
  ledger?: Ledger;
  /**
   * Find payments and call your hooks between requests. Set `false` where no process stays, and call `runDue`.
   * @defaultValue `true`
   */
  backgroundJobs?: boolean;
  /**
   * Where numbers go as they happen: `serveMetrics` of `pix-checkout/node` makes one.
   * @defaultValue none are told
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
   * A card's outcome is unknown, or the card is still open after an hour. The order takes no other payment until a
   * person finds out and calls `resolveOutcome`.
   */
  onOutcomeUnknown?: Hook<OutcomeUnknownNotice>;
  /** The service calls an invoice paid that differs from what was created, in `field`. Nothing is fulfilled, and no page hears `paid`. */
  onMismatch?: Hook<MismatchNotice>;
  /**
   * A paid invoice now has another `status` of the service, such as `refunded` or `contested`. Once for each. With
   * `isListed: false` it is in no list of `statuses`: let a person look. The order stays paid, and takes no second
   * payment.
   */
  onReturned?: Hook<ReturnedNotice>;
  /**
   * Another hook has failed for a day. The proxy now tries it every six hours; `tellAgain` tries at once. Daily until
   * this hook succeeds once; it may come twice.
   */
  onUndelivered?: Hook<UndeliveredNotice>;
  /**
   * Your own code threw, or took too long: gets the error and `{hook, externalId}`, for an error tracker. The log keeps
   * only its name. The hook `postback` is the log's `postback_unanswered`.
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

/** What happened, for the merchant's operators. What any request can cause is written once a minute at most. */
export type LogEvent = keyof typeof logHints;

/** One log entry: these fields and no others. No personal data, no token, no code, no message of a foreign error. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly event: LogEvent;
  readonly operation?: 'create' | 'look_up' | 'sweep' | 'deliver' | 'postback' | 'prune' | 'count';
  readonly delivery?: DeliveryKind;
  readonly tries?: number;
  readonly kind?: ServiceErrorKind;
  readonly status?: number;
  /** The service's word for how an invoice stands, if it looks like one. */
  readonly serviceStatus?: string;
  readonly field?: string;
  /** What came, and what your options name: an origin (`none`, `unreadable`), a host or a path. */
  readonly got?: string;
  readonly expected?: string;
  /** What to do about it: a fixed text of ours. */
  readonly hint?: string;
  /** Why an order token was refused, or `nothing_owed`: the total that the shop answered is 0. */
  readonly reason?: OrderTokenFault | 'nothing_owed';
  /** Host of the service. */
  readonly host?: string;
  /** What was asked of the service, without the query. */
  readonly method?: string;
  readonly path?: string;
  /** Why a connection to the service failed, as `ECONNREFUSED`. */
  readonly code?: string;
  /** Where the service's postbacks go; the rest of the address names the order. */
  readonly postbacksTo?: string;
  /** Whether that looks reachable from outside: `other_port` may be behind a firewall. */
  readonly reach?: 'public' | 'other_port' | 'private' | 'loopback';
  readonly errorName?: string;
  readonly externalId?: string;
  readonly invoiceId?: string;
}

/** Labels of a number, by name. */
export type MetricLabels = Readonly<Record<string, string>>;

/** Where numbers go: `serveMetrics` of `pix-checkout/node` makes one, or you write it over a library of yours. */
export interface MetricsSink {
  /** Adds one to a counter. */
  count(name: string, labels?: MetricLabels): void;
  /** Adds a duration to a histogram. */
  observe(name: string, seconds: number, labels?: MetricLabels): void;
  /** Sets a gauge. */
  set(name: string, value: number): void;
}

/** What the merchant's own server asks of `createInvoice`. */
export interface CreateInvoiceInput {
  externalId: string;
  orderToken?: string;
  method: Method;
  payer?: Partial<Payer>;
  /** How the card is charged; default 1. */
  installment?: number;
  /** A provider's token, with what belongs to it. Card numbers have no way in here. */
  card?: Omit<CardCredentials, 'number' | 'security_code'>;
  /** Compare-and-set: a new code in place of this invoice. */
  replaces?: string;
  /** The payer's address, for the service's `ip_payer`. */
  remoteAddress?: string;
}

/** What the merchant's own server asks of `createPaymentLink`. */
export interface PaymentLinkInput {
  externalId: string;
  /** How long the link works, seconds; default 24 h. */
  expiresInSeconds?: number;
}

/** A link that a payer opens to pay one order. */
export interface PaymentLink {
  readonly url: string;
  /** Null: it works as long as the order does, which is public (`requireOrderToken: false`). */
  readonly expiresAt: Date | null;
}

/** What the transport knows about a request beside the request. */
export interface ConnectionInfo {
  /** Address of the peer of the connection. */
  readonly remoteAddress?: string;
}

/** The proxy: a Web-standard request handler, and the same creation for the merchant's own server. */
export interface PixProxy {
  /** Answers every request, and never rejects. */
  fetch(this: void, request: Request, info?: ConnectionInfo): Promise<Response>;
  /**
   * Creates (or answers again) the order's invoice, for pages that carry it.
   * @returns the create answer's `data`, with its `lookup_token`
   * @throws ProxyError with a `code` of the contract
   */
  createInvoice(this: void, input: CreateInvoiceInput): Promise<CreatedInvoice>;
  /**
   * Makes a link that its holder can pay the order with, on the page of `paymentPage`. The link is a capability, as the
   * order token in it: send it to the payer and to no one else.
   * @throws TypeError naming what is wrong, also where there is no `paymentPage`
   */
  createPaymentLink(this: void, input: PaymentLinkInput): Promise<PaymentLink>;
  /**
   * Records what a person found out about a card whose outcome is unknown or still open, or decided about a payment that differs
   * (`onMismatch`). With the invoice's id (where `lookUpBy` says so, its order code) it is looked up, and bound to the order if
   * reference, total and method agree; a payment that differs becomes the order's if its own alert is answered. null: the card was
   * not charged, or the payment is given back, and the order may be paid again. An open invoice is looked up before that is
   * believed.
   * @returns whether that settled it: false if the alert is settled, or about something that no longer blocks the order; if the
   *   invoice is another's, or known and still open; with null, if it turns out to be paid
   * @throws ProxyError `service_unavailable`
   */
  resolveOutcome(this: void, outcome: ResolvedOutcome): Promise<boolean>;
  /**
   * Tells what happened to an order, for support and for a dispute: from the ledger alone, without personal data, codes and
   * tokens. `npx pix-checkout order` prints the same.
   * @returns null: the ledger does not know the order, or not any more
   * @throws ProxyError `service_unavailable`: the ledger failed
   */
  describeOrder(this: void, externalId: string): Promise<OrderDescription | null>;
  /**
   * Deletes one order because a person asked for it (LGPD). Refused, with the reason, while something of it is due.
   * `npx pix-checkout order --forget` does the same.
   * @throws ProxyError `service_unavailable`: the ledger failed
   */
  forget(this: void, externalId: string): Promise<ForgetAnswer>;
  /**
   * Calls your hooks at once with what they have failed to take of an order, in its order, after you mended them.
   * `npx pix-checkout order REF --tell-again` does the same beside a running proxy.
   * @returns whether there was anything to tell
   * @throws ProxyError `service_unavailable`: the ledger failed
   */
  tellAgain(this: void, order: { readonly externalId: string }): Promise<boolean>;
  /**
   * Does what is due, once: finds payments that no page saw, calls your hooks and waits for them. For a cron trigger, where no
   * process stays. May run anywhere at any time, several at once; if it is cut off, the next one goes on a minute later.
   * In a hook it waits only for what it begins. Never rejects.
   */
  runDue(this: void): Promise<DueRun>;
  /**
   * Lets held look-ups go, refuses new payments with 503, and resolves when whatever was sent is finished and recorded.
   * The ledger stays open: its owner closes it afterwards. In a hook it does not wait for that hook.
   */
  close(this: void): Promise<void>;
}

/** What `runDue` left to do. */
export interface DueRun {
  /** When to run again, five seconds from now or later; null: nothing will be due until another order is paid. */
  readonly nextAt: Date | null;
}

/** How a card of unknown outcome ended. */
export interface ResolvedOutcome {
  readonly externalId: string;
  /** The alert that is answered: the `deliveryId` of `onOutcomeUnknown` or `onMismatch`. */
  readonly deliveryId: string;
  /** The invoice as which it was charged; null: it was not charged. */
  readonly invoiceId: string | null;
}
