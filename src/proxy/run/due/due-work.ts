/**
 * Takes what is due, here and nowhere else. For each kind of work it searches for as many as the kind has room for, takes each
 * by a change of its order, and begins it without waiting: work that hangs delays only its own kind. Knows no kind.
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

/** How long a kind of which there were too many is left alone, milliseconds. */
const laterMs = 1_000;

/** How long an order that could not be changed is left alone, milliseconds: where someone holds its row, for longer than a round takes. */
const leftAloneMs = { failed: 5_000, held: 30_000 };

/** From so much that is due on, what fell due last comes first: less is done in a minute or two, each in its turn. */
const backlog = 60;

/** How often in a round a kind is gone on with of which all that were to begin could not be changed. */
const mostFailures = 5;

interface DueWorkParts {
  readonly store: Pick<OrderStore, 'read' | 'search' | 'change'>;
  /** In the order in which they begin. */
  readonly tasks: readonly Task[];
  readonly now: () => number;
  /** Called with the failure of a store, or of a task. */
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
  /** Where a request or a run was cut off, its work never ends: it counts no longer than it was taken for. */
  readonly untilMs: number;
}

/** Makes what begins due work. */
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
     * Begins what is due, as far as there is room. Never rejects.
     * @param signal aborted: nothing new is begun
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

    /** Begins and does what is due of one order, whatever room there is. Never rejects. @returns whether anything was begun */
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

    /** Resolves when one of what is in flight has ended since the last round began; at once, if nothing is. @returns whether anything was */
    async waitForAny(): Promise<boolean> {
      const open = inFlight();
      // What ended since the last round began may have made more due.
      if (hasEnded) return true;
      if (open.length > 0) await Promise.race(open.map(([work]) => work));
      return open.length > 0;
    },

    /** Resolves when all that was begun has ended, however long it takes: the process stays until then. */
    waitForAll: () => waitUntilLeft(() => 0),

    /** The same for a hook that closes: resolves when all but those hooks have ended that wait for this, too. */
    async waitForOthers(closer: MerchantCall): Promise<void> {
      closers.add(closer);
      await waitUntilLeft(() => [...closers].filter(({ isOver }) => !isOver).length);
    },

    /** Whether something was left in the last round because there was no room for it. Rejects where the store does. */
    async hasLeft(this: void): Promise<boolean> {
      const all = await Promise.all([...full].map((task) => findFree(task, 1)));
      return all.flat().length > 0;
    },

    /** Called when there is room again for a kind that had none left. */
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

  /** @returns `none`: there is no more of it to begin now */
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
    // Else others were first: they are at it.
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
    // A third of the room is for what waits longest.
    const third = longest.slice(0, Math.ceil(most / 3));
    const latest = await store.search({ ...search, isLatestFirst: true });
    const isOther = (entry: Found) =>
      isFree(entry) && !third.some((one) => isSameEntry(one, entry));
    return [...third, ...latest.filter(isOther)].slice(0, most);
  }

  /** One that fails keeps no other waiting. */
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
    // When all fail, once says it.
    if (isFailed) onFailure(thrown, task.operation);
    return { taken, isFailed };
  }

  function toDue(order: Order, task: Task) {
    return toEntries(order)
      .filter(({ kind, atMs }) => task.kinds.includes(kind) && atMs <= now())
      .map((entry) => ({ task, found: { ...entry, externalId: order.externalId } }));
  }

  /** Never rejects: none is left behind where another fails, because who closes waits for all. */
  async function takeAndRun(task: Task, entry: Found): Promise<boolean> {
    try {
      // What is in flight is due again when it ends.
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

  /** A postback may make due what is in flight: one after the other, however slow the service is. */
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

  /** One of those with whom it shares its room had none left: they go first. */
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

// A kind of work that falls due: what it is found by, how it is taken, and what is done.

/** What is looked up by itself needs. */
export interface LookUpTaskParts {
  readonly store: OrderStore;
  readonly lookUp: LookUps['lookUp'];
  readonly findNamed: FindNamed;
  readonly settings: Settings;
  readonly postbackWatch: Pick<PostbackWatch, 'areArriving'>;
  readonly pace: Pick<Pace, 'room' | 'tenth' | 'note'>;
  readonly terms: CallTerms;
}

/** `later`: there are too many now, and no more of its kind begins before the next round. */
export type TaskOutcome = 'later' | void;

/** What the log calls it. */
export type Operation = 'sweep' | 'postback' | 'deliver';

/** A kind of work. */
export interface Task<Taken = unknown> {
  readonly operation: Operation;
  readonly kinds: readonly EntryKind[];
  /** How many more may begin now, with so many in flight. Tasks with the same function share it. */
  readonly room: (inFlight: number) => number;
  /** How many may begin, with so many of its own in flight, although a task before it had none of the room left. Default: none. */
  readonly roomBehind?: (inFlight: number) => number;
  /** In a backlog what fell due last comes first: a payer who has just paid waits for it. */
  readonly isLatestFirst?: boolean;
  /** How long what was taken is this process's, milliseconds. Then it is due again. */
  readonly takenForMs: number;
  /** May be lost in a power cut of the whole machine. */
  readonly isRelaxed: boolean;
  /** Takes it, so that no other process does. Pure. @returns null: it is not to be done now */
  readonly take: (order: Order, entry: Found, given: Given) => Step<Taken | null>;
  /** Does it, and writes down when it falls due again. May reject: then it is due again when its time is over. */
  readonly run: (taken: Taken, externalId: string) => Promise<TaskOutcome>;
}

/** A task whose parts agree on what is taken. */
export function toTask<Taken>(task: Task<Taken>): Task {
  return task as Task;
}

/** Why a look-up did not tell; it is in the log already. @throws what is no failure of a look-up */
export function toFailed(thrown: unknown): Failed {
  if (!(thrown instanceof ProxyError)) throw thrown;
  const afterMs = (thrown.retryAfterSeconds ?? 0) * secondMs;
  if (thrown instanceof Throttled) return { failed: 'throttled', afterMs };
  return { failed: thrown.code === 'not_found' ? 'not_found' : 'no_answer', afterMs };
}

/** What the pace hears of a look-up. An invoice that the service does not know is an answer. */
export function toEndedCall(found: object | string, beganAtMs: number): EndedCall {
  const { failed, afterMs } = found as Failed;
  return { beganAtMs, afterMs: failed === 'no_answer' ? afterMs : null };
}
