/**
 * The interface of a store: it reads an order, changes one at a time, and finds orders by their entries. A further database
 * implements this interface without knowing any rule of orders. `memory-store.ts` keeps orders in the process, `sql/` in a
 * database.
 *
 * A change is atomic. In a database it is durable when it resolves, unless it is relaxed, so that several processes can
 * share a store and any of them may die at any point. A change that rejects may have happened all the same.
 */

import { createEmptyOrder, toStep, type Order, type Given, type Step } from '../order/order.js';
import { tryForget, type Entry, type EntryKind, type ForgetAnswer } from '../order/due.js';
import { dayMs } from '../../domain/spans.js';

/**
 * The addresses by which a store recognises its shop. They are the same for all its processes, and after a change of the
 * secrets.
 */
export interface Owner {
  readonly serviceUrl: string;
  readonly publicUrl: string;
}

/** An entry with its order. */
export interface Found extends Entry {
  readonly externalId: string;
}

export interface Search {
  readonly kinds: readonly EntryKind[];
  /** `atMs` at this time or later. */
  readonly fromMs?: number;
  /** `atMs` at this time or earlier. */
  readonly untilMs?: number;
  /** `rank` of at most this. The store then reads all entries of these kinds, so use it only for a count once a minute. */
  readonly untilRank?: number;
  /** How many to find at most. */
  readonly most: number;
  /** Whether the latest come first. */
  readonly isLatestFirst?: boolean;
}

export interface Counted {
  readonly count: number;
  /** The lowest rank; null if there are no entries. */
  readonly rank: number | null;
}

/** A pure step. It returns the order after it (the same object if nothing changed, null to delete it) and an answer. */
export type OrderStep<T> = (
  order: Order,
  nowMs: number,
) => readonly [order: Order | null, answer: T];

export interface ChangeTerms {
  /** Whether a power cut of the machine may undo the change. Default: false. */
  readonly isRelaxed?: boolean;
  /**
   * Whether the change rejects soon if another process holds the order's row, because it can be repeated later. Default:
   * false.
   */
  readonly isBrief?: boolean;
}

export interface OrderStore {
  /** Whether other processes may write to the store, so that a change feed has to search for their changes. */
  readonly isShared: boolean;

  /**
   * Whether a throttle lets only one process at a time look up an invoice that pages wait for. Otherwise each process looks
   * up, because the throttle would cost more than a second look-up.
   */
  readonly throttlesLookUps: boolean;

  /** The clock of all processes that share the store, milliseconds since 1970. A proxy without a clock of its own uses it. */
  readonly now: () => number;

  /** Reads an order. @returns null if it is unknown */
  read(externalId: string): Promise<Order | null>;

  /**
   * Runs a step on the order (an empty one if it is unknown) and writes the result with its entries in one transaction. If
   * another writer is first, the step runs again, so it must be pure. If it returns the same object, nothing is written.
   */
  change<T>(externalId: string, step: OrderStep<T>, terms?: ChangeTerms): Promise<T>;

  /**
   * Finds entries, sorted by kind, then time, then rank. The cost depends on how many it finds, not on how many the store
   * has.
   */
  search(search: Search): Promise<readonly Found[]>;

  /** Counts the entries that `search` finds. */
  count(search: Search): Promise<Counted>;

  /**
   * Shares a value among processes. If the known value is older than `everyMs` milliseconds, one of them makes a new one.
   * @param make its result must be JSON
   */
  share<T>(name: string, everyMs: number, make: () => Promise<T>): Promise<T>;

  /**
   * Passes a throttle if no process did so within the last `pauseMs` milliseconds. @returns whether this process passed it
   */
  passThrottle(name: string, pauseMs: number): Promise<boolean>;

  /**
   * Claims the store for a shop. The step gets the shop that the store knows, or null, and returns the one to keep.
   * @returns the shop that the store belongs to afterwards
   */
  claim(step: (known: Owner | null) => Owner): Promise<Owner>;

  /**
   * Deletes old throttles and, if the last pruning was a day ago, the orders whose time (`toForgetAtMs`) had already passed
   * then.
   */
  prune(): Promise<void>;

  /** Closes the database once all calls in flight have ended. Later calls fail. */
  close(): Promise<void>;
}

// The only error that a ledger rejects with. It contains no message of the driver, no SQL, no parameter and no address, only
// the path of a file that cannot be opened.

/** What to do about each of our own codes. */
const advice: Readonly<Record<string, string>> = {
  IN_USE: 'a process runs with it, or did within two minutes: end them all, and wait',
  NOT_EMPTY: 'there are orders in it',
  NEWER_TABLES:
    'a newer version of pix-checkout has changed its tables, which this one would spoil: run that version',
  OLDER_TABLES:
    'its tables are of an earlier version: start the proxy with this one once, which brings them along',
};

/** The ledger cannot be reached, or refused. The operation may have happened all the same. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError';
  /** The driver's code, such as an SQLSTATE, if there is one. */
  readonly code?: string;

  /** Makes the error. @param about more than the code says, such as why a file could not be opened */
  constructor(code?: string, about?: string) {
    const more = code === undefined ? undefined : (advice[code] ?? code);
    super(['the ledger failed', more, about].filter(Boolean).join(': '));
    if (code !== undefined) this.code = code;
  }
}

/**
 * Whether the database was only busy: nothing was changed, and a later try may succeed. `BUSY` means that the waiting line of
 * this process was too long, `55P03` that PostgreSQL waited too long for a row.
 */
export function isBusy(thrown: unknown): boolean {
  return thrown instanceof LedgerError && /BUSY|^55P03$/.test(thrown.code ?? '');
}

/** The error of a call that waited too long in a line of this process. */
export const toBusyError = () => new LedgerError('BUSY');

/** Records a fact of `order/` in an order. @returns the fact's answer, once the change is stored */
export function record<What, After extends Order | Step<unknown>>(
  store: Pick<OrderStore, 'change'>,
  externalId: string,
  fact: (order: Order, what: What, given: Given) => After,
  what: What,
  terms?: { readonly isRelaxed?: boolean },
) {
  return store.change(externalId, (order, nowMs) => toStep(fact(order, what, { nowMs })), terms);
}

/** Reads an order. @returns an empty one if it is unknown */
export async function readOrder(
  store: Pick<OrderStore, 'read'>,
  externalId: string,
): Promise<Order> {
  return (await store.read(externalId)) ?? createEmptyOrder(externalId);
}

/** Deletes an order because a person asked for it, unless it has to stay. @returns the reason if it stays */
export async function forgetOrder(
  store: Pick<OrderStore, 'read' | 'change'>,
  externalId: string,
): Promise<ForgetAnswer> {
  if (!(await store.read(externalId))) return { forgotten: false, reason: 'unknown_order' };
  return store.change(externalId, (order, nowMs) => tryForget(order, { nowMs }));
}

// Pruning

/**
 * The time between two prunings, milliseconds. A store deletes an order only if its time had passed at two prunings this
 * far apart, so that a clock that is ahead for a moment deletes nothing.
 */
const pruningsApartMs = dayMs;

/** When a store was pruned last, by its own clock. */
export interface Pruned {
  readonly atMs: number;
}

/**
 * Decides whether a pruning deletes orders now.
 * @param known the last pruning; null if the store was never pruned
 * @returns the pruning to remember, and the time before which an order's `forgetAtMs` must lie; null if none is deleted now
 */
export function toPruning(
  known: Pruned | null,
  nowMs: number,
): { readonly pruned: Pruned; readonly beforeMs: number | null } {
  // A pruning that lies in the future had a wrong clock, and does not count.
  if (known === null || known.atMs > nowMs) return { pruned: { atMs: nowMs }, beforeMs: null };
  if (nowMs - known.atMs < pruningsApartMs) return { pruned: known, beforeMs: null };
  return { pruned: { atMs: nowMs }, beforeMs: known.atMs };
}

// The part of a store that merchants see.

/**
 * Where a proxy keeps its orders. `openLedger` makes one, and its contents are private. Close it yourself, after the proxy.
 */
export interface Ledger {
  /** Closes the database once all calls in flight have ended. Later calls fail. */
  close(): Promise<void>;
}
