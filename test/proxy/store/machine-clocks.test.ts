/** Machines whose clocks disagree, on one PostgreSQL: its clock counts. */

import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, it, vi, type TestContext } from 'vitest';
import { hourMs } from '../../../src/domain/spans.js';
import { openStore } from '../../../src/proxy/store/open-store.js';
import type { OrderStore } from '../../../src/proxy/store/order-store.js';
import { createPostgresStore } from '../../support/proxy/stores.js';
import { leftOutIf } from '../../tools/runner/left-out.js';

/** How far the clocks of the machines are ahead, milliseconds. */
const aheadMs = [0, 64_000, -hourMs, 24 * hourMs];

const database = createPostgresStore();

describe('machines whose clocks disagree', leftOutIf(database.whyNot), () => {
  beforeAll(() => database.open());
  afterAll(() => database.close());

  /** Opens a store on each machine, and hands on what runs there: with the clock that the machine has. */
  async function onMachines(
    t: TestContext,
    run: (machines: readonly (<T>(work: (store: OrderStore) => T) => T)[]) => Promise<void>,
  ): Promise<void> {
    const url = await database.createUrl();
    const { timeOrigin } = performance;
    const { now } = Date;
    let aheadOf = 0;
    // Once: of two mocks of one method, the second would restore the first, for all files of this process.
    vi.spyOn(Date, 'now').mockImplementation(() => now() + aheadOf);
    const setClock = (ms: number) => {
      aheadOf = ms;
      Object.defineProperty(performance, 'timeOrigin', {
        value: timeOrigin + ms,
        configurable: true,
      });
    };
    const stores: OrderStore[] = [];
    try {
      for (const ms of aheadMs) {
        setClock(ms);
        stores.push(await openStore({ url }));
      }
      await run(
        stores.map((store, index) => (work) => {
          setClock(aheadMs[index]!);
          return work(store);
        }),
      );
    } finally {
      Reflect.deleteProperty(performance, 'timeOrigin');
      for (const store of stores) await store.close();
    }
  }

  it('pass a throttle once', async (t) => {
    await onMachines(t, async (machines) => {
      const passed: boolean[] = [];
      for (const at of machines) {
        passed.push(await at((store) => store.passThrottle('prune', hourMs / 2)));
      }
      assert.deepEqual(passed, [true, false, false, false]);
    });
  });

  it('go on as time does', async (t) => {
    await onMachines(t, async ([at]) => {
      const saidMs = await at!((store) =>
        store.change('order-1', (order, nowMs) => [order, nowMs]),
      );
      const laterMs = performance.now() + hourMs;
      vi.spyOn(performance, 'now').mockImplementation(() => laterMs);
      assert.ok(at!((store) => store.now()) - saidMs >= hourMs);
      vi.mocked(performance.now).mockRestore();
    });
  });

  it('change an order at the same time', async (t) => {
    await onMachines(t, async (machines) => {
      const times: number[] = [];
      for (const at of machines) {
        times.push(
          await at((store) =>
            store.change('order-1', (order, nowMs) => [{ ...order, aliveAtMs: nowMs }, nowMs]),
          ),
        );
      }
      // Each knows it as exactly as the database answers fast.
      assert.ok(Math.max(...times) - Math.min(...times) < 60_000, times.join(' '));
      const said = machines.map((at) => at((store) => store.now()));
      assert.ok(Math.max(...said) - Math.min(...said) < 60_000, said.join(' '));
    });
  });
});
