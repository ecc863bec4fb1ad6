/**
 * The ledger that all processes of a history share: the proxy's own memory behind a network that waits and fails, before
 * or after it did what was asked.
 *
 * Tells the watch of each change of an order, which is where planted bugs are.
 */

import type { Order } from '../../../src/proxy/order/order.js';
import { LedgerError } from '../../../src/proxy/store/order-store.js';
import { createMemoryStore } from '../../../src/proxy/store/memory-store.js';
import type { OrderStore } from '../../../src/proxy/store/order-store.js';
import type { ProcessLife } from '../rules/watch.js';
import type { World } from '../world.js';

/** The store of one history. */
export type Store = ReturnType<typeof createStore>;

/** How a planted bug changes what the store does. */
export type Spoil = (store: OrderStore, world: World) => OrderStore;

/** What a step made of an order, and its answer. */
type Done = readonly [order: Order, answer: unknown];

/** How a planted bug changes what a step makes of an order. */
export type Plant = (
  before: Order,
  done: Done,
  given: { readonly nowMs: number; readonly world: World },
) => Done;

/** What is planted in a store; each default: nothing. */
export interface Planted {
  readonly spoil?: Spoil;
  readonly plant?: Plant;
}

/** No order is forgotten in a simulation. */
function isDone<T>(made: readonly [order: Order | null, answer: T]): made is readonly [Order, T] {
  return made[0] !== null;
}

export function createStore(world: World, { spoil = asItIs, plant }: Planted = {}) {
  const { timeline, chance, conditions, watch } = world;
  const shared = spoil(withSight(createMemoryStore(timeline.now)), world);

  return {
    /** Without network, for a watcher. */
    inner: shared,
    /** The ledger as one process sees it: silent once the process is gone. */
    openFor(owner: ProcessLife) {
      const opened: Record<string, unknown> = { isShared: true, throttlesLookUps: true };
      for (const [name, operation] of Object.entries(shared)) {
        if (name === 'now') opened['now'] = operation;
        if (typeof operation !== 'function' || name === 'now') continue;
        opened[name] = (...args: unknown[]) => ask(owner, name, operation as Operation, args);
      }
      // Every operation of the store is in it.
      return opened as unknown as OrderStore;
    },
  };

  function withSight(store: OrderStore): OrderStore {
    return {
      ...store,
      change: (externalId, step, terms) =>
        store.change(
          externalId,
          (before, nowMs) => {
            const honest = step(before, nowMs);
            if (!isDone(honest)) return honest;
            const done = plant ? plant(before, honest, { nowMs, world }) : honest;
            if (done[0] !== before) watch.orderChanged(before, done[0]);
            return done as typeof honest;
          },
          terms,
        ),
    };
  }

  /** What was sent to the store is done there, whether or not its caller lives to hear of it. */
  async function ask(
    owner: ProcessLife,
    name: string,
    operation: Operation,
    args: unknown[],
  ): Promise<unknown> {
    watch.ledgerAsked(name, args, owner);
    const { ledgerWaits, ledgerStalls, ledgerFails, standsStill } = conditions();
    if (!owner.isAlive) return never();
    const stands = chance.happens(standsStill) ? chance.pick(['before', 'after']) : 'never';
    if (stands === 'before') await standStill(owner);
    const isRemote = chance.happens(ledgerWaits) || chance.happens(ledgerStalls);
    if (isRemote) await timeline.pause(toDelayMs(), null);
    const outcome = chance.happens(ledgerFails) ? chance.pick(['before', 'after']) : 'done';
    const answer = outcome === 'before' ? undefined : await operation(...args);
    const end = outcome === 'done' ? '' : `, fails ${outcome} its effect`;
    world.note(`ledger: process ${owner.number} ${name} ${toSummary(args)}${end}`);
    // The caller goes on in an event of its own.
    if (isRemote) await timeline.pause(toDelayMs(), owner);
    if (stands === 'after') await standStill(owner);
    if (outcome !== 'done') {
      watch.ledgerFailed(owner);
      throw new LedgerError('08006');
    }
    return answer;
  }

  /** Between this step of its work and the next one: long enough for a page to ask another process. */
  function standStill(owner: ProcessLife): Promise<void> {
    return timeline.pause(chance.between(10_000, 60_000), owner);
  }

  function toDelayMs(): number {
    const isStalled = chance.happens(conditions().ledgerStalls);
    return isStalled ? chance.between(5_000, 45_000) : chance.between(0, 60);
  }
}

type Operation = (...args: unknown[]) => Promise<unknown>;

const asItIs: Spoil = (store) => store;

/** A promise that is never settled: its process is gone. */
export function never(): Promise<never> {
  return new Promise<never>(() => undefined);
}

/** As much of what was asked as tells one from the other. */
function toSummary([first]: unknown[]): string {
  if (typeof first === 'string') return first;
  const { key, invoiceId } = (first ?? {}) as { key?: string; invoiceId?: string };
  return (key ?? invoiceId ?? '').slice(0, 4);
}
