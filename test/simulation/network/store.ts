/**
 * The ledger that all processes of a history share: the proxy's own memory behind a network that waits and fails, before
 * or after it did what was asked.
 *
 * Owns turns, which one process alone does not need.
 */

import type { Ledger } from '../../../src/proxy/ledger/ledger.js';
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
export type Spoil = (ledger: Ledger, world: World) => Ledger;

/** @param spoil changes the shared ledger; default: nothing */
export function createStore(world: World, spoil: Spoil = (ledger) => ledger): Store {
  const { timeline, chance, conditions, watch, room } = world;
  const inner = spoil(withTurns(room.createMemoryLedger(timeline.now), timeline.now), world);

  return {
    inner,
    openFor(owner) {
      const opened: Record<string, unknown> = { isShared: true, areLookUpsClaimed: true };
      for (const [name, operation] of Object.entries(inner)) {
        if (typeof operation !== 'function') continue;
        opened[name] = (...args: unknown[]) => ask(owner, name, operation as Operation, args);
      }
      // Every operation of the ledger is in it.
      return opened as unknown as Ledger;
    },
  };

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
    if (outcome !== 'before') watch.ledgerDid(name, args, answer);
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

function withTurns(ledger: Ledger, now: () => number): Ledger {
  const turns = new Map<string, { holder: string; untilMs: number }>();
  return {
    ...ledger,
    isShared: true,
    async acquireOrderLock(externalId, holder, forMs) {
      const turn = turns.get(externalId);
      if (turn && turn.holder !== holder && turn.untilMs > now()) return turn.untilMs - now();
      turns.set(externalId, { holder, untilMs: now() + forMs });
      return 0;
    },
    async releaseOrderLock(externalId, holder) {
      if (turns.get(externalId)?.holder === holder) turns.delete(externalId);
    },
  };
}

/** As much of what was asked as tells one from the other. */
function toSummary([first]: unknown[]): string {
  if (typeof first === 'string') return first;
  const { key, invoiceId } = (first ?? {}) as { key?: string; invoiceId?: string };
  return (key ?? invoiceId ?? '').slice(0, 4);
}
