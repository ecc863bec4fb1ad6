/**
 * An environment for tests of what is behind the element: a network that answers as it is told, request by request, a
 * clock that only moves by hand, storage in memory, and randomness that is the same in each run.
 *
 * Owns the network; knows nothing of checkouts. The element itself is tested in the world of checkout-world.ts, where a
 * whole proxy answers.
 */

import type { Environment } from '../../../src/checkout/browser/environment.js';
import { createClock } from '../clock.js';
import { createMemoryStorage } from '../storage.js';

/** A request as the network saw it. */
export interface SentRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  /** The parsed JSON body; `null` without one. */
  readonly body: unknown;
  readonly init: RequestInit;
  /** Aborted when the client gave the request up. */
  readonly signal: AbortSignal;
  /** When it was sent, monotonic milliseconds. */
  readonly atMs: number;
}

/** What the network does with a request: answers, throws, or never resolves (an abort ends that). */
export type Answerer = (request: SentRequest) => Response | Promise<Response>;

/** The environment, and what a test may ask of it. */
export type FakeEnvironment = ReturnType<typeof createFakeEnvironment>;

/** Noon in UTC, where the wall clock starts; it runs along with the monotonic one. */
const startedAt = Date.UTC(2026, 2, 2, 12);

/** @param storage null: barred, as browsers do in private windows */
export function createFakeEnvironment(
  answer: Answerer,
  storage: Storage | null = createMemoryStorage(),
) {
  const clock = createClock(settle);
  const startMs = clock.now();
  const sent: SentRequest[] = [];
  const inFlight = new Set<SentRequest>();
  const warnings: string[] = [];
  let lastId = 0;
  let answerer = answer;

  return {
    /** Every request, in order. */
    sent,
    /** Requests that have neither been answered nor given up. */
    inFlight,
    warnings,
    /** When each pending timer is due, monotonic milliseconds. */
    get timers() {
      return clock.dues();
    },
    now: clock.now,
    wallClock: () => new Date(startedAt + clock.now() - startMs),
    random: () => 0.5,
    uuid: () => `00000000-0000-4000-8000-${String(++lastId).padStart(12, '0')}`,
    storage: () => storage,
    reload: () => undefined,
    warn: (message: string) => void warnings.push(message),
    setTimer: clock.startTimer,
    clearTimer: (stop) => (stop as (() => void) | undefined)?.(),
    fetch: send,
    /** Replaces what the network does from now on. */
    answerWith(next: Answerer) {
      answerer = next;
    },
    /** A promise for use in an {@link Answerer}: resolves when the clock has moved on by so much. */
    after: (delayMs: number) => new Promise<void>((resolve) => clock.startTimer(resolve, delayMs)),
    /** Moves the clock, running each timer at its time, and lets promises settle in between. */
    advance: clock.advance,
  } satisfies Environment & Record<string, unknown>;

  async function send(url: string, init: RequestInit): Promise<Response> {
    const signal = init.signal ?? new AbortController().signal;
    const { method = 'GET', body } = init;
    const request: SentRequest = {
      url,
      method,
      init,
      signal,
      atMs: clock.now(),
      headers: new Headers(init.headers),
      body: typeof body === 'string' ? JSON.parse(body) : null,
    };
    sent.push(request);
    inFlight.add(request);
    try {
      return await Promise.race([Promise.resolve(answerer(request)), rejectOnAbort(signal)]);
    } finally {
      inFlight.delete(request);
    }
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(new DOMException('The request was aborted', 'AbortError'));
    if (signal.aborted) fail();
    signal.addEventListener('abort', fail, { once: true });
  });
}

/** A whole turn of the event loop: every promise that can settle without a timer has settled. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
