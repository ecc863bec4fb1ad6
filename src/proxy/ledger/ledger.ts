/**
 * The ledger's interface: what the proxy remembers of orders so that each is paid once, and of the events that the
 * merchant's server has to hear. `memory/` keeps it in the process, `sql/` in a database.
 *
 * It holds no card data, no personal data, no token and no key of the merchant. Each operation is atomic and durable when it
 * resolves, so that several processes may share a ledger and any of them may die at any point. An operation that rejects
 * may have happened all the same. After a power cut of the whole machine, claims, order locks, throttles, booked calls, sends and the
 * times of look-ups may be lost; a card's `sent`, a barred key, an invoice, a named id, a payment or an event never is. Over
 * 300 lines because the whole interface stands in one place.
 */

import type { Claim } from '../order/attempts.js';
import type { OutboxOutcome } from '../order/events.js';
import type { Payment } from '../order/payments.js';
import type { Word as Return } from '../order/notices.js';
import type { Method } from '../../contract/types.js';
import type {
  Attempt,
  AttemptProgress,
  IssuedInvoice,
  RememberedAttempt,
  RememberedInvoice,
  SentAs,
} from '../order/order.js';
import type { OrderStore } from '../store/order-store.js';
import type { OrderDescription } from './order-description.js';
import type { ClaimedEvent, DeliveryKind, MismatchField } from '../order/outbox-events.js';

export type { Claim };
export type { Attempt, AttemptProgress, IssuedInvoice, RememberedAttempt, RememberedInvoice };

/** One order as the ledger knows it. */
export interface OrderRecord {
  /** Every invoice of the order that was handed out, oldest first. Any of them may be paid. */
  readonly invoices: readonly RememberedInvoice[];
  /** When creations of Pix were sent to the service, milliseconds since 1970, with or without success. */
  readonly sentAtMs: readonly number[];
  /** When charges of cards were sent, milliseconds since 1970. */
  readonly cardSentAtMs: readonly number[];
  /** What creations were sent as, each once, in no order. A version before this one did not record it. */
  readonly sentAs: readonly SentAs[];
  /** Ids that postbacks named and that wait for their look-up, in no order. */
  readonly named: readonly string[];
  /** The order's card attempts, oldest first. All but one at most are refused. */
  readonly cards: readonly RememberedAttempt[];
  /** The invoice that a look-up found paid. Never taken back. */
  readonly paid: RememberedInvoice | null;
}

/** An invoice that reconciliation has to look up now. */
export interface DueInvoice extends RememberedInvoice {
  /** The merchant was told, or is about to be, that the deadline passed unpaid. */
  readonly isExpired: boolean;
  /** When its code was noted as shown again, milliseconds since 1970; null: it was not. */
  readonly shownAtMs: number | null;
  /** When its look-up fell due, milliseconds since 1970. */
  readonly dueAtMs: number;
  /** When this process's claim ends, milliseconds since 1970. */
  readonly claimedUntilMs: number;
}

/**
 * An id that a postback of this order named, while no open invoice of the order has it. Only a look-up tells what it is. A
 * paid invoice is one, too, until it is no longer asked for a return.
 */
export interface NamedId {
  readonly externalId: string;
  /** The id the service takes in a look-up. */
  readonly lookUpId: string;
  /** How often it was looked up since it was named last. */
  readonly tries: number;
  /** When it was named last, milliseconds since 1970. */
  readonly namedAtMs: number;
  /** When this process's claim ends, milliseconds since 1970. */
  readonly claimedUntilMs: number;
}

/** What operators watch. */
export interface LedgerState {
  /** How late the oldest look-up that is due is, milliseconds; 0: none is late. Paid invoices may wait, and do not count. */
  readonly sweepLagMs: number;
  /** Deliveries that are due or being tried, given-up ones left out. */
  readonly undelivered: number;
  /** Attempts of unknown outcome. */
  readonly unknownAttempts: number;
  /** When the oldest of the deliveries was queued, milliseconds since 1970; null: there is none. */
  readonly oldestEventAtMs: number | null;
  /** Deliveries that were given up in the last day. */
  readonly deadEvents: number;
  /**
   * When the next of these falls due, milliseconds since 1970, also in the past: a look-up, an event, the end of a sent
   * attempt's time; null: nothing will.
   */
  readonly nextDueAtMs: number | null;
}

/** The record of orders, attempts, invoices and outbox events. */
export interface Ledger extends OrderStore {
  /** An unknown order reads as one without invoices. */
  find(externalId: string): Promise<OrderRecord>;

  /** Tells what happened to an order. Changes nothing. @returns null: it is not known */
  describeOrder(externalId: string): Promise<OrderDescription | null>;

  /** Called before a creation is sent. @param totalCents what it is sent with */
  recordSend(externalId: string, method: Method, atMs: number, totalCents: number): Promise<void>;

  /**
   * Called before an invoice is handed out. In the same transaction its first look-up falls due, a Pix code's `waiting`
   * event is queued, and a given attempt becomes `created` (forward only, as in {@link advanceAttempt}). A known invoice
   * stays as it is, unless an attempt is given and the invoice is not paid: then it becomes this attempt's, and its
   * look-up falls due again.
   */
  recordInvoice(invoice: RememberedInvoice, attempt?: Attempt): Promise<void>;

  /**
   * Called after a look-up said paid and agreed. In the same transaction the `paid` event is queued, the order's `waiting`
   * and `lapsed` events that were not delivered are dropped, and its look-ups end. The first paid invoice of an order stays
   * the one that paid it; a later one is queued as a duplicate. `late`: a `lapsed` event of the order was tried before.
   * @param invoice with the total and method that the look-up agreed with
   * @returns whether the invoice was not known to be paid
   */
  recordPaid(invoice: RememberedInvoice, payment: Payment): Promise<boolean>;

  /** A look-up calls a paid invoice otherwise: queues `returned`, once for each status. @returns whether it was queued now */
  recordReturned(invoice: RememberedInvoice, found: Return): Promise<boolean>;

  /** A look-up said paid, but `field` differs from the creation: queues `mismatch`, once for each invoice. */
  recordMismatch(invoice: IssuedInvoice, field: MismatchField): Promise<void>;

  /**
   * Called when the deadline passed and a look-up after it said not paid. Queues `lapsed`, once for each invoice, and drops
   * the order's undelivered `waiting` events: a payer is not reminded of an expired code. Does nothing while the order is
   * paid, has an unresolved charge, or has a newer Pix code before its deadline: the goods are still reserved.
   */
  recordExpired(invoice: IssuedInvoice): Promise<void>;

  /**
   * Claims an attempt for `attempt.holder`. A claim lasts {@link claimedForMs}. If it ends before
   * anything was sent, all operations ignore the attempt, and its key is `new` again.
   */
  claimAttempt(attempt: Attempt): Promise<Claim>;

  /**
   * Moves an attempt on, by the rules of ledger-rules.ts. `sent` needs the owner of a claim that still stands, and
   * `sentForMs`, the time in which its outcome will be recorded. `unknown` queues `outcome_unknown`, once for each owner.
   * An unverified match becomes an invoice of the order, and its look-up falls due; one that was settled and is not paid is
   * open again, unless the progress comes late. `refused` ends the look-ups of its card.
   * @returns whether its state changed: false for `sent` forbids to send
   */
  advanceAttempt(attempt: Attempt, progress: AttemptProgress, sentForMs?: number): Promise<boolean>;

  /** Deletes an attempt from which nothing left. Only for its owner, and not once it has an invoice or a refusal. */
  releaseAttempt(attempt: Attempt): Promise<void>;

  /**
   * Bars a key of an order, unless an attempt with it stands: whatever process still holds a request with it, that can
   * neither claim nor send any more. Compare-and-set, and kept for a day: no request waits that long on its way.
   * @returns false: the order has as many barred keys as are kept, and nothing was changed
   */
  barKey(externalId: string, key: string): Promise<boolean>;

  /** Attempts with this key, in any scope. With its order, a key that ended is one, too. */
  findAttempts(key: string, externalId?: string): Promise<readonly RememberedAttempt[]>;

  /** Moves sent attempts whose time ran out on to `unknown`, as {@link advanceAttempt} does. @returns how many */
  expireSent(): Promise<number>;

  /**
   * Called when a charge is unresolved long after it was sent. Queues `outcome_unknown` for the attempt that is `created`
   * with this invoice, unless it was queued for its owner before, or the invoice is paid.
   */
  recordUnresolved(invoice: IssuedInvoice): Promise<void>;

  /**
   * Called when a person found out that an unresolved charge (`unknown`, or `created` and not paid) was not made. Its
   * attempt becomes `refused`, its invoice {@link RememberedInvoice.isReleased} and settled. A Pix code that was its
   * unverified match goes on.
   * @returns whether there was such a charge; false, too, if its invoice is paid
   */
  releaseCard(externalId: string): Promise<boolean>;

  /** Invoices found paid or refused, or released, since then, milliseconds since 1970, by any process. */
  findSettled(sinceMs: number): Promise<readonly string[]>;

  /**
   * Claims invoices whose look-up is due, those due longest first, for `forMs` milliseconds: two processes never get the
   * same one. Each must go through {@link scheduleLookUp} afterwards.
   */
  claimDueLookUps(most: number, forMs: number): Promise<readonly DueInvoice[]>;

  /**
   * Sets when reconciliation looks an invoice up next, milliseconds since 1970; null: never again. Changes nothing for a settled
   * invoice, or if the look-up was hastened after this claim.
   */
  scheduleLookUp(due: DueInvoice, atMs: number | null): Promise<void>;

  /** Lets reconciliation look this invoice up then, unless it is due before, or the invoice is settled. */
  hastenLookUp(invoice: IssuedInvoice, atMs: number): Promise<void>;

  /**
   * A payer is shown this code again: its look-ups begin anew, as those of a new one, unless it is settled. Called after half an
   * hour at the soonest.
   */
  noteShown(invoice: IssuedInvoice): Promise<void>;

  /**
   * Called before a postback is answered: the id it named falls due, and is claimed by the caller for `forMs`
   * milliseconds. An id that waits already begins anew. At most {@link maxNamedPerOrder} of an order wait: one that was
   * looked up makes room for another.
   * @returns null: there was no room
   */
  claimNamed(externalId: string, lookUpId: string, forMs: number): Promise<NamedId | null>;

  /**
   * Claims named ids that are due, as {@link claimDueLookUps} does. Each must go through {@link scheduleNamed}.
   * @param arePaid those of paid invoices, or all others
   */
  claimDueNamed(most: number, forMs: number, arePaid: boolean): Promise<readonly NamedId[]>;

  /**
   * Sets when a named id is looked up next, and its `tries`; null: it is forgotten. Changes nothing if it was named again
   * after this claim.
   */
  scheduleNamed(named: NamedId, atMs: number | null): Promise<void>;

  /**
   * Claims due events of these kinds, oldest first, for `forMs` milliseconds, and counts the try. An event that is not
   * ended by then is due again.
   */
  claimEvents(
    kinds: readonly DeliveryKind[],
    most: number,
    forMs: number,
  ): Promise<readonly ClaimedEvent[]>;

  /** Records how a claimed event's try ended. One that was ended or dropped meanwhile stays so. */
  endEvent(deliveryId: string, outcome: OutboxOutcome): Promise<void>;

  /** @param kinds the events that count: others wait for a hook that the merchant may add; default all */
  readState(kinds?: readonly DeliveryKind[]): Promise<LedgerState>;
}

export { claimedForMs } from '../order/attempts.js';
export { firstLookUpAfterMs } from '../order/invoices.js';
export { maxNamed as maxNamedPerOrder } from '../order/due.js';

/** How long an operator is told of an event that was given up, milliseconds. */
export const deadForMs = 24 * 3_600_000;
