/**
 * `npm run bench`: what a look-up costs, what the service is spared, what a held look-up weighs. Prints Markdown.
 *
 *   npm run bench -- --rounds 7 --seconds 4 --only rate
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { openParts } from './parts.js';
import { measureRate } from './rate.js';
import type { SubjectName } from './subject.js';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    only: { type: 'string' },
    subjects: { type: 'string', default: 'forwarder,proxy,bare' },
  },
});

const parts = await openParts(['upstream', 'subject', 'load']);

const measurements: Readonly<Record<string, () => Promise<string[]>>> = {
  async rate() {
    const names = flags.subjects.split(',') as SubjectName[];
    const times = { rounds: Number(flags.rounds), seconds: Number(flags.seconds) };
    return ['## Look-ups per second', '', ...(await measureRate(parts, { names, ...times }))];
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
