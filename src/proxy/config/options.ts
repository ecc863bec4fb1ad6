/**
 * The types of the merchant's server: options of the proxy, the order it resolves, log entries, the proxy itself. Over 300
 * lines because merchants read them in one place.
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

/** Which order is to be priced, and for which request. */
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
  /** Payer data the merchant knows; each field given overrides the browser's. */
  payer?: Partial<Payer>;
  /** Seconds the Pix code is offered; absent: no deadline. */
  expires_in?: number;
}

/** The merchant's answer about an order: payable, paid or closed by other means, or not known (null). */
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

/** How fields are written whose format the service's specification does not show. */
export type Formats = Readonly<Record<'cpf_cnpj' | 'phone' | 'address_zip', FieldFormat>> &
  CardDateFormats;

/** A card payment that came while stolen cards seem to be tested in this shop. */
export interface HumanQuestion {
  readonly externalId: string;
  /** The browser's request, its body read already. Null when the merchant's server calls `createInvoice` itself. */
  readonly request: Request | null;
  /** The payer's address, after `trustedHops`; null where it is not known. */
  readonly remoteAddress: string | null;
}

/** Whether a human pays, by a proof that the merchant's page put into the request. A throw, or 15 s without an answer, means no. */
export type VerifyHuman = (question: HumanQuestion) => boolean | Promise<boolean>;

/**
 * The merchant's code that receives events. Its result is not read; a throw, or 30 s without an end, is a failed try. It
 * may be called again with the same `deliveryId` at any time, by any process: then it must do nothing.
 */
export type Hook<T> = (notice: T) => unknown;

/** An event whose delivery is not tried again. */
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
  /** Longest long poll, seconds, 0 to 25; default 25. 0: for hosts without long requests. */
  holdSeconds?: number;
  /**
   * Assumed: how many calls a minute the service allows this process; default: any number. Creations are never throttled.
   * Look-ups of returning payers go first, then those of waiting pages, then reconciliation.
   */
  serviceCallsPerMinute?: number;
  /**
   * Assumed: the field of a postback's body that may name the invoice; default `id`. Read only while the outcome of a card
   * is unknown, and never believed before a look-up agreed.
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
  /** The store that survives a restart, made by `openLedger`; default: in memory. Its owner closes it. */
  ledger?: Ledger;
  /**
   * An invoice is paid: compare `totalCents` with what the order owes now, then ship. Called at least once for each,
   * whether or not a page is open. An older code may be paid after the price went up.
   */
  onPaid?: Hook<PaidNotice>;
  /** A Pix code was handed out: for reminders. */
  onPixWaiting?: Hook<PixWaitingNotice>;
  /**
   * The deadline passed and nothing of the order was paid: for stock. A late payment may follow, marked so. If it is found
   * while this event is being delivered, `onPaid` may even come first.
   */
  onLapsed?: Hook<LapsedNotice>;
  /**
   * It is unknown whether a card was charged, or the charge is still open after an hour. The order cannot be paid in another
   * way until you find out and call `resolveOutcome`.
   */
  onOutcomeUnknown?: Hook<OutcomeUnknownNotice>;
  /** The service calls an invoice paid that is not what was created. Nothing is fulfilled. */
  onMismatch?: Hook<MismatchNotice>;
  /** Another hook failed for a day and is not tried again. Called before that is recorded, so perhaps twice; never retried. */
  onUndelivered?: Hook<UndeliveredNotice>;
  /** Injected: how the service is reached; default the global `fetch`. */
  fetch?: typeof fetch;
  /** Injected: wall clock, milliseconds since 1970. */
  now?: () => number;
  /** Injected: default `crypto.randomUUID`. */
  randomUuid?: () => string;
  /** Injected: timers of long polls and of the merchant's code; default `setTimeout`. */
  startTimer?: StartTimer;
  /** Injected: default one JSON line per entry on stderr. */
  log?: (entry: LogEntry) => void;
}

/** Events for the merchant's operators. */
export type LogEvent =
  /** the service refuses our token; logged once until a call succeeds again */
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
  /** a look-up returned a status that is neither known nor listed, `serviceStatus`; logged once each, taken for `pending` */
  | 'unknown_status'
  /** `resolveOrder` threw, or took too long (`TimeoutError`) */
  | 'order_failed'
  /** `resolveOrder` returned no valid order; `field` says where */
  | 'order_invalid'
  /** an invoice of the sandbox was made, or its payment not reported, without `allowSandbox` */
  | 'sandbox_invoice'
  | 'sandbox_payment_withheld'
  /** it is unknown whether a card was charged: the merchant has to find out */
  | 'outcome_unknown'
  /** a postback of an order that the ledger does not know: it may have been lost, and its payment with it */
  | 'postback_unknown'
  /** so many cards are refused that stolen ones seem to be tested: cards pass only with `verifyHuman` */
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
  /** a hook failed for a day and is not tried again; logged before that is recorded, so perhaps twice */
  | 'undelivered'
  /** the numbers of the last minute */
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

/** Numbers for operators, since the last entry of its kind. */
export interface Counts {
  /** Card attempts by their outcome. */
  readonly cardsCreated: number;
  readonly cardsRefused: number;
  readonly cardsUnknown: number;
  /** Pix codes made. */
  readonly codes: number;
  /** Look-ups requested, and calls of the service they took: the rest was shared. */
  readonly lookUps: number;
  readonly lookUpCalls: number;
  /** Throttled look-ups. */
  readonly keptBack: number;
  readonly postbacks: number;
  readonly paid: number;
  /** How late the oldest look-up of reconciliation is now, milliseconds. */
  readonly sweepLagMs: number;
  /** Events not delivered yet. */
  readonly undelivered: number;
  /** Card attempts whose outcome is unknown now. */
  readonly unknownAttempts: number;
}

/** Input of `createInvoice`, for the merchant's own server. */
export interface CreateInvoiceInput {
  externalId: string;
  orderToken?: string;
  method: Method;
  payer?: Partial<Payer>;
  /** How the card is charged; default 1. */
  installment?: number;
  /** A provider's token with its fields. Card numbers are not taken here. */
  card?: Omit<CardCredentials, 'number' | 'security_code'>;
  /** Compare-and-set: a new code in place of this invoice. */
  replaces?: string;
  /** The payer's address, for the service's `ip_payer`. */
  remoteAddress?: string;
}

/** What the adapter knows about the connection of a request. */
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
   * Resolves a card whose outcome is unknown or still open. With the invoice's id (or its order code, if `lookUpBy` says
   * so) it is looked up, and bound to the order if reference and total agree. Null: the card was not charged, and the order
   * may be paid again; an open invoice is looked up before that is believed.
   * @returns whether that resolved it: false if no card of this order is unknown or open, if it turns out to be paid, or if
   *   the invoice is another order's
   * @throws ProxyError `service_unavailable`
   */
  resolveOutcome(this: void, outcome: ResolvedOutcome): Promise<boolean>;
  /**
   * Answers long polls, refuses new payments with 503, and resolves when every call in flight is finished and recorded.
   * The ledger stays open: its owner closes it afterwards.
   */
  close(this: void): Promise<void>;
}

/** The outcome of a card that was unknown. */
export interface ResolvedOutcome {
  readonly externalId: string;
  readonly invoiceId: string | null;
}
