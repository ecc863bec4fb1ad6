/**
 * Calls the merchant's hooks with the events that orders have queued: each at least once, and again after a failure until it
 * comes through. A hook that hangs holds up only events of its own kind.
 */

import { secondMs } from '../../../domain/spans.js';
import { logError } from '../../set-up/log.js';
import type { Hooks, Settings } from '../../set-up/options/read-options.js';
import { takeEvent, recordTry } from '../../order/told/outbox.js';
import type { OutboxOutcome } from '../../order/told/outbox.js';
import { hookNames } from '../../order/order.js';
import type { DeliveryKind, OutboxEvent, PixWaitingNotice, KeptEvent } from '../../order/order.js';
import { isToBeWarned, times, toRetryMs } from '../../order/times.js';
import { callMerchant } from '../../runtime/running.js';
import type { OrderStore } from '../../store/order-store.js';
import { record } from '../../store/order-store.js';
import { toTask } from './due-work.js';
import type { Task } from './due-work.js';

/** Most calls of one kind in flight. */
const atOnce = 20;

/** Longest time for the merchant's code, milliseconds: shorter than the call belongs to this process. */
const hookLimitMs = 30 * secondMs;

export interface EventTaskParts {
  readonly store: Pick<OrderStore, 'change'>;
  readonly settings: Settings;
  /** Adds the addresses that contain a token, which the order does not keep. */
  readonly addLinks: (notice: PixWaitingNotice) => Promise<PixWaitingNotice>;
}

/** Finds the kinds of events that have a hook. Other events wait for one that the merchant may add. */
export function toKindsWithHook(hooks: Hooks): readonly DeliveryKind[] {
  return (Object.keys(hookNames) as DeliveryKind[]).filter((kind) => hooks[hookNames[kind]]);
}

export function createEventTasks(parts: EventTaskParts): readonly Task[] {
  const { store, addLinks } = parts;
  const { hooks, now, log, metrics, onError, startTimer, randomUuid } = parts.settings;

  const hooked = toKindsWithHook(hooks);
  return hooked.map(toEventTask);

  function toEventTask(kind: DeliveryKind): Task {
    return toTask<KeptEvent>({
      operation: 'deliver',
      kinds: [`event ${kind}`],
      room: (inFlight) => atOnce - inFlight,
      takenForMs: times.takenForMs,
      isRelaxed: false,
      take: (order, { id: deliveryId }, given) =>
        takeEvent(order, { deliveryId, forMs: times.takenForMs, hooked }, given),
      run,
    });
  }

  async function run(event: KeptEvent): Promise<void> {
    const { deliveryId, externalId } = event.notice;
    await record(store, externalId, recordTry, { deliveryId, outcome: await tell(event) });
  }

  async function tell(event: KeptEvent): Promise<OutboxOutcome> {
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
    const retryAtMs = toRetryMs(event, now(), toPart(randomUuid()));
    // The warning comes before the record: if the process dies in between, a person is warned twice rather than never.
    return isToBeWarned(event, now()) ? { retryAtMs, warning: await warn(event) } : { retryAtMs };
  }

  async function warn(event: KeptEvent): Promise<'heard' | 'failed'> {
    const { kind, tries, notice } = event;
    const { deliveryId, externalId } = notice;
    log({ level: 'error', event: 'undelivered', ...toLogSubject(event) });
    const { onUndelivered } = hooks;
    // Without the hook, the log alone goes on warning.
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

/** Each call gets a copy, so that a hook cannot change the next try. */
function callHook(hooks: Hooks, event: OutboxEvent, addLinks: EventTaskParts['addLinks']): unknown {
  if (event.kind === 'waiting') {
    return addLinks(event.notice).then((notice) => hooks.onPixWaiting?.(Object.freeze(notice)));
  }
  const hook = hooks[hookNames[event.kind]] as
    ((copy: OutboxEvent['notice']) => unknown) | undefined;
  return hook?.(Object.freeze({ ...event.notice }));
}

function toLogSubject({ kind, tries, notice }: KeptEvent) {
  const { externalId } = notice;
  return { operation: 'deliver', delivery: kind, tries, externalId } as const;
}

/** Makes a random number from 0 to 1. @param uuid the source of randomness */
function toPart(uuid: string): number {
  const digits = Number.parseInt(uuid.slice(0, 8), 16);
  return Number.isNaN(digits) ? 1 : digits / 0xffff_ffff;
}
