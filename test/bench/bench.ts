/**
 * `npm run bench`: what a look-up costs, what the service is spared, what a held look-up weighs, what a creation costs.
 * Prints Markdown.
 *
 *   npm run bench -- --rounds 7 --seconds 4 --only rate
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { measureBrowser } from './browser.js';
import { measureCreations } from './creations.js';
import { measureHeld } from './held.js';
import { openParts } from './parts.js';
import { measureRate } from './rate.js';
import type { SubjectName } from './subject.js';
import { measureViewers } from './viewers.js';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    invoices: { type: 'string', default: '1000' },
    only: { type: 'string' },
    subjects: { type: 'string', default: 'forwarder,proxy,bare' },
  },
});

const parts = await openParts(['upstream', 'subject', 'load']);

const measurements: Readonly<Record<string, () => Promise<string[]>>> = {
  async rate() {
    const names = flags.subjects.split(',') as SubjectName[];
    const lines = await measureRate(parts, {
      names,
      rounds: Number(flags.rounds),
      seconds: Number(flags.seconds),
      invoices: Number(flags.invoices),
    });
    return [`## Look-ups per second, ${flags.invoices} invoices in turn`, '', ...lines];
  },
  async viewers() {
    return ['## Calls of the service', '', ...(await measureViewers(parts, 60))];
  },
  async held() {
    return ['## Held look-ups', '', ...(await measureHeld(parts, 10_000))];
  },
  async browser() {
    return ['## In the browser', '', ...(await measureBrowser(Number(flags.rounds)))];
  },
  async creations() {
    const lines = await measureCreations(parts, { count: 300, pages: 2_000 });
    return ['## Creations of Pix, ten a second, SQLite', '', ...lines];
  },
};

console.log(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}\n`);
try {
  for (const name of flags.only?.split(',') ?? Object.keys(measurements)) {
    for (const line of (await measurements[name]?.()) ?? []) console.log(line);
    console.log();
  }
} finally {
  await parts.stop();
}
