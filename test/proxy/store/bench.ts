/** Empty stores for tests: in memory, in a file, and in a schema of a server. */

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'vitest';
import { createMemoryStore } from '../../../src/proxy/store/memory-store.js';
import { openStore } from '../../../src/proxy/store/open-store.js';
import type { OrderStore } from '../../../src/proxy/store/order-store.js';
import { openSqliteDriver } from '../../../src/proxy/store/sql/sqlite.js';
import { queryAt } from '../../tools/machine/postgres.js';
import type { PostgresServer } from '../../tools/machine/postgres.js';
import { startMs } from './samples.js';

/** An empty store. */
export interface Bench {
  readonly store: OrderStore;
  /** Another handle on it, as another process has it; the same one, where there is only one. */
  readonly other: OrderStore;
  /** What both handles take for the time. */
  readonly clock: { nowMs: number };
}

/** A store that has an address: who knows it can open more handles. */
export interface DurableBench extends Bench {
  readonly url: string;
  /** One more handle, closed at the end. */
  open(): Promise<OrderStore>;
  /** Runs a statement past every handle. */
  execute(sql: string): Promise<unknown[]>;
}

/** Runs with an empty store, and clears it away afterwards. */
export type WithBench<B = Bench> = (run: (bench: B) => Promise<void>) => Promise<void>;

/** Declares a test on an empty store. */
export type OnStore<B = Bench> = (
  name: string,
  run: (bench: B & { readonly t: TestContext }) => Promise<void>,
) => void;

export function onStore<B>(withBench: WithBench<B>): OnStore<B> {
  return (name, run) => it(name, (t) => withBench((bench) => run({ ...bench, t })));
}

export const withMemory: WithBench = (run) => {
  const clock = { nowMs: startMs };
  const store = createMemoryStore(() => clock.nowMs);
  return run({ store, other: store, clock });
};

/** Memory that looks like a disk, where there is some: each write waits until the disk has it. */
const quickFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export const withFile: WithBench<DurableBench> = async (run) => {
  const folder = await mkdtemp(join(quickFolder, 'pix-store-'));
  try {
    const path = join(folder, 'pix.db');
    await withHandles(`file:${path}`, run, async (sql) => {
      const driver = await openSqliteDriver(path);
      try {
        // Node's rows have no prototype.
        return driver
          .prepare(sql)
          .all([])
          .map((row) => ({ ...(row as object) }));
      } finally {
        driver.close();
      }
    });
  } finally {
    await rm(folder, { recursive: true });
  }
};

export function withDatabase(server: () => PostgresServer): WithBench<DurableBench> {
  return async (run) => {
    const url = await server().createDatabase();
    await withHandles(url, run, (sql) => queryAt(url, sql));
  };
}

async function withHandles(
  url: string,
  run: (bench: DurableBench) => Promise<void>,
  execute: DurableBench['execute'],
): Promise<void> {
  const clock = { nowMs: startMs };
  const handles: OrderStore[] = [];
  const open = async () => {
    const store = await openStore({ url, now: () => clock.nowMs });
    handles.push(store);
    return store;
  };
  try {
    await run({ store: await open(), other: await open(), url, open, execute, clock });
  } finally {
    for (const handle of handles) await handle.close();
  }
}
