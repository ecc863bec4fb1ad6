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
import { createLines, toLedgerError, toMissingDriver } from './database.js';
import type { Dialect, Query, Store } from './database.js';

/** How long a database may be silent before that is an error, milliseconds: to connect, and to answer one statement. */
const patienceMs = 4_500;

/** Most connections of one process. */
const maxConnections = 10;

/**
 * The server's own limits, below ours: a row that is waited for is a busy database, a statement that takes longer a broken
 * one. The last one frees the orders of a process that vanished. `lockOrder` needs this isolation level, and a database may
 * have another default. The server's time comes with the answer.
 */
const begin = [
  'BEGIN ISOLATION LEVEL READ COMMITTED',
  'SET LOCAL lock_timeout = 3500',
  'SET LOCAL statement_timeout = 4000',
  'SET LOCAL idle_in_transaction_session_timeout = 10000',
  'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
].join('; ');

/** How long the server's clock is taken to go on as ours does, milliseconds. */
const clockKnownForMs = 60_000;

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
  const clock = createServerClock();
  const pool = createPool(pg, url);
  const inLine = createLines(maxConnections);
  const write: Store['write'] = (work) => inLine('', () => withConnection(transact(work)));
  const ask: Query = (statement) => {
    const work = (query: Query) => query<never>(statement);
    return clock.isKnown() ? inLine('', () => withConnection(work)) : write(work);
  };
  return {
    dialect,
    now: clock.now,
    inOrderLine: createLines(1),
    read: ask,
    write,
    writeRelaxed: write,
    writeOne: ask,
    close: () => pool.end(),
  };

  function transact<T>(work: (query: Query) => Promise<T>) {
    return async (query: Query, exec: Exec): Promise<T> => {
      const askedAtMs = performance.now();
      clock.note(await exec(begin), askedAtMs);
      try {
        const result = await work(query);
        await exec('COMMIT');
        return result;
      } catch (thrown) {
        // The failure of the work is the one to tell. A connection that does not roll back is closed.
        await exec('ROLLBACK').catch(() => undefined);
        throw thrown;
      }
    };
  }

  /** Lends a connection of the pool. One that failed is closed: a statement behind one that hangs would hang as well. */
  async function withConnection<T>(work: (query: Query, exec: Exec) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((thrown: unknown) => {
      throw toLedgerError(thrown);
    });
    let failure: LedgerError | null = null;
    const exec: Exec = async (text, values = []) => {
      if (failure) throw failure;
      try {
        return await client.query(text, values.map(toWhole));
      } catch (thrown) {
        const error = toLedgerError(thrown);
        if (!isAnswer(error)) failure = error;
        throw error;
      }
    };
    try {
      const query = async <Row>({ text, values }: Sql) => (await exec(text, values)).rows as Row[];
      return await work(query, exec);
    } finally {
      client.release(failure !== null);
    }
  }
}

type Exec = (text: string, values?: readonly unknown[]) => Promise<Pg.QueryResult>;

/** The tables hold whole numbers, and a time may come as a fraction of a millisecond. */
function toWhole(value: unknown): unknown {
  return typeof value === 'number' ? Math.ceil(value) : value;
}

/**
 * The server's clock. Machines that share rows go by it: by clocks of their own one would end what another has just begun.
 * It goes on by this process's steady clock, so that a machine whose clock is set does not notice.
 */
function createServerClock() {
  // Of performance.now(). Where the machine's own clock is right, nothing changes.
  let startedAtMs = performance.timeOrigin;
  let notedAtMs = -Infinity;

  return {
    /** Milliseconds since 1970. */
    now: () => Math.floor(startedAtMs + performance.now()),
    isKnown: () => performance.now() - notedAtMs < clockKnownForMs,

    /**
     * What it said between then, of performance.now(), and now: a time that agrees with both stays.
     * @param answers to the statements of `begin`, which pg gives as an array
     */
    note(answers: unknown, askedAtMs: number): void {
      const [answer] = (answers as readonly Pg.QueryResult<{ now: number }>[]).slice(-1);
      const serverMs = answer?.rows[0]?.now;
      if (serverMs === undefined) return;
      notedAtMs = performance.now();
      startedAtMs = Math.max(startedAtMs, serverMs - notedAtMs);
      startedAtMs = Math.min(startedAtMs, serverMs + 1 - askedAtMs);
    },
  };
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
