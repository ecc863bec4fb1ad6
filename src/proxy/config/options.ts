/**
 * What a merchant's server writes and gets: the options of the proxy, the order it resolves, and the log's entries.
 *
 * Types only; over 300 lines because merchants read them in one place. What the browser and the invoice service say stands in `contract/` and `service/`.
 */

import type { CardCredentials, CreatedInvoice, Method, Payer } from '../../contract/types.js';
import type { AccessToken, ServiceErrorKind } from '../../service.js';
import type {
  DeliveryKind,
  LapsedNotice,
  MismatchNotice,
  OutcomeUnknownNotice,
  PaidNotice,
  PixWaitingNotice,
} from '../ledger/outbox-events.js';
import type { Ledger } from '../ledger/ledger.js';

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
  /** What is owed, integer cents, one or more. */
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

/** How the merchant's code prices an order. A throw, or 15 s without an answer, is `service_unavailable`. */
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

/** Who wants to pay by card while somebody seems to test stolen cards in this shop. */
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

/** A delivery that is not tried again. */
export interface UndeliveredNotice {
  readonly kind: DeliveryKind;
  readonly deliveryId: string;
  readonly externalId: string;
  /** How often it was tried. */
  readonly tries: number;
}

/** Starts a timer and returns what stops it. */
export type StartTimer = (run: () => void, delayMs: number) => () => void;

/** Options of `createProxy`. A wrong or unknown one throws a `TypeError` that names it. */
export interface ProxyOptions {
  /** Base address of the invoice service; https except on loopback. */
  serviceUrl: string;
  /** The service's bearer: a string, or a function asked before each call. */
  accessToken: AccessToken;
  /** `[current, ...previous]`, each at least 32 bytes. The first signs, all verify. */
  secrets: readonly string[];
  /** The only source of the price. No default believes the browser. */
  resolveOrder: ResolveOrder;
  /** Default true: an `order_token` made by `signOrder` is verified first. */
  requireOrderToken?: boolean;
  /** Where the proxy is seen from outside; routes are relative to its path. */
  publicUrl: string;
  /** Exact origins of the pages that may call. */
  allowedOrigins: readonly string[];
  /** How many forwarding proxies to believe, counted from the right of X-Forwarded-For; default 0. */
  trustedHops?: number;
  /** Assumed: the service's words for the methods; default `pix` and `credit_card`. */
  methodNames?: Partial<Record<Method, string>>;
  /**
   * Assumed: how document, phone, CEP and a card's expiry are written to the service; default `bare`, `MM` and `YYYY`.
   */
  formats?: Partial<Formats>;
  /** Assumed: which id the service's look-up path takes; default `invoice_id`. */
  lookUpBy?: 'invoice_id' | 'order_code';
  /** Lets card numbers pass; default false: only tokens. Widens the PCI scope of the merchant's server. */
  rawCard?: boolean;
  /** Asked before a card passes while too many are refused; absent: no card passes then. */
  verifyHuman?: VerifyHuman;
  /** Assumed: the statuses by which the service says that a card was not charged. */
  statuses?: { refused?: readonly string[] };
  /** Assumed: a card's answers name the price that was sent (`sent`); `any`: their total is not compared. */
  cardLookUpTotal?: 'sent' | 'any';
  /** Longest held look-up, seconds, 0 to 25; default 25. 0: for places without long requests. */
  holdSeconds?: number;
  /**
   * Assumed: how many calls a minute the service allows this process; default: any number. Creations always go out. Waiting
   * pages and reconciliation share three quarters of the calls; the last quarter is for payers who pay or come back.
   */
  serviceCallsPerMinute?: number;
  /**
   * Assumed: the field of a postback's body that may name the invoice; default `id`. Read only while nobody knows how a
   * card ended, and never believed before a look-up agreed.
   */
  postbackInvoiceField?: string;
  /** Time-out of one call of the service, milliseconds; default 10 s. */
  serviceTimeoutMs?: number;
  /** Sends an `Idempotency-Key` with each creation; default false, for the specification shows no such header. */
  forwardIdempotencyKey?: boolean;
  /** Lets payments of the sandbox count as paid; default false. */
  allowSandbox?: boolean;
  /** Hands on Pix codes that cannot be read, for test environments with placeholder codes; default false. */
  allowUnverifiedCodes?: boolean;
  /** What must survive a restart, made by `openLedger`; default: kept in this process. Its owner closes it. */
  ledger?: Ledger;
  /**
   * An invoice is paid: compare `totalCents` with what the order owes now, then ship. At least once for each, found by
   * whatever look-up, whether or not a page is open. An older code may be paid after the price went up.
   */
  onPaid?: Hook<PaidNotice>;
  /** A Pix code was handed out: for reminders. */
  onPixWaiting?: Hook<PixWaitingNotice>;
  /**
   * The deadline passed and nothing of the order was paid: for stock. A late payment may follow, marked so; where this was
   * under way when the payment was found, `onPaid` may even come before it.
   */
  onLapsed?: Hook<LapsedNotice>;
  /**
   * Nobody knows whether a card was charged, or it is still open after an hour: the order cannot be paid in another way
   * until somebody finds out, and says so with `resolveOutcome`.
   */
  onOutcomeUnknown?: Hook<OutcomeUnknownNotice>;
  /** The service calls an invoice paid that is not what was created. Nothing is fulfilled. */
  onMismatch?: Hook<MismatchNotice>;
  /** One of the others failed for a day and is not tried again. Told before that is noted, so perhaps twice, and not tried again. */
  onUndelivered?: Hook<UndeliveredNotice>;
  /** Injected: how the service is reached; default the global `fetch`. */
  fetch?: typeof fetch;
  /** Injected: wall clock, milliseconds since 1970. */
  now?: () => number;
  /** Injected: default `crypto.randomUUID`. */
  randomUuid?: () => string;
  /** Injected: timers of held look-ups and of the merchant's code; default `setTimeout`. */
  startTimer?: StartTimer;
  /** Injected: default one JSON line per entry on stderr. */
  log?: (entry: LogEntry) => void;
}

/** What happened, for the merchant's operators. */
export type LogEvent =
  /** the service takes our token no more; said once until a call succeeds again */
  | 'service_unauthorized'
  | 'service_failed'
  /** the service refused to create this invoice */
  | 'service_refused'
  /** an answer that is not of the specification, or about another invoice; `field` says where */
  | 'invalid_answer'
  /** a Pix code that no bank could pay; `field` is the fault */
  | 'invalid_code'
  /** a look-up that disagrees with what was created; `field` says in what */
  | 'mismatch'
  /** a look-up said a word that is neither known nor listed, `serviceStatus`; said once for each, and taken for `pending` */
  | 'unknown_status'
  /** `resolveOrder` threw, or took too long (`TimeoutError`) */
  | 'order_failed'
  /** `resolveOrder` returned something else than an order; `field` says where */
  | 'order_invalid'
  /** an invoice of the sandbox was made, or its payment not reported, without `allowSandbox` */
  | 'sandbox_invoice'
  | 'sandbox_payment_withheld'
  /** a card may have been charged, and nobody can say: the merchant has to find out */
  | 'outcome_unknown'
  /** a postback of an order that the ledger does not know: it may have been lost, and its payment with it */
  | 'postback_unknown'
  /** so many cards are refused that somebody seems to test stolen ones: cards pass with `verifyHuman` only, or not */
  | 'card_testing_suspected'
  /** `verifyHuman` threw, or took too long (`TimeoutError`) */
  | 'human_check_failed'
  /** forwarding headers come from a private peer, but `trustedHops` is 0 */
  | 'forwarding_not_trusted'
  /** the page's origin is not in `allowedOrigins` */
  | 'origin_refused'
  /** something in front of the proxy, such as `express.json()`, has read the request's body */
  | 'body_already_read'
  /** a request came without the path of `publicUrl` in front */
  | 'path_outside_public_url'
  /** the ledger failed; `operation` says in what */
  | 'ledger_failed'
  /** there are hooks, but no ledger: what was not delivered when this process ends is lost */
  | 'ledger_missing'
  /** a hook threw, or took too long (`TimeoutError`); it is tried again */
  | 'delivery_failed'
  /** a hook failed for a day and is not tried again; said before that is noted, so perhaps twice */
  | 'undelivered'
  /** what happened in the last minute, in numbers */
  | 'counts'
  | 'unexpected_error';

/** One log entry: these fields and no others. No personal data, no token, no code, no message of a foreign error. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly event: LogEvent;
  readonly operation?: 'create' | 'look_up' | 'sweep' | 'deliver' | 'postback' | 'prune' | 'count';
  readonly delivery?: DeliveryKind;
  readonly tries?: number;
  /** With `counts`. */
  readonly counts?: Counts;
  readonly kind?: ServiceErrorKind;
  readonly status?: number;
  /** The service's word for how an invoice stands, if it looks like one. */
  readonly serviceStatus?: string;
  readonly field?: string;
  /** What to do about it: a fixed text of ours. */
  readonly hint?: string;
  readonly errorName?: string;
  readonly externalId?: string;
  readonly invoiceId?: string;
}

/** What operators watch, since the last entry of its kind. */
export interface Counts {
  /** Card attempts by what became of them. */
  readonly cardsCreated: number;
  readonly cardsRefused: number;
  readonly cardsUnknown: number;
  /** Pix codes made. */
  readonly codes: number;
  /** Look-ups asked for, and calls of the service they took: the rest was shared. */
  readonly lookUps: number;
  readonly lookUpCalls: number;
  /** Look-ups that the budget kept back. */
  readonly keptBack: number;
  readonly postbacks: number;
  readonly paid: number;
  /** How late the oldest look-up that nobody asks for is now, milliseconds. */
  readonly sweepLagMs: number;
  /** Deliveries that are not through now. */
  readonly undelivered: number;
  /** Card attempts whose outcome nobody knows now. */
  readonly unknownAttempts: number;
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
   * Creates (or answers again) the order's invoice, for payment links and pages that carry it.
   * @returns the create answer's `data`, with its `lookup_token`
   * @throws ProxyError with a `code` of the contract
   */
  createInvoice(this: void, input: CreateInvoiceInput): Promise<CreatedInvoice>;
  /**
   * Somebody found out how a card ended that is unknown or still open. With the invoice's id (where `lookUpBy` says so,
   * its order code) it is looked up, and bound to the order if reference and total agree; null: the card was not charged,
   * and the order may be paid again. An open invoice is looked up before that is believed.
   * @returns whether that settled it: false if no card of this order is unknown or open, if it turns out to be paid, or if
   *   the invoice is another's
   * @throws ProxyError `service_unavailable`
   */
  resolveOutcome(this: void, outcome: ResolvedOutcome): Promise<boolean>;
  /**
   * Lets held look-ups go, refuses new payments with 503, and resolves when whatever was sent is finished and recorded.
   * The ledger stays open: its owner closes it afterwards.
   */
  close(this: void): Promise<void>;
}

/** How a card of unknown outcome ended. */
export interface ResolvedOutcome {
  readonly externalId: string;
  readonly invoiceId: string | null;
}
