/**
 * Where orders are kept: read, changed one at a time, and found by what falls due. All that a further database has to do; no
 * rule stands here. `memory/` keeps them in the process, `sql/` in a database.
 *
 * A change is atomic, and durable when it resolves, so that several processes may share a store and any of them may die at any
 * point. One that rejects may have happened all the same.
 */

import type { Entry, Kind } from '../order/due/entries.js';
import type { Order } from '../order/order.js';

/** By what a store knows its shop. Another process, and new secrets, are of the same one. */
export interface Owner {
  readonly serviceUrl: string;
  readonly publicUrl: string;
}

/** An entry, and whose it is. */
export interface Found extends Entry {
  readonly externalId: string;
}

/** Which entries are wanted. */
export interface Search {
  readonly kinds: readonly Kind[];
  /** `atMs` at this time or later. */
  readonly fromMs?: number;
  /** `atMs` at this time or earlier. */
  readonly untilMs?: number;
  /** `rank` of at most this. Costs what the kinds hold: for counting, and not each second. */
  readonly untilRank?: number;
  /** The first of them. */
  readonly most: number;
  /** Those of the latest time come first. */
  readonly isLatestFirst?: boolean;
}

/** Entries that were counted. */
export interface Counted {
  readonly count: number;
  /** The lowest rank of them; null: there are none. */
  readonly rank: number | null;
}

/** A pure step: the order after it, the same object if nothing changed, null if it is forgotten; and what is answered. */
type OrderStep<T> = (order: Order, nowMs: number) => readonly [order: Order | null, answer: T];

export interface OrderStore {
  /** Whether other processes may write to it too: a change feed asks for their changes. */
  readonly isShared: boolean;

  /**
   * Whether one process at a time looks up an invoice that pages wait for, by passing a throttle. Otherwise each process
   * does: the throttle would cost more than a second look-up.
   */
  readonly throttlesLookUps: boolean;

  /** The clock of all who share it, milliseconds since 1970: a proxy that is given none of its own goes by it. */
  readonly now: () => number;

  /** @returns null: it is not known */
  read(externalId: string): Promise<Order | null>;

  /**
   * Runs a step on the order, an empty one if none is known, while no one else can, and writes what it returns with its
   * entries in one transaction. The step may run more than once, and must be pure. The same object back: nothing is written.
   * @param terms `isRelaxed`: may be lost in a power cut of the whole machine. `isBrief`: rejects soon where another holds the
   *   order's row, for it can be done later
   */
  change<T>(
    externalId: string,
    step: OrderStep<T>,
    terms?: { readonly isRelaxed?: boolean; readonly isBrief?: boolean },
  ): Promise<T>;

  /** Entries by kind, then time, then rank. It costs what is found, however many are kept. */
  search(search: Search): Promise<readonly Found[]>;

  /** Counts what `search` finds. */
  count(search: Search): Promise<Counted>;

  /**
   * What one process makes for all: made anew where what is known is older.
   * @param everyMs milliseconds
   * @param make its answer is JSON
   */
  share<T>(name: string, everyMs: number, make: () => Promise<T>): Promise<T>;

  /** @returns whether no process passed this throttle within the last `pauseMs` milliseconds; then this one has */
  passThrottle(name: string, pauseMs: number): Promise<boolean>;

  /**
   * Whose the store is: runs a step on the shop that it knows, null if none has used it, and keeps what that returns.
   * @returns whose it is afterwards
   */
  claim(step: (known: Owner | null) => Owner): Promise<Owner>;

  /**
   * Deletes orders whose time (`forgetAtMs`) had passed at the last pruning, if that was a day ago, and throttles of yesterday,
   * some at a time.
   */
  prune(): Promise<void>;

  /** Lets go of the database, once what is in flight has ended. What is asked of it afterwards fails. */
  close(): Promise<void>;
}
