/**
 * `npm run bench`: what each part of the script tag's file weighs, what a look-up costs, what the service is spared, what
 * a held look-up weighs, what a creation costs, what a ledger costs as it grows. Prints Markdown.
 *
 *   npm run bench -- --rounds 7 --seconds 4 --only rate
 *   npm run bench -- --only size
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { measureBacklog } from './backlog.js';
import { measureBrowser } from './browser.js';
import { measureCreations } from './creations.js';
import { measureHeld } from './held.js';
import { measureOrders } from './orders.js';
import { measureMachines } from './machines.js';
import { openParts } from './parts/parts.js';
import { measureRate } from './rate.js';
import { measureSize } from './size.js';
import type { SubjectName } from './parts/subject.js';
import { measureViewers } from './viewers.js';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    invoices: { type: 'string', default: '1000' },
    sizes: { type: 'string', default: '20000,200000,1000000' },
    polls: { type: 'string', default: '0,4000' },
    only: { type: 'string' },
    subjects: { type: 'string', default: 'forwarder,proxy,bare' },
  },
});

type Parts = Awaited<ReturnType<typeof openParts>>;

/** Measurements of the proxy, which runs in processes of its own. */
const measurements: Readonly<Record<string, (parts: Parts) => Promise<string[]>>> = {
  async rate(parts) {
    const names = flags.subjects.split(',') as SubjectName[];
    const lines = await measureRate(parts, {
      names,
      rounds: Number(flags.rounds),
      seconds: Number(flags.seconds),
      invoices: Number(flags.invoices),
    });
    return [`## Look-ups per second, ${flags.invoices} invoices in turn`, '', ...lines];
  },
  async viewers(parts) {
    return ['## Calls of the service', '', ...(await measureViewers(parts, 60))];
  },
  async held(parts) {
    return ['## Held look-ups', '', ...(await measureHeld(parts, 10_000))];
  },
  async machines(parts) {
    const lines = await measureMachines(parts, flags.polls.split(',').map(Number));
    return ['## Four web processes, a worker, one PostgreSQL', '', ...lines];
  },
  async browser() {
    return ['## In the browser', '', ...(await measureBrowser(Number(flags.rounds)))];
  },
  async backlog(parts) {
    return ['## 20,000 look-ups due at once, a minute of it', '', ...(await measureBacklog(parts))];
  },
  async orders() {
    const sizes = flags.sizes.split(',').map(Number);
    return ['## What a ledger costs as it grows, ms', '', ...(await measureOrders(sizes))];
  },
  async creations(parts) {
    const lines = await measureCreations(parts, { count: 300, pages: 2_000 });
    return ['## Creations of Pix, ten a second, SQLite', '', ...lines];
  },
};

const asked = flags.only?.split(',') ?? ['size', ...Object.keys(measurements)];
const print = (lines: readonly string[]) => console.log(`${lines.join('\n')}\n`);

console.log(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}\n`);
if (asked.includes('size')) {
  print(['## Bytes of the script tag’s file, by part', '', ...(await measureSize())]);
}
const ofProxy = asked.filter((name) => name !== 'size');
if (ofProxy.length > 0) {
  const parts = await openParts(['upstream', 'subject', 'load']);
  try {
    for (const name of ofProxy) print((await measurements[name]?.(parts)) ?? []);
  } finally {
    await parts.stop();
  }
}
