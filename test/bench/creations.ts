/** What a creation costs with a ledger on a disk: CPU time, and how long it takes beside open pages that wait. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Load } from './parts/load.js';
import type { Parts } from './parts/parts.js';
import { toCreations, toRequests } from './parts/samples.js';
import type { Subject, SubjectName } from './parts/subject.js';
import { table } from './table.js';
import type { Upstream } from './parts/upstream.js';

const warmUps = 300;

/** Milliseconds. At this pace about 2,000 pages are open if each stays for three minutes. */
const everyMs = 100;

/** How long pages have waited before creations are timed, seconds: then they are looked up on their schedule. */
const followedForSeconds = 15;

/** How creations are measured. */
export interface CreationOptions {
  /** How many are timed. */
  readonly count: number;
  /** How many open pages wait for their invoice meanwhile. */
  readonly pages: number;
}

/** The forwarder beside it has no ledger, and no guard. @returns lines of a Markdown table */
export async function measureCreations(
  parts: Parts,
  { count, pages }: CreationOptions,
): Promise<string[]> {
  const heads =
    ',open pages,CPU ms each,calls of the service each,core used,p50 ms,p95 ms,longest ms,not 200';
  return table(heads.split(','), [
    await runRound(parts, { name: 'forwarder', count, pages: 0 }),
    await runRound(parts, { name: 'proxy-sqlite-web', count, pages: 0 }),
    await runRound(parts, { name: 'proxy-sqlite', count, pages: 0 }),
    await runRound(parts, { name: 'proxy-sqlite', count, pages }),
  ]);
}

interface Round {
  readonly name: SubjectName;
  readonly count: number;
  readonly pages: number;
}

async function runRound(parts: Parts, { name, count, pages }: Round): Promise<string[]> {
  const upstream = parts.start<Upstream>('upstream', 1);
  const subject = parts.start<Subject>('subject', 0);
  const [load, viewers] = [parts.start<Load>('load', 1), parts.start<Load>('load', 1)];
  try {
    const serviceUrl = await upstream.ask('start', { delayMs: 0 });
    const port = await subject.ask('start', { name, serviceUrl });
    await load.ask('pace', { port, requests: await toCreations(0, warmUps), everyMs: 20 });
    const seconds = followedForSeconds + (count * everyMs) / 1_000;
    const requests = await toRequests(pages, '?wait=25');
    const following = viewers.ask('follow', { port, requests, pauseMs: 4_000, seconds });
    if (pages > 0) await pause(followedForSeconds * 1_000);
    const callsBefore = await upstream.ask('countCalls');
    const before = await subject.ask('measureCpuMs');
    const creations = await toCreations(warmUps, count);
    const found = await load.ask('pace', { port, requests: creations, everyMs });
    const after = await subject.ask('measureCpuMs');
    const calls = (await upstream.ask('countCalls')) - callsBefore;
    await following;
    // With pages both are theirs, most of all. Without them, calls beyond one are look-ups of former orders that fall due.
    const cpuMs = (after - before) / count;
    const each = pages > 0 ? ['', ''] : [cpuMs.toFixed(2), (calls / count).toFixed(1)];
    const used = `${((cpuMs / everyMs) * 100).toFixed(0)} %`;
    const times = [found.p50Ms, found.p95Ms, found.longestMs].map((ms) => ms.toFixed(1));
    return [name, String(pages), ...each, used, ...times, String(found.bad)];
  } finally {
    await Promise.all([upstream.stop(), subject.stop(), load.stop(), viewers.stop()]);
  }
}
