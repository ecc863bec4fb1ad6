/**
 * What is known of an order, as one value. Plain JSON: a store keeps it whole, and knows none of it. Nothing in it is ever
 * changed in place; the facts that make the next value stand in the files beside this one, each in that of its topic.
 *
 * Lists have the oldest first; times are milliseconds since 1970, amounts integer cents. It holds no card data, no personal
 * data and no token.
 */

import type { Method } from '../../contract/types.js';
import type { MismatchField, OutboxEvent } from './told/outbox-events.js';

/** What an invoice was created as. Every look-up is compared with this. */
export interface IssuedInvoice {
  readonly invoiceId: string;
  /** The id the service takes in a look-up. */
  readonly lookUpId: string;
  readonly externalId: string;
  /** Integer cents. */
  readonly totalCents: number;
  readonly method: Method;
  /** When the merchant's deadline for the code ends, milliseconds since 1970; null: no deadline. */
  readonly deadlineMs: number | null;
}

/** An invoice with the fields of its create answer. */
export interface MadeInvoice extends IssuedInvoice {
  readonly orderCode: string;
  readonly code: string;
  /** The service's word. */
  readonly status: string;
  /** A person found out that this card was not charged: it no longer blocks the order. */
  readonly isReleased?: true;
  /** A look-up found it paid. Never taken back. */
  readonly isPaid?: true;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
}

/** What a creation was sent as. An id that only a postback names is compared with these. */
export type SentAs = Pick<IssuedInvoice, 'method' | 'totalCents'>;

/** A request with an idempotency key. */
export interface Attempt {
  readonly key: string;
  /** Digest of order, order token and method: the key is valid only for these. */
  readonly scope: string;
  readonly externalId: string;
  readonly method: Method;
  /** With the scope, the fingerprint of the request: the total, integer cents, and the instalments. */
  readonly totalCents: number;
  readonly installment: number;
  /** The request that claims it, a random id: a request that lost its claim can neither send nor release. */
  readonly holder: string;
}

/**
 * How far an attempt has come. Pix knows `claimed` and `created` only.
 *
 * `claimed`: nothing has left. `sent`: the service may hear of it. `unknown`: the card may have been charged;
 * `candidate` is an unverified match, an invoice that may be its. `created`: there is an invoice. `refused`: it ended, and nothing was charged.
 */
export type AttemptProgress =
  | { readonly state: 'claimed' | 'sent' | 'refused' }
  | { readonly state: 'unknown'; readonly candidate: IssuedInvoice | null }
  | { readonly state: 'created'; readonly invoiceId: string };

/** An attempt and how far it has come. */
export type KnownAttempt = Attempt & { readonly progress: AttemptProgress };

/** What needs a person, and may need one again (`told/alerts.ts`). */
export interface Alerted {
  /** Which alert about it is the present one, from 1. Absent: the first. */
  readonly alert?: number;
  /** The last one that a word has answered. Absent: none. */
  readonly answered?: number;
}

/** An attempt with its times. */
export type KeptAttempt = KnownAttempt &
  Alerted & {
    readonly claimedAtMs: number;
    readonly changedAtMs: number;
    /** When its claim, or the time in which its outcome is recorded, runs out. */
    readonly untilMs: number;
    /** It was not refused by the service: a person said that it was not charged, who saw this invoice of it. */
    readonly released?: { readonly invoiceId: string | null };
  };

/** Of when a word of the service is. An older one undoes no newer one (`isOlder` in `due/times.ts`). */
export interface WordTime {
  /** When its look-up began, milliseconds since 1970. */
  readonly beganMs: number;
  /** When the invoice changed last, by the clock of the service; null: it did not say. */
  readonly updatedAtMs: number | null;
}

/** An invoice with what becomes of it. */
export interface KeptInvoice extends MadeInvoice, Pick<Alerted, 'alert'> {
  /** Found paid or refused, or released; null: it is open. */
  readonly settledAtMs: number | null;
  /** When it is looked up next; null: never. */
  readonly lookUpAtMs: number | null;
  /** When the merchant was told that its deadline passed unpaid; null: not. */
  readonly lapsedAtMs: number | null;
  /** When its code was shown again; null: it was not. */
  readonly shownAtMs: number | null;
  /** When postbacks made it due last: it may lie ahead. */
  readonly hintedAtMs?: number;
  /** The service called it expired or canceled: its code is offered no more. */
  readonly isOver?: true;
  /** In what it differs from what was created, although it is paid. */
  readonly differsIn?: MismatchField;
  /** What the service called it last, since it was paid. Absent: paid. */
  readonly word?: string;
  /** How often that word changed since. */
  readonly words?: number;
  /** Of when that word, or the payment, is. */
  readonly wordOf?: WordTime;
}

/** An id that a postback named, or a paid invoice that is asked about again. */
export interface NamedId {
  /** The id the service takes in a look-up. */
  readonly lookUpId: string;
  /** How often it was looked up since it was named last. */
  readonly tries: number;
  readonly namedAtMs: number;
  /** When it was named first since it waits. Absent: the same. */
  readonly sinceMs?: number;
  readonly dueAtMs: number;
}

/**
 * What a named id was found to be. `recorded`: an invoice of the order, and no further look-up is needed. `of_card`: that of the
 * order's card, whose own answer may still come and call it refused. `open`: undecided, or paid and for a person. `busy`: a charge that is
 * to block the order, but another card of it has to end first. `none`: no invoice of this order.
 */
export type NamedOutcome = 'recorded' | 'of_card' | 'open' | 'busy' | 'none';

/** An event for the merchant's server, with what became of it. */
export type KeptEvent = OutboxEvent & {
  readonly queuedAtMs: number;
  readonly dueAtMs: number;
  readonly tries: number;
  readonly endedAtMs: number | null;
  /** `dropped`: it was out of date before the merchant's server was told. `given_up`: by a former version, after a day. */
  readonly outcome: 'delivered' | 'given_up' | 'dropped' | null;
  /** When a person was warned last that it fails. Absent: not yet. */
  readonly warnedAtMs?: number;
  /** That warning came through, and was the last one. */
  readonly isWarningHeard?: boolean;
};

/** One thing that happened, which the other parts of the order do not tell: a key was barred. Former versions kept more. */
interface Happened {
  readonly atMs: number;
  readonly what: string;
  readonly [detail: string]: string | number | boolean | null;
}

/** All that is known of one order. */
export interface Order {
  readonly externalId: string;
  /** The invoice that paid it; null: it is not paid. Never taken back. */
  readonly paidId: string | null;
  /** When a request, a sending, a showing or a payment came last; null: none did. */
  readonly aliveAtMs: number | null;
  /** The request that makes a code now: others wait for it. Null: none does. */
  readonly making: { readonly holder: string; readonly untilMs: number } | null;
  /** The code that a page got last; null: none did. */
  readonly offeredId: string | null;
  readonly sends: readonly { readonly method: Method; readonly atMs: number }[];
  readonly sentAs: readonly SentAs[];
  readonly attempts: readonly KeptAttempt[];
  /** Keys that ended, each as a letter and a digest (`keys.ts`). Nothing is ever sent for one. */
  readonly keys: readonly string[];
  /** When those of the last days ended: they give way to no other. */
  readonly youngKeys?: Readonly<Record<string, number>>;
  readonly invoices: readonly KeptInvoice[];
  readonly named: readonly NamedId[];
  /** When named ids were looked up last, within a minute. */
  readonly namesAskedAtMs?: readonly number[];
  readonly events: readonly KeptEvent[];
  readonly history: readonly Happened[];
}

/** What a fact is told beside itself. */
export interface Given {
  /** The store's clock. */
  readonly nowMs: number;
}

/** The order after a fact, the same object if nothing changed; and the fact's answer. A fact without an answer gives the order alone. */
export type Step<T> = readonly [order: Order, answer: T];

type AnswerOf<After> = After extends Step<infer Answer> ? Answer : undefined;

/** @param after what any fact gave */
export function toStep<After extends Order | Step<unknown>>(after: After): Step<AnswerOf<After>> {
  return ('externalId' in after ? [after, undefined] : after) as Step<AnswerOf<After>>;
}

/** An order of which nothing is known. */
export function emptyOrder(externalId: string): Order {
  return {
    externalId,
    paidId: null,
    aliveAtMs: null,
    making: null,
    offeredId: null,
    sends: [],
    sentAs: [],
    attempts: [],
    keys: [],
    invoices: [],
    named: [],
    events: [],
    history: [],
  };
}
