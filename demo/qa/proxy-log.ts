/** Keeps the newest entries of the proxy's log for the page, which asks for them. */

import type { LogEntry } from '../../src/proxy.js';

/** An entry, numbered in the order they came. */
export interface ProxyEntry {
  readonly number: number;
  readonly atMs: number;
  readonly entry: LogEntry;
}

/** Most entries kept. */
const capacity = 200;

/** A log that forgets. */
export function createProxyLog() {
  const entries: ProxyEntry[] = [];
  let number = 0;
  return {
    entries: entries as readonly ProxyEntry[],
    write(entry: LogEntry): void {
      number += 1;
      entries.push({ number, atMs: Date.now(), entry });
      if (entries.length > capacity) entries.shift();
    },
  };
}
