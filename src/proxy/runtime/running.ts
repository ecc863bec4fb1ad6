/**
 * How work runs and waits: timers, work in flight, loops, time limits, moments, remembered values, the merchant's calls, and
 * waiting lines.
 */

/** Starts a timer, and returns the function that stops it. */
export type StartTimer = (run: () => void, delayMs: number) => () => void;

/** Uses the runtime's own timers. */
export function startTimeout(run: () => void, delayMs: number): () => void {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}

const nothing = () => undefined;

/** A wait that can be cut short. */
export type Pause = ReturnType<typeof startPause>;

/** Starts a pause. @returns `over` resolves after this time, when `end` is called, or when the signal aborts */
export function startPause(startTimer: StartTimer, forMs: number, signal?: AbortSignal) {
  let end: () => void = nothing;
  const over = new Promise<void>((resolve) => {
    end = () => {
      stopTimer();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const stopTimer = startTimer(end, forMs);
    signal?.addEventListener('abort', end);
  });
  return { over, end };
}

/** Keeps track of work in flight, so that closing can wait for it. */
export function createInFlight() {
  const running = new Set<Promise<unknown>>();
  let isClosing = false;

  return {
    isClosing: () => isClosing,

    /** Tracks work, and returns the same promise. Work that begins during `close` is waited for too. */
    track<T>(this: void, work: Promise<T>): Promise<T> {
      running.add(work);
      const end = () => void running.delete(work);
      work.then(end, end);
      return work;
    },

    /** Sets `isClosing`. Resolves when all work has ended, failed or not. */
    async close(this: void): Promise<void> {
      isClosing = true;
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

/** A job that runs at intervals, never twice at the same time. */
export type JobLoop = ReturnType<typeof startJobLoop>;

/**
 * Starts a job.
 * @param run gets a signal that aborts when the loop is closed; must not reject
 * @param times milliseconds until the first run, and after the end of each
 */
export function startJobLoop(
  run: (signal: AbortSignal) => Promise<unknown>,
  { firstMs, everyMs }: Readonly<Record<'firstMs' | 'everyMs', number>>,
  startTimer: StartTimer,
) {
  const closing = new AbortController();
  const { signal } = closing;
  let running: Promise<void> | null = null;
  let isWantedAgain = false;
  let stopTimer = startTimer(begin, firstMs);

  return {
    /** Runs the job now, or once more after the current run. */
    wake(): void {
      if (running) isWantedAgain = true;
      else begin();
    },
    /** Stops the loop. Resolves when the current run has ended. */
    async close(): Promise<void> {
      closing.abort();
      stopTimer();
      await running;
    },
  };

  function begin(): void {
    if (signal.aborted || running) return;
    stopTimer();
    running = runOnce();
  }

  async function runOnce(): Promise<void> {
    do {
      isWantedAgain = false;
      await run(signal);
    } while (isWantedAgain && !signal.aborted);
    running = null;
    if (!signal.aborted) stopTimer = startTimer(begin, everyMs);
  }
}

/**
 * Runs the merchant's or the store's code with a time limit.
 * @param longestMs milliseconds; a later result is dropped
 * @param toLate makes the error of a late result; a DOMException `TimeoutError` by default
 * @throws that error, and what the code throws
 */
export async function withTimeout<T>(
  startTimer: StartTimer,
  longestMs: number,
  ask: () => Promise<T>,
  toLate: () => Error = toTimeoutError,
): Promise<T> {
  let stopTimer: () => void = nothing;
  const late = new Promise<never>((_resolve, reject) => {
    stopTimer = startTimer(() => reject(toLate()), longestMs);
  });
  try {
    return await Promise.race([ask(), late]);
  } finally {
    stopTimer();
  }
}

function toTimeoutError(): Error {
  return new DOMException("The merchant's code is late", 'TimeoutError');
}

// Moments
//
// Moments tell which of two things in this process came first. A clock cannot tell: after it was set back, an answer from
// before a request would look like the answer to that request.

declare const isMoment: unique symbol;

/** A moment of this process. A later one is a higher number. */
export type Moment = number & { readonly [isMoment]: true };

let last = 0;

/** Makes a moment after all that were made before. */
export function markNow(): Moment {
  last += 1;
  return last as Moment;
}

// Recent values
//
// Remembers values for a while, and a limited number of them if wanted.

/**
 * Remembers values by name while they are fresh; without `isFresh`, as long as there is room.
 * @param most above this, the value that was set longest ago is forgotten
 */
export function createRecent<V>(most: number, isFresh: (value: V) => boolean = () => true) {
  const all = new Map<string, V>();
  return {
    get(name: string): V | undefined {
      const value = all.get(name);
      return value !== undefined && isFresh(value) ? value : undefined;
    },
    /** Sets a value, and forgets the oldest ones that are not fresh, or too many. */
    set(name: string, value: V): void {
      all.delete(name);
      all.set(name, value);
      for (const [oldest, other] of all) {
        if (all.size <= most && isFresh(other)) return;
        all.delete(oldest);
      }
    },
    delete: (name: string) => void all.delete(name),
    /** Oldest first. */
    values: (): readonly V[] => [...all.values()].filter(isFresh),
  };
}

/**
 * Remembers for `forMs` that a name was noted. A clock that is set back meanwhile doubles that time at most.
 * @param most above this, the name that was noted longest ago is forgotten
 */
export function createRecentNames(forMs: number, now: () => number, most = Infinity) {
  const notedAtMs = createRecent<number>(most, (atMs) => Math.abs(now() - atMs) < forMs);
  return {
    has: (name: string): boolean => notedAtMs.get(name) !== undefined,
    note: (name: string): void => notedAtMs.set(name, now()),
  };
}

// Calls from the merchant's code
//
// Tells whether the merchant's own code, for which the proxy waits, is the caller: `runDue` and `close` must not wait for the
// function that calls them. Node, Deno and Bun keep such a context; in other runtimes, its time limit ends the wait.

/** A call of the merchant's code, and whether the proxy no longer waits for it. */
export interface MerchantCall {
  isOver: boolean;
}

const merchantCalls = createCallStorage();
let openCalls = 0;

/** Creates Node's storage of a value that follows a call. @returns null in a runtime without it */
function createCallStorage() {
  const { process } = globalThis as { readonly process?: Partial<typeof globalThis.process> };
  const hooks = process?.getBuiltinModule?.('node:async_hooks');
  return hooks ? new hooks.AsyncLocalStorage<MerchantCall>() : null;
}

/** Runs the merchant's code with a time limit, see {@link withTimeout}. */
export async function callMerchant<T>(
  startTimer: StartTimer,
  longestMs: number,
  ask: () => Promise<T>,
): Promise<T> {
  const call: MerchantCall = { isOver: false };
  openCalls += 1;
  try {
    const run = () => (merchantCalls ? merchantCalls.run(call, ask) : ask());
    return await withTimeout(startTimer, longestMs, run);
  } finally {
    // A timer that the merchant's code sets runs later, and is not part of this call.
    call.isOver = true;
    openCalls -= 1;
    if (openCalls === 0) turnStorageOff();
  }
}

/**
 * Turns the storage off until the next call, which turns it on. While it is on, Node 20 and 22 follow every promise of the
 * process, and a look-up costs a fifth more.
 */
function turnStorageOff(): void {
  try {
    merchantCalls?.disable();
  } catch {
    // Cloudflare Workers have no `disable`, and follow no promise.
  }
}

/** Finds the merchant's code that calls now. @returns null if none does, or it has ended */
export function findCallingMerchant(): MerchantCall | null {
  const call = merchantCalls?.getStore();
  return call && !call.isOver ? call : null;
}

// Waiting lines
//
// Changes of one order wait here without a database connection, so that other orders get one. So do calls for which no
// connection is free.

/** Longest wait in a line, milliseconds. A page waits longer, so it still gets the answer that says when to ask again. */
const patienceMs = 10_000;

/**
 * Waits in the line of this name, and runs the work when a place is free.
 * @param isFirst goes to the front of the line, because a payment that has begun must not wait for new ones
 * @throws the error of `toBusy` after too long a wait; then the work was not run
 */
type InLine = <T>(name: string, work: () => Promise<T>, isFirst?: boolean) => Promise<T>;

type Waiting = (() => void)[];

/**
 * Creates waiting lines.
 * @param places how many run at a time in each line
 * @param toBusy makes the error for work that waited too long
 */
export function createWaitingLines(places: number, toBusy: () => Error): InLine {
  const lines = new Map<string, { inside: number; first: Waiting; others: Waiting }>();

  return async function inLine(name, work, isFirst = false) {
    const line = lines.get(name) ?? { inside: 0, first: [], others: [] };
    lines.set(name, line);
    const sinceMs = performance.now();
    if (line.inside < places) line.inside += 1;
    else await new Promise<void>((enter) => (isFirst ? line.first : line.others).push(enter));
    try {
      if (performance.now() - sinceMs > patienceMs) throw toBusy();
      return await work();
    } finally {
      const enter = line.first.shift() ?? line.others.shift();
      // The next caller in the line takes this place.
      if (enter) enter();
      else if ((line.inside -= 1) === 0) lines.delete(name);
    }
  };
}
