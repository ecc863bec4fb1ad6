/** Runs files of node:test, prints what failed and counts the rest. */
import { once } from 'node:events';
import { relative } from 'node:path';
import { run } from 'node:test';
import { inspect } from 'node:util';
import { sourcePath } from './compile.js';
import { emptyCounts, type Counts } from './counts.js';
import { root } from '../tools.js';

/** How a set of files is run. */
export interface NodeTestOptions {
  /** Files at the same time. */
  readonly concurrency: number;
  /** Most milliseconds that one file may take. */
  readonly timeoutMs: number;
  /** Receives the reason of each test that is skipped with one. */
  readonly onLeftOut?: (reason: string) => void;
  /** Receives the counts so far after each test. */
  readonly onCount?: (counts: Readonly<Counts>) => void;
}

/**
 * Runs each file in a Node of its own. The output of a file is shown only if something in it failed. A file without a
 * test counts as a failure.
 */
export async function runNodeTests(files: string[], options: NodeTestOptions): Promise<Counts> {
  const counts = emptyCounts();
  const printed = new Map<string, string>();
  const failedFiles = new Set<string>();
  const collect = ({ file, message }: { file: string; message: string }) =>
    printed.set(file, (printed.get(file) ?? '') + message);
  const fail = (event: TestEvent, reason: unknown) => {
    counts.failed += 1;
    failedFiles.add(event.file ?? event.name);
    console.log(`✖ ${event.name}${placeOf(event)}\n${inspect(reason)}\n`);
  };

  const stream = run({ files, concurrency: options.concurrency, timeout: options.timeoutMs });
  stream.on('test:stdout', collect);
  stream.on('test:stderr', collect);
  stream.on('test:pass', (event) => {
    if (typeof event.skip === 'string' && event.skip !== '') options.onLeftOut?.(event.skip);
    // The runner reports nothing inside a skipped suite: the suite counts as one test.
    if (event.details.type === 'suite' && event.skip === undefined) return;
    if (event.name === event.file) fail(event, 'This file holds no test');
    else counts[event.skip === undefined && event.todo === undefined ? 'passed' : 'skipped'] += 1;
    options.onCount?.(counts);
  });
  stream.on('test:fail', (event) => {
    const { error } = event.details;
    // A suite and a test fail along with their parts: only the part is counted.
    if ((error as { failureType?: unknown }).failureType === 'subtestsFailed') return;
    fail(event, error.cause ?? error);
  });
  stream.on('test:diagnostic', ({ message }) => {
    if (/error/i.test(message)) console.log(message);
  });
  stream.resume();
  await once(stream, 'end');

  for (const file of failedFiles) process.stdout.write(printed.get(file) ?? '');
  return counts;
}

interface TestEvent {
  readonly name: string;
  readonly file?: string;
}

function placeOf({ file }: TestEvent): string {
  return file === undefined ? '' : ` (${relative(root, sourcePath(file))})`;
}
