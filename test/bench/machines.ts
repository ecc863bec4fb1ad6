/**
 * Long polls over four web processes and one PostgreSQL: how soon a page sees its payment, of which another process was
 * told, and whether the worker's reconciliation is on time meanwhile.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '../tools/machine/postgres.js';
import type { Load } from './parts/load.js';
import type { Part, Parts } from './parts/parts.js';
import { toCreations, toOrder, toRequests } from './parts/samples.js';
import type { Subject, SubjectName } from './parts/subject.js';
import { table } from './table.js';
import type { Upstream } from './parts/upstream.js';

const webCount = 4;

/** Invoices that are paid while a page waits, and while none does. */
const watched = 100;
const closed = 40;

/** How long pages have waited before anything is paid, seconds: they are on their schedule then. */
const followedForSeconds = 20;

/** When reconciliation looks an invoice up first, after its creation, milliseconds. */
const firstLookUpAfterMs = 15_000;

/** @param polls how many pages wait, beside those that are measured; a line for each. @returns lines of a Markdown table */
export async function measureMachines(parts: Parts, polls: readonly number[]): Promise<string[]> {
  const rows: string[][] = [];
  const server = await startPostgres();
  try {
    for (const count of polls) {
      rows.push(await runRound(parts, count, await server.createDatabase()));
    }
  } finally {
    await server.stop();
  }
  const heads =
    'long polls, paid to seen p50 ms, p95 ms, longest ms, never seen, onPaid of closed pages p50 s, p95 s, never told, ' +
    'CPU µs of web processes each poll and second, calls of the service a second';
  return table(heads.split(', '), rows);
}

async function runRound(parts: Parts, polls: number, ledgerUrl: string): Promise<string[]> {
  const upstream = parts.start<Upstream>('upstream', 1);
  const names: SubjectName[] = [...Array<SubjectName>(webCount).fill('proxy-web'), 'proxy-worker'];
  const subjects = names.map((_, index) => parts.start<Subject>('subject', index % 2));
  const [load, pages] = [parts.start<Load>('load', 1), parts.start<Load>('load', 1)];
  try {
    const serviceUrl = await upstream.ask('start', { delayMs: 20 });
    const ports = await Promise.all(
      subjects.map((subject, index) =>
        subject.ask('start', { name: names[index]!, serviceUrl, ledgerUrl }),
      ),
    );
    const webs = subjects.slice(0, webCount);
    const requests = await toRequests(watched + closed + polls, '?wait=25');
    const seconds = followedForSeconds + 55;
    const following = Promise.all(
      webs.map((_, web) => {
        const own = requests.slice(watched + closed).filter((_request, n) => n % webCount === web);
        const asked = { port: ports[web]!, requests: own, pauseMs: 4_000, seconds };
        return pages.ask('follow', asked);
      }),
    );
    await pause(followedForSeconds * 1_000);
    const before = await measure(upstream, webs);

    const creations = await toCreations(0, watched + closed);
    await load.ask('pace', { port: ports[0]!, requests: creations, everyMs: 100 });
    const createdAtMs = Date.now();
    for (let n = 0; n < closed; n += 1) await upstream.ask('pay', watched + n);
    await load.ask('watch', { port: ports[1]!, requests: requests.slice(0, watched) });
    await pause(2_000);
    const paidAtMs: number[] = [];
    for (let n = 0; n < watched; n += 1) {
      paidAtMs.push(Date.now());
      const path = await upstream.ask('pay', n);
      // Never to the process where the page waits.
      await load.ask('postback', { port: ports[2 + (n % 2)]!, path });
      await pause(30);
    }
    await pause(Math.max(3_000, createdAtMs + firstLookUpAfterMs + 10_000 - Date.now()));
    const after = await measure(upstream, webs);

    const seen = await load.ask('answeredAtMs');
    const told = await subjects[webCount]!.ask('toldAtMs');
    const delays = seen.flatMap((atMs, n) => (atMs === null ? [] : [atMs - paidAtMs[n]!]));
    const waits = Array.from({ length: closed }, (_, n) => told[toOrder(watched + n)])
      .filter((atMs) => atMs !== undefined)
      .map((atMs) => (atMs - createdAtMs) / 1_000);
    await following;
    const forSeconds = (after.atMs - before.atMs) / 1_000;
    const cpuUs = ((after.cpuMs - before.cpuMs) * 1_000) / forSeconds / polls;
    return [
      polls,
      ...[at(delays, 0.5), at(delays, 0.95), at(delays, 1)].map((ms) => ms.toFixed(0)),
      watched - delays.length,
      ...[at(waits, 0.5), at(waits, 0.95)].map((s) => s.toFixed(1)),
      closed - waits.length,
      polls === 0 ? '' : cpuUs.toFixed(0),
      ((after.calls - before.calls) / forSeconds).toFixed(0),
    ].map(String);
  } finally {
    await Promise.all([...subjects, upstream, load, pages].map((part) => part.stop()));
  }
}

async function measure(upstream: Part<Upstream>, webs: readonly Part<Subject>[]) {
  const each = await Promise.all(webs.map((web) => web.ask('measureCpuMs')));
  const cpuMs = each.reduce((sum, one) => sum + one);
  return { atMs: Date.now(), cpuMs, calls: await upstream.ask('countCalls') };
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
