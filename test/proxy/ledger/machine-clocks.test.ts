/** Machines whose clocks disagree, on one PostgreSQL: its clock counts. */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { openLedger } from '../../../src/ledger.js';
import type { OpenLedger } from '../../../src/ledger.js';
import { readOptions } from '../../../src/proxy/config/read-options.js';
import { createPostgresStore } from '../support/stores.js';
import { accessToken, publicUrl, secrets, serviceUrl } from '../support/shop.js';
import { toCard, toInvoice, toPix, upTo } from './contract/samples.js';

const hourMs = 3_600_000;

/** How far the clocks of the machines are ahead, milliseconds. */
const aheadMs = [0, 64_000, -hourMs, 24 * hourMs];

/** Of a proxy that is given no clock of its own. */
const options = {
  serviceUrl,
  accessToken,
  secrets,
  publicUrl,
  allowedOrigins: [],
  resolveOrder: () => ({ status: 'closed' as const }),
};

const store = createPostgresStore();

describe('machines whose clocks disagree', { skip: store.whyNot }, () => {
  before(() => store.open());
  after(() => store.close());

  /** Opens a ledger on each machine, and hands on what runs there: with the clock that the machine has. */
  async function onMachines(
    t: TestContext,
    run: (machines: readonly (<T>(work: (ledger: OpenLedger) => T) => T)[]) => Promise<void>,
  ): Promise<void> {
    const url = await store.createUrl();
    const { timeOrigin } = performance;
    const { now } = Date;
    let aheadOf = 0;
    // Once: of two mocks of one method, the second would restore the first, for all files of this process.
    t.mock.method(Date, 'now', () => now() + aheadOf);
    const setClock = (ms: number) => {
      aheadOf = ms;
      Object.defineProperty(performance, 'timeOrigin', {
        value: timeOrigin + ms,
        configurable: true,
      });
    };
    const ledgers: OpenLedger[] = [];
    try {
      for (const ms of aheadMs) {
        setClock(ms);
        ledgers.push(await openLedger({ url }));
      }
      await run(
        ledgers.map((ledger, index) => (work) => {
          setClock(aheadMs[index]!);
          return work(ledger);
        }),
      );
    } finally {
      Reflect.deleteProperty(performance, 'timeOrigin');
      for (const ledger of ledgers) await ledger.close();
    }
  }

  it('book the calls of one minute together', async (t) => {
    await onMachines(t, async (machines) => {
      let booked = 0;
      for (const n of upTo(40)) {
        const at = machines[n % machines.length]!;
        booked += (await at((ledger) => ledger.bookCalls(1, 20))).calls;
      }
      assert.equal(booked, 20);
    });
  });

  it('pass a throttle once', async (t) => {
    await onMachines(t, async (machines) => {
      const passed: boolean[] = [];
      for (const at of machines) {
        passed.push(await at((ledger) => ledger.passThrottle('sweep', hourMs / 2)));
      }
      assert.deepEqual(passed, [true, false, false, false]);
    });
  });

  it('keep to the claims, leases and due times of each other', async (t) => {
    await onMachines(t, async ([first, ...others]) => {
      const at = first!;
      await at((ledger) => ledger.claimAttempt(toCard()));
      await at((ledger) => ledger.acquireOrderLock('order-1', 'holder-1', 5_000));
      await at((ledger) => ledger.recordInvoice(toInvoice({ externalId: 'order-2' }), toPix()));
      await at((ledger) => ledger.claimEvents(['waiting'], 1, 60_000));
      for (const other of others) {
        const card = toCard({ holder: 'holder-2' });
        assert.equal(await other((ledger) => ledger.claimAttempt(card)), 'known');
        assert.equal((await other((ledger) => ledger.findAttempts('card-1'))).length, 1);
        assert.ok((await other((l) => l.acquireOrderLock('order-1', 'holder-2', 5_000))) > 0);
        assert.deepEqual(await other((ledger) => ledger.claimDueLookUps(1, 60_000)), []);
        assert.deepEqual(await other((ledger) => ledger.claimEvents(['waiting'], 1, 60_000)), []);
        await other((ledger) => ledger.prune());
      }
      assert.equal(await at((l) => l.advanceAttempt(toCard(), { state: 'sent' }, 1_000)), true);
    });
  });

  it('say the same time, and their proxies go by it', async (t) => {
    await onMachines(t, async (machines) => {
      const times = machines.map((at) => at((ledger) => readOptions({ ...options, ledger }).now()));
      // Each knows it as exactly as the database answers fast.
      assert.ok(Math.max(...times) - Math.min(...times) < 60_000, times.join(' '));
    });
  });
});
