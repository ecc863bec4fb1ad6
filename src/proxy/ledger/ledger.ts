/**
 * What the proxy must remember of orders so that each is one debt, and the merchant hears of each payment. The interface
 * only: `memory.ts` keeps it in process, `ledger/` in a database.
 *
 * Holds no card data, no personal data, no token, no key of the merchant. Each operation is whole by itself (no caller
 * reads, waits and writes back) and durable when it resolves, so that several processes may share a ledger and any of
 * them may die at any point. An operation that rejects may have happened all the same. If all of them die at once with
 * their machine's power, claims, turns, pauses, sends and what was last looked up may be forgotten; never that a card was
 * sent, an invoice, a payment or a delivery.
 */

import type { Method } from '../../contract/types.js';
import type { ClaimedEvent, DeliveryKind, MismatchField } from './outbox-events.js';

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

/** An invoice with what its create answer is made of. */
export interface RememberedInvoice extends IssuedInvoice {
  readonly orderCode: string;
  /** The Pix code. */
  readonly code: string;
  /** The service's word. */
  readonly status: string;
  /** A person found out that this card was not charged: whatever else is wrong with it, it no longer holds the order. */
  readonly isReleased?: true;
  /** Milliseconds since 1970. */
  readonly createdAtMs: number;
}

/** What is known of one order. */
export interface OrderRecord {
  /** Every invoice of the order that was handed out, oldest first. Any of them may be paid. */
  readonly invoices: readonly RememberedInvoice[];
  /** When creations of Pix were sent to the service, milliseconds since 1970, whatever became of them. */
  readonly sentAtMs: readonly number[];
  /** When cards were. */
  readonly cardSentAtMs: readonly number[];
  /** The order's card attempts, oldest first. One at most is not refused. */
  readonly cards: readonly RememberedAttempt[];
  /** The invoice that a look-up found paid. Never taken back. */
  readonly paid: RememberedInvoice | null;
}

/** A request with an idempotency key. */
export interface Attempt {
  readonly key: string;
  /** Digest of what the key is good for: order, order token, method. */
  readonly scope: string;
  readonly externalId: string;
  readonly method: Method;
  /** With the scope, the fingerprint of the request: the total, integer cents, and the instalments. */
  readonly totalCents: number;
  readonly installment: number;
  /** The request that claims it, a random id: whoever lost the claim meanwhile can neither send nor release. */
  readonly holder: string;
}

/**
 * How far an attempt has come. Pix knows `claimed` and `created` only.
 *
 * `claimed`: nothing has left. `sent`: the service may hear of it. `unknown`: it may have charged, and nobody can say;
 * `candidate` is an invoice that may be it. `created`: there is an invoice. `refused`: it ended, and nothing was charged.
 */
export type AttemptProgress =
  | { readonly state: 'claimed' | 'sent' | 'refused' }
  | { readonly state: 'unknown'; readonly candidate: IssuedInvoice | null }
  | { readonly state: 'created'; readonly invoiceId: string };

/** An attempt and how far it has come. */
export type RememberedAttempt = Attempt & { readonly progress: AttemptProgress };

/**
 * `new`: first seen, now in progress. `known`: the same request again. `reused`: the key belongs to another request.
 * `busy`: another card of this order is in flight, pending or unknown.
 */
export type Claim = 'new' | 'known' | 'reused' | 'busy';

/** How a payment was found. */
export interface Payment {
  /** The Pix end-to-end id of the service's answer; null where it gave none. */
  readonly endToEndId: string | null;
}

/** An invoice whose look-up is due although nobody asks. */
export interface DueInvoice extends RememberedInvoice {
  /** The merchant was told, or is about to be, that the deadline passed unpaid. */
  readonly isExpired: boolean;
  /** When its look-up fell due, milliseconds since 1970. */
  readonly dueAtMs: number;
  /** Until when it is this process's, milliseconds since 1970. */
  readonly claimedUntilMs: number;
}

/** What became of a try; a time, milliseconds since 1970, is when the next one is due. */
export type OutboxOutcome = 'delivered' | 'given_up' | { readonly retryAtMs: number };

/** What operators watch. */
export interface LedgerState {
  /** How late the oldest look-up that is due is, milliseconds; 0: none is late. */
  readonly sweepLagMs: number;
  /** Deliveries that are due or being tried, given-up ones left out. */
  readonly undelivered: number;
  /** Attempts whose outcome nobody knows. */
  readonly unknownAttempts: number;
}

/** The record of orders, attempts, invoices and deliveries. */
export interface Ledger {
  /** Other processes may write to it too: their news has to be asked for. */
  readonly isShared: boolean;

  /**
   * Of several processes with pages that wait for one invoice, one looks it up at a time: it claims a pause. Else each
   * of them does, because a claim would cost more than a look-up too many.
   */
  readonly areLookUpsClaimed: boolean;

  /** An unknown order reads as one without invoices. */
  find(externalId: string): Promise<OrderRecord>;

  /** Before a creation is sent. */
  recordSend(externalId: string, method: Method, atMs: number): Promise<void>;

  /**
   * Before an invoice is handed out. In one step with it: its first look-up falls due, a Pix code's `waiting` delivery
   * is queued, and the attempt it answers, if one is given, is `created` with it (forward only, as in
   * {@link advanceAttempt}). An invoice that is known already stays as it is, unless an attempt is given and it is not
   * paid: then it is this attempt's, whatever it was before, and its look-up falls due again.
   */
  recordInvoice(invoice: RememberedInvoice, attempt?: Attempt): Promise<void>;

  /**
   * The same for a new Pix code, where no other process may have recorded one meanwhile: only if the order has `known`
   * invoices, as many as it had when none of them was open.
   * @returns the order as it stands afterwards: with this invoice, if it was recorded
   */
  recordCode(invoice: RememberedInvoice, known: number): Promise<OrderRecord>;

  /**
   * After a look-up said paid and agreed. In one step with it: the `paid` delivery is queued, deliveries of the order
   * that are not through (`waiting`, `lapsed`) are dropped, and no look-up of it falls due any more. The first paid invoice
   * of an order stays the one that paid it; a later one is queued as a duplicate. `late`: a `lapsed` delivery of the order
   * was tried. Total and method of the notice are those of the invoice given: the look-up agreed with them.
   * @returns whether this invoice was not known to be paid
   */
  recordPaid(invoice: RememberedInvoice, payment: Payment): Promise<boolean>;

  /** A look-up said paid, but `field` is not what was created: queues `mismatch`, once for each invoice. */
  recordMismatch(invoice: IssuedInvoice, field: MismatchField): Promise<void>;

  /**
   * The deadline passed and a look-up after it said not paid: queues `lapsed`, once for each invoice, and drops the order's
   * `waiting` deliveries that are not through: nobody should be reminded of a code that lapsed. Nothing is queued, and
   * it may be said again, while the order is paid, has a card that is not refused, or a newer Pix code whose deadline has
   * not passed: the goods are still spoken for.
   */
  recordExpired(invoice: IssuedInvoice): Promise<void>;

  /**
   * One process at a time works on an order's Pix codes. Held until {@link releaseOrderLock}, or for `forMs` milliseconds after its
   * holder took it last.
   * @returns 0: `holder` has the turn now; else how long another one may still have it, milliseconds
   */
  acquireOrderLock(externalId: string, holder: string, forMs: number): Promise<number>;
  releaseOrderLock(externalId: string, holder: string): Promise<void>;

  /**
   * Claims an attempt for `attempt.holder`. A claim lasts {@link claimedForMs}: one that ran out before anything was sent
   * is as if it had never been, in every operation, for its own key (`new` again, for the new holder) and for others.
   */
  claimAttempt(attempt: Attempt): Promise<Claim>;

  /**
   * Takes an attempt on. Only forward: a late word about an earlier state changes nothing. `sent` only for the holder of
   * a claim that still stands, and with `sentForMs`, the time in which its outcome will be recorded. `unknown` queues
   * `outcome_unknown`, once for each holder. A candidate is an invoice of the order from then on, and its look-up falls
   * due: one that was settled and is not paid is open again (not by a late word), another that is known stays what it is.
   * `refused` ends the look-ups of its card. Within its state, an unknown attempt may get another candidate (not none), and
   * a created one another invoice. One that is not known stays so, but for a Pix attempt that is `created`.
   * @returns whether it is in another state now: for `sent`, false forbids to send
   */
  advanceAttempt(attempt: Attempt, progress: AttemptProgress, sentForMs?: number): Promise<boolean>;

  /** Forgets an attempt that ended without a trace. Only for its holder, and not once there is an invoice or a refusal. */
  releaseAttempt(attempt: Attempt): Promise<void>;

  /** Attempts with this key, in any scope. */
  findAttempts(key: string): Promise<readonly RememberedAttempt[]>;

  /** Attempts that were sent and whose time ran out become `unknown`, as {@link advanceAttempt} does it. @returns how many */
  expireSent(): Promise<number>;

  /**
   * A card is still open long after it was sent: queues `outcome_unknown` for the attempt that is `created` with this
   * invoice, unless it was queued for its holder before, or the invoice is paid.
   */
  recordUnresolved(invoice: IssuedInvoice): Promise<void>;

  /**
   * A person found out how an order's card ended that is `unknown`, or `created` and not paid: it was not charged. Its
   * attempt is `refused`, its invoice {@link RememberedInvoice.isReleased} and settled; it stays an invoice of the order. A
   * Pix code that was its candidate goes on.
   * @returns whether there was one; false, too, if its invoice is paid
   */
  releaseCard(externalId: string): Promise<boolean>;

  /** @returns whether nobody claimed this name within the last `pauseMs` milliseconds, in any process */
  passThrottle(name: string, pauseMs: number): Promise<boolean>;

  /** Invoices found paid or refused, or released, since then, milliseconds since 1970, by any process. */
  findSettled(sinceMs: number): Promise<readonly string[]>;

  /**
   * Claims invoices whose look-up is due, those due longest first, for `forMs` milliseconds: two processes never get the
   * same one. Each must go through {@link scheduleLookUp} afterwards.
   */
  claimDueLookUps(most: number, forMs: number): Promise<readonly DueInvoice[]>;

  /**
   * When the next look-up nobody asks for is due, milliseconds since 1970; null: never again. Not for a settled invoice, and
   * not where it is no longer this claim's: somebody hastened it meanwhile.
   */
  scheduleLookUp(due: DueInvoice, atMs: number | null): Promise<void>;

  /** Lets the next look-up nobody asks for fall due then, unless it is due before, or the invoice is settled. */
  hastenLookUp(invoice: IssuedInvoice, atMs: number): Promise<void>;

  /**
   * Claims deliveries of these kinds that are due, oldest first, for `forMs` milliseconds, and counts the try. One that is
   * not ended by then is due again.
   */
  claimEvents(
    kinds: readonly DeliveryKind[],
    most: number,
    forMs: number,
  ): Promise<readonly ClaimedEvent[]>;

  /** Tells what became of a claimed delivery. One that was ended or dropped meanwhile stays so. */
  endEvent(deliveryId: string, outcome: OutboxOutcome): Promise<void>;

  /** @param kinds the deliveries that count: others may have no hook, and wait for one; default all */
  readState(kinds?: readonly DeliveryKind[]): Promise<LedgerState>;

  /** Forgets what has been of no use for long. */
  prune(): Promise<void>;
}

/** How long a claimed attempt stands before it is sent or created, milliseconds. */
export const claimedForMs = 30_000;

/** How soon the first look-up that nobody asks for is due after a creation, milliseconds. */
export const firstLookUpAfterMs = 15_000;
