/**
 * Deliveries in this process, until they are ended. Synchronous, so that each function is whole by itself.
 */

import type { ClaimedEvent, OutboxEvent, DeliveryKind } from '../../order/outbox-events.js';
import { deadForMs } from '../ledger.js';
import type { OutboxOutcome } from '../ledger.js';
import type { EventOutcome } from '../order-story.js';

interface Entry {
  readonly delivery: OutboxEvent;
  readonly queuedAtMs: number;
  /** When it may be claimed, milliseconds since 1970; null: it is ended. */
  dueAtMs: number | null;
  tries: number;
  endedAtMs: number | null;
  outcome: EventOutcome | null;
}

/**
 * Makes an empty memory.
 * @param now wall clock, milliseconds since 1970
 */
export function createOutboxMemory(now: () => number) {
  const entries = new Map<string, Entry>();
  // The ones not ended: the others are kept only so that none is queued twice.
  const open = new Set<string>();
  const byOrder = new Map<string, Entry[]>();
  let diedAtMs: number[] = [];

  return {
    /** Those not ended. @param kinds default all */
    open(kinds?: readonly DeliveryKind[]): { dueAtMs: number; queuedAtMs: number }[] {
      const found = [...open].flatMap((id) => entries.get(id) ?? []);
      return found
        .filter(({ delivery }) => kinds?.includes(delivery.kind) ?? true)
        .map(({ dueAtMs, queuedAtMs }) => ({ dueAtMs: dueAtMs ?? Infinity, queuedAtMs }));
    },

    /** How many were given up a short time ago. */
    countDead(): number {
      diedAtMs = diedAtMs.filter((atMs) => atMs > now() - deadForMs);
      return diedAtMs.length;
    },

    /** Once for each id. @returns whether it is new */
    queue(delivery: OutboxEvent): boolean {
      const { deliveryId, externalId } = delivery.notice;
      if (entries.has(deliveryId)) return false;
      const fresh = { tries: 0, endedAtMs: null, outcome: null };
      const entry = { delivery, queuedAtMs: now(), dueAtMs: now(), ...fresh };
      entries.set(deliveryId, entry);
      byOrder.set(externalId, [...(byOrder.get(externalId) ?? []), entry]);
      open.add(deliveryId);
      return true;
    },

    /** Ends those of an order and a kind that are not through. @returns whether one was tried, or is being tried */
    drop(externalId: string, kind: DeliveryKind): boolean {
      const ofKind = (byOrder.get(externalId) ?? []).filter(
        ({ delivery }) => delivery.kind === kind,
      );
      for (const entry of ofKind) if (entry.outcome === null) close(entry, 'dropped');
      return ofKind.some(({ tries }) => tries > 0);
    },

    claim(kinds: readonly DeliveryKind[], most: number, forMs: number): ClaimedEvent[] {
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

    end(deliveryId: string, outcome: OutboxOutcome): void {
      const entry = entries.get(deliveryId);
      if (!entry || entry.dueAtMs === null) return;
      if (outcome === 'given_up') diedAtMs.push(now());
      if (typeof outcome === 'object') entry.dueAtMs = outcome.retryAtMs;
      else close(entry, outcome);
    },

    historyOf: (externalId: string) =>
      (byOrder.get(externalId) ?? []).map(({ delivery, ...times }) => ({
        ...delivery,
        ...times,
        dueAtMs: times.dueAtMs ?? 0,
      })),

    forgetOrder(externalId: string): void {
      for (const { delivery } of byOrder.get(externalId) ?? []) {
        entries.delete(delivery.notice.deliveryId);
        open.delete(delivery.notice.deliveryId);
      }
      byOrder.delete(externalId);
    },
  };

  function close(entry: Entry, outcome: EventOutcome): void {
    Object.assign(entry, { dueAtMs: null, endedAtMs: now(), outcome });
    open.delete(entry.delivery.notice.deliveryId);
  }
}
