/**
 * PostgreSQL, through pg: any number of machines.
 *
 * Owns the pool, its time-outs and what becomes of a connection that failed. Knows the tables' columns, and no rule of an
 * order. A change is one statement, and no transaction waits for this process between two. Needs nothing of a session that
 * would outlive a transaction, so that a pooler such as PgBouncer may stand between.
 */

import type Pg from 'pg';
import sql, { empty, raw } from 'sql-template-tag';
import type { Sql } from 'sql-template-tag';
import { LedgerError } from '../ledger-error.js';
import { toLedgerError, toMissingDriver } from './database.js';
import type { Database, EntryRow, Replacement } from './database.js';
import { createWaitingLines } from './waiting-lines.js';
import { createServerClock } from './server-clock.js';

/** How long a database may be silent before that is an error, milliseconds: to connect, and to answer one statement. */
const patienceMs = 4_500;

/** Most connections of one process. */
const maxConnections = 10;

/**
 * In a statement, limits how long it waits for a row, milliseconds: below ours, so that a busy database can be told from a
 * broken one, and one that we gave up does not go on waiting.
 */
const waitBriefly = sql`set_config('lock_timeout', '3500', true) <> ''`;

const serverTime = sql`floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`;

/** PostgreSQL's number for the type `bigint`. */
const bigintOid = 20;

/** Any number that no other program's lock in the same database is likely to have. */
const lockId = 7_494_221_605;

/** What a statement answers where the database's default is a stricter isolation, and another process was first. */
const serializationFailure = '40001';

/** The `try` stands around the `import()` itself: so bundlers warn of a missing driver and do not fail. */
async function importPg() {
  try {
    return await import('pg');
  } catch {
    throw toMissingDriver('pg');
  }
}

/** @throws TypeError if `url` is none; the first operation fails if nothing answers there */
export async function openPostgres(url: string): Promise<Database> {
  const { default: pg } = await importPg();
  const clock = createServerClock();
  const pool = createPool(pg, url);
  const inLine = createWaitingLines(maxConnections);

  return {
    now: clock.now,
    jsonType: 'JSONB',
    throttlesLookUps: true,
    read: (statement) =>
      withConnection(async (ask) => {
        if (!clock.isKnown()) await ask(sql`SELECT ${serverTime}`).then(noteTime());
        return ask(statement);
      }),
    async replace(change, isRelaxed) {
      const note = noteTime();
      const asked = withConnection<ReplacedRow[]>((ask) => ask(toReplacing(change, isRelaxed)));
      const rows = await asked.catch(toLostRace);
      note(rows);
      return (rows[0]?.won ?? 0) > 0;
    },
    makeTables: (statements) =>
      withConnection(async (ask) => {
        const all = [`SELECT pg_advisory_xact_lock(${lockId})`, ...statements];
        // Statements of one text are one transaction.
        await ask(raw(all.join('; ')));
      }),
    close: () => pool.end(),
  };

  /** @returns what takes the server's time from the answer to a statement that is asked now */
  function noteTime(): (rows: readonly unknown[]) => void {
    const askedAtMs = performance.now();
    return ([row]) => {
      const { now } = Object(row) as { readonly now?: unknown };
      if (typeof now === 'number') clock.note(now, askedAtMs);
    };
  }

  /** Lends a connection of the pool. One that failed is closed: a statement behind one that hangs would hang as well. */
  function withConnection<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    return inLine('', async () => {
      const client = await pool.connect().catch((thrown: unknown) => {
        throw toLedgerError(thrown);
      });
      let isBroken = false;
      const ask: Ask = async <Row>({ text, values }: Sql) => {
        try {
          return (await client.query(text, values)).rows as Row[];
        } catch (thrown) {
          const error = toLedgerError(thrown);
          isBroken ||= !isAnswer(error);
          throw error;
        }
      };
      try {
        return await work(ask);
      } finally {
        client.release(isBroken);
      }
    });
  }
}

type Ask = <Row>(statement: Sql) => Promise<Row[]>;

interface ReplacedRow {
  readonly won: number;
  readonly now: number;
}

function toLostRace(thrown: unknown): [] {
  if (thrown instanceof LedgerError && thrown.code === serializationFailure) return [];
  throw thrown;
}

/**
 * One statement for the row and its entries. `won` has a row only where the version was still the one that was read: another
 * transaction that has the row is waited for, and then it is another version.
 */
function toReplacing(change: Replacement, isRelaxed: boolean): Sql {
  const relaxed = isRelaxed ? sql`set_config('synchronous_commit', 'off', true)` : sql`''`;
  return sql`
    WITH won AS (${toRowChange(change)} RETURNING ${relaxed}) ${toEntryChanges(change)}
    SELECT (SELECT count(*) FROM won) AS won, ${serverTime}`;
}

function toRowChange({ table, id, version, next }: Replacement): Sql {
  const name = raw(table);
  const isOurs = sql`id = ${id} AND version = ${version} AND ${waitBriefly}`;
  if (!next) return sql`DELETE FROM ${name} WHERE ${isOurs}`;
  if (version === null) {
    return sql`
      INSERT INTO ${name} (id, version, forget_at_ms, doc)
      SELECT ${id}::text, ${next.version}::bigint, ${next.forgetAtMs}::bigint, ${next.doc}::jsonb
      WHERE ${waitBriefly}
      ON CONFLICT (id) DO NOTHING`;
  }
  return sql`
    UPDATE ${name} SET version = ${next.version}, forget_at_ms = ${next.forgetAtMs}, doc = ${next.doc}
    WHERE ${isOurs}`;
}

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

/** Rows as one parameter, so that the statement's text does not differ with their number. */
function toRows(rows: readonly Partial<EntryRow>[], columns: string): Sql {
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS one (${raw(columns)})`;
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
