/**
 * Where orders are kept: read, changed one at a time, and found by what falls due. All that a further database has to do; no
 * rule stands here. `memory/` keeps them in the process, `sql/` in a database.
 *
 * A change is atomic, and durable when it resolves, so that several processes may share a store and any of them may die at any
 * point. One that rejects may have happened all the same.
 */

import type { Entry, EntryKind, ForgetAnswer } from '../order/due.js';
import type { Order, Given, Step } from '../order/order.js';
import { emptyOrder, toStep } from '../order/order.js';
import { tryForget } from '../order/due.js';
import { dayMs } from '../../domain/spans.js';

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
  readonly kinds: readonly EntryKind[];
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
export type OrderStep<T> = (
  order: Order,
  nowMs: number,
) => readonly [order: Order | null, answer: T];

/** How a change is written. */
export interface ChangeTerms {
  /** A power cut of the whole machine may undo it. Default: false. */
  readonly isRelaxed?: boolean;
  /** It rejects soon where another process holds the order's row, because it can be done later. Default: false. */
  readonly isBrief?: boolean;
}

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
   */
  change<T>(externalId: string, step: OrderStep<T>, terms?: ChangeTerms): Promise<T>;

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

// The one error a ledger rejects with. Made fresh: never a driver's message, its SQL, its parameters or its address. Only
// the path of a file that cannot be opened is named.

/** What to do about a code that is ours. */
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
  /** The driver's own code, such as an SQLSTATE, where it has one. */
  readonly code?: string;

  /** @param about more than its code says: the file that could not be opened and why, or what to do */
  constructor(code?: string, about?: string) {
    const more = code === undefined ? undefined : (advice[code] ?? code);
    super(['the ledger failed', more, about].filter(Boolean).join(': '));
    if (code !== undefined) this.code = code;
  }
}

/**
 * Whether the database is well and had no time: nothing happened, and a later try may do. `BUSY` is a line of this process
 * that was too long, `55P03` a row that PostgreSQL waited for.
 */
export function isBusy(thrown: unknown): boolean {
  return thrown instanceof LedgerError && /^(?:SQLITE_)?BUSY|^55P03$/.test(thrown.code ?? '');
}

/** The error of a call that waited for too long in a line of this process. */
export const toBusyError = () => new LedgerError('BUSY');

// How callers tell a store what happened to an order.

/** Tells an order what happened, a fact of `order/`. @returns the fact's answer, once what it changed is durable */
export function record<What, After extends Order | Step<unknown>>(
  store: Pick<OrderStore, 'change'>,
  externalId: string,
  fact: (order: Order, what: What, given: Given) => After,
  what: What,
  terms?: { readonly isRelaxed?: boolean },
) {
  return store.change(externalId, (order, nowMs) => toStep(fact(order, what, { nowMs })), terms);
}

/** An order as it stands, empty if nothing is known of it. */
export async function readOrder(
  store: Pick<OrderStore, 'read'>,
  externalId: string,
): Promise<Order> {
  return (await store.read(externalId)) ?? emptyOrder(externalId);
}

// Deletes one order because a person asked for it.

export async function forgetOrder(
  store: Pick<OrderStore, 'read' | 'change'>,
  externalId: string,
): Promise<ForgetAnswer> {
  if (!(await store.read(externalId))) return { forgotten: false, reason: 'unknown_order' };
  return store.change(externalId, (order, nowMs) => tryForget(order, { nowMs }));
}

// When a store may delete: what was old at two prunings a day apart. A clock that is ahead for a moment deletes nothing.

/** How far apart two prunings have to be, milliseconds. */
const pruningsApartMs = dayMs;

/** When a store was pruned last, by its own clock, milliseconds since 1970. */
export interface Pruned {
  readonly atMs: number;
}

/**
 * @param known null: it was never pruned
 * @returns what is remembered from now on; and before what time an order's own has to have passed, null: nothing is deleted now
 */
export function toPruning(
  known: Pruned | null,
  nowMs: number,
): { readonly pruned: Pruned; readonly beforeMs: number | null } {
  // A pruning that lies ahead was one by a clock that was wrong: it begins anew.
  if (known === null || known.atMs > nowMs) return { pruned: { atMs: nowMs }, beforeMs: null };
  if (nowMs - known.atMs < pruningsApartMs) return { pruned: known, beforeMs: null };
  return { pruned: { atMs: nowMs }, beforeMs: known.atMs };
}

// The part of a store that merchants see.

/** Where a proxy keeps its orders: made by `openLedger`, and opaque. Close it yourself, after the proxy. */
export interface Ledger {
  /** Lets go of the database, once what is in flight has ended. What is asked of the ledger afterwards fails. */
  close(): Promise<void>;
}
