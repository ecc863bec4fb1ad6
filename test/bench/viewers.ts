/** What the service is spared: its calls for a thousand invoices with three pages each, under several ways to ask. */
import type { Load } from './parts/load.js';
import type { Parts } from './parts/parts.js';
import { toRequests } from './parts/samples.js';
import type { Subject, SubjectName } from './parts/subject.js';
import { row } from './table.js';
import type { Upstream } from './parts/upstream.js';

const invoices = 1_000;
const viewers = 3;

/** As a real service would answer, milliseconds. */
const upstreamDelayMs = 150;

const ways: readonly { title: string; name: SubjectName; query: string }[] = [
  { title: 'forwarder, asked every 4 s', name: 'forwarder', query: '' },
  { title: 'ours, asked every 4 s', name: 'proxy', query: '' },
  { title: 'ours, look-ups held (`?wait=25`)', name: 'proxy', query: '?wait=25' },
];

/** @returns lines of a Markdown table */
export async function measureViewers(parts: Parts, seconds: number): Promise<string[]> {
  const lines = [
    row(
      `${invoices} invoices, ${viewers} pages each, ${seconds} s`,
      'requests',
      'calls of the service',
      'calls per invoice and minute',
    ),
    row('---', '--:', '--:', '--:'),
  ];
  for (const { title, name, query } of ways) {
    const upstream = parts.start<Upstream>('upstream', 1);
    const subject = parts.start<Subject>('subject', 0);
    const load = parts.start<Load>('load', 1);
    const serviceUrl = await upstream.ask('start', { delayMs: upstreamDelayMs });
    const port = await subject.ask('start', { name, serviceUrl, connections: 1_024 });
    const devices = Array.from({ length: viewers }, (_, device) =>
      toRequests(invoices, query, device),
    );
    const requests = (await Promise.all(devices)).flat();
    const count = await load.ask('follow', { port, requests, pauseMs: 4_000, seconds });
    const calls = await upstream.ask('countCalls');
    lines.push(
      row(title, String(count), String(calls), ((calls / invoices / seconds) * 60).toFixed(1)),
    );
    await Promise.all([upstream.stop(), subject.stop(), load.stop()]);
  }
  return lines;
}
