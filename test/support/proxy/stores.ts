/** The stores a ledger may be kept in, for tests that are told of each of them. Knows no test and no table. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, whyNoPostgres } from '../../tools/machine/postgres.js';
import type { PostgresServer } from '../../tools/machine/postgres.js';
import { isShort } from '../../tools/runs.js';

/** A kind of store. */
export interface TestStore {
  readonly name: 'SQLite' | 'PostgreSQL';
  /** Why it cannot be had here; false: it can. */
  readonly whyNot: string | false;
  /** Before the first URL. */
  readonly open: () => Promise<void>;
  /** @returns the URL of a store that is not opened yet */
  readonly createUrl: () => Promise<string>;
  readonly close: () => Promise<void>;
}

/** The databases of the tier that runs: PostgreSQL has to be started first. */
export function durableStores(): TestStore[] {
  return isShort ? [createSqliteStore()] : [createSqliteStore(), createPostgresStore()];
}

/** Files in a folder of their own. */
export function createSqliteStore(): TestStore {
  let folder = '';
  let files = 0;
  return {
    name: 'SQLite',
    whyNot: false,
    async open() {
      folder = mkdtempSync(join(tmpdir(), 'pix-sqlite-'));
    },
    async createUrl() {
      files += 1;
      return `file:${join(folder, `${files}.db`)}`;
    },
    async close() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Databases of a server of their own. */
export function createPostgresStore(): TestStore {
  let server: PostgresServer | null = null;
  return {
    name: 'PostgreSQL',
    whyNot: whyNoPostgres() ?? false,
    async open() {
      server = await startPostgres();
    },
    async createUrl() {
      if (server === null) throw new Error('The server was not started');
      return server.createDatabase();
    },
    async close() {
      await server?.stop();
    },
  };
}
