/** Empty stores for tests of the durable ledger: a file, and a schema of a server. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { openLedger, type OpenLedger } from '../../../src/ledger.js';
import type { Bench } from './contract/bench.js';
import { startMs } from './contract/samples.js';

/** A bench whose store has an address: who knows it can open more handles. */
interface DurableBench extends Bench {
  readonly ledger: OpenLedger;
  readonly other: OpenLedger;
  readonly url: string;
  /** One more handle, closed at the end. */
  open(): Promise<OpenLedger>;
  /** Runs a statement past every handle. */
  execute(sql: string): Promise<void>;
}

/** Runs with an empty store and two handles on it. */
export type WithDurableBench = (run: (bench: DurableBench) => Promise<void>) => Promise<void>;

/** Memory that looks like a disk, where there is some: each write of a ledger waits until the disk has it. */
const quickFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export const withFile: WithDurableBench = async (run) => {
  const folder = await mkdtemp(join(quickFolder, 'pix-ledger-'));
  try {
    const path = join(folder, 'pix.db');
    await withHandles(`file:${path}`, run, async (sql) => {
      const database = new Database(path);
      try {
        database.exec(sql);
      } finally {
        database.close();
      }
    });
  } finally {
    await rm(folder, { recursive: true });
  }
};

async function withHandles(
  url: string,
  run: (bench: DurableBench) => Promise<void>,
  execute: (sql: string) => Promise<void>,
): Promise<void> {
  const clock = { nowMs: startMs };
  const handles: OpenLedger[] = [];
  const open = async () => {
    const ledger = await openLedger({ url, now: () => clock.nowMs });
    handles.push(ledger);
    return ledger;
  };
  try {
    await run({ ledger: await open(), other: await open(), url, open, execute, clock });
  } finally {
    for (const handle of handles) await handle.close();
  }
}
