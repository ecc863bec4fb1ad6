/**
 * PostgreSQL, through pg: any number of machines.
 *
 * Owns the pool, its time-outs and what becomes of a connection that failed. Knows no table. Needs nothing of a session
 * that would outlive a transaction, so that a pooler such as PgBouncer may stand between.
 */

import { CompiledQuery, Kysely, PostgresDialect, PostgresDriver, sql } from 'kysely';
import type { DatabaseConnection, PostgresPool, PostgresPoolClient } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type Pg from 'pg';
import { LedgerError } from '../ledger-error.js';
import { toLedgerError, toMissingDriver } from './database.js';
import type { LedgerDialect, Store } from './database.js';
import type { Tables } from './tables.js';
import { createLines } from './waiting-lines.js';

/** How long a database may be silent before that is an error, milliseconds: to connect, and to answer one statement. */
const patienceMs = 4_500;

/** Most connections of one process. */
const maxConnections = 10;

/**
 * The server's own limits, below ours: a row that is waited for is a busy database, a statement that takes longer a broken
 * one. The last one frees the orders of a process that vanished. `lockOrder` needs this isolation level, and a database may
 * have another default. What the server takes for the time comes with the answer.
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

const postgres: LedgerDialect = {
  toJsonArray: jsonArrayFrom,
  skipLocked: (query) => query.forUpdate().skipLocked(),
  commitRelaxed: sql`set_config('synchronous_commit', 'off', true)`,
  // Without it a statement that we gave up would go on waiting, and keep one of the server's connections each time.
  waitBriefly: sql`set_config('lock_timeout', '1000', true) <> ''`,
  lockMigrations: (tx) => sql`SELECT pg_advisory_xact_lock(${lockId})`.execute(tx),
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
  const pool = toCarefulPool(createPool(pg, url), clock);
  const createDriver = () => new LimitedDriver({ pool });
  const dialect = Object.assign(new PostgresDialect({ pool }), { createDriver });
  const db = new Kysely<Tables>({ dialect });
  const inLine = createLines(maxConnections);
  const write: Store['write'] = (work) => inLine('', () => db.transaction().execute(work));
  const ask: Store['read'] = (work) =>
    clock.isKnown() ? inLine('', () => work(db)) : write((tx) => work(tx));
  return {
    dialect: postgres,
    now: clock.now,
    inOrderLine: createLines(1),
    read: ask,
    write,
    writeRelaxed: write,
    writeOne: ask,
    close: () => db.destroy(),
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
     * @param answers to the statements of `begin`
     */
    note(answers: readonly Pg.QueryResult<{ now: number }>[], askedAtMs: number): void {
      const serverMs = answers.at(-1)?.rows[0]?.now;
      if (serverMs === undefined) return;
      notedAtMs = performance.now();
      startedAtMs = Math.max(startedAtMs, serverMs - notedAtMs);
      startedAtMs = Math.min(startedAtMs, serverMs + 1 - askedAtMs);
    },
  };
}

class LimitedDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(begin));
  }
}

type ServerClock = ReturnType<typeof createServerClock>;

/** A pool whose errors are LedgerErrors, and that never hands out a connection again which failed. */
function toCarefulPool(pool: Pg.Pool, clock: ServerClock): PostgresPool {
  const careful = {
    async connect() {
      try {
        return toCarefulClient(await pool.connect(), clock);
      } catch (thrown) {
        throw toLedgerError(thrown);
      }
    },
    end: () => pool.end(),
    // Kysely 0.29 wants to know them, 0.28 does not.
    options: pool.options,
  };
  return careful;
}

function toCarefulClient(client: Pg.PoolClient, clock: ServerClock): PostgresPoolClient {
  let failure: LedgerError | null = null;
  const query = async (text: string, values: readonly unknown[]) => {
    // A statement behind one that hangs would hang as well.
    if (failure) throw failure;
    const askedAtMs = performance.now();
    try {
      const answer: unknown = await client.query(text, values.map(toWhole));
      if (text === begin) clock.note(answer as never, askedAtMs);
      return answer;
    } catch (thrown) {
      const error = toLedgerError(thrown);
      if (!isAnswer(error)) failure = error;
      throw error;
    }
  };
  return {
    // The dialect has no cursors: the other overload is never called.
    query: query as unknown as PostgresPoolClient['query'],
    release: () => client.release(failure !== null),
  };
}

/** The tables hold whole numbers, and a time may come as a fraction of a millisecond. */
function toWhole(value: unknown): unknown {
  return typeof value === 'number' ? Math.ceil(value) : value;
}

/** Whether the server spoke, and goes on to listen: class 57 is a server that shuts down or ends the connection. */
function isAnswer({ code }: LedgerError): boolean {
  return code !== undefined && /^[\dA-Z]{5}$/.test(code) && !/^(08|57P)/.test(code);
}
