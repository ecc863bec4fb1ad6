/**
 * Long polling: keeps a request open until the status of its invoice changes. All requests for one invoice share its look-ups,
 * which follow the schedule of the contract. Without an open request no timer runs.
 */

import { nextLookUpDelayMs } from '../../contract/schedule.js';
import type { LookUpResult, LookUps, LookUpTerms, PostbackWatch } from '../run/look-up.js';
import { toCallName } from '../run/look-up.js';
import type { Settings } from '../set-up/options/read-options.js';
import type { IssuedInvoice } from '../order/order.js';
import { isNear } from '../../domain/spans.js';
import type { OrderStore } from '../store/order-store.js';
import { ProxyError } from '../set-up/proxy-error.js';
import {
  markNow,
  createRecent,
  createRecentNames,
  createInFlight,
  startPause,
} from '../runtime/running.js';
import { logError } from '../set-up/log.js';

/** Most long polls of one look-up token. */
const maxPerToken = 2;

/** Most long polls of one invoice. A payer can get a new token each second, so the limit for a token is not enough. */
export const maxPerInvoice = 20;

/** Most long polls of this process, which need 26 kB each. Above this, a look-up is answered at once. */
const maxLongPolls = 15_000;

/** How long after its last long poll an invoice keeps its schedule, milliseconds. */
const restartsAfterMs = 60_000;

/**
 * The factor by which the schedule slows down while postbacks arrive, because each of a page's requests makes a look-up as
 * well.
 */
const slowedBy = 4;

/** How much shorter than its pause the throttle of a look-up is, milliseconds, because the last one may have been late. */
const slackMs = 500;

interface LongPollRequest {
  readonly issued: IssuedInvoice;
  /** The result so far. A result with another status ends the wait. */
  readonly first: LookUpResult;
  readonly token: string;
  readonly waitMs: number;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
}

export type LongPolls = ReturnType<typeof createLongPolls>;

interface LongPollParts {
  /** Looks an invoice up. The caller passes each new result to {@link LongPolls.publish}. */
  readonly lookUp: LookUps['lookUp'];
  readonly store: Pick<OrderStore, 'isShared' | 'throttlesLookUps' | 'passThrottle' | 'search'>;
  readonly postbackWatch: Pick<PostbackWatch, 'areArriving'>;
  readonly settings: Pick<Settings, 'now' | 'startTimer' | 'log' | 'metrics'>;
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
  latest: LookUpResult;
  usedAtMs: number;
  stopTimer: () => void;
}

const ignore = () => undefined;

// oxlint-disable-next-line max-lines-per-function -- its parts share what they remember
export function createLongPolls({
  lookUp,
  store,
  postbackWatch,
  settings,
  most = maxLongPolls,
}: LongPollParts) {
  const { now, startTimer, metrics } = settings;
  const watches = createRecent<Watch>(
    Infinity,
    ({ waiters, usedAtMs }) => waiters.size > 0 || isNear(usedAtMs, restartsAfterMs, now()),
  );
  const openByToken = new Map<string, number>();
  const changeFeed = createChangeFeed(store, settings, onSettled);
  const inFlight = createInFlight();
  let open = 0;

  return {
    /** Resolves with the newest result once the status changes, the time is over, or the client leaves. */
    async waitForChange(this: void, request: LongPollRequest): Promise<LookUpResult> {
      const { first, token, waitMs, signal } = request;
      const ofToken = openByToken.get(token) ?? 0;
      if (waitMs <= 0 || signal.aborted || inFlight.isClosing()) return first;
      if (open >= most || ofToken >= maxPerToken || isFull(request)) return first;
      countOpen(1);
      openByToken.set(token, ofToken + 1);
      try {
        return await wait(request);
      } finally {
        countOpen(-1);
        const left = (openByToken.get(token) ?? 1) - 1;
        if (left > 0) openByToken.set(token, left);
        else openByToken.delete(token);
      }
    },

    publish,

    /** Answers all long polls with their newest result, and accepts no more. Resolves when no look-up is in flight. */
    close(): Promise<void> {
      const closed = inFlight.close();
      for (const { waiters } of watches.values()) for (const waiter of waiters) waiter.end();
      return closed;
    },
  };

  /** Counts the open long polls. The change feed runs while there are any. */
  function countOpen(change: 1 | -1): void {
    open += change;
    metrics?.set('pix_long_polls_open', open);
    changeFeed.follow(open);
  }

  /**
   * Requests whose token has another order, total or method must not share results, so they are answered at once, as if there
   * were no room.
   */
  function isFull({ issued }: LongPollRequest): boolean {
    const watch = watches.get(issued.invoiceId);
    if (!watch || watch.waiters.size === 0) return false;
    return watch.waiters.size >= maxPerInvoice || toCallName(watch.issued) !== toCallName(issued);
  }

  /** Gives a new result to the long polls of this invoice. */
  function publish(issued: IssuedInvoice, told: LookUpResult): void {
    const watch = watches.get(issued.invoiceId);
    if (!watch || toCallName(watch.issued) !== toCallName(issued)) return;
    watch.latest = told;
    for (const waiter of watch.waiters) {
      if (waiter.knownStatus !== told.data.status) waiter.end();
    }
  }

  /** Waits until the status changes, the time is over, or the client leaves. The first to wait starts the look-ups. */
  async function wait({ issued, first, waitMs, signal }: LongPollRequest): Promise<LookUpResult> {
    const watch = join(issued, first);
    const { over, end } = startPause(startTimer, waitMs, signal);
    const waiter: Waiter = { knownStatus: first.data.status, end };
    watch.waiters.add(waiter);
    if (watch.waiters.size === 1) scheduleLookUp(watch, 0);
    await over;
    watch.waiters.delete(waiter);
    watch.usedAtMs = now();
    if (watch.waiters.size === 0) watch.stopTimer();
    return watch.latest;
  }

  /** Joins the invoice's schedule, or starts one. A schedule slows down over minutes, so it must outlive a single request. */
  function join(issued: IssuedInvoice, first: LookUpResult): Watch {
    const { invoiceId } = issued;
    const known = watches.get(invoiceId);
    const isLeft = known?.waiters.size === 0 && toCallName(known.issued) !== toCallName(issued);
    const watch =
      known && !isLeft
        ? known
        : {
            issued,
            startedAtMs: now(),
            waiters: new Set<Waiter>(),
            latest: first,
            usedAtMs: now(),
            stopTimer: ignore,
          };
    watch.latest = first;
    watches.set(invoiceId, watch);
    return watch;
  }

  /** Sets the timer of the next look-up. @param atLeastMs the shortest delay, if the service asked for a pause */
  function scheduleLookUp(watch: Watch, atLeastMs: number): void {
    const usualMs = nextLookUpDelayMs(now() - watch.startedAtMs);
    const delayMs = Math.max(atLeastMs, postbackWatch.areArriving() ? slowedBy * usualMs : usualMs);
    // An invoice has one timer. A request that came during the look-up may have started another one already.
    watch.stopTimer();
    watch.stopTimer = startTimer(() => {
      void lookAgain(watch, delayMs);
    }, delayMs);
  }

  /** Looks up, unless another process does it, and sets the timer again while a long poll waits. Never rejects. */
  async function lookAgain(watch: Watch, pauseMs: number): Promise<void> {
    let atLeastMs = 0;
    try {
      const isOurs = await passLookUpThrottle(watch.issued, pauseMs);
      if (isOurs && watch.waiters.size > 0)
        await lookUpAndPublish(watch, { priority: 'background', begunAfter: 'whenever' });
    } catch (thrown) {
      // The long polls stay open, because the service may answer again before their time is over.
      if (thrown instanceof ProxyError) atLeastMs = (thrown.retryAfterSeconds ?? 0) * 1_000;
    }
    if (watch.waiters.size > 0) scheduleLookUp(watch, atLeastMs);
  }

  /** Looks up and publishes the result, because a shared result is not passed to subscribers. */
  async function lookUpAndPublish({ issued }: Watch, terms: LookUpTerms): Promise<void> {
    publish(issued, await inFlight.track(lookUp(issued, terms)));
  }

  /**
   * Asks whether this process makes the look-up. In some stores a throttle lets one process look up, and the others learn of
   * a change by the change feed.
   */
  async function passLookUpThrottle(
    { invoiceId }: IssuedInvoice,
    pauseMs: number,
  ): Promise<boolean> {
    if (!store.throttlesLookUps) return true;
    // Pages must not wait longer because the store fails. Other code logs that failure.
    return store
      .passThrottle(`look-up ${invoiceId}`, Math.max(0, pauseMs - slackMs))
      .catch(() => true);
  }

  /**
   * Called when another process found the invoice settled. Looks it up again, because pages get only results of this process.
   */
  async function onSettled(invoiceId: string): Promise<void> {
    const watch = watches.get(invoiceId);
    if (!watch || watch.waiters.size === 0) return;
    // If this look-up fails, the next one of the schedule follows.
    await lookUpAndPublish(watch, { begunAfter: markNow() }).catch(ignore);
  }
}

// The change feed searches a shared store for invoices that other processes found settled: every 750 ms while this process
// has long polls.

/** How often the store is searched, milliseconds. With the look-up that follows, pages get a change within a second. */
const searchEveryMs = 750;

/**
 * How far back each search goes, milliseconds, because clocks of machines differ. Older changes are not needed: a long poll
 * begins with a look-up of its own and ends after 25 s.
 */
const searchedBackMs = 60_000;

const mostChanges = 100_000;

/** Creates the feed. @param onSettled called once for each invoice. Must not reject */
function createChangeFeed(
  store: Pick<OrderStore, 'isShared' | 'search'>,
  { now, startTimer, log }: Pick<Settings, 'now' | 'startTimer' | 'log'>,
  onSettled: (invoiceId: string) => Promise<void>,
) {
  // When a search last found each invoice. Searches overlap, so they find an invoice again.
  const told = createRecentNames(searchedBackMs, now);
  let isFollowed = false;
  let isSearching = false;
  let stopTimer: (() => void) | null = null;

  return {
    /** Starts or stops the search. @param waiting how many long polls are open; 0 stops the timer */
    follow(waiting: number): void {
      if (!store.isShared) return;
      isFollowed = waiting > 0;
      if (isFollowed) return start();
      stopTimer?.();
      stopTimer = null;
    },
  };

  /** Sets the timer of the next search, unless it is set or a search runs. */
  function start(): void {
    if (stopTimer || isSearching) return;
    stopTimer = startTimer(() => {
      stopTimer = null;
      void searchAndTell();
    }, searchEveryMs);
  }

  /** Searches once, and again later while long polls are open. A failure is logged. */
  async function searchAndTell(): Promise<void> {
    isSearching = true;
    try {
      const settled = {
        kinds: ['settled'],
        fromMs: now() - searchedBackMs,
        most: mostChanges,
      } as const;
      tell((await store.search(settled)).map(({ id }) => id));
    } catch (thrown) {
      logError(log, thrown, { operation: 'look_up', event: 'ledger_failed' });
    }
    isSearching = false;
    if (isFollowed) start();
  }

  /** Calls `onSettled` for each invoice that no recent search found. */
  function tell(invoiceIds: readonly string[]): void {
    for (const invoiceId of invoiceIds) {
      if (!told.has(invoiceId)) void onSettled(invoiceId);
      told.note(invoiceId);
    }
  }
}
