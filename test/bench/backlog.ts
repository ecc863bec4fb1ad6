/**
 * A backlog: 20,000 look-ups are due at once, at a service that answers 429 above so many calls a second. How many are answered and
 * refused, and what becomes of those who pay meanwhile.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { openLedger } from '../../src/ledger.js';
import { startPostgres } from '../tools/machine/postgres.js';
import { openPostgresFill } from './parts/order-rows.js';
import type { Load } from './parts/load.js';
import type { Parts } from './parts/parts.js';
import { toCreations, toOrder } from './parts/samples.js';
import type { Subject } from './parts/subject.js';
import { table } from './table.js';
import type { Upstream } from './parts/upstream.js';

const dueCount = 20_000;

/** Codes that are made, one a second, and paid at once with their page closed. Each has forty seconds to be found. */
const freshCount = 20;
const seconds = 60;

/** @returns lines of a Markdown table */
export async function measureBacklog(parts: Parts): Promise<string[]> {
  const rows: string[][] = [];
  const server = await startPostgres();
  try {
    for (const mostPerSecond of [10, 50]) {
      for (const processes of [1, 3]) {
        const ledgerUrl = await server.createDatabase();
        rows.push(await runRound(parts, { mostPerSecond, processes, ledgerUrl }));
      }
    }
  } finally {
    await server.stop();
  }
  const heads =
    'calls a second, processes, answered, refused, longest wait of a fresh payment s, not found, creations refused';
  return table(heads.split(', '), rows);
}

interface Round {
  readonly mostPerSecond: number;
  readonly processes: number;
  readonly ledgerUrl: string;
}

async function runRound(parts: Parts, { mostPerSecond, processes, ledgerUrl }: Round) {
  await fill(ledgerUrl);
  const upstream = parts.start<Upstream>('upstream', 1);
  const load = parts.start<Load>('load', 1);
  const subjects = Array.from({ length: processes }, (_, index) =>
    parts.start<Subject>('subject', index % 2),
  );
  try {
    const serviceUrl = await upstream.ask('start', { delayMs: 20, mostPerSecond });
    const ports = await Promise.all(
      subjects.map((one) => one.ask('start', { name: 'proxy-worker', serviceUrl, ledgerUrl })),
    );
    const startedAtMs = Date.now();
    const fresh = Array.from({ length: freshCount }, (_, n) => dueCount + n);
    for (const n of fresh) await upstream.ask('pay', n);
    const requests = await toCreations(dueCount, freshCount);
    const { bad } = await load.ask('pace', { port: ports[0]!, requests, everyMs: 1_000 });
    await pause(startedAtMs + seconds * 1_000 - Date.now());
    const told = await Promise.all(subjects.map((one) => one.ask('toldAtMs')));
    const waits = fresh.flatMap((n, index) => {
      const atMs = told.map((one) => one[toOrder(n)]).find((one) => one !== undefined);
      return atMs === undefined ? [] : [(atMs - startedAtMs) / 1_000 - index];
    });
    const refused = await upstream.ask('countRefused');
    return [
      mostPerSecond,
      processes,
      (await upstream.ask('countCalls')) - refused,
      refused,
      waits.length > 0 ? Math.max(...waits).toFixed(1) : '',
      freshCount - bad - waits.length,
      bad,
    ].map(String);
  } finally {
    await Promise.all([...subjects, upstream, load].map((part) => part.stop()));
  }
}

/** The store makes its own tables. */
async function fill(ledgerUrl: string): Promise<void> {
  await (await openLedger({ url: ledgerUrl })).close();
  const rows = openPostgresFill(ledgerUrl);
  await rows.fill(dueCount, Date.now(), { isOld: 0, isDue: dueCount, isFresh: 0 });
  await rows.end();
}
