/** What a ledger does with ids that postbacks named. */
import assert from 'node:assert/strict';
import { maxNamedPerOrder } from '../../../../src/proxy/ledger/ledger.js';
import type { Ledger } from '../../../../src/proxy/ledger/ledger.js';
import type { OnStore } from './bench.js';
import { startMs, upTo } from './samples.js';

const first = { externalId: 'order-1', lookUpId: 'named-1', tries: 0, namedAtMs: startMs };

/** Those that are due, claimed for so long. */
async function claimDue(ledger: Ledger, forMs = 1_000, most = 100): Promise<string[]> {
  return (await ledger.claimDueNamed(most, forMs)).map(({ lookUpId }) => lookUpId);
}

export function describeNamedIds(it: OnStore): void {
  it('is claimed by its namer, and due to one of all afterwards', async (bench) => {
    const { ledger, other, clock } = bench;
    const named = await ledger.claimNamed('order-1', 'named-1', 5_000);
    assert.deepEqual(named, { ...first, claimedUntilMs: startMs + 5_000 });
    assert.deepEqual((await other.find('order-1')).named, ['named-1']);
    clock.nowMs += 4_999;
    assert.deepEqual(await claimDue(other), []);
    clock.nowMs += 1;
    const [due] = await other.claimDueNamed(10, 60_000);
    assert.deepEqual(due, { ...first, claimedUntilMs: clock.nowMs + 60_000 });
    assert.deepEqual(await claimDue(ledger), []);
    assert.equal((await ledger.readState()).nextDueAtMs, clock.nowMs + 60_000);
  });

  it('is due again when its claimer says so, or forgotten', async ({ ledger, other, clock }) => {
    const named = (await ledger.claimNamed('order-1', 'named-1', 5_000)) ?? assert.fail();
    await other.scheduleNamed({ ...named, tries: 3 }, startMs + 100_000);
    clock.nowMs += 99_999;
    assert.deepEqual(await claimDue(ledger), []);
    clock.nowMs += 1;
    const [due = assert.fail()] = await ledger.claimDueNamed(10, 60_000);
    assert.equal(due.tries, 3);
    await ledger.scheduleNamed(due, null);
    assert.deepEqual((await other.find('order-1')).named, []);
    clock.nowMs += 1_000_000;
    assert.deepEqual(await claimDue(ledger), []);
  });

  it('begins anew where it is named again, whatever its claimer says', async (bench) => {
    const { ledger, other, clock } = bench;
    const slow = (await ledger.claimNamed('order-1', 'named-1', 5_000)) ?? assert.fail();
    await ledger.scheduleNamed({ ...slow, tries: 5 }, startMs + 9_000);
    clock.nowMs += 10;
    const again = await other.claimNamed('order-1', 'named-1', 5_000);
    assert.deepEqual(again, { ...first, namedAtMs: startMs + 10, claimedUntilMs: startMs + 5_010 });
    await ledger.scheduleNamed(slow, null);
    assert.deepEqual((await other.find('order-1')).named, ['named-1']);
  });

  it('is one of twenty of its order, and makes room once it was looked up', async (bench) => {
    const { ledger, other, clock } = bench;
    for (const n of upTo(maxNamedPerOrder)) await ledger.claimNamed('order-1', `named-${n}`, 5_000);
    assert.equal(await other.claimNamed('order-1', 'one-more', 5_000), null);
    assert.ok(await other.claimNamed('order-1', 'named-1', 5_000), 'one that waits already');
    assert.ok(await other.claimNamed('order-2', 'one-more', 5_000), 'one of another order');
    clock.nowMs += 5_000;
    const due = await ledger.claimDueNamed(2, 5_000);
    for (const one of due) await ledger.scheduleNamed({ ...one, tries: 1 }, clock.nowMs + 1);
    assert.ok(await other.claimNamed('order-1', 'one-more', 5_000));
    const { named } = await ledger.find('order-1');
    assert.equal(named.length, maxNamedPerOrder);
    assert.ok(named.includes('one-more'));
  });

  it('is claimed by one of many', async ({ ledger, other, clock }) => {
    for (const n of upTo(10)) await ledger.claimNamed('order-1', `named-${n}`, 0);
    clock.nowMs += 1;
    const claimed = await Promise.all(upTo(8).map((n) => claimDue(n % 2 ? ledger : other, 1_000)));
    assert.equal(claimed.flat().length, 10);
    assert.equal(new Set(claimed.flat()).size, 10);
  });
}
