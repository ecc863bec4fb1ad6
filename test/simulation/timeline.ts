/**
 * The one clock of a history, and everything that will happen, in order. Between two events the event loop runs dry, so
 * that a step is over when nothing more can happen without time.
 *
 * Each event has an owner: what a process started ends with the process. Knows nothing of what happens.
 */

const realImmediate = globalThis.setImmediate;

/** Whose an event is. Null: the world's, which never ends. To an owner that is frozen it happens later. */
export type Owner = { readonly isAlive: boolean; readonly frozenUntilMs?: number } | null;

/** The clock of one history. */
export type Timeline = ReturnType<typeof createTimeline>;

interface Event {
  atMs: number;
  readonly owner: Owner;
  readonly run: () => void;
}

/** @param startMs milliseconds since 1970 */
export function createTimeline(startMs: number) {
  // Sorted, the next one last.
  const events: Event[] = [];
  let nowMs = startMs;
  let owner: Owner = null;

  const timeline = {
    /** Milliseconds since 1970. */
    now: () => nowMs,
    /** Whose event runs now. */
    owner: () => owner,
    /** Plans an event. Nothing is planned for, or happens to, an owner that is gone. @returns what takes it back */
    after(delayMs: number, owner: Owner, run: () => void) {
      const event = { atMs: nowMs + Math.max(0, Math.round(delayMs)), owner, run };
      insert(event);
      return () => {
        const place = events.indexOf(event);
        if (place >= 0) events.splice(place, 1);
      };
    },
    /** A pause in the life of `owner`; never over for an owner that is gone. */
    pause: (delayMs: number, owner: Owner) =>
      new Promise<void>((resolve) => void timeline.after(delayMs, owner, resolve)),
    /** Goes on, event by event, to that time, or until `isOver` says so after an event. */
    async runUntil(untilMs: number, isOver: () => boolean) {
      await runDry();
      for (;;) {
        const next = events.at(-1);
        if (!next || next.atMs > untilMs) break;
        events.pop();
        if (next.owner?.isAlive === false) continue;
        nowMs = next.atMs;
        const frozenUntilMs = next.owner?.frozenUntilMs ?? 0;
        if (frozenUntilMs > nowMs) {
          next.atMs = frozenUntilMs;
          insert(next);
          continue;
        }
        owner = next.owner;
        next.run();
        await runDry();
        owner = null;
        if (isOver()) return;
      }
      nowMs = Math.max(nowMs, untilMs);
    },
  };
  return timeline;

  function insert(event: Event): void {
    let index = events.length;
    while (index > 0 && (events[index - 1]?.atMs ?? Infinity) <= event.atMs) index -= 1;
    events.splice(index, 0, event);
  }
}

/** Promises and ticks are through before the event loop comes to its next phase. */
function runDry(): Promise<void> {
  return new Promise((resolve) => void realImmediate(resolve));
}
