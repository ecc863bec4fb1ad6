/**
 * The browser's clocks, randomness, network, timers and storage as one object, so that a test can hand in its own. The
 * page's events are in page-lifecycle.ts, the clipboard in clipboard.ts.
 */

/** The outside world of one element. */
export interface Environment {
  /** Monotonic milliseconds: deadlines and schedules never look at the wall clock, which may be wrong by a day. */
  now(): number;
  /** Wall clock, for "Pague até 14:32" and the age of the stored record. */
  wallClock(): Date;
  /** From 0 to 1. */
  random(): number;
  /** A UUID that cannot be guessed. */
  uuid(): string;
  setTimer(run: () => void, delayMs: number): unknown;
  clearTimer(timer: unknown): void;
  fetch(input: string, init: RequestInit): Promise<Response>;
  /** `localStorage`; `null` where there is none. Throws where the browser's settings, or a sandboxed frame, bar it. */
  storage(): Storage | null;
  /** Loads the page again. */
  reload(): void;
  warn(message: string): void;
}

/** The browser itself. */
export const browserEnvironment: Environment = {
  now: () => performance.now(),
  wallClock: () => new Date(),
  random: () => Math.random(),
  uuid,
  setTimer: (run, delayMs) => setTimeout(run, delayMs),
  clearTimer: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  fetch: (input, init) => fetch(input, init),
  storage: () => localStorage,
  reload: () => location.reload(),
  // oxlint-disable-next-line no-console -- the merchant's developer is told what the page did wrong
  warn: (message) => console.warn(`<pix-checkout> ${message}`),
};

/** Whether a media query holds; never where there are none, as in the DOM of unit tests. */
export function matches(query: string): boolean {
  return typeof matchMedia === 'function' && matchMedia(query).matches;
}

/** Version 4, RFC 9562 section 5.4. `crypto.randomUUID` is missing on pages without TLS, such as a test machine's. */
function uuid(): string {
  return '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (digit) => {
    const random = crypto.getRandomValues(new Uint8Array(1))[0]!;
    // All sixteen where a 0 or 1 stands; the 8 names the variant, and leaves two bits.
    return (Number(digit) ^ (random & (digit === '8' ? 3 : 15))).toString(16);
  });
}
