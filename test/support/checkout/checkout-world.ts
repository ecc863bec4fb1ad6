/**
 * The outside world of a checkout under test: a clock that stands still, a proxy in memory, storage in memory, and
 * nothing random. Several elements in one world share all of it, as elements of one page do.
 */

import type { Environment } from '../../../src/checkout/browser/environment.js';
import { createFakeProxy } from './fake-proxy.js';
import type { FakeProxy } from './fake-proxy.js';
import { createClock } from '../clock.js';
import type { TestClock } from '../clock.js';
import { createStorage } from '../storage.js';

export interface World {
  readonly clock: TestClock;
  readonly proxy: FakeProxy;
  readonly environment: Environment;
  /** What the element told the page's developer. */
  readonly warnings: string[];
  /** The element's timers that have neither run nor been cleared. */
  readonly timers: ReadonlySet<unknown>;
  /** What is in `localStorage`. */
  readonly stored: Map<string, string>;
  /** How the browser bars storage: it is missing, or throws at any touch. */
  barred: 'no' | 'missing' | 'throws';
  /** Milliseconds by which the payer's clock is off. */
  clockSkewMs: number;
  /** How often the element loaded its page again. */
  reloads: number;
}

/** Time of day when every test begins. */
const startedAt = new Date('2026-03-10T12:00:00-03:00').getTime();

let lastUuid = 0;

/** @param settle waits for what happens without time passing */
export function createWorld(settle: () => Promise<void>): World {
  const clock = createClock(settle);
  const proxy = createFakeProxy(clock);
  const stored = new Map<string, string>();
  const warnings: string[] = [];
  const timers = new Set<unknown>();
  const storage = createStorage(stored, () => {
    if (world.barred !== 'throws') return;
    throw new DOMException('The operation is insecure.', 'SecurityError');
  });
  const startedMs = clock.now();
  const world: World = {
    clock,
    proxy,
    warnings,
    timers,
    stored,
    barred: 'no',
    clockSkewMs: 0,
    reloads: 0,
    environment: {
      now: clock.now,
      wallClock: () => new Date(startedAt + world.clockSkewMs + clock.now() - startedMs),
      random: () => 0.5,
      uuid: () => `00000000-0000-4000-8000-${String(++lastUuid).padStart(12, '0')}`,
      setTimer(run, delayMs) {
        const timer = clock.startTimer(() => {
          timers.delete(timer);
          run();
        }, delayMs);
        timers.add(timer);
        return timer;
      },
      clearTimer(timer) {
        timers.delete(timer);
        (timer as (() => void) | undefined)?.();
      },
      fetch: proxy.fetch,
      storage: () => (world.barred === 'missing' ? null : storage),
      reload: () => void (world.reloads += 1),
      warn: (message) => void warnings.push(message),
    },
  };
  return world;
}

/** A stored record as a former page left it, a minute ago; single fields may be other ones, or rubbish. */
export function storeAttempt(world: World, externalId: string, fields: object = {}): void {
  const record = {
    attemptKey: '22222222-2222-4222-8222-222222222222',
    invoiceId: null,
    lookupToken: null,
    method: 'pix',
    totalCents: 12_990,
    createdAt: world.environment.wallClock().getTime() - 60_000,
    ...fields,
  };
  const name = `${recordName(externalId)} ${record.attemptKey}`;
  world.stored.set(name, JSON.stringify(record));
}

/** What the names of an order's records begin with. */
const recordName = (externalId: string) => `pix-checkout ${location.origin}/pix ${externalId}`;
