/** Signals to a process's children and theirs, as the operating system lists them. Knows no program. */

import { execFileSync } from 'node:child_process';

/** A process, with the one that started it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
}

/** The operating system. */
export interface Processes {
  readonly list: () => readonly ProcessEntry[];
  readonly kill: (pid: number, signal: NodeJS.Signals) => void;
}

const system: Processes = { list: listProcesses, kill: process.kill.bind(process) };

/** Those of a session of their own too: they are found by their parents. Also those that start while others are signalled. */
export function signalDescendants(
  pid: number,
  signal: 'SIGSTOP' | 'SIGCONT',
  { list, kill }: Processes = system,
): void {
  const signalled = new Set<number>();
  for (;;) {
    const found = descendantsOf(pid, list()).filter((child) => !signalled.has(child));
    if (found.length === 0) return;
    for (const child of found) {
      signalled.add(child);
      signalIfAlive(() => kill(child, signal));
    }
  }
}

function descendantsOf(pid: number, entries: readonly ProcessEntry[]): number[] {
  return entries.flatMap((entry) =>
    entry.parentPid === pid ? [entry.pid, ...descendantsOf(entry.pid, entries)] : [],
  );
}

function signalIfAlive(send: () => void): void {
  try {
    send();
  } catch (thrown) {
    // It ended since it was listed.
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
  }
}

function listProcesses(): ProcessEntry[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid = 0, parentPid = 0]) => ({ pid, parentPid }));
}
