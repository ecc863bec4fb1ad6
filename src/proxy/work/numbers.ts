/** What operators watch: how much is due, how late it is, and when the next thing falls due. */

import { dayMs } from '../../domain/spans.js';
import type { Sink } from '../config/metrics.js';
import type { Kind } from '../order/entries.js';
import type { DeliveryKind } from '../order/outbox-events.js';
import type { OrderStore } from '../store/order-store.js';

/** How long an operator is told of an event that was given up, milliseconds. */
const deadForMs = dayMs;

/** Most dead events that are counted. */
const mostDead = 10_000;

/** Kinds that are looked up. Those of paid invoices may wait, and are never late. */
const lookedUp: readonly Kind[] = ['look_up', 'named'];

/**
 * @param told the events that have a hook
 * @returns when the next thing falls due, milliseconds since 1970, also in the past; null: nothing will
 */
export async function reportNumbers(
  {
    store,
    now,
  }: { readonly store: Pick<OrderStore, 'count' | 'search'>; readonly now: () => number },
  told: readonly DeliveryKind[],
  metrics: Sink | null,
): Promise<number | null> {
  const events = told.map((kind): Kind => `event ${kind}`);
  const due: readonly Kind[] = [...lookedUp, 'named_paid', 'sent', ...events];
  const counts = await store.count([...due, 'unknown']);
  const of = (kind: Kind) => counts.get(kind);
  const first = (kinds: readonly Kind[]) =>
    Math.min(...kinds.map((kind) => of(kind)?.atMs ?? Infinity));
  if (metrics) {
    const fromMs = now() - deadForMs + 1;
    const dead = await store.search({ kinds: ['dead'], fromMs, most: mostDead });
    const queuedAtMs = Math.min(...events.map((kind) => (of(kind)?.rank ?? Infinity) / 1_000));
    const lagMs = now() - first(lookedUp);
    metrics.set('pix_reconciliation_lag_seconds', Math.max(0, lagMs) / 1_000);
    metrics.set(
      'pix_outbox_events',
      events.reduce((sum, kind) => sum + (of(kind)?.count ?? 0), 0),
    );
    metrics.set('pix_outbox_age_seconds', Math.max(0, now() - Math.floor(queuedAtMs)) / 1_000);
    metrics.set('pix_dead_events', dead.length);
    metrics.set('pix_unresolved_charges', of('unknown')?.count ?? 0);
  }
  const nextMs = first(due);
  return nextMs === Infinity ? null : nextMs;
}
