/**
 * Holds look-ups until an invoice's status changes. While anybody waits for an invoice, one look-up after another goes
 * out for it, on the contract's schedule, however many wait; when nobody does, no timer is left.
 *
 * Knows nothing of requests but their signal, of tokens but that each may hold two, and of other processes but what
 * `shared-news.ts` tells.
 */

import { nextLookUpDelayMs } from '../../contract/schedule.js';
import { toSubject } from './shared-look-ups.js';
import type { StatusResult, LookUps, LookUpTerms } from './shared-look-ups.js';
import type { Settings } from '../config/read-options.js';
import type { IssuedInvoice, Ledger } from '../ledger/ledger.js';
import { ProxyError } from '../runtime/proxy-error.js';
import { createChangeFeed } from './change-feed.js';
import { createInFlight } from '../runtime/in-flight.js';

/** Most requests held for one look-up token. */
const maxPerToken = 2;

/** Most requests held for one invoice: whoever may pay an order gets another token of it each second. */
export const maxPerInvoice = 20;

/** Most requests held by this process; beyond, a look-up is answered at once. */
export const maxLongPolls = 10_000;

/** How long a page may be away between two held look-ups and still be on the same schedule, milliseconds. */
const restartsAfterMs = 60_000;

/** How much sooner than planned a look-up may be due in another process, milliseconds: timers are late. */
const slackMs = 500;

/** A look-up that may be held. */
export interface LongPollRequest {
  readonly issued: IssuedInvoice;
  /** What was found at once. A status other than this one ends the wait. */
  readonly first: StatusResult;
  readonly token: string;
  readonly waitMs: number;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/** Held look-ups of one proxy. */
export interface LongPolls {
  /** Resolves with the newest finding: when the status has changed, the time is over, or the client has gone. */
  readonly hold: (request: LongPollRequest) => Promise<StatusResult>;
  /** Tells everybody who waits for this invoice, and compares it with the same. */
  readonly publish: (issued: IssuedInvoice, finding: StatusResult) => void;
  /** Answers everybody with what is known; nobody is held any more. Resolves when no look-up is under way. */
  readonly close: () => Promise<void>;
}

/** What holds need. */
export interface LongPollParts {
  /** Each new finding must come back through {@link LongPolls.publish}. */
  readonly lookUp: LookUps['lookUp'];
  readonly ledger: Pick<Ledger, 'isShared' | 'areLookUpsClaimed' | 'passThrottle' | 'findSettled'>;
  readonly settings: Pick<Settings, 'now' | 'startTimer' | 'log'>;
  /** Default {@link maxLongPolls}. */
  readonly most?: number;
}

interface Waiter {
  readonly knownStatus: string;
  readonly end: () => void;
}

interface Watch {
  readonly issued: IssuedInvoice;
  readonly startedAtMs: number;
  readonly waiters: Set<Waiter>;
  latest: StatusResult;
  usedAtMs: number;
  stopTimer: () => void;
}

const nothing = () => undefined;

/** Makes the held look-ups of one proxy. */
export function createLongPolls({
  lookUp,
  ledger,
  settings,
  most = maxLongPolls,
}: LongPollParts): LongPolls {
  const { now, startTimer, log } = settings;
  // In the order in which somebody came, so that the ones to forget come first.
  const watches = new Map<string, Watch>();
  const openByToken = new Map<string, number>();
  const news = createChangeFeed({ ledger, now, startTimer, log, onSettled });
  const asking = createInFlight();
  let held = 0;

  return {
    async hold(request) {
      const { first, token, waitMs, signal } = request;
      const ofToken = openByToken.get(token) ?? 0;
      if (waitMs <= 0 || signal.aborted || asking.isClosing()) return first;
      if (held >= most || ofToken >= maxPerToken || isFull(request)) return first;
      held += 1;
      openByToken.set(token, ofToken + 1);
      news.follow(held);
      try {
        return await wait(request);
      } finally {
        held -= 1;
        const left = (openByToken.get(token) ?? 1) - 1;
        if (left > 0) openByToken.set(token, left);
        else openByToken.delete(token);
        news.follow(held);
      }
    },

    publish,

    close() {
      const closed = asking.close();
      for (const { waiters } of watches.values()) for (const waiter of waiters) waiter.end();
      return closed;
    },
  };

  /** Whoever compares the invoice with something else would hear of another's payment: they are not held together. */
  function isFull({ issued }: LongPollRequest): boolean {
    const watch = watches.get(issued.invoiceId);
    if (!watch || watch.waiters.size === 0) return false;
    return watch.waiters.size >= maxPerInvoice || toSubject(watch.issued) !== toSubject(issued);
  }

  function publish(issued: IssuedInvoice, finding: StatusResult): void {
    const watch = watches.get(issued.invoiceId);
    if (!watch || toSubject(watch.issued) !== toSubject(issued)) return;
    watch.latest = finding;
    for (const waiter of watch.waiters) {
      if (waiter.knownStatus !== finding.data.status) waiter.end();
    }
  }

  function wait({ issued, first, waitMs, signal }: LongPollRequest): Promise<StatusResult> {
    const watch = join(issued, first);
    return new Promise((resolve) => {
      const end = () => {
        if (!watch.waiters.delete(waiter)) return;
        stopClock();
        signal.removeEventListener('abort', end);
        watch.usedAtMs = now();
        if (watch.waiters.size === 0) watch.stopTimer();
        resolve(watch.latest);
      };
      const waiter: Waiter = { knownStatus: first.data.status, end };
      const stopClock = startTimer(end, waitMs);
      signal.addEventListener('abort', end, { once: true });
      watch.waiters.add(waiter);
      if (watch.waiters.size === 1) scheduleLookUp(watch, 0);
    });
  }

  /** The schedule goes on where a page left it a moment ago: it slows down after minutes, not after each answer. */
  function join(issued: IssuedInvoice, first: StatusResult): Watch {
    const { invoiceId } = issued;
    for (const [id, { waiters, usedAtMs }] of watches) {
      if (waiters.size > 0 || now() - usedAtMs <= restartsAfterMs) break;
      watches.delete(id);
    }
    const known = watches.get(invoiceId);
    const isLeft =
      known?.waiters.size === 0 &&
      (now() - known.usedAtMs > restartsAfterMs || toSubject(known.issued) !== toSubject(issued));
    const watch =
      known && !isLeft
        ? known
        : {
            issued,
            startedAtMs: now(),
            waiters: new Set<Waiter>(),
            latest: first,
            usedAtMs: now(),
            stopTimer: nothing,
          };
    watch.latest = first;
    watches.delete(invoiceId);
    watches.set(invoiceId, watch);
    return watch;
  }

  function scheduleLookUp(watch: Watch, atLeastMs: number): void {
    const delayMs = Math.max(atLeastMs, nextLookUpDelayMs(now() - watch.startedAtMs));
    // One timer per invoice: somebody may have come while a look-up was under way, and set one already.
    watch.stopTimer();
    watch.stopTimer = startTimer(() => {
      void lookAgain(watch, delayMs);
    }, delayMs);
  }

  async function lookAgain(watch: Watch, pauseMs: number): Promise<void> {
    let atLeastMs = 0;
    try {
      const isOurs = await claimLookUp(watch.issued, pauseMs);
      if (isOurs && watch.waiters.size > 0) await ask(watch, { priority: 'background' });
    } catch (thrown) {
      // The service may be back before the wait is over: whoever waits keeps what is known.
      if (thrown instanceof ProxyError) atLeastMs = (thrown.retryAfterSeconds ?? 0) * 1_000;
    }
    if (watch.waiters.size > 0) scheduleLookUp(watch, atLeastMs);
  }

  /** What was found before is not told by itself. */
  async function ask({ issued }: Watch, terms: LookUpTerms): Promise<void> {
    publish(issued, await asking.track(lookUp(issued, terms)));
  }

  /** Where processes claim look-ups, one of them asks: the others hear of it by the ledger. */
  async function claimLookUp({ invoiceId }: IssuedInvoice, pauseMs: number): Promise<boolean> {
    if (!ledger.areLookUpsClaimed) return true;
    // Whoever waits must not wait longer because the ledger fails; that it does is in the log of others.
    return ledger
      .passThrottle(`look-up ${invoiceId}`, Math.max(0, pauseMs - slackMs))
      .catch(() => true);
  }

  /** Another process says it is over. Only a look-up of our own is told. */
  async function onSettled(invoiceId: string): Promise<void> {
    const watch = watches.get(invoiceId);
    if (!watch || watch.waiters.size === 0) return;
    // Where it fails, the schedule goes on.
    await ask(watch, { freshSinceMs: now() + 1 }).catch(nothing);
  }
}
