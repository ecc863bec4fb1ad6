/**
 * PostgreSQL through pg, for any number of machines.
 *
 * This file owns the pool, its time-outs, and what happens after a connection failed. It knows the columns of the tables, but
 * no rule of orders. A change is one statement, so that no transaction stays open while this process works. It needs no
 * session state beyond a transaction, so that a pooler such as PgBouncer can be in between.
 */

import type Pg from 'pg';
import sql, { empty, raw, type Sql } from 'sql-template-tag';
import { LedgerError, toBusyError } from '../order-store.js';
import { toUnusableError } from '../../runtime/optional-package.js';
import { schemaTable, toLedgerError } from './database.js';
import type { Database, Removal, Replacement, ReplaceTerms } from './database.js';
import { createWaitingLines } from '../../runtime/running.js';

/** How long the database may take to connect, and to answer a statement, milliseconds. */
const patienceMs = 4_500;

/** Most connections of one process. */
const maxConnections = 10;

/** Longest life of a connection, seconds, so that a name that leads to another server now is resolved again. */
const connectionLivesSeconds = 600;

/**
 * How long a statement waits for a row, milliseconds. The usual wait is shorter than the time-out of this process, so that a
 * busy database differs from a broken one, and no statement goes on after its caller gave up. With a brief wait a few locked
 * rows do not delay the others.
 */
const lockTimeouts = { usual: '3500', brief: '100' };

const serverTime = sql`floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`;

/** PostgreSQL's number for the type `bigint`. */
const bigintOid = 20;

/**
 * A statement fails with this code if another process was first and the database's default isolation is stricter. A
 * distributed database may answer it at any time.
 */
const serializationFailure = '40001';

/** The advisory lock for changes of the tables: a number that no other program uses. */
const migrationLock = 7_411_929_203;

/** The `try` is around the `import()` itself, so that bundlers warn of a missing driver and do not fail. */
async function importPg() {
  try {
    return await import('pg');
  } catch {
    throw toUnusableError('This url', 'pg');
  }
}

/** Makes the database; it connects at the first statement. @throws TypeError if `url` is not a URL of PostgreSQL */
export async function openPostgres(url: string): Promise<Database> {
  const { default: pg } = await importPg();
  const clock = createServerClock();
  let pool = createPool(pg, url);
  const inLine = createWaitingLines(maxConnections, toBusyError);

  return {
    now: clock.now,
    jsonType: 'JSONB',
    throttlesLookUps: true,
    read: (statement) =>
      withConnection(async (ask) => {
        if (!clock.isKnown()) await ask(sql`SELECT ${serverTime}`).then(noteTime());
        return ask(statement);
      }),
    async replace(change, terms) {
      const note = noteTime();
      const asked = withConnection<{ readonly won: number }[]>((ask) =>
        ask(toReplaceStatement(change, terms)),
      );
      const rows = await asked.catch(ignoreLostRace);
      note(rows);
      return (rows[0]?.won ?? 0) > 0;
    },
    async remove(removal) {
      const [row] = await withConnection<{ readonly gone: number }[]>((ask) =>
        ask(toRemoveStatement(removal)),
      );
      return row?.gone ?? 0;
    },
    migrate: (toStatements) =>
      withConnection(async (ask) => {
        // A stricter isolation would not see what another process committed while this one waited.
        await ask(raw('BEGIN ISOLATION LEVEL READ COMMITTED'));
        try {
          await ask(raw(`SELECT pg_advisory_xact_lock(${migrationLock})`));
          await ask(raw(schemaTable));
          const [row] = await ask<{ readonly number: unknown }>(
            sql`SELECT max(number) AS number FROM pix_schema`,
          );
          for (const text of toStatements(Number(row?.number ?? 0))) await ask(raw(text));
          await ask(raw('COMMIT'));
        } catch (thrown) {
          await ask(raw('ROLLBACK')).catch(() => undefined);
          throw thrown;
        }
      }),
    close: () => pool.end(),
  };

  /** Call it before a statement. @returns a function that reads the server's time from the answer */
  function noteTime(): (rows: readonly unknown[]) => void {
    const askedAtMs = performance.now();
    return ([row]) => {
      const { now } = Object(row) as { readonly now?: unknown };
      if (typeof now === 'number') clock.note(now, askedAtMs);
    };
  }

  /**
   * Runs work with a connection of the pool. If the connection fails, the pool is replaced, because its idle connections lead
   * to the same server, which may be gone.
   */
  function withConnection<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    return inLine('', async () => {
      const lender = pool;
      const client = await lender.connect().catch((thrown: unknown) => {
        throw toLedgerError(thrown);
      });
      let isBroken = false;
      const ask: Ask = async <Row>({ text, values }: Sql) => {
        try {
          return (await client.query(text, values)).rows as Row[];
        } catch (thrown) {
          const error = toLedgerError(thrown);
          isBroken ||= !isServerAnswer(error);
          throw error;
        }
      };
      try {
        return await work(ask);
      } finally {
        client.release(isBroken);
        if (isBroken) replacePool(lender);
      }
    });
  }

  /** Makes a new pool, unless another failure has already replaced this one. */
  function replacePool(lender: Pg.Pool): void {
    if (lender !== pool) return;
    pool = createPool(pg, url);
    // Statements in flight still end on the old pool.
    void lender.end();
  }
}

type Ask = <Row>(statement: Sql) => Promise<Row[]>;

/** Gives no rows if another process was first. @throws any other error */
function ignoreLostRace(thrown: unknown): [] {
  if (thrown instanceof LedgerError && thrown.code === serializationFailure) return [];
  throw thrown;
}

/**
 * Makes one statement for the row and its entries. `won` has a row only if the version is still as it was read. If another
 * transaction holds the row, the statement waits, and then finds another version.
 */
function toReplaceStatement(
  change: Replacement,
  { isRelaxed, isBrief = false }: ReplaceTerms,
): Sql {
  const relaxed = isRelaxed ? sql`set_config('synchronous_commit', 'off', true)` : sql`''`;
  return sql`
    WITH won AS (${toRowChange(change, isBrief ? 'brief' : 'usual')} RETURNING ${relaxed}) ${toEntryChanges(change)}
    SELECT (SELECT count(*) FROM won) AS won, ${serverTime}`;
}

/**
 * Makes the part that inserts, updates or deletes the row, if it is still as it was read. It also limits the wait for a
 * lock.
 */
function toRowChange(
  { table, id, version, next }: Replacement,
  wait: keyof typeof lockTimeouts,
): Sql {
  const name = raw(table);
  const limitsWait = sql`set_config('lock_timeout', ${lockTimeouts[wait]}, true) <> ''`;
  const isOurs = sql`id = ${id} AND version = ${version} AND ${limitsWait}`;
  if (!next) return sql`DELETE FROM ${name} WHERE ${isOurs}`;
  if (version === null) {
    return sql`
      INSERT INTO ${name} (id, version, forget_at_ms, doc)
      SELECT ${id}::text, ${next.version}::bigint, ${next.forgetAtMs}::bigint, ${next.doc}::jsonb
      WHERE ${limitsWait}
      ON CONFLICT (id) DO NOTHING`;
  }
  return sql`
    UPDATE ${name} SET version = ${next.version}, forget_at_ms = ${next.forgetAtMs}, doc = ${next.doc}
    WHERE ${isOurs}`;
}

/** Makes the parts that delete and write entries. They change nothing if `won` has no row. */
function toEntryChanges({ id, gone, put }: Replacement): Sql {
  const isGone = sql`, gone AS (
    DELETE FROM pix_entries USING won, ${toRows(gone, 'kind TEXT, id TEXT')}
    WHERE pix_entries.kind = one.kind AND pix_entries.id = one.id AND pix_entries.external_id = ${id})`;
  const isPut = sql`, put AS (
    INSERT INTO pix_entries (kind, id, external_id, at_ms, rank)
    SELECT one.kind, one.id, ${id}, one.at_ms, one.rank
    FROM won, ${toRows(put, 'kind TEXT, id TEXT, at_ms BIGINT, rank BIGINT')}
    ON CONFLICT (kind, id, external_id)
      DO UPDATE SET at_ms = excluded.at_ms, rank = excluded.rank)`;
  return sql`${gone.length > 0 ? isGone : empty} ${put.length > 0 ? isPut : empty}`;
}

/** Makes one statement that deletes rows and their entries, except rows that changed or that another transaction holds. */
function toRemoveStatement({ table, rows, entries }: Removal): Sql {
  return sql`
    WITH free AS (
      SELECT id FROM ${raw(table)} JOIN ${toRows(rows, 'id TEXT, version BIGINT')} USING (id, version)
      FOR UPDATE OF ${raw(table)} SKIP LOCKED
    ), gone AS (
      DELETE FROM ${raw(table)} USING free WHERE ${raw(table)}.id = free.id
      RETURNING ${raw(table)}.id, set_config('synchronous_commit', 'off', true)
    ), gone_entries AS (
      DELETE FROM pix_entries USING gone, ${toRows(entries, 'kind TEXT, id TEXT, external_id TEXT')}
      WHERE one.external_id = gone.id AND pix_entries.kind = one.kind AND pix_entries.id = one.id
        AND pix_entries.external_id = one.external_id
    )
    SELECT count(*) AS gone FROM gone`;
}

/** Passes rows as one parameter, so that the text of the statement does not depend on their number. */
function toRows(rows: readonly object[], columns: string): Sql {
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS one (${raw(columns)})`;
}

/** Creates a pool of connections. @throws TypeError if the URL cannot be parsed; it does not quote the URL */
function createPool(pg: typeof Pg, url: string): Pg.Pool {
  const config = {
    connectionString: url,
    application_name: 'pix-checkout',
    max: maxConnections,
    maxLifetimeSeconds: connectionLivesSeconds,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    keepAlive: true,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === bigintOid ? toSafeInteger : (pg.types.getTypeParser(oid, format) as never),
    },
  };
  try {
    // The URL is parsed here, because the pool would parse it later, and its error would quote it.
    void new pg.Client(config);
  } catch {
    throw new TypeError('url is not the URL of a PostgreSQL database');
  }
  const pool = new pg.Pool(config);
  // Without a listener, an idle connection that breaks would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Reads a `bigint` as a number. @throws LedgerError if a number cannot hold it exactly */
function toSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new LedgerError('UNSAFE_INTEGER');
  return value;
}

/**
 * Codes of a server that cannot be used now: it is a standby or read-only, it shuts down or starts, it has closed the
 * connection, or it takes no more connections.
 */
const notThisServer = /^(?:25006|57P|08|53300)/;

/** Whether the server itself answered with this error, and still works. */
function isServerAnswer({ code }: LedgerError): boolean {
  return code !== undefined && /^[\dA-Z]{5}$/.test(code) && !notThisServer.test(code);
}

// The clock of the database's server. Machines that share rows use this clock: if each had its own, one machine could expire
// what another has just begun. Between answers it follows this process's monotonic clock, so that setting a machine's clock
// changes nothing.

/** How long after an answer the two clocks are assumed to agree, milliseconds. */
const knownForMs = 60_000;

/** Makes the clock. Until the server has answered, it shows the machine's own time. */
function createServerClock() {
  // The time at which performance.now() was 0.
  let startedAtMs = performance.timeOrigin;
  let notedAtMs = -Infinity;

  return {
    /** Milliseconds since 1970. */
    now: () => Math.floor(startedAtMs + performance.now()),
    isKnown: () => performance.now() - notedAtMs < knownForMs,

    /**
     * Notes the server's time, which the server read between `askedAtMs` and now. If the clock agrees with both limits, it
     * stays as it is.
     * @param serverMs milliseconds since 1970
     * @param askedAtMs of performance.now()
     */
    note(serverMs: number, askedAtMs: number): void {
      notedAtMs = performance.now();
      startedAtMs = Math.max(startedAtMs, serverMs - notedAtMs);
      startedAtMs = Math.min(startedAtMs, serverMs + 1 - askedAtMs);
    },
  };
}
