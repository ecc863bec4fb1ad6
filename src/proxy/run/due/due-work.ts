/**
 * Finds, takes and begins due work. Only this file takes work. For each task it searches for as many entries as the task has
 * room for, takes each by a change of its order, and begins it without waiting, so that work that hangs delays only its own
 * task.
 */

import type { Order, Given, Step } from '../../order/order.js';
import { maxNamed, toEntries, type EntryKind } from '../../order/due.js';
import { isNear, isWithin, secondMs } from '../../../domain/spans.js';
import { createRecent, type MerchantCall } from '../../runtime/running.js';
import { isBusy, type Found, type OrderStore } from '../../store/order-store.js';
import type { ShopStore } from '../../store/shop-store.js';
import { Throttled, type EndedCall, type Pace } from '../../outside/service-calls.js';
import type { Failed } from '../../order/times.js';
import { ProxyError } from '../../set-up/proxy-error.js';
import type { Settings } from '../../set-up/options/read-options.js';
import type { FindNamed, CallTerms, LookUps, PostbackWatch } from '../look-up.js';

/** How long a task rests after `later`, milliseconds. */
const laterMs = 1_000;

/**
 * How long an order is skipped after its change failed, milliseconds. `held`: another session has locked its row; a round
 * takes less time than that.
 */
const leftAloneMs = { failed: 5_000, held: 30_000 };

/** From this many due entries on, the latest come first. Fewer are done within a minute or two, oldest first. */
const backlog = 60;

/** After this many batches in which every change failed, a round leaves the task. */
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

/** An entry that this process took. `what`: the result of its task's `take`. */
interface TakenEntry {
  readonly what: unknown;
  readonly entry: Found;
}

interface Running {
  readonly task: Task;
  readonly entry: Found;
  /**
   * The end of the time for which the work was taken. Work of a request or run that was cut off never ends, so it counts only
   * until then.
   */
  readonly untilMs: number;
}

/**
 * Creates the runner of these tasks. `begin` takes due entries and starts them without waiting; the `waitFor` functions wait.
 * The runner knows what is in flight, so that no entry runs twice at once in this process.
 */
// oxlint-disable-next-line max-lines-per-function -- its parts share what they remember
export function createDueWork({ store, tasks, now, onFailure }: DueWorkParts) {
  const running = new Map<Promise<void>, Running>();
  const laterSinceMs = new Map<Task, number>();
  const full = new Set<Task>();
  const closers = new Set<MerchantCall>();
  const stuck = createRecent<{ readonly atMs: number; readonly forMs: number }>(
    Infinity,
    ({ atMs, forMs }) => isNear(atMs, forMs, now()),
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
        // Most of the time nothing is due, so one search for all tasks comes first.
        const search = { kinds: tasks.flatMap((task) => task.kinds), untilMs: now(), most: 1 };
        if ((await store.search(search)).length === 0) return begun;
        for (const task of tasks) await beginTask(task, begun, signal);
      } catch (thrown) {
        onFailure(thrown, 'sweep');
      }
      return begun;
    },

    /** Does the due work of one order, ignoring room. Never rejects. @returns whether anything was begun */
    async runOrder(externalId: string, ofOrder: readonly Task[]): Promise<boolean> {
      try {
        const order = await store.read(externalId);
        const all = order ? ofOrder.flatMap((task) => findDueEntries(order, task)) : [];
        const begun = await Promise.all(all.map(({ task, found }) => takeAndRunEntry(task, found)));
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
      const open = findInFlight();
      // Work that ended may have made more due.
      if (hasEnded) return true;
      if (open.length > 0) await Promise.race(open.map(([work]) => work));
      return open.length > 0;
    },

    /** Resolves when all work has ended, however long it takes, because the process stays until then. */
    waitForAll: () => waitUntilLeft(() => 0),

    /** Resolves when all work has ended, except for hooks that wait for this themselves. */
    async waitForOthers(closer: MerchantCall): Promise<void> {
      closers.add(closer);
      await waitUntilLeft(() => [...closers].filter(({ isOver }) => !isOver).length);
    },

    /** Whether the last round left due work undone, because its task had no room. Rejects if the store does. */
    async isWorkLeft(this: void): Promise<boolean> {
      const all = await Promise.all([...full].map((task) => findFreeEntries(task, 1)));
      return all.flat().length > 0;
    },

    /** Sets the function that is called when a task that had no room has room again. */
    onRoom(tell: () => void): void {
      tellRoom = tell;
    },
  };

  async function waitUntilLeft(count: () => number): Promise<void> {
    while (running.size > count()) await Promise.race(running.keys());
  }

  /**
   * Begins the work of one task until it has no room, nothing more is due, `signal` aborts, or its changes failed
   * `mostFailures` times. Adds what it began to `begun`.
   */
  async function beginTask(
    task: Task,
    begun: Promise<void>[],
    signal?: AbortSignal,
  ): Promise<void> {
    for (let failures = 0; failures < mostFailures;) {
      const some = signal?.aborted ? 'none' : await beginBatch(task, begun);
      if (some === 'none') break;
      if (some === 'failed') failures += 1;
    }
  }

  /**
   * Takes and begins as many entries as the task has room for now, and adds them to `begun`.
   * @returns `none` if the task has nothing more to begin now; `failed` if a change failed and nothing was taken
   */
  async function beginBatch(
    task: Task,
    begun: Promise<void>[],
  ): Promise<'begun' | 'failed' | 'none'> {
    const isLater = isWithin(laterSinceMs.get(task) ?? -Infinity, laterMs, now());
    const most = isLater ? 0 : findRoom(task);
    if (most <= 0) full.add(task);
    if (most <= 0) return 'none';
    full.delete(task);
    const found = await findFreeEntries(task, most);
    const { taken, isFailed } = await takeEntries(task, found);
    begun.push(...taken.map((one) => startEntry(task, one)));
    // If none failed, nothing was due, or other processes took it.
    if (taken.length === 0) return isFailed ? 'failed' : 'none';
    // With fewer entries than room, nothing more was due, so another search would find nothing.
    return found.length < most ? 'none' : 'begun';
  }

  /**
   * Searches for due entries of a task that this process may take: not in flight, and not of an order whose change just
   * failed. In a backlog, most of them are the latest.
   */
  async function findFreeEntries(task: Task, most: number): Promise<readonly Found[]> {
    // The search also finds entries in flight and those of stuck orders, so it has to find that many more.
    const busy = running.size + stuck.values().length * maxNamed;
    const seen = task.isLatestFirst ? Math.max(most, backlog) : most;
    const search = { kinds: task.kinds, untilMs: now(), most: seen + busy };
    const all = await store.search(search);
    const longest = leaveOutBusy(all);
    if (!task.isLatestFirst || all.length < search.most) return longest.slice(0, most);
    // A third of the room is for the entries that wait longest.
    const third = longest.slice(0, Math.ceil(most / 3));
    const latest = await store.search({ ...search, isLatestFirst: true });
    const isOther = (entry: Found) => !third.some((one) => isSameEntry(one, entry));
    return [...third, ...leaveOutBusy(latest).filter(isOther)].slice(0, most);
  }

  /** Leaves out the entries in flight, and those of orders whose change just failed. */
  function leaveOutBusy(found: readonly Found[]): readonly Found[] {
    const inFlight = findInFlight();
    return found.filter(
      (entry) => !isRunning(entry, inFlight) && stuck.get(entry.externalId) === undefined,
    );
  }

  /**
   * Takes these entries all at once. An entry that fails does not hold up the others; its order is left alone for a while.
   */
  async function takeEntries(task: Task, found: readonly Found[]) {
    let thrown: unknown = null;
    const all = found.map((entry) =>
      takeEntry(task, entry).catch((failure: unknown) => {
        const forMs = isBusy(failure) ? leftAloneMs.held : leftAloneMs.failed;
        stuck.set(entry.externalId, { atMs: now(), forMs });
        thrown ??= failure;
        return null;
      }),
    );
    const taken = (await Promise.all(all)).filter((one) => one !== null);
    const isFailed = thrown !== null;
    // A store that is down fails every entry, so one log entry is enough.
    if (isFailed) onFailure(thrown, task.operation);
    return { taken, isFailed };
  }

  /** Finds the entries of an order that this task could take now. */
  function findDueEntries(order: Order, task: Task) {
    return toEntries(order)
      .filter(({ kind, atMs }) => task.kinds.includes(kind) && atMs <= now())
      .map((entry) => ({ task, found: { ...entry, externalId: order.externalId } }));
  }

  /**
   * Takes an entry and waits until its work has ended. Never rejects, so that closing waits for all work even if one piece
   * fails.
   * @returns whether it was taken
   */
  async function takeAndRunEntry(task: Task, entry: Found): Promise<boolean> {
    try {
      // An entry in flight is due again when its work ends.
      const taken = isRunning(entry) ? null : await takeEntry(task, entry);
      if (taken) await startEntry(task, taken);
      return taken !== null;
    } catch (thrown) {
      onFailure(thrown, task.operation);
      return false;
    }
  }

  /** Takes an entry for this process, by a change of its order. @returns null if it is not to be done now */
  async function takeEntry(task: Task, entry: Found): Promise<TakenEntry | null> {
    const { externalId } = entry;
    const step = (order: Order, nowMs: number) => task.take(order, entry, { nowMs });
    const terms = { isRelaxed: task.isRelaxed, isBrief: true };
    const what = await store.change(externalId, step, terms);
    return what === null ? null : { what, entry };
  }

  /** Begins the work of a taken entry, and counts it as in flight until it ends. */
  function startEntry(task: Task, taken: TakenEntry): Promise<void> {
    const work = runEntry(task, taken).finally(() => {
      running.delete(work);
      hasEnded = true;
      if (full.delete(task)) tellRoom();
    });
    running.set(work, { task, entry: taken.entry, untilMs: now() + task.takenForMs });
    return work;
  }

  /**
   * Whether this entry is in flight. A postback may make it due again; then its second work runs after the first, however
   * slow the service is.
   */
  function isRunning(found: Found, inFlight = findInFlight()): boolean {
    return inFlight.some(([, { entry }]) => isSameEntry(entry, found));
  }

  /** Does the work of a taken entry. Never rejects. After `later` the task rests for a second. */
  async function runEntry(task: Task, { what, entry }: TakenEntry): Promise<void> {
    try {
      const outcome = await task.run(what, entry.externalId);
      if (outcome === 'later') laterSinceMs.set(task, now());
    } catch (thrown) {
      onFailure(thrown, task.operation);
    }
  }

  /** How much more of a task may begin now. Behind a task that had no room, only `roomBehind` is left. */
  function findRoom(task: Task): number {
    if (!isBehind(task)) return task.room(countInFlight(({ room }) => room === task.room));
    return task.roomBehind?.(countInFlight((one) => one === task)) ?? 0;
  }

  /** Whether an earlier task with the same room had none left. It goes first. */
  function isBehind(task: Task): boolean {
    const former = tasks.slice(0, tasks.indexOf(task));
    return former.some((one) => one.room === task.room && full.has(one));
  }

  function countInFlight(matches: (task: Task) => boolean): number {
    return findInFlight().filter(([, { task }]) => matches(task)).length;
  }

  function findInFlight() {
    return [...running].filter(([, { untilMs }]) => untilMs > now());
  }
}

function isSameEntry(one: Found, other: Found): boolean {
  return one.externalId === other.externalId && one.id === other.id && one.kind === other.kind;
}

// Tasks
//
// A task is a kind of due work: which entries it searches for, how it takes one, and what it then does.

/** What the look-up tasks need. */
export interface LookUpTaskParts {
  readonly store: ShopStore;
  readonly lookUp: LookUps['lookUp'];
  readonly findNamed: FindNamed;
  readonly settings: Settings;
  readonly postbackWatch: Pick<PostbackWatch, 'areArriving'>;
  readonly pace: Pick<Pace, 'room' | 'tenth' | 'note'>;
  readonly terms: CallTerms;
}

/** `later`: the rate limit had no call left, so the task rests for a second. */
export type TaskOutcome = 'later' | void;

/** The operation's name in the log. */
export type Operation = 'sweep' | 'postback' | 'deliver';

/** A kind of due work. */
export interface Task<Taken = unknown> {
  readonly operation: Operation;
  readonly kinds: readonly EntryKind[];
  /** How much more may begin, with this much in flight. Tasks with the same function share its room. */
  readonly room: (inFlight: number) => number;
  /** How much may begin while an earlier task has no room left, with this much of its own in flight. Absent means nothing. */
  readonly roomBehind?: (inFlight: number) => number;
  /** Whether the latest entries come first in a backlog, because a payer who has just paid waits for them. */
  readonly isLatestFirst?: boolean;
  /** How long taken work belongs to this process, milliseconds. Then it is due again. */
  readonly takenForMs: number;
  /** Whether a power cut of the machine may undo taking it. */
  readonly isRelaxed: boolean;
  /** Takes an entry, so that no other process does. Pure. @returns null if it is not to be done now */
  readonly take: (order: Order, entry: Found, given: Given) => Step<Taken | null>;
  /** Does the work and stores when it is due again. If it rejects, the work is due again once `takenForMs` has passed. */
  readonly run: (taken: Taken, externalId: string) => Promise<TaskOutcome>;
}

/** Checks that `take` and `run` of a task agree on the type of its work, and hides that type from the runner. */
export function toTask<Taken>(task: Task<Taken>): Task {
  return task as Task;
}

/** Turns the error of a look-up into a failure, which was logged already. @throws any other error */
export function toFailed(thrown: unknown): Failed {
  if (!(thrown instanceof ProxyError)) throw thrown;
  const afterMs = (thrown.retryAfterSeconds ?? 0) * secondMs;
  if (thrown instanceof Throttled) return { failed: 'throttled', afterMs };
  return { failed: thrown.code === 'not_found' ? 'not_found' : 'no_answer', afterMs };
}

/** Turns the result of a look-up into an ended call, for the pace. If the service does not know the invoice, it answered. */
export function toEndedCall(found: object | string, beganAtMs: number): EndedCall {
  const { failed, afterMs } = found as Failed;
  return { beganAtMs, afterMs: failed === 'no_answer' ? afterMs : null };
}
