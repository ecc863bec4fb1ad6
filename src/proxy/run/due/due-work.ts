/**
 * Finds, takes and begins due work. Only this file takes work. For each task it searches for as much as the task has room for,
 * takes each piece by a change of its order, and begins it without waiting, so that work that hangs delays only its own task.
 */

import type { Order, Given, Step } from '../../order/order.js';
import { maxNamed, toEntries } from '../../order/due.js';
import { isNear, isWithin, secondMs } from '../../../domain/spans.js';
import { createRecent } from '../../runtime/running.js';
import type { MerchantCall } from '../../runtime/running.js';
import { isBusy } from '../../store/order-store.js';
import type { Found, OrderStore } from '../../store/order-store.js';
import type { EntryKind } from '../../order/due.js';
import { Throttled } from '../../outside/service-calls.js';
import type { Failed } from '../../order/times.js';
import { ProxyError } from '../../set-up/proxy-error.js';
import type { Settings } from '../../set-up/options/read-options.js';
import type { FindNamed, CallTerms, LookUps, PostbackWatch } from '../look-up.js';
import type { EndedCall, Pace } from './pace.js';

/** How long a task is left alone after it had too much to do, milliseconds. */
const laterMs = 1_000;

/**
 * How long an order is left alone after its change failed, milliseconds. If someone holds its row, that is longer than a round
 * takes.
 */
const leftAloneMs = { failed: 5_000, held: 30_000 };

/** With this many due entries, the latest come first. Fewer are done within a minute or two, in their turn. */
const backlog = 60;

/** How often a round continues with a task although every change of its entries failed. */
const mostFailures = 5;

interface DueWorkParts {
  readonly store: Pick<OrderStore, 'read' | 'search' | 'change'>;
  /** The tasks begin in this order. */
  readonly tasks: readonly Task[];
  readonly now: () => number;
  /** Called when the store or a task failed. */
  readonly onFailure: (thrown: unknown, operation: Operation) => void;
}

const nothing = () => undefined;

interface TakenEntry {
  readonly what: unknown;
  readonly entry: Found;
}

interface Running {
  readonly task: Task;
  readonly entry: Found;
  /** Work of a request or run that was cut off never ends. It counts only for the time it was taken for. */
  readonly untilMs: number;
}

// oxlint-disable-next-line max-lines-per-function -- its parts share what they remember
export function createDueWork({ store, tasks, now, onFailure }: DueWorkParts) {
  const running = new Map<Promise<void>, Running>();
  const laterSinceMs = new Map<Task, number>();
  const full = new Set<Task>();
  const closers = new Set<MerchantCall>();
  const stuck = createRecent<{ readonly atMs: number; readonly forMs: number }>(({ atMs, forMs }) =>
    isNear(atMs, forMs, now()),
  );
  let tellRoom: () => void = nothing;
  let hasEnded = false;

  return {
    /**
     * Begins due work as far as there is room. Never rejects.
     * @param signal once it is aborted, nothing new begins
     * @returns what was begun
     */
    async begin(signal?: AbortSignal): Promise<readonly Promise<void>[]> {
      const begun: Promise<void>[] = [];
      hasEnded = false;
      try {
        // Most of the time nothing is due.
        const search = { kinds: tasks.flatMap((task) => task.kinds), untilMs: now(), most: 1 };
        if ((await store.search(search)).length === 0) return begun;
        for (const task of tasks) await beginAll(task, begun, signal);
      } catch (thrown) {
        onFailure(thrown, 'sweep');
      }
      return begun;
    },

    /** Does the due work of one order, ignoring room. Never rejects. @returns whether anything was begun */
    async runOrder(externalId: string, ofOrder: readonly Task[]): Promise<boolean> {
      try {
        const order = await store.read(externalId);
        const all = order ? ofOrder.flatMap((task) => toDue(order, task)) : [];
        const begun = await Promise.all(all.map(({ task, found }) => takeAndRun(task, found)));
        return begun.includes(true);
      } catch (thrown) {
        onFailure(thrown, 'sweep');
        return false;
      }
    },

    /**
     * Resolves when a piece of work ends, or at once if one ended since the last round or none runs.
     * @returns false if none was running and none had ended
     */
    async waitForAny(): Promise<boolean> {
      const open = inFlight();
      // Work that ended may have made more due.
      if (hasEnded) return true;
      if (open.length > 0) await Promise.race(open.map(([work]) => work));
      return open.length > 0;
    },

    /** Resolves when all work has ended, however long it takes, because the process stays until then. */
    waitForAll: () => waitUntilLeft(() => 0),

    /** Resolves when all work has ended but the hooks that wait for this themselves. */
    async waitForOthers(closer: MerchantCall): Promise<void> {
      closers.add(closer);
      await waitUntilLeft(() => [...closers].filter(({ isOver }) => !isOver).length);
    },

    /** Whether due work was left in the last round because it had no room. Rejects if the store does. */
    async hasLeft(this: void): Promise<boolean> {
      const all = await Promise.all([...full].map((task) => findFree(task, 1)));
      return all.flat().length > 0;
    },

    /** Sets what is called when a task that had no room has room again. */
    onRoom(tell: () => void): void {
      tellRoom = tell;
    },
  };

  async function waitUntilLeft(count: () => number): Promise<void> {
    while (running.size > count()) await Promise.race(running.keys());
  }

  async function beginAll(task: Task, begun: Promise<void>[], signal?: AbortSignal): Promise<void> {
    for (let failures = 0; failures < mostFailures;) {
      const some = signal?.aborted ? 'none' : await beginSome(task, begun);
      if (some === 'none') break;
      if (some === 'failed') failures += 1;
    }
  }

  /** @returns `none` if the task has nothing more to begin now */
  async function beginSome(
    task: Task,
    begun: Promise<void>[],
  ): Promise<'begun' | 'failed' | 'none'> {
    const isLater = isWithin(laterSinceMs.get(task) ?? -Infinity, laterMs, now());
    const most = isLater ? 0 : roomOf(task);
    if (most <= 0) full.add(task);
    if (most <= 0) return 'none';
    full.delete(task);
    const { taken, isFailed } = await takeAll(task, await findFree(task, most));
    begun.push(...taken.map((one) => start(task, one)));
    if (taken.length > 0) return 'begun';
    // If none failed, other processes took them.
    return isFailed ? 'failed' : 'none';
  }

  async function findFree(task: Task, most: number): Promise<readonly Found[]> {
    const busy = running.size + stuck.values().length * maxNamed;
    const seen = task.isLatestFirst ? Math.max(most, backlog) : most;
    const search = { kinds: task.kinds, untilMs: now(), most: seen + busy };
    const all = await store.search(search);
    const isFree = (entry: Found) => !isRunning(entry) && stuck.get(entry.externalId) === undefined;
    const longest = all.filter(isFree);
    if (!task.isLatestFirst || all.length < search.most) return longest.slice(0, most);
    // A third of the room is for the entries that wait longest.
    const third = longest.slice(0, Math.ceil(most / 3));
    const latest = await store.search({ ...search, isLatestFirst: true });
    const isOther = (entry: Found) =>
      isFree(entry) && !third.some((one) => isSameEntry(one, entry));
    return [...third, ...latest.filter(isOther)].slice(0, most);
  }

  /** An entry that fails does not hold up the others. */
  async function takeAll(task: Task, found: readonly Found[]) {
    let thrown: unknown = null;
    const all = found.map((entry) =>
      take(task, entry).catch((failure: unknown) => {
        const forMs = isBusy(failure) ? leftAloneMs.held : leftAloneMs.failed;
        stuck.set(entry.externalId, { atMs: now(), forMs });
        thrown ??= failure;
        return null;
      }),
    );
    const taken = (await Promise.all(all)).filter((one) => one !== null);
    const isFailed = thrown !== null;
    // A store that is down fails every entry; one log entry is enough.
    if (isFailed) onFailure(thrown, task.operation);
    return { taken, isFailed };
  }

  function toDue(order: Order, task: Task) {
    return toEntries(order)
      .filter(({ kind, atMs }) => task.kinds.includes(kind) && atMs <= now())
      .map((entry) => ({ task, found: { ...entry, externalId: order.externalId } }));
  }

  /** Never rejects, so that closing waits for all work even if one piece fails. */
  async function takeAndRun(task: Task, entry: Found): Promise<boolean> {
    try {
      // An entry in flight is due again when it ends.
      const taken = isRunning(entry) ? null : await take(task, entry);
      if (taken) await start(task, taken);
      return taken !== null;
    } catch (thrown) {
      onFailure(thrown, task.operation);
      return false;
    }
  }

  async function take(task: Task, entry: Found): Promise<TakenEntry | null> {
    const { externalId } = entry;
    const step = (order: Order, nowMs: number) => task.take(order, entry, { nowMs });
    const terms = { isRelaxed: task.isRelaxed, isBrief: true };
    const what = await store.change(externalId, step, terms);
    return what === null ? null : { what, entry };
  }

  function start(task: Task, taken: TakenEntry): Promise<void> {
    const work = run(task, taken).finally(() => {
      running.delete(work);
      hasEnded = true;
      if (full.delete(task)) tellRoom();
    });
    running.set(work, { task, entry: taken.entry, untilMs: now() + task.takenForMs });
    return work;
  }

  /** A postback may make work due that is in flight. The second runs after the first, however slow the service is. */
  function isRunning(found: Found): boolean {
    return inFlight().some(([, { entry }]) => isSameEntry(entry, found));
  }

  async function run(task: Task, { what, entry }: TakenEntry): Promise<void> {
    try {
      const outcome = await task.run(what, entry.externalId);
      if (outcome === 'later') laterSinceMs.set(task, now());
    } catch (thrown) {
      onFailure(thrown, task.operation);
    }
  }

  function roomOf(task: Task): number {
    if (!isBehind(task)) return task.room(countInFlight(({ room }) => room === task.room));
    return task.roomBehind?.(countInFlight((one) => one === task)) ?? 0;
  }

  /** Whether an earlier task with the same room had none left. It goes first. */
  function isBehind(task: Task): boolean {
    const former = tasks.slice(0, tasks.indexOf(task));
    return former.some((one) => one.room === task.room && full.has(one));
  }

  function countInFlight(isOf: (task: Task) => boolean): number {
    return inFlight().filter(([, { task }]) => isOf(task)).length;
  }

  function inFlight() {
    return [...running].filter(([, { untilMs }]) => untilMs > now());
  }
}

function isSameEntry(one: Found, other: Found): boolean {
  return one.externalId === other.externalId && one.id === other.id && one.kind === other.kind;
}

// Tasks
//
// A task is a kind of due work: which entries it finds, how it takes one, and what it does.

/** What the look-up tasks need. */
export interface LookUpTaskParts {
  readonly store: OrderStore;
  readonly lookUp: LookUps['lookUp'];
  readonly findNamed: FindNamed;
  readonly settings: Settings;
  readonly postbackWatch: Pick<PostbackWatch, 'areArriving'>;
  readonly pace: Pick<Pace, 'room' | 'tenth' | 'note'>;
  readonly terms: CallTerms;
}

/** `later`: there was too much to do, and the task begins no more before the next round. */
export type TaskOutcome = 'later' | void;

/** The operation's name in the log. */
export type Operation = 'sweep' | 'postback' | 'deliver';

/** A kind of due work. */
export interface Task<Taken = unknown> {
  readonly operation: Operation;
  readonly kinds: readonly EntryKind[];
  /** How much more may begin, with this much in flight. Tasks with the same function share its room. */
  readonly room: (inFlight: number) => number;
  /**
   * How much may begin although an earlier task had no room left, with this much of its own in flight. Absent means nothing.
   */
  readonly roomBehind?: (inFlight: number) => number;
  /** Whether the latest entries come first in a backlog, because a payer who has just paid waits for them. */
  readonly isLatestFirst?: boolean;
  /** How long taken work belongs to this process, milliseconds. Then it is due again. */
  readonly takenForMs: number;
  /** Whether a power cut of the machine may undo taking it. */
  readonly isRelaxed: boolean;
  /** Takes an entry, so that no other process does. Pure. @returns null if it is not to be done now */
  readonly take: (order: Order, entry: Found, given: Given) => Step<Taken | null>;
  /** Does the work and stores when it is due again. If it rejects, the work is due again when its time is over. */
  readonly run: (taken: Taken, externalId: string) => Promise<TaskOutcome>;
}

/** Checks that the parts of a task agree on what is taken. */
export function toTask<Taken>(task: Task<Taken>): Task {
  return task as Task;
}

/** Why a look-up failed. The failure was logged already. @throws anything that is no failure of a look-up */
export function toFailed(thrown: unknown): Failed {
  if (!(thrown instanceof ProxyError)) throw thrown;
  const afterMs = (thrown.retryAfterSeconds ?? 0) * secondMs;
  if (thrown instanceof Throttled) return { failed: 'throttled', afterMs };
  return { failed: thrown.code === 'not_found' ? 'not_found' : 'no_answer', afterMs };
}

/** Makes what the pace has to know of a look-up. That the service does not know the invoice is an answer. */
export function toEndedCall(found: object | string, beganAtMs: number): EndedCall {
  const { failed, afterMs } = found as Failed;
  return { beganAtMs, afterMs: failed === 'no_answer' ? afterMs : null };
}
