/** Empty stores for tests of the durable ledger: a file, and a schema of a server. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger, type OpenLedger } from '../../../src/ledger.js';
import type { PostgresServer } from '../../support/postgres.js';
import { startMs, type Bench } from './contract/bench.js';

/** A bench whose store has an address: who knows it can open more handles. */
export interface DurableBench extends Bench {
  readonly ledger: OpenLedger;
  readonly other: OpenLedger;
  readonly url: string;
  /** One more handle, closed at the end. */
  open(): Promise<OpenLedger>;
}

/** Runs with an empty store and two handles on it. */
export type WithDurableBench = (run: (bench: DurableBench) => Promise<void>) => Promise<void>;

/** Memory that looks like a disk, where there is some: each write of a ledger waits until the disk has it. */
const quickFolder = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export const withFile: WithDurableBench = async (run) => {
  const folder = await mkdtemp(join(quickFolder, 'pix-ledger-'));
  try {
    await withHandles(`file:${join(folder, 'pix.db')}`, run);
  } finally {
    await rm(folder, { recursive: true });
  }
};

export function withSchema(server: () => PostgresServer): WithDurableBench {
  return async (run) => withHandles(await server().createDatabase(), run);
}

async function withHandles(
  url: string,
  run: (bench: DurableBench) => Promise<void>,
): Promise<void> {
  const clock = { nowMs: startMs };
  const handles: OpenLedger[] = [];
  const open = async () => {
    const ledger = await openLedger({ url, now: () => clock.nowMs });
    handles.push(ledger);
    return ledger;
  };
  try {
    await run({ ledger: await open(), other: await open(), url, open, clock });
  } finally {
    for (const handle of handles) await handle.close();
  }
}
