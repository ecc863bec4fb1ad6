/**
 * The ledger that all processes of a history share: the proxy's own memory behind a network that waits and fails, before
 * or after it did what was asked.
 */

import type { Ledger } from '../../../src/proxy/ledger/ledger.js';
import type { OrderStore } from '../../../src/proxy/store/order-store.js';
import { toNews } from '../../support/order-news.js';
import type { News } from '../../support/order-news.js';
import type { ProcessLife } from '../rules/watch.js';
import type { World } from '../world.js';

/** The store of one history. */
export interface Store {
  /** Without network, for whoever looks on. */
  readonly inner: Ledger;
  /** The ledger as one process sees it: silent once the process is gone. */
  readonly openFor: (owner: ProcessLife) => Ledger;
}

/** How a planted bug changes what the store does. */
export type Spoil = (store: OrderStore, world: World) => OrderStore;

/** @param spoil changes the shared store; default: nothing */
export function createStore(world: World, spoil: Spoil = (store) => store): Store {
  const { timeline, chance, conditions, watch, room } = world;
  const shared = spoil(watched(room.createMemoryStore(timeline.now)), world);

  return {
    inner: room.createOrderLedger(shared),
    openFor(owner) {
      const opened: Record<string, unknown> = { isShared: true, areLookUpsClaimed: true };
      for (const [name, operation] of Object.entries(shared)) {
        if (name === 'now') opened['now'] = operation;
        if (typeof operation !== 'function' || name === 'now') continue;
        opened[name] = (...args: unknown[]) => ask(owner, name, operation as Operation, args);
      }
      // Every operation of the store is in it.
      return room.createOrderLedger(opened as unknown as OrderStore);
    },
  };

  /** Tells the rules what each change did, in the words of the operations. */
  function watched(store: OrderStore): OrderStore {
    return {
      ...store,
      async change(externalId, step, terms) {
        let news: readonly News[] = [];
        const answer = await store.change(
          externalId,
          (order, nowMs) => {
            const made = step(order, nowMs);
            news = toNews(order, made[0]);
            return made;
          },
          terms,
        );
        for (const one of news) tell(one);
        return answer;
      },
    };
  }

  function tell(news: News): void {
    const nowMs = timeline.now();
    switch (news.is) {
      case 'attempt': {
        const { attempt } = news;
        if (attempt.progress.state === 'claimed')
          return watch.ledgerDid('claimAttempt', [attempt], 'new');
        if (news.isNew) watch.ledgerDid('claimAttempt', [attempt], 'new');
        return watch.ledgerDid('advanceAttempt', [attempt, attempt.progress], true);
      }
      case 'gone':
        return watch.ledgerDid('releaseAttempt', [news.attempt], undefined);
      case 'invoice':
        return watch.ledgerDid('recordInvoice', [news.invoice], undefined);
      case 'paid':
        return watch.ledgerDid('recordPaid', [news.invoice], true);
      case 'due': {
        const { invoice, wasDueAtMs } = news;
        const untilMs = invoice.lookUpAtMs ?? 0;
        const isTaken = wasDueAtMs !== null && wasDueAtMs <= nowMs && untilMs > nowMs;
        if (!isTaken) return watch.ledgerDid('hastenLookUp', [invoice], undefined);
        return watch.ledgerDid('claimDueLookUps', [1, untilMs - nowMs], [invoice]);
      }
      case 'taken': {
        const { event } = news;
        return watch.ledgerDid('claimEvents', [[], 1, event.dueAtMs - nowMs], [event]);
      }
      case 'told':
        return watch.ledgerDid('endEvent', [news.event.notice.deliveryId], undefined);
      case 'making':
      case 'named':
      case 'queued':
        return;
      default:
        news satisfies never;
    }
  }

  /** What was sent to the store is done there, whether or not somebody lives to hear of it. */
  async function ask(
    owner: ProcessLife,
    name: string,
    operation: Operation,
    args: unknown[],
  ): Promise<unknown> {
    watch.ledgerAsked(name, args, owner);
    const { ledgerWaits, ledgerStalls, ledgerFails, standsStill } = conditions();
    if (!owner.isAlive) return never();
    // A call that is booked counts for a minute: one that leaves later is over the limit, which the rule of calls does not forgive.
    const mayStand = name !== 'bookCalls' && chance.happens(standsStill);
    const stands = mayStand ? chance.pick(['before', 'after']) : 'never';
    if (stands === 'before') await standStill(owner);
    const isRemote = chance.happens(ledgerWaits) || chance.happens(ledgerStalls);
    if (isRemote) await timeline.pause(toDelayMs(), null);
    const outcome = chance.happens(ledgerFails) ? chance.pick(['before', 'after']) : 'done';
    const answer = outcome === 'before' ? undefined : await operation(...args);
    if (outcome !== 'before' && name !== 'change') watch.ledgerDid(name, args, answer);
    const end = outcome === 'done' ? '' : `, fails ${outcome} its effect`;
    world.note(`ledger: process ${owner.number} ${name} ${toSummary(args)}${end}`);
    // Whoever asked goes on in an event of its own.
    if (isRemote) await timeline.pause(toDelayMs(), owner);
    if (stands === 'after') await standStill(owner);
    if (outcome !== 'done') {
      watch.ledgerFailed(owner);
      throw new room.LedgerError('08006');
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
