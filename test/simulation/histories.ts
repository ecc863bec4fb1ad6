/**
 * Plays many histories and fails with the first whose rules are broken, its seed and how to play it again.
 *
 *   SIMULATION_RUNS=20000 npm test -- --only unit
 *   SIMULATION_SEED=123 node --import tsx --test test/simulation/histories-1.test.ts
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundleHistories } from './bundle.js';
import { playHistory } from './history.js';
import type { History } from './history.js';

/** Seeds that found a fault once. They are always played. */
const keptSeeds: readonly number[] = [];

/** Histories of one run. */
const runs = Number(process.env['SIMULATION_RUNS'] ?? 2_000);

/** What must have happened again and again, or the histories show nothing. */
const mustHappen = [
  'Pix codes made',
  'cards charged',
  'processes ended',
  'told paid',
  'told waiting',
  'told lapsed',
  'told outcome_unknown',
  'told mismatch',
  'log ledger_failed',
  'log delivery_failed',
  'POST /invoices in_progress',
  'POST /invoices order_paid',
  'POST /invoices outcome_unknown',
  'POST /invoices payment_refused',
  'POST /invoices service_unavailable',
  'GET /invoices/x payment_refused',
];

/** Registers the tests of one part of the histories; several files share the work. */
export function testHistories(part: number, parts: number): void {
  const replayed = process.env['SIMULATION_SEED'];
  if (replayed !== undefined) {
    if (part === 0) test(`history ${replayed}`, () => replay(Number(replayed)));
    return;
  }

  test(`histories ${part + 1} of ${parts} keep the rules`, async () => {
    const play = await bundleHistories();
    const counts = new Map<string, number>();
    for (let seed = 1 + part; seed <= runs; seed += parts) {
      const history = mustHold(await play(seed));
      for (const [what, times] of history.counts) counts.set(what, (counts.get(what) ?? 0) + times);
    }
    const missing = mustHappen.filter((what) => (counts.get(what) ?? 0) < runs / parts / 100);
    assert.deepEqual(missing, [], 'hardly ever happened');
  });

  if (part > 0) return;
  test('histories that found a fault once keep the rules', async () => {
    for (const seed of keptSeeds) mustHold(await playHistory(seed));
  });
}

function mustHold(history: History): History {
  const { seed, violation } = history;
  assert.equal(violation, null, `play it again with SIMULATION_SEED=${seed}`);
  return history;
}

async function replay(seed: number): Promise<void> {
  const { lines, violation } = await playHistory(seed, { isTraced: true });
  console.log(lines.join('\n'));
  assert.equal(violation, null);
}
