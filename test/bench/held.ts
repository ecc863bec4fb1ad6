/** What a held look-up weighs: the server's memory with many of them open, beside the same server with none. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Load } from './parts/load.js';
import type { Parts } from './parts/parts.js';
import { toRequests } from './parts/samples.js';
import type { Subject } from './parts/subject.js';
import { row } from './table.js';
import type { Upstream } from './parts/upstream.js';

const megabyte = 1_048_576;

/** @returns lines of a Markdown table */
export async function measureHeld(parts: Parts, count: number): Promise<string[]> {
  const upstream = parts.start<Upstream>('upstream', 1);
  const subject = parts.start<Subject>('subject', 0);
  const load = parts.start<Load>('load', 1);
  const serviceUrl = await upstream.ask('start', { delayMs: 0 });
  const port = await subject.ask('start', { name: 'proxy', serviceUrl });
  const warm = await toRequests(100);
  await load.ask('hammer', { port, requests: warm, connections: 50, seconds: 2 });
  const before = await subject.ask('measure');
  await load.ask('hold', { port, requests: await toRequests(count, '?wait=25') });
  // The last of them are at the proxy, and none is old enough to be answered.
  await pause(5_000);
  const after = await subject.ask('measure');
  const answered = await load.ask('release');
  await pause(3_000);
  const released = await subject.ask('measure');
  await Promise.all([upstream.stop(), subject.stop(), load.stop()]);

  const cells = (name: string, { rss, heapUsed }: typeof before) =>
    row(name, (rss / megabyte).toFixed(0), (heapUsed / megabyte).toFixed(0));
  const each = (key: 'rss' | 'heapUsed') => ((after[key] - before[key]) / count / 1_024).toFixed(1);
  return [
    row('', 'RSS MB', 'heap MB'),
    row('---', '--:', '--:'),
    cells('before', before),
    cells(`${count} held, ${answered} of them answered already`, after),
    cells('3 s after they were cut', released),
    row('each, KB', each('rss'), each('heapUsed')),
  ];
}
