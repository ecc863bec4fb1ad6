/**
 * The outbox: calls the merchant's hooks with the events that the ledger queued, each at least once, and for a day again
 * after a failure. Calls run beside each other; a hook that hangs blocks only events of its own kind.
 */

import type { Time } from '../runtime/work.js';
import { withTimeout } from '../runtime/work.js';
import { errorNameOf } from '../config/log.js';
import type { Hooks, Settings } from '../config/read-options.js';
import { hookNames } from '../order/outbox-events.js';
import type {
  ClaimedEvent,
  DeliveryKind,
  OutboxEvent,
  PixWaitingNotice,
} from '../order/outbox-events.js';
import type { OutboxOutcome, Ledger } from '../ledger/ledger.js';

/** How many events are claimed at a time. */
const batch = 10;

/** Most calls of one kind in flight: at this number no more are claimed. */
const enoughOfKind = 20;

/** How long a claim of an event lasts, milliseconds: longer than a call takes. */
const claimedForMs = 60_000;

/** Longest the merchant's code may take, milliseconds. */
const hookLimitMs = 30_000;

/** How often events of the other kinds are claimed while one kind is full, milliseconds. */
const placeEveryMs = 1_000;

/** The time before another try: a random part of a span that doubles with each failure, milliseconds. */
const retry = { firstMs: 5_000, longestMs: 3_600_000, shortestMs: 1_000 };

/** An event is given up at this age, milliseconds, and not before so many tries: a proxy may have been off for a day. */
const giveUp = { afterMs: 24 * 3_600_000, atLeastTries: 10 };

const nothing = () => undefined;

/** What the outbox needs. */
interface OutboxParts extends Pick<
  Settings,
  'hooks' | 'now' | 'log' | 'onError' | 'startTimer' | 'randomUuid'
> {
  readonly ledger: Pick<Ledger, 'claimEvents' | 'endEvent'>;
  readonly time: Time;
  /** What is not kept in the ledger: addresses that bear a token. */
  readonly addLinks: (notice: PixWaitingNotice) => Promise<PixWaitingNotice>;
}

/** The outbox of one process. */
export interface Outbox {
  /** The kinds of events that have a hook. */
  readonly kinds: readonly DeliveryKind[];
  /**
   * Calls hooks until no event is due; does not wait for calls that hang. Never rejects.
   * @param signal aborted: nothing new is begun
   */
  readonly deliverDue: (signal?: AbortSignal) => Promise<void>;
  /** Resolves when no call is in flight. */
  readonly ended: () => Promise<void>;
}

/** Makes the outbox of one process. */
export function createOutbox(parts: OutboxParts): Outbox {
  const { ledger, time, hooks, now, log, onError, startTimer, randomUuid, addLinks } = parts;
  const kinds = (Object.keys(hookNames) as DeliveryKind[]).filter((kind) => hooks[hookNames[kind]]);
  const calls = new Map<Promise<void>, { readonly kind: DeliveryKind; readonly untilMs: number }>();

  return {
    kinds,

    async deliverDue(signal) {
      for (;;) {
        const open = kinds.filter(hasPlace);
        const claimed = open.length > 0 && !signal?.aborted ? await claim(open) : [];
        for (const event of claimed) start(event);
        if (claimed.length > 0) continue;
        if (open.length === kinds.length || signal?.aborted) return;
        await waitForFreePlace();
      }
    },

    async ended() {
      for (let open = inFlight(); open.length > 0; open = inFlight()) {
        await Promise.all(open.map(([call]) => call));
      }
    },
  };

  async function claim(open: readonly DeliveryKind[]): Promise<readonly ClaimedEvent[]> {
    try {
      return await ledger.claimEvents(open, batch, claimedForMs);
    } catch (thrown) {
      noteLedgerFailure(thrown);
      return [];
    }
  }

  function hasPlace(kind: DeliveryKind): boolean {
    return inFlight().filter(([, call]) => call.kind === kind).length < enoughOfKind;
  }

  /** Where a request or a run was cut off, its calls never end: they count no longer than their claims. */
  function inFlight() {
    return [...calls].filter(([, { untilMs }]) => untilMs > now());
  }

  async function waitForFreePlace(): Promise<void> {
    let stopTimer: () => void = nothing;
    const time = new Promise<void>((resolve) => {
      stopTimer = startTimer(resolve, placeEveryMs);
    });
    await Promise.race([...inFlight().map(([call]) => call), time]);
    stopTimer();
  }

  function start(event: ClaimedEvent): void {
    const call = deliver(event).finally(() => calls.delete(call));
    calls.set(call, { kind: event.kind, untilMs: now() + claimedForMs });
  }

  async function deliver(event: ClaimedEvent): Promise<void> {
    try {
      await time('pix_hook_seconds', { hook: hookNames[event.kind] }, () =>
        withTimeout(startTimer, hookLimitMs, async () => callHook(hooks, event, addLinks)),
      );
    } catch (thrown) {
      log({
        level: 'warn',
        event: 'delivery_failed',
        ...subjectOf(event),
        errorName: errorNameOf(thrown),
      });
      const { externalId } = event.notice;
      onError(thrown, { hook: hookNames[event.kind], externalId });
      return putOff(event);
    }
    await end(event, 'delivered');
  }

  async function putOff(event: ClaimedEvent): Promise<void> {
    const outcome = toOutcomeOfFailure(event, now(), randomUuid());
    if (outcome === 'given_up') {
      // Before it is recorded: if the process dies in between, the merchant hears twice rather than never.
      log({ level: 'error', event: 'undelivered', ...subjectOf(event) });
      await tellUndelivered(event);
    }
    await end(event, outcome);
  }

  /** If that cannot be recorded, the claim runs out and the event is tried again. */
  async function end({ notice }: ClaimedEvent, outcome: OutboxOutcome): Promise<void> {
    try {
      await ledger.endEvent(notice.deliveryId, outcome);
    } catch (thrown) {
      noteLedgerFailure(thrown);
    }
  }

  async function tellUndelivered({ kind, tries, notice }: ClaimedEvent): Promise<void> {
    const { deliveryId, externalId } = notice;
    const undelivered = Object.freeze({ kind, deliveryId, externalId, tries });
    try {
      await withTimeout(startTimer, hookLimitMs, async () => hooks.onUndelivered?.(undelivered));
    } catch (thrown) {
      const about = { operation: 'deliver', delivery: kind, externalId } as const;
      const errorName = errorNameOf(thrown);
      log({ level: 'error', event: 'unexpected_error', ...about, errorName });
      onError(thrown, { hook: 'onUndelivered', externalId });
    }
  }

  function noteLedgerFailure(thrown: unknown): void {
    const errorName = errorNameOf(thrown);
    log({ level: 'error', event: 'ledger_failed', operation: 'deliver', errorName });
  }
}

/** Each call gets a copy, so that a hook cannot change the next try. */
function callHook(hooks: Hooks, event: OutboxEvent, addLinks: OutboxParts['addLinks']): unknown {
  if (event.kind === 'waiting') {
    return addLinks(event.notice).then((notice) => hooks.onPixWaiting?.(Object.freeze(notice)));
  }
  const hook = hooks[hookNames[event.kind]] as
    ((copy: OutboxEvent['notice']) => unknown) | undefined;
  return hook?.(Object.freeze({ ...event.notice }));
}

function subjectOf({ kind, tries, notice }: ClaimedEvent) {
  const { externalId } = notice;
  return { operation: 'deliver', delivery: kind, tries, externalId } as const;
}

/**
 * The outcome for an event whose hook failed now.
 * @param nowMs milliseconds since 1970
 * @param uuid the source of randomness
 */
function toOutcomeOfFailure(
  { queuedAtMs, tries }: Pick<ClaimedEvent, 'queuedAtMs' | 'tries'>,
  nowMs: number,
  uuid: string,
): OutboxOutcome {
  const giveUpAtMs = queuedAtMs + giveUp.afterMs;
  if (nowMs >= giveUpAtMs && tries >= giveUp.atLeastTries) return 'given_up';
  const retryAtMs = nowMs + toRetryDelayMs(tries, uuid);
  // The last try is made when the day is over, not an hour before.
  return { retryAtMs: nowMs < giveUpAtMs ? Math.min(retryAtMs, giveUpAtMs) : retryAtMs };
}

/**
 * Full jitter: many that failed together are not tried together.
 * @param tries how often it was tried, one or more
 * @returns milliseconds
 */
export function toRetryDelayMs(tries: number, uuid: string): number {
  const mostMs = Math.min(retry.longestMs, retry.firstMs * 2 ** (tries - 1));
  const digits = Number.parseInt(uuid.slice(0, 8), 16);
  const part = Number.isNaN(digits) ? 1 : digits / 0xffff_ffff;
  return Math.max(retry.shortestMs, Math.round(mostMs * part));
}
