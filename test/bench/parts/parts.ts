/**
 * Runs parts of a measurement as processes of their own, each on a core that is told, and asks them for things.
 *
 * Owns the bundling, the processes and the way of a question; knows nothing of what is measured.
 */
import { fork, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../../tools/tools.js';

/** What a part can be asked: its exported functions, by name. */
// oxlint-disable-next-line typescript/no-explicit-any -- any function that a part chooses to have
type Questions = Record<string, (question: any) => unknown>;

/** A running part. */
export interface Part<Q extends Questions> {
  ask<K extends keyof Q & string>(
    name: K,
    ...question: Parameters<Q[K]>
  ): Promise<Awaited<ReturnType<Q[K]>>>;
  stop(): Promise<void>;
}

/** Starts parts, and ends all that is left of them. */
export type Parts = Awaited<ReturnType<typeof openParts>>;

const canPin = spawnSync('taskset', ['--version']).status === 0;

/** Bundles the parts first: a loader's wrapping of each function would be measured along with it. */
export async function openParts(files: readonly string[]) {
  const directory = await mkdtemp(join(tmpdir(), 'pix-checkout-bench-'));
  await build({
    entryPoints: files.map((file) => join(root, 'test/bench/parts', `${file}.ts`)),
    outdir: directory,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'error',
  });
  // A driver's native half cannot be bundled.
  const env = { ...process.env, NODE_PATH: join(root, 'node_modules') };
  const running = new Set<ChildProcess>();
  return {
    /** @param file without its ending. @param core which core it is kept on, where the system can do that */
    start<Q extends Questions>(file: string, core: number): Part<Q> {
      const child = fork(join(directory, `${file}.cjs`), [], { env });
      running.add(child);
      child.on('exit', () => running.delete(child));
      if (canPin) spawnSync('taskset', ['-a', '-c', '-p', String(core), String(child.pid)]);
      return { ask: (name, ...question) => ask(child, name, question), stop: () => end(child) };
    },
    async stop() {
      await Promise.all([...running].map(end));
      await rm(directory, { recursive: true });
    },
  };
}

/** Called by a part: what it can be asked. */
export function answerQuestions(questions: Questions): void {
  process.on('message', async ({ id, name, question }) => {
    const answer = await questions[name]?.(question[0]);
    process.send?.({ id, answer });
  });
}

let lastId = 0;

// oxlint-disable-next-line typescript/no-explicit-any -- typed by the caller's questions
function ask(child: ChildProcess, name: string, question: unknown[]): Promise<any> {
  const id = (lastId += 1);
  return new Promise((resolve, reject) => {
    const heed = (message: { id: number; answer: unknown }) => {
      if (message.id !== id) return;
      leave();
      resolve(message.answer);
    };
    const fail = () => {
      leave();
      reject(new Error(`The part ended before it answered: ${name}`));
    };
    const leave = () => child.off('message', heed).off('exit', fail);
    child.on('message', heed).on('exit', fail);
    child.send({ id, name, question });
  });
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
