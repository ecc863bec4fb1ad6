/**
 * Tells the merchant's code what the ledger keeps for it: each delivery at least once, again after a failure, for a day.
 *
 * Owns when which hook is called. Knows nothing of how a delivery came to be. Calls run beside each other, and a hook
 * that hangs takes the places of its own kind only.
 */

import { toOutcomeOfFailure } from './retry-schedule.js';
import { withTimeout } from '../runtime/with-timeout.js';
import { errorNameOf } from '../config/log.js';
import type { Hooks, Settings } from '../config/read-options.js';
import type { ClaimedEvent, OutboxEvent, DeliveryKind } from '../ledger/outbox-events.js';
import type { OutboxOutcome, Ledger } from '../ledger/ledger.js';

/** How many deliveries are claimed at a time. */
const batch = 10;

/** With so many calls of a kind under way, no more of it are claimed. */
const enoughOfKind = 20;

/** How long a delivery is this process's, milliseconds: longer than a call takes. */
const claimedForMs = 60_000;

/** Longest the merchant's code may take, milliseconds. */
const hookLimitMs = 30_000;

/** While a kind has no place left, the others are asked for again after this long, milliseconds. */
const placeEveryMs = 1_000;

const nothing = () => undefined;

const hookNames: Readonly<Record<DeliveryKind, Exclude<keyof Hooks, 'onUndelivered'>>> = {
  paid: 'onPaid',
  waiting: 'onPixWaiting',
  lapsed: 'onLapsed',
  outcome_unknown: 'onOutcomeUnknown',
  mismatch: 'onMismatch',
};

/** What delivering needs. */
export interface OutboxParts extends Pick<
  Settings,
  'hooks' | 'now' | 'log' | 'startTimer' | 'randomUuid'
> {
  readonly ledger: Pick<Ledger, 'claimEvents' | 'endEvent'>;
}

/** The deliveries of one process. */
export interface Outbox {
  /** Those that a hook is there for. */
  readonly kinds: readonly DeliveryKind[];
  /**
   * Begins whatever is due, until nothing is; calls that hang are left to themselves. Never rejects.
   * @param signal aborted: nothing new is begun
   */
  readonly deliverDue: (signal?: AbortSignal) => Promise<void>;
  /** Resolves when no call is under way. */
  readonly ended: () => Promise<void>;
}

/** Makes the deliveries of one process: of the kinds a hook is there for, and of no other. */
export function createOutbox(parts: OutboxParts): Outbox {
  const { ledger, hooks, now, log, startTimer, randomUuid } = parts;
  const kinds = (Object.keys(hookNames) as DeliveryKind[]).filter((kind) => hooks[hookNames[kind]]);
  const inFlight = new Map<Promise<void>, DeliveryKind>();

  return {
    kinds,

    async deliverDue(signal) {
      for (;;) {
        const open = kinds.filter(hasPlace);
        const claimed = open.length > 0 && !signal?.aborted ? await claim(open) : [];
        for (const delivery of claimed) start(delivery);
        if (claimed.length > 0) continue;
        if (open.length === kinds.length || signal?.aborted) return;
        await placeOrTime();
      }
    },

    async ended() {
      while (inFlight.size > 0) await Promise.all(inFlight.keys());
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
    return [...inFlight.values()].filter((one) => one === kind).length < enoughOfKind;
  }

  async function placeOrTime(): Promise<void> {
    let stopTimer: () => void = nothing;
    const time = new Promise<void>((resolve) => {
      stopTimer = startTimer(resolve, placeEveryMs);
    });
    await Promise.race([...inFlight.keys(), time]);
    stopTimer();
  }

  function start(delivery: ClaimedEvent): void {
    const call = deliver(delivery).finally(() => inFlight.delete(call));
    inFlight.set(call, delivery.kind);
  }

  async function deliver(delivery: ClaimedEvent): Promise<void> {
    try {
      await withTimeout(startTimer, hookLimitMs, async () => callHook(hooks, delivery));
    } catch (thrown) {
      log({
        level: 'warn',
        event: 'delivery_failed',
        ...subjectOf(delivery),
        errorName: errorNameOf(thrown),
      });
      return putOff(delivery);
    }
    await end(delivery, 'delivered');
  }

  async function putOff(delivery: ClaimedEvent): Promise<void> {
    const outcome = toOutcomeOfFailure(delivery, now(), randomUuid());
    if (outcome === 'given_up') {
      // Before it is noted: a process that dies in between tells it twice, and not never.
      log({ level: 'error', event: 'undelivered', ...subjectOf(delivery) });
      await tellUndelivered(delivery);
    }
    await end(delivery, outcome);
  }

  /** Where that cannot be recorded, the claim runs out and the delivery is tried again. */
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
    }
  }

  function noteLedgerFailure(thrown: unknown): void {
    const errorName = errorNameOf(thrown);
    log({ level: 'error', event: 'ledger_failed', operation: 'deliver', errorName });
  }
}

/** Each call gets a notice of its own, so that no hook changes what the next try says. */
function callHook(hooks: Hooks, delivery: OutboxEvent): unknown {
  switch (delivery.kind) {
    case 'paid':
      return hooks.onPaid?.(Object.freeze({ ...delivery.notice }));
    case 'waiting':
      return hooks.onPixWaiting?.(Object.freeze({ ...delivery.notice }));
    case 'lapsed':
      return hooks.onLapsed?.(Object.freeze({ ...delivery.notice }));
    case 'outcome_unknown':
      return hooks.onOutcomeUnknown?.(Object.freeze({ ...delivery.notice }));
    case 'mismatch':
      return hooks.onMismatch?.(Object.freeze({ ...delivery.notice }));
    default:
      return delivery satisfies never;
  }
}

function subjectOf({ kind, tries, notice }: ClaimedEvent) {
  const { externalId } = notice;
  return { operation: 'deliver', delivery: kind, tries, externalId } as const;
}
