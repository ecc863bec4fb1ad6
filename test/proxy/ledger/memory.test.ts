/** The ledger in memory keeps the contract. What it forgets, and when, is in forgetting.test.ts. */
import { createMemoryLedger } from '../../../src/proxy/ledger/memory/memory-ledger.js';
import { describeLedger } from './contract.js';
import { startMs } from './contract/samples.js';

describeLedger('the ledger in memory', async (run) => {
  const clock = { nowMs: startMs };
  const ledger = createMemoryLedger(() => clock.nowMs);
  await run({ ledger, other: ledger, clock });
});
