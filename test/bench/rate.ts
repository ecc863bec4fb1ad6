/** Look-ups per second, ours beside a bare forwarder's: the same requests, round by round in turn. */
import type { Load, Rate } from './parts/load.js';
import type { Parts } from './parts/parts.js';
import { toCreations, toRequests } from './parts/samples.js';
import type { Subject, SubjectName } from './parts/subject.js';
import { median, range, table } from './table.js';
import type { Upstream } from './parts/upstream.js';

const connections = 50;

/** How a rate is measured. */
export interface RateOptions {
  readonly names: readonly SubjectName[];
  readonly rounds: number;
  readonly seconds: number;
  /**
   * How many are asked for in turn. Ours asks the service once a second for each: a machine that is slow, or shared,
   * needs fewer for the same share of shared answers.
   */
  readonly invoices: number;
}

/** One subject's round. CPU time of its whole process, microseconds. */
interface JobLoop extends Rate {
  readonly perSecond: number;
  readonly cpuUs: number;
  /** Calls of the service per look-up. */
  readonly calls: number;
}

/** @returns lines of a Markdown table; ratios are to the first subject */
export async function measureRate(parts: Parts, options: RateOptions): Promise<string[]> {
  const { names, rounds, seconds, invoices } = options;
  const requests = await toRequests(invoices);
  const found = new Map<SubjectName, JobLoop[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const result = await runRound(parts, { name, requests, seconds });
      found.get(name)?.push(result);
    }
  }
  const base = median(found.get(names[0]!)!.map(({ perSecond }) => perSecond));
  const baseCpu = median(found.get(names[0]!)!.map(({ cpuUs }) => cpuUs));
  const heads =
    ',look-ups/s: median (range),ratio,CPU µs each,ratio,p50 ms,p99 ms,calls of the service per 100,not 200';
  return table(
    heads.split(','),
    [...found].map(([name, each]) => {
      const of = (key: keyof JobLoop) => each.map((one) => one[key]);
      return [
        name,
        range(of('perSecond'), 0),
        (median(of('perSecond')) / base).toFixed(2),
        range(of('cpuUs'), 1),
        (median(of('cpuUs')) / baseCpu).toFixed(2),
        median(of('p50Ms')).toFixed(2),
        median(of('p99Ms')).toFixed(2),
        (median(of('calls')) * 100).toFixed(1),
        String(of('bad').reduce((sum, bad) => sum + bad, 0)),
      ];
    }),
  );
}

async function runRound(
  parts: Parts,
  { name, requests, seconds }: { name: SubjectName; requests: string[]; seconds: number },
): Promise<JobLoop> {
  const upstream = parts.start<Upstream>('upstream', 1);
  const subject = parts.start<Subject>('subject', 0);
  const load = parts.start<Load>('load', 1);
  try {
    const serviceUrl = await upstream.ask('start', { delayMs: 0 });
    const port = await subject.ask('start', { name, serviceUrl });
    // A shop's process has called the shop's code before. The first seconds belong to the compiler.
    await load.ask('pace', { port, requests: await toCreations(requests.length, 1), everyMs: 0 });
    await load.ask('hammer', { port, requests, connections, seconds: 2 });
    const callsBefore = await upstream.ask('countCalls');
    const before = await subject.ask('measureCpuMs');
    const rate = await load.ask('hammer', { port, requests, connections, seconds });
    const after = await subject.ask('measureCpuMs');
    const calls = await upstream.ask('countCalls');
    return {
      ...rate,
      perSecond: (rate.count / rate.elapsedMs) * 1_000,
      cpuUs: ((after - before) / rate.count) * 1_000,
      calls: (calls - callsBefore) / rate.count,
    };
  } finally {
    await Promise.all([upstream.stop(), subject.stop(), load.stop()]);
  }
}
