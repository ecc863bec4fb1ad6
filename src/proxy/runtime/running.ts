/** How work runs: in flight, so that closing can wait for it; in a loop; with a time limit. And how it waits. */

/** Starts a timer and returns what stops it. */
export type StartTimer = (run: () => void, delayMs: number) => () => void;

/** By the runtime's own timers. */
export function startTimeout(run: () => void, delayMs: number): () => void {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}

const nothing = () => undefined;

/** A wait that may be cut short. */
export type Pause = ReturnType<typeof startPause>;

/** @returns `over` resolves after this time, once `end` is called, or when the signal aborts */
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

/** Work in flight. */
export function createInFlight() {
  const running = new Set<Promise<unknown>>();
  let isClosing = false;

  return {
    isClosing: () => isClosing,

    /** Returns the promise it was given. Work that begins while it is closing is waited for too. */
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
 * Runs code of others, the merchant's or the store's, with a time limit.
 * @param longestMs milliseconds; a later result is dropped
 * @param toLate makes the error of a late result; default: a DOMException `TimeoutError`
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

// Counts the moments of this process, to tell which came first. No clock can: if someone sets it back, or it stands still, an
// answer from before a request would seem to be the answer to that request.

declare const isMoment: unique symbol;

/** A moment of this process. A later one is a higher number. */
export type Moment = number & { readonly [isMoment]: true };

let last = 0;

/** A moment after all that were marked before. */
export function markNow(): Moment {
  last += 1;
  return last as Moment;
}

// Values that one process remembers for a while, and on request at most so many: the one set longest ago goes first.

/**
 * Values by name. One that is not fresh any more is as if it had never been set.
 * @param most above, the one that was set longest ago is forgotten
 */
export function createRecent<V>(isFresh: (value: V) => boolean, most = Infinity) {
  const all = new Map<string, V>();
  return {
    get(name: string): V | undefined {
      const value = all.get(name);
      return value !== undefined && isFresh(value) ? value : undefined;
    },
    /** Forgets the oldest ones that are not fresh, or are too many. */
    set(name: string, value: V): void {
      all.delete(name);
      all.set(name, value);
      for (const [oldest, other] of all) {
        if (all.size <= most && isFresh(other)) return;
        all.delete(oldest);
      }
    },
    delete: (name: string) => void all.delete(name),
    /** The oldest first. */
    values: (): readonly V[] => [...all.values()].filter(isFresh),
  };
}

// Tells whether a call of the proxy comes from the merchant's own code, which the proxy waits for: `runDue` and `close` must not
// wait for their caller. Node, Deno and Bun keep such a context; where a platform has none, the time limit of a hook ends the wait.

export interface MerchantCall {
  isOver: boolean;
}

const merchantCalls = findContext();

function findContext() {
  const { process } = globalThis as { readonly process?: Partial<typeof globalThis.process> };
  const hooks = process?.getBuiltinModule?.('node:async_hooks');
  return hooks ? new hooks.AsyncLocalStorage<MerchantCall>() : null;
}

/** Runs the merchant's own code, with a time limit: see {@link withTimeout}. */
export async function callMerchant<T>(
  startTimer: StartTimer,
  longestMs: number,
  ask: () => Promise<T>,
): Promise<T> {
  const call: MerchantCall = { isOver: false };
  try {
    const run = () => (merchantCalls ? merchantCalls.run(call, ask) : ask());
    return await withTimeout(startTimer, longestMs, run);
  } finally {
    // A timer that the merchant's code has set comes from outside.
    call.isOver = true;
  }
}

/** The merchant's code that calls now, if it has not ended; null: none does. */
export function findCallingMerchant(): MerchantCall | null {
  const call = merchantCalls?.getStore();
  return call && !call.isOver ? call : null;
}

// Waiting lines of one process. A crowd that pays one order waits here without a connection, so that other orders get theirs.
// While the database is slow, other work gets a turn between two steps.

/** Longest wait in a line, milliseconds. A page gives up later than that, so it still hears when to ask again. */
const patienceMs = 10_000;

/**
 * Waits in the line of that name, and runs work when a place is free.
 * @param isFirst goes to the front of the line: a payment that has begun must not wait for those of a crowd that begin
 * @throws what `toBusy` makes if it waited for too long; the work was not run
 */
type InLine = <T>(name: string, work: () => Promise<T>, isFirst?: boolean) => Promise<T>;

type Waiting = (() => void)[];

/**
 * @param places how many run at a time, of one name
 * @param toBusy makes the error of work that waited for too long
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
      // The next one in the line gets this place.
      if (enter) enter();
      else if ((line.inside -= 1) === 0) lines.delete(name);
    }
  };
}

/** How long one turn lasts, milliseconds. A step that has begun is not cut short. */
const turnMs = 10;

export function createTurns() {
  let endsAtMs = -Infinity;
  let next: Promise<void> | null = null;

  /** Resolves at once while the turn lasts, else once all else that waited has run. */
  return async function ownTurn(): Promise<void> {
    // Many may wait for the next turn, and those for whom it is too short wait for the one after.
    while (performance.now() >= endsAtMs) await (next ??= begin());
  };

  function begin(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        next = null;
        endsAtMs = performance.now() + turnMs;
        resolve();
      });
    });
  }
}
