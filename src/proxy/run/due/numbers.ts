/** What operators watch: how much is due, how late it is, and when the next thing falls due. */

import { dayMs, minuteMs } from '../../../domain/spans.js';
import type { Sink } from '../../set-up/metrics.js';
import type { Kind } from '../../order/due/entries.js';
import type { DeliveryKind } from '../../order/told/outbox-events.js';
import type { OrderStore } from '../../store/order-store.js';

/** Most entries of a kind that are counted: an operator who reads this number knows enough. */
const most = 10_000;

/** How long what one process counted serves for all, milliseconds. */
const countedForMs = minuteMs;

/** Kinds that are looked up. Those of paid invoices may wait, and have a lag of their own. */
const lookedUp: readonly Kind[] = ['look_up', 'named'];

interface NumbersParts {
  readonly store: Pick<OrderStore, 'count' | 'search' | 'share'>;
  readonly now: () => number;
}

/**
 * @param told the events that have a hook
 * @returns when the next thing falls due, milliseconds since 1970, also in the past; null: nothing will
 */
export async function reportNumbers(
  parts: NumbersParts,
  told: readonly DeliveryKind[],
  metrics: Sink | null,
): Promise<number | null> {
  const { store, now } = parts;
  const events = told.map((kind): Kind => `event ${kind}`);
  const late = await findFirst(store, lookedUp);
  const watched = await findFirst(store, ['named_paid']);
  if (metrics) {
    // Of one set of hooks: another program with the same ledger may have others.
    const name = ['numbers', ...events].join(' ');
    const counts = await store.share(name, countedForMs, () => countAll(parts, events));
    const { queuedAtMs } = counts;
    const lag = (sinceMs: number | null) => Math.max(0, now() - (sinceMs ?? now())) / 1_000;
    metrics.set('pix_reconciliation_lag_seconds', lag(late));
    metrics.set('pix_returns_lag_seconds', lag(watched));
    metrics.set('pix_outbox_events', counts.events);
    metrics.set('pix_outbox_age_seconds', lag(queuedAtMs));
    metrics.set('pix_dead_events', counts.dead);
    metrics.set('pix_unresolved_charges', counts.unknown);
  }
  const next = await findFirst(store, ['sent', ...events]);
  const nextMs = Math.min(late ?? Infinity, watched ?? Infinity, next ?? Infinity);
  return nextMs === Infinity ? null : nextMs;
}

/** One kind after the other: each is a step of its own, so that no one waits for all of them. */
async function countAll({ store, now }: NumbersParts, kinds: readonly Kind[]) {
  let events = 0;
  let overdue = 0;
  // When the first of them was queued, by rank.
  let first = Infinity;
  // Of that millisecond, whichever of its order it was.
  const untilRank = (now() - dayMs) * 1_000 + 999;
  for (const kind of kinds) {
    const { count, rank } = await store.count({ kinds: [kind], most });
    events += count;
    first = Math.min(first, rank ?? Infinity);
    if (rank === null || rank > untilRank) continue;
    overdue += (await store.count({ kinds: [kind], untilRank, most })).count;
  }
  // A former version gave these up.
  const dead = await store.count({ kinds: ['dead'], most });
  const unknown = await store.count({ kinds: ['unknown'], most });
  return {
    events,
    queuedAtMs: first === Infinity ? null : Math.floor(first / 1_000),
    dead: overdue + dead.count,
    unknown: unknown.count,
  };
}

/** When the first of these kinds falls due: the first entry of each in the index. */
async function findFirst(
  store: Pick<OrderStore, 'search'>,
  kinds: readonly Kind[],
): Promise<number | null> {
  const times: number[] = [];
  for (const kind of kinds) {
    const [first] = await store.search({ kinds: [kind], most: 1 });
    if (first) times.push(first.atMs);
  }
  return times.length > 0 ? Math.min(...times) : null;
}
