/** Runs files of node:test, prints what failed and counts the rest. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { sourcePath } from './compile.js';
import { emptyCounts, type Counts } from './counts.js';
import { root } from '../tools.js';

/** How a set of files is run. */
export interface NodeTestOptions {
  /** Processes at the same time. */
  readonly concurrency: number;
  /** Most milliseconds that one process may take. */
  readonly timeoutMs: number;
  /** Receives the reason of each test that is skipped with one. */
  readonly onLeftOut?: (reason: string) => void;
  /** Receives the counts so far after each test. */
  readonly onCount?: (counts: Readonly<Counts>) => void;
}

/**
 * Runs each list of files in a Node of its own, one file after the other: starting a Node takes longer than most files
 * do. What a file prints is shown only if something in it failed. A file without a test counts as a failure.
 */
export async function runNodeTests(
  processes: readonly (readonly string[])[],
  options: NodeTestOptions,
): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'pix-tests-'));
  const files = processes.map((list, at) => toOneFile(list, join(folder, `${at}.mjs`)));
  try {
    return await runFiles(files, options);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A file that runs all of them, each as a suite of that name: its hooks stay its own. */
function toOneFile(files: readonly string[], path: string): string {
  const suites = files.map((file) => {
    const [name, url] = [file, pathToFileURL(file).href].map((text) => JSON.stringify(text));
    return `describe(${name}, async () => void (await import(${url})));\n`;
  });
  writeFileSync(path, `import { describe } from 'node:test';\n${suites.join('')}`);
  return path;
}

async function runFiles(files: string[], options: NodeTestOptions): Promise<Counts> {
  const counts = emptyCounts();
  // The runner reports one process after the other, and each process one file after the other.
  let printedByFile = '';
  let printedBefore = '';
  let testsInFile = 0;
  let running = '';
  const collect = ({ file, message }: { file: string; message: string }) => {
    if (file !== running) printedBefore = '';
    running = file;
    printedByFile += message;
  };
  const fail = (event: TestEvent, reason: unknown) => {
    counts.failed += 1;
    testsInFile += 1;
    console.log(`✖ ${nameOf(event)}${placeOf(event)}\n${inspect(reason)}\n`);
  };
  const endFile = (isFailed: boolean) => {
    if (isFailed) process.stdout.write(printedByFile);
    else printedBefore += printedByFile;
    printedByFile = '';
    testsInFile = 0;
  };
  /** Whether an event is of a suite that stands for a whole file. */
  const isFile = ({ file, nesting }: TestEvent) => nesting === 0 && files.includes(file ?? '');

  const stream = run({ files, concurrency: options.concurrency, timeout: options.timeoutMs });
  stream.on('test:stdout', collect);
  stream.on('test:stderr', collect);
  stream.on('test:pass', (event) => {
    if (isFile(event)) {
      if (testsInFile === 0) fail(event, 'This file holds no test');
      return endFile(false);
    }
    testsInFile += 1;
    if (typeof event.skip === 'string' && event.skip !== '') options.onLeftOut?.(event.skip);
    // The runner reports nothing inside a skipped suite: the suite counts as one test.
    if (event.details.type === 'suite' && event.skip === undefined) return;
    counts[event.skip === undefined && event.todo === undefined ? 'passed' : 'skipped'] += 1;
    options.onCount?.(counts);
  });
  stream.on('test:fail', (event) => {
    const { error } = event.details;
    // A suite and a test fail along with their parts: only the part is counted.
    if ((error as { failureType?: unknown }).failureType !== 'subtestsFailed') {
      fail(event, error.cause ?? error);
    }
    const isProcess = files.includes(event.name);
    if (isProcess) process.stdout.write(printedBefore);
    if (isProcess || isFile(event)) endFile(true);
  });
  stream.on('test:diagnostic', ({ message }) => {
    if (/error/i.test(message)) console.log(message);
  });
  stream.resume();
  await once(stream, 'end');
  return counts;
}

interface TestEvent {
  readonly name: string;
  readonly file?: string;
  readonly nesting: number;
}

function nameOf({ name }: TestEvent): string {
  return name.startsWith('/') ? relative(root, sourcePath(name)) : name;
}

function placeOf({ file }: TestEvent): string {
  return file === undefined ? '' : ` (${relative(root, sourcePath(file))})`;
}
