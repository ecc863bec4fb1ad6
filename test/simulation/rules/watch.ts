/**
 * Sees every step of a history and tells the rules. The first one that is broken ends the history.
 *
 * Owns what can be seen. What must hold stands in `rules/`.
 */

import type { LogEntry } from '../../../src/proxy.js';
import type { Order } from '../../../src/proxy/order/order.js';
import { createCallRule } from './calls.js';
import { createChargeRule } from './charges.js';
import { createCodeRule } from './codes.js';
import { createLeakRule } from './leaks.js';
import { createPaymentRule } from './payments.js';
import type { ServiceCall, ServiceInvoice } from '../network/service.js';
import type { Reply, StreetRequest } from '../network/street.js';

/** A process, as far as rules look at it. */
export interface ProcessLife {
  readonly isAlive: boolean;
  readonly number: number;
  readonly isClosed: boolean;
  /** Infinity: any number. */
  readonly serviceCallsPerMinute: number;
  readonly startTimer: (run: () => void, delayMs: number) => () => void;
}

/** An answer of the proxy, when it is given, whether or not it arrives. */
interface Answered {
  readonly request: StreetRequest;
  readonly reply: Reply;
  /** When the request reached the process, milliseconds since 1970. */
  readonly receivedAtMs: number;
  readonly processNumber: number;
}

/** What the merchant is told. */
export interface Notice {
  readonly deliveryId: string;
  readonly externalId: string;
  readonly invoiceId?: string;
  readonly totalCents?: number;
}

/** Everything that can be seen. */
interface Sights {
  /** A payer typed a card that goes under this key. */
  cardTyped: (key: string, token: string) => void;
  received: (request: StreetRequest) => void;
  answered: (answered: Answered) => void;
  ledgerAsked: (operation: string, args: unknown[], process: ProcessLife) => void;
  /** It has happened, whether or not its process hears of it. */
  orderChanged: (before: Order, after: Order) => void;
  /** Its process hears that it failed, whether or not it has happened. */
  ledgerFailed: (process: ProcessLife) => void;
  serviceCalled: (call: ServiceCall, process: ProcessLife) => void;
  /** A request is on its way to the service; `hasArrived`: it can do nothing any more. */
  travels: (call: ServiceCall, hasArrived: boolean) => void;
  invoiceMade: (invoice: ServiceInvoice) => void;
  /** A process got an answer about an invoice. */
  lookedUp: (invoice: ServiceInvoice, status: string, process: ProcessLife) => void;
  /** The merchant's code was called. */
  told: (kind: string, notice: Notice) => void;
  /** And came to its end. */
  heard: (kind: string, notice: Notice) => void;
  logged: (entry: LogEntry) => void;
  /** A process says that it has closed. */
  closed: (processNumber: number, timers: number) => void;
}

/** Handlers of what one rule looks at. */
export type Rule = Partial<Sights>;

/** What must always hold. */
export type RuleName =
  /** one card at most is charged for an order, and none once it is paid */
  | 'charge'
  /** paid is what the service said of this invoice, and nothing else */
  | 'paid'
  /** and is never taken back */
  | 'absorbing'
  /** an unknown outcome is never called a refusal */
  | 'unknown'
  /** the merchant hears of each payment, and of each card of unknown end */
  | 'owed'
  /** one open Pix code for an order and price */
  | 'code'
  /** nothing personal and no token where it must not be */
  | 'leak'
  /** the service is asked as often as agreed, and work is shared */
  | 'calls'
  /** nothing is left after the end, and no failure goes unheard */
  | 'end';

/** What rules are given. */
export interface RuleParts {
  readonly now: () => number;
  /** The truth. */
  readonly invoices: () => ReadonlyMap<string, ServiceInvoice>;
  readonly fail: (rule: RuleName, what: string) => void;
}

/** The watch of one history. */
export interface Watch extends Sights {
  readonly fail: (rule: RuleName, what: string) => void;
  /** The first broken rule; null: none. */
  readonly violation: () => string | null;
  /** How often each thing was seen. */
  readonly counts: ReadonlyMap<string, number>;
  readonly count: (what: string) => void;
  /** One more is told what happens. */
  readonly join: (rule: Rule) => void;
}

/** Makes the watch of one history, with all rules. @param others are told too */
export function createWatch(parts: Omit<RuleParts, 'fail'>, others: readonly Rule[]): Watch {
  const counts = new Map<string, number>();
  let violation: string | null = null;
  const fail = (rule: RuleName, what: string) => {
    violation ??= `${rule}: ${what}`;
  };
  const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1);
  const own = { ...parts, fail };
  const rules: Rule[] = [
    ...others,
    createChargeRule(own),
    createPaymentRule(own),
    createCodeRule(own),
    createLeakRule(own),
    createCallRule(own),
  ];

  return {
    fail,
    count,
    counts,
    join: (rule) => void rules.push(rule),
    violation: () => violation,
    cardTyped: (...seen) => tell((rule) => rule.cardTyped?.(...seen)),
    received: (...seen) => tell((rule) => rule.received?.(...seen)),
    answered(answered) {
      const { request, reply } = answered;
      const path = request.path.replace(/\?.*/, '').replace(/(?<=s\/)[^/]+$/, 'x');
      count(`${request.method} ${path} ${reply.code || reply.status}`);
      tell((rule) => rule.answered?.(answered));
    },
    ledgerAsked: (...seen) => tell((rule) => rule.ledgerAsked?.(...seen)),
    orderChanged: (...seen) => tell((rule) => rule.orderChanged?.(...seen)),
    ledgerFailed: (...seen) => tell((rule) => rule.ledgerFailed?.(...seen)),
    serviceCalled: (...seen) => tell((rule) => rule.serviceCalled?.(...seen)),
    travels: (...seen) => tell((rule) => rule.travels?.(...seen)),
    invoiceMade(invoice) {
      count(invoice.isPix ? 'Pix codes made' : 'cards charged');
      tell((rule) => rule.invoiceMade?.(invoice));
    },
    lookedUp: (...seen) => tell((rule) => rule.lookedUp?.(...seen)),
    told(kind, notice) {
      count(`told ${kind}`);
      tell((rule) => rule.told?.(kind, notice));
    },
    heard: (...seen) => tell((rule) => rule.heard?.(...seen)),
    logged(entry) {
      count(`log ${entry.event}`);
      tell((rule) => rule.logged?.(entry));
    },
    closed: (...seen) => tell((rule) => rule.closed?.(...seen)),
  };

  function tell(see: (rule: Rule) => void): void {
    for (const rule of rules) see(rule);
  }
}
