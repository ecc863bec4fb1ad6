/**
 * Deliveries in this process, until they are ended. Synchronous, so that each function is whole by itself.
 */

import type { ClaimedDelivery, Delivery, DeliveryKind } from './deliveries.js';
import type { DeliveryOutcome } from './orders.js';

interface Entry {
  readonly delivery: Delivery;
  readonly queuedAtMs: number;
  /** When it may be claimed, milliseconds since 1970; null: it is ended. */
  dueAtMs: number | null;
  tries: number;
}

/** The deliveries of all orders. */
export interface DeliveryMemory {
  /** Once for each id. */
  queue(delivery: Delivery): void;
  /** Ends one that nobody tried yet. @returns whether it was tried, or is being tried */
  drop(deliveryId: string): boolean;
  has(deliveryId: string): boolean;
  claim(kinds: readonly DeliveryKind[], most: number, forMs: number): ClaimedDelivery[];
  end(deliveryId: string, outcome: DeliveryOutcome): void;
  forget(deliveryId: string): void;
  /** @param kinds default all */
  countOpen(kinds?: readonly DeliveryKind[]): number;
}

/**
 * Makes an empty memory.
 * @param now wall clock, milliseconds since 1970
 */
export function createDeliveryMemory(now: () => number): DeliveryMemory {
  const entries = new Map<string, Entry>();
  // The ones not ended: the others are kept only so that none is queued twice.
  const open = new Set<string>();

  return {
    has: (deliveryId) => entries.has(deliveryId),

    countOpen(kinds) {
      const entriesOpen = [...open].flatMap((id) => entries.get(id) ?? []);
      return entriesOpen.filter(({ delivery }) => kinds?.includes(delivery.kind) ?? true).length;
    },

    queue(delivery) {
      const { deliveryId } = delivery.notice;
      if (entries.has(deliveryId)) return;
      entries.set(deliveryId, { delivery, queuedAtMs: now(), dueAtMs: now(), tries: 0 });
      open.add(deliveryId);
    },

    drop(deliveryId) {
      const entry = entries.get(deliveryId);
      if (entry) close(deliveryId, entry);
      return (entry?.tries ?? 0) > 0;
    },

    claim(kinds, most, forMs) {
      const due: Entry[] = [];
      for (const id of open) {
        const entry = entries.get(id);
        if (due.length >= most) break;
        if (!entry || entry.dueAtMs === null || entry.dueAtMs > now()) continue;
        if (kinds.includes(entry.delivery.kind)) due.push(entry);
      }
      return due.map((entry) => {
        entry.tries += 1;
        entry.dueAtMs = now() + forMs;
        return { ...entry.delivery, tries: entry.tries, queuedAtMs: entry.queuedAtMs };
      });
    },

    end(deliveryId, outcome) {
      const entry = entries.get(deliveryId);
      if (!entry || entry.dueAtMs === null) return;
      if (typeof outcome === 'object') entry.dueAtMs = outcome.retryAtMs;
      else close(deliveryId, entry);
    },

    forget(deliveryId) {
      entries.delete(deliveryId);
      open.delete(deliveryId);
    },
  };

  function close(deliveryId: string, entry: Entry): void {
    entry.dueAtMs = null;
    open.delete(deliveryId);
  }
}
