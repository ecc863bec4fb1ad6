/**
 * `npm run bench`: what each part of the script tag's file weighs, what a look-up and a creation cost. Prints Markdown.
 *
 *   npm run bench -- --rounds 7 --seconds 4 --only rate
 *   npm run bench -- --only size
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { measureBrowser, measureStart } from './browser.js';
import { measureCreations } from './creations.js';
import { measureMachines } from './machines.js';
import { openParts, type Parts } from './parts/parts.js';
import { measureRate } from './rate.js';
import { measureSize } from './size.js';
import type { SubjectName } from './parts/subject.js';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    invoices: { type: 'string', default: '1000' },
    polls: { type: 'string', default: '0,4000' },
    only: { type: 'string' },
    subjects: { type: 'string', default: 'forwarder,proxy' },
  },
});

type Measure = (parts: Parts) => Promise<string[]>;

const measurements: Readonly<Record<string, readonly [title: string, measure: Measure]>> = {
  size: ['Bytes of the script tag’s file, by part', measureSize],
  rate: [
    `Look-ups per second, ${flags.invoices} invoices in turn`,
    (parts) =>
      measureRate(parts, {
        names: flags.subjects.split(',') as SubjectName[],
        rounds: Number(flags.rounds),
        seconds: Number(flags.seconds),
        invoices: Number(flags.invoices),
      }),
  ],
  machines: [
    'Four web processes, a worker, one PostgreSQL',
    (parts) => measureMachines(parts, flags.polls.split(',').map(Number)),
  ],
  start: ['The start, beside the floor', () => measureStart(6)],
  browser: ['In the browser', () => measureBrowser(Number(flags.rounds))],
  creations: [
    'Creations of Pix, ten a second, SQLite',
    (parts) => measureCreations(parts, { count: 300, pages: 2_000 }),
  ],
};

console.log(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}\n`);
const parts = await openParts(['upstream', 'subject', 'load']);
try {
  for (const name of flags.only?.split(',') ?? Object.keys(measurements)) {
    const [title, measure] = measurements[name] ?? [];
    if (!measure) throw new Error(`No measurement is called ${name}`);
    console.log(`## ${title}\n\n${(await measure(parts)).join('\n')}\n`);
  }
} finally {
  await parts.stop();
}
