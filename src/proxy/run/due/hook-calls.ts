/**
 * Calls the merchant's hooks with the events that orders have queued: each at least once, and again after a failure until it
 * comes through. A hook that hangs holds up only events of its own kind.
 */

import { secondMs } from '../../../domain/spans.js';
import { logError } from '../../set-up/log.js';
import type { Hooks, Settings } from '../../set-up/options/read-options.js';
import { takeEvent, recordTry, type OutboxOutcome } from '../../order/told/outbox.js';
import { hookNames } from '../../order/order.js';
import type { DeliveryKind, OutboxEvent, PixWaitingNotice, KeptEvent } from '../../order/order.js';
import { isWarningDue, times, toRetryMs } from '../../order/times.js';
import { callMerchant } from '../../runtime/running.js';
import { record, type OrderStore } from '../../store/order-store.js';
import { toTask, type Task } from './due-work.js';

/** Most calls of one kind in flight. */
const atOnce = 20;

/** Longest time for the merchant's code, milliseconds: shorter than the time for which the event is taken. */
const hookLimitMs = 30 * secondMs;

export interface EventTaskParts {
  readonly store: Pick<OrderStore, 'change'>;
  readonly settings: Settings;
  /** Adds the addresses that contain a token, which the order does not keep. */
  readonly addLinks: (notice: PixWaitingNotice) => Promise<PixWaitingNotice>;
}

/** Lists the kinds of events that have a hook. Other events wait for a hook that the merchant may add. */
export function toKindsWithHook(hooks: Hooks): readonly DeliveryKind[] {
  return (Object.keys(hookNames) as DeliveryKind[]).filter((kind) => hooks[hookNames[kind]]);
}

/** Creates one task for each kind of event that has a hook. */
export function createEventTasks(parts: EventTaskParts): readonly Task[] {
  const { store, addLinks } = parts;
  const { hooks, now, log, metrics, onError, startTimer, randomUuid } = parts.settings;

  const hooked = toKindsWithHook(hooks);
  return hooked.map(toEventTask);

  /** Makes the task that delivers the events of one kind. */
  function toEventTask(kind: DeliveryKind): Task {
    return toTask<KeptEvent>({
      operation: 'deliver',
      kinds: [`event ${kind}`],
      room: (inFlight) => atOnce - inFlight,
      takenForMs: times.takenForMs,
      isRelaxed: false,
      take: (order, { id: deliveryId }, given) =>
        takeEvent(order, { deliveryId, forMs: times.takenForMs, hooked }, given),
      run: deliver,
    });
  }

  /** Calls the hook of an event once, and records in the order how that ended. */
  async function deliver(event: KeptEvent): Promise<void> {
    const { deliveryId, externalId } = event.notice;
    await record(store, externalId, recordTry, { deliveryId, outcome: await tryHook(event) });
  }

  /**
   * Calls the hook of an event once, and logs and measures the call. If it fails and the event is overdue, warns a person before
   * it returns. Never rejects.
   * @returns `delivered`, or when to try again
   */
  async function tryHook(event: KeptEvent): Promise<OutboxOutcome> {
    const hook = hookNames[event.kind];
    const call = async () => callHook(hooks, event, addLinks);
    const startedAtMs = now();
    const note = (outcome: 'ok' | 'failed') =>
      metrics?.observe('pix_hook_seconds', Math.max(0, now() - startedAtMs) / 1_000, {
        hook,
        outcome,
      });
    try {
      await callMerchant(startTimer, hookLimitMs, call);
      note('ok');
      return 'delivered';
    } catch (thrown) {
      note('failed');
      const { externalId } = event.notice;
      logError(log, thrown, { level: 'warn', event: 'delivery_failed', ...toLogSubject(event) });
      onError(thrown, { hook, externalId });
    }
    const retryAtMs = toRetryMs(event, now(), toRandomPart(randomUuid()));
    // The warning comes before the record: if the process dies in between, a person is warned twice rather than never.
    return isWarningDue(event, now())
      ? { retryAtMs, warning: await warnOfFailure(event) }
      : { retryAtMs };
  }

  /**
   * Warns a person that an event does not come through: in the log, and by `onUndelivered`. @returns whether that hook took
   * it
   */
  async function warnOfFailure(event: KeptEvent): Promise<'heard' | 'failed'> {
    const { kind, tries, notice } = event;
    const { deliveryId, externalId } = notice;
    log({ level: 'error', event: 'undelivered', ...toLogSubject(event) });
    const { onUndelivered } = hooks;
    // Without the hook, the warning repeats in the log.
    if (!onUndelivered) return 'failed';
    const undelivered = Object.freeze({ kind, deliveryId, externalId, tries });
    try {
      await callMerchant(startTimer, hookLimitMs, async () => onUndelivered(undelivered));
      return 'heard';
    } catch (thrown) {
      const about = { operation: 'deliver', delivery: kind, externalId } as const;
      logError(log, thrown, { event: 'unexpected_error', ...about });
      onError(thrown, { hook: 'onUndelivered', externalId });
      return 'failed';
    }
  }
}

/** Calls the hook with a copy of the notice, so that the hook cannot change the next try. A reminder gets its links first. */
function callHook(hooks: Hooks, event: OutboxEvent, addLinks: EventTaskParts['addLinks']): unknown {
  if (event.kind === 'waiting') {
    return addLinks(event.notice).then((notice) => hooks.onPixWaiting?.(Object.freeze(notice)));
  }
  const hook = hooks[hookNames[event.kind]] as
    ((copy: OutboxEvent['notice']) => unknown) | undefined;
  return hook?.(Object.freeze({ ...event.notice }));
}

/** Takes the fields of an event that its log entries have. */
function toLogSubject({ kind, tries, notice }: KeptEvent) {
  const { externalId } = notice;
  return { operation: 'deliver', delivery: kind, tries, externalId } as const;
}

/** Makes a random number from 0 to 1. @param uuid the source of randomness */
function toRandomPart(uuid: string): number {
  const digits = Number.parseInt(uuid.slice(0, 8), 16);
  return Number.isNaN(digits) ? 1 : digits / 0xffff_ffff;
}
