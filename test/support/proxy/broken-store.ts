/** A store of which one operation fails, as a store does: it is down, slow, or fails once it has written. Knows no test. */

import { LedgerError } from '../../../src/proxy/store/order-store.js';
import type { OrderStore } from '../../../src/proxy/store/order-store.js';
import { createWorld } from './shop.js';

/** An operation of a store. */
export type Operation = {
  [Name in keyof OrderStore]-?: OrderStore[Name] extends (...args: never[]) => unknown
    ? Name
    : never;
}[keyof OrderStore];

/** `once`: only the first time. */
export const breakages = [
  'down',
  'down once',
  'slow',
  'broken after the write',
  'broken after the write once',
] as const;

/** How it fails. */
export type Breakage = (typeof breakages)[number];

/** So long that a claim runs out before a card could leave, milliseconds. */
const slowMs = 8_000;

/** The same store, each of whose operations goes through `around`. */
export function aroundStore(
  store: OrderStore,
  around: (name: Operation, run: () => Promise<unknown>) => Promise<unknown>,
): OrderStore {
  const wrapped = Object.entries(store).map(([name, value]: [string, unknown]) =>
    typeof value === 'function' && name !== 'now'
      ? [name, (...args: unknown[]) => around(name as Operation, async () => value(...args))]
      : [name, value],
  );
  return Object.fromEntries(wrapped) as OrderStore;
}

/** A store that can be broken. */
export type BrokenStore = ReturnType<typeof createBrokenStore>;

/** @returns with the world of the shops that keep their orders in it */
export function createBrokenStore(whole = createWorld()) {
  let broken: { operation: Operation | null; breakage: Breakage; isUsed: boolean } | null = null;
  let watched = new Set<Operation>();

  return {
    world: { ...whole, store: aroundStore(whole.store, breakable) },
    /** From now on. @param operation null: each of them */
    break(operation: Operation | null, breakage: Breakage): undefined {
      broken = { operation, breakage, isUsed: false };
    },
    mend() {
      broken = null;
    },
    /** @returns the operations that are asked for from now on */
    watch(): ReadonlySet<Operation> {
      watched = new Set();
      return watched;
    },
  };

  async function breakable(name: Operation, run: () => Promise<unknown>): Promise<unknown> {
    watched.add(name);
    const breakage = strike(name);
    if (breakage === 'slow') {
      await new Promise<void>((resolve) => void whole.clock.startTimer(resolve, slowMs));
    }
    if (breakage?.startsWith('down')) throw new LedgerError('57P03');
    const result = await run();
    if (breakage?.startsWith('broken')) throw new LedgerError();
    return result;
  }

  function strike(name: Operation): Breakage | null {
    if (!broken || (broken.operation ?? name) !== name) return null;
    if (broken.isUsed && broken.breakage.endsWith('once')) return null;
    broken.isUsed = true;
    return broken.breakage;
  }
}
