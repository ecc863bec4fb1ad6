/** A PostgreSQL that goes away and comes back: pages pay again at once, and nothing that was answered is lost. */

import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, it, test } from 'vitest';
import { openLedger } from '../../../src/ledger.js';
import { startPostgres, whyNoPostgres, withClient } from '../../tools/machine/postgres.js';
import type { PostgresServer } from '../../tools/machine/postgres.js';
import { leftOutIf } from '../../tools/runner/left-out.js';
import { openShop } from '../../support/proxy/shop.js';
import { openGate } from './postgres-gate.js';
import { upTo } from './samples.js';

/** How soon after the database pages pay again, milliseconds: a promise to merchants. */
const soonMs = 5_000;

const skip = whyNoPostgres();

describe('creations pass again within five seconds of the database', () => {
  if (skip !== undefined) {
    test('everything', { ...leftOutIf(skip) });
    return;
  }
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  it('that was demoted, and is the primary again', async () => {
    await live(await server.createDatabase(), async ({ create }) => {
      await server.query('ALTER ROLE owner SET default_transaction_read_only = on');
      await endSessions();
      // Sessions of now are of a server that only reads.
      await untilFails(create);
      await server.query(
        'BEGIN READ WRITE; ALTER ROLE owner RESET default_transaction_read_only; COMMIT',
      );
    });
  });

  it('that dropped every session', async () => {
    await live(await server.createDatabase(), endSessions);
  });

  it('that was ended by force, and started again', async () => {
    await live(await server.createDatabase(), async () => {
      const [one] = (await server.query(
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'pix-checkout'",
      )) as { readonly pid: number }[];
      // The server ends all sessions and recovers, as after an immediate shutdown.
      const pid = one?.pid ?? assert.fail();
      process.kill(pid, 'SIGKILL');
      let isBack = false;
      while (!isBack) {
        const question = `SELECT 1 FROM pg_stat_activity WHERE pid = ${pid}`;
        const rows = await server.query(question).catch(() => null);
        isBack = rows?.length === 0;
      }
    });
  });

  it('behind a firewall that forgot its connections, and says nothing', async () => {
    const gate = await openGate(await server.createDatabase());
    try {
      await live(gate.url, async ({ create }) => {
        gate.freeze();
        await untilFails(create);
        gate.admit();
      });
    } finally {
      await gate.close();
    }
  });

  it('whose table was locked', async () => {
    const url = await server.createDatabase();
    await live(url, ({ create }) =>
      withClient(url, async (client) => {
        await client.query('BEGIN; LOCK TABLE pix_orders IN ACCESS EXCLUSIVE MODE');
        await untilFails(create);
      }),
    );
  });

  async function endSessions(): Promise<void> {
    await server.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pix-checkout'",
    );
  }
});

type Create = () => Promise<boolean>;

/** A shop that uses all its connections; what happens to its database; and pages that go on. */
async function live(
  url: string,
  happen: (shop: { create: Create }) => Promise<void>,
): Promise<void> {
  const ledger = await openLedger({ url });
  const shop = openShop({ ledger });
  const made: string[] = [];
  let orders = 0;
  const create: Create = async () => {
    const externalId = `order-${(orders += 1)}`;
    const { status } = await shop.create({ externalId });
    if (status === 200) made.push(externalId);
    return status === 200;
  };
  try {
    assert.ok((await Promise.all(upTo(20).map(create))).every(Boolean));
    await happen({ create });
    await passesSoon(create);
    for (const externalId of made) assert.ok(await ledger.describeOrder(externalId), externalId);
  } finally {
    await shop.proxy.close();
    await ledger.close();
  }
}

async function untilFails(create: Create): Promise<void> {
  while (await create());
}

/** Pages come all the time, and none waits for another one. */
async function passesSoon(create: Create): Promise<void> {
  const endsAtMs = performance.now() + soonMs;
  const its = { passed: 0 };
  const asked: Promise<void>[] = [];
  while (its.passed === 0 && performance.now() < endsAtMs) {
    asked.push(create().then((isMade) => void (its.passed += Number(isMade))));
    await pause(100);
  }
  assert.ok(its.passed > 0, `none of ${asked.length} creations passed`);
  await Promise.all(asked);
}
