/**
 * Events for the merchant's server: each is queued once in the change that it tells of, taken by one process at a time, and
 * told until it is through.
 */

import { findPayable } from '../questions.js';
import { dayMs } from '../../../domain/spans.js';
import type { Given, KeptEvent, Order, Step } from '../order.js';
import type { TakenEvent, DeliveryKind, OutboxEvent } from './outbox-events.js';

/** How long an event that is through is remembered, milliseconds. */
const rememberedMs = 90 * dayMs;

/** How a try ended; a time, milliseconds since 1970, is when the next one is due. `given_up`: the event is dead. */
export type OutboxOutcome = 'delivered' | 'given_up' | { readonly retryAtMs: number };

/** The order with this event, once for each id. The same order: it was queued before. One that was dropped untold is due again. */
export function withQueued(order: Order, event: OutboxEvent, { nowMs }: Given): Order {
  const { deliveryId } = event.notice;
  const known = findEvent(order, deliveryId);
  if (known?.outcome === 'dropped' && known.tries === 0 && event.kind === 'waiting') {
    return withEvent(order, { ...known, dueAtMs: nowMs, endedAtMs: null, outcome: null });
  }
  if (known) return order;
  const queued: KeptEvent = {
    ...event,
    queuedAtMs: nowMs,
    dueAtMs: nowMs,
    tries: 0,
    endedAtMs: null,
    outcome: null,
  };
  const isRemembered = ({ endedAtMs }: KeptEvent) =>
    endedAtMs === null || nowMs - endedAtMs < rememberedMs;
  return { ...order, events: [...order.events.filter(isRemembered), queued] };
}

/** Ends those of a kind that are not through. @returns whether one was tried, or is being tried */
export function dropped(order: Order, kind: DeliveryKind, { nowMs }: Given): Step<boolean> {
  const wasTried = order.events.some((one) => one.kind === kind && one.tries > 0);
  const isOpen = (one: KeptEvent) => one.kind === kind && one.outcome === null;
  if (!order.events.some(isOpen)) return [order, wasTried];
  const events = order.events.map((one) => (isOpen(one) ? toEnded(one, 'dropped', nowMs) : one));
  return [{ ...order, events }, wasTried];
}

/** Takes an event that is due, and counts the try. @returns null: it is not to be told now */
export function takenEvent(
  order: Order,
  { deliveryId, forMs }: { readonly deliveryId: string; readonly forMs: number },
  { nowMs }: Given,
): Step<TakenEvent | null> {
  const event = findEvent(order, deliveryId);
  if (!event || event.outcome !== null || event.dueAtMs > nowMs) return [order, null];
  // A reminder is for a code that may be paid now. If it can be once more, its page gets it again, and it is queued anew.
  if (event.kind === 'waiting' && !findPayable(order, event.notice.invoiceId, nowMs)) {
    return [withEvent(order, toEnded(event, 'dropped', nowMs)), null];
  }
  const tries = event.tries + 1;
  const { kind, notice, queuedAtMs } = event;
  const taken = { kind, notice, tries, queuedAtMs } as TakenEvent;
  return [withEvent(order, { ...event, tries, dueAtMs: nowMs + forMs }), taken];
}

/** The merchant's server was told, or could not be. One that ended meanwhile stays so. */
export function told(
  order: Order,
  { deliveryId, outcome }: { readonly deliveryId: string; readonly outcome: OutboxOutcome },
  { nowMs }: Given,
): Step<void> {
  const event = findEvent(order, deliveryId);
  if (!event || event.outcome !== null) return [order, undefined];
  const next =
    typeof outcome === 'object'
      ? { ...event, dueAtMs: outcome.retryAtMs }
      : toEnded(event, outcome, nowMs);
  return [withEvent(order, next), undefined];
}

function findEvent({ events }: Order, deliveryId: string): KeptEvent | undefined {
  return events.find(({ notice }) => notice.deliveryId === deliveryId);
}

function withEvent(order: Order, event: KeptEvent): Order {
  const { deliveryId } = event.notice;
  const events = order.events.map((one) => (one.notice.deliveryId === deliveryId ? event : one));
  return { ...order, events };
}

function toEnded(event: KeptEvent, outcome: KeptEvent['outcome'], nowMs: number): KeptEvent {
  return { ...event, outcome, endedAtMs: nowMs };
}
