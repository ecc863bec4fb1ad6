/**
 * PostgreSQL, through pg: any number of machines.
 *
 * Owns the pool, its time-outs and what becomes of a connection that failed. Knows no table. Needs nothing of a session
 * that would outlive a transaction, so that a pooler such as PgBouncer may stand between.
 */

import type Pg from 'pg';
import sql from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { LedgerError } from '../ledger-error.js';
import { toLedgerError, toMissingDriver } from './database.js';
import type { Dialect, Query, Store } from './database.js';

/** How long a database may be silent before that is an error, milliseconds: to connect, and to answer one statement. */
const patienceMs = 4_500;

/** Most connections of one process. */
const maxConnections = 10;

/**
 * The server's own limits, below ours. The last one frees the orders of a process that vanished. `lockOrder` needs this
 * isolation level, and a database may have another default.
 */
const begin = [
  'BEGIN ISOLATION LEVEL READ COMMITTED',
  'SET LOCAL statement_timeout = 4000',
  'SET LOCAL idle_in_transaction_session_timeout = 10000',
].join('; ');

/** PostgreSQL's number for the type `bigint`. */
const bigintOid = 20;

/** Any number that no other program's lock in the same database is likely to have. */
const lockId = 7_494_221_605;

const dialect: Dialect = {
  toJsonArray: (_columns, subquery) =>
    sql`(SELECT coalesce(json_agg(found), '[]') FROM (${subquery}) AS found)`,
  skipLocked: sql`FOR UPDATE SKIP LOCKED`,
  commitRelaxed: sql`set_config('synchronous_commit', 'off', true)`,
  // Without it a statement that we gave up would go on waiting, and keep one of the server's connections each time.
  waitBriefly: sql`set_config('lock_timeout', '1000', true) <> ''`,
  lockMigrations: sql`SELECT pg_advisory_xact_lock(${lockId})`,
  areLookUpsClaimed: true,
};

/** The `try` stands around the `import()` itself: so bundlers warn of a missing driver and do not fail. */
async function importPg() {
  try {
    return await import('pg');
  } catch {
    throw toMissingDriver('pg');
  }
}

/** @throws TypeError if `url` is none; the first operation fails if nothing answers there */
export async function openPostgres(url: string): Promise<Store> {
  const { default: pg } = await importPg();
  const pool = createPool(pg, url);
  const queryOnce: Query = (statement) => withConnection((query) => query(statement));
  const write: Store['write'] = (work) =>
    withConnection(async (query, exec) => {
      await exec(begin);
      try {
        const result = await work(query);
        await exec('COMMIT');
        return result;
      } catch (thrown) {
        // The failure of the work is the one to tell. A connection that does not roll back is closed.
        await exec('ROLLBACK').catch(() => undefined);
        throw thrown;
      }
    });
  return {
    dialect,
    read: queryOnce,
    write,
    writeRelaxed: write,
    writeOne: queryOnce,
    close: () => pool.end(),
  };

  /** Lends a connection of the pool. One that failed is closed: a statement behind one that hangs would hang as well. */
  async function withConnection<T>(
    work: (query: Query, exec: (text: string) => Promise<unknown>) => Promise<T>,
  ): Promise<T> {
    const client = await pool.connect().catch((thrown: unknown) => {
      throw toLedgerError(thrown);
    });
    let failure: LedgerError | null = null;
    const run = async (text: string, values?: unknown[]) => {
      if (failure) throw failure;
      try {
        return await client.query(text, values);
      } catch (thrown) {
        const error = toLedgerError(thrown);
        if (!isAnswer(error)) failure = error;
        throw error;
      }
    };
    try {
      const query = async <Row>({ text, values }: Sql) => (await run(text, values)).rows as Row[];
      return await work(query, run);
    } finally {
      client.release(failure !== null);
    }
  }
}
function createPool(pg: typeof Pg, url: string): Pg.Pool {
  const config = {
    connectionString: url,
    application_name: 'pix-checkout',
    max: maxConnections,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    keepAlive: true,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === bigintOid ? toSafeInteger : (pg.types.getTypeParser(oid, format) as never),
    },
  };
  try {
    // The pool would read the URL later, with an error that quotes it.
    void new pg.Client(config);
  } catch {
    throw new TypeError('url is not the URL of a PostgreSQL database');
  }
  const pool = new pg.Pool(config);
  // Without a listener, a connection that breaks while it is idle would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

function toSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new LedgerError('UNSAFE_INTEGER');
  return value;
}

/** Whether the server spoke, and goes on to listen: class 57 is a server that shuts down or ends the connection. */
function isAnswer({ code }: LedgerError): boolean {
  return code !== undefined && /^[\dA-Z]{5}$/.test(code) && !/^(08|57P)/.test(code);
}
