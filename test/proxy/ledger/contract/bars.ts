/** What a ledger does with keys that a payer was told are not known: they can be used by no request any more. */
import assert from 'node:assert/strict';
import { claimedForMs, type Attempt } from '../../../../src/proxy/ledger/ledger.js';
import { maxKeys } from '../../../../src/proxy/order/keys.js';
import { begin, type OnStore } from './bench.js';
import { stages, toCard, toPix, upTo } from './samples.js';

const { created, refused, sent, unknown } = stages;

export function describeBars(it: OnStore): void {
  it('can be claimed by no request of its order, whatever its token and method', async (bench) => {
    const { ledger, other } = bench;
    assert.equal(await ledger.barKey('order-1', 'card-1'), true);
    for (const one of [toCard(), toCard({ scope: 'another' }), toPix({ key: 'card-1' })]) {
      assert.equal(await other.claimAttempt(one), 'reused');
      for (const progress of [sent, unknown, created, refused]) {
        assert.equal(await other.advanceAttempt(one, progress, 1_000), false, progress.state);
      }
    }
    await other.releaseAttempt(toCard());
    const [bar, ...more] = await other.findAttempts('card-1', 'order-1');
    assert.deepEqual([bar?.externalId, bar?.progress, more], ['order-1', { state: 'barred' }, []]);
    assert.deepEqual((await other.find('order-1')).cards, []);
  });

  it('keeps neither another key nor another order out', async ({ ledger, other }) => {
    await ledger.barKey('order-1', 'card-1');
    assert.equal(await other.claimAttempt(toCard({ key: 'card-2' })), 'new');
    const elsewhere = toCard({ externalId: 'order-2', scope: 'order-2' });
    assert.equal(await other.claimAttempt(elsewhere), 'new');
    assert.equal(await other.advanceAttempt(elsewhere, sent, 1_000), true);
  });

  for (const attempt of [toCard(), toPix()]) {
    it(`takes a claim by ${attempt.method} that ran out`, async ({ ledger, other, clock }) => {
      await ledger.claimAttempt(attempt);
      clock.nowMs += claimedForMs;
      assert.equal(await other.barKey('order-1', attempt.key), true);
      // The clock of the machine that stood still may be behind.
      clock.nowMs -= claimedForMs;
      assert.equal(await ledger.advanceAttempt(attempt, sent, 1_000), false);
      assert.equal(await ledger.advanceAttempt(attempt, created), false);
      assert.equal(await ledger.claimAttempt(attempt), 'reused');
    });
  }

  for (const steps of [[], [sent], [sent, unknown], [created], [refused]]) {
    const name = ['claimed', ...steps.map(({ state }) => state)].at(-1);
    it(`leaves an attempt alone that is ${name}`, async ({ ledger, other }) => {
      await begin(ledger, toCard(), ...steps);
      const before = await ledger.findAttempts('card-1', 'order-1');
      assert.equal(await other.barKey('order-1', 'card-1'), true);
      assert.deepEqual(await ledger.findAttempts('card-1', 'order-1'), before);
    });
  }

  it('is not added up without end, and does not push attempts out', async ({ ledger }) => {
    await begin(ledger, toPix(), created);
    await begin(ledger, toCard(), refused);
    for (const n of upTo(maxKeys + 1)) await ledger.barKey('order-1', `bar-${n}`);
    assert.deepEqual(await ledger.findAttempts('bar-1', 'order-1'), []);
    assert.equal((await ledger.findAttempts('bar-2', 'order-1'))[0]?.progress.state, 'barred');
    assert.equal((await ledger.findAttempts('key-1', 'order-1')).length, 1);
    assert.equal(await ledger.claimAttempt(toCard({ scope: 'another' })), 'known');
  });

  it('stays so as long as the order is known', async ({ ledger, other, clock }) => {
    await begin(ledger, toPix(), created);
    await ledger.recordSend('order-1', 'pix', clock.nowMs, 100);
    await ledger.barKey('order-1', 'card-1');
    clock.nowMs += 90 * 24 * 3_600_000 - 1;
    await other.prune();
    assert.equal(await ledger.claimAttempt(toCard()), 'reused');
  });

  it('or is claimed first: at once, the one or the other', async ({ ledger, other }) => {
    for (const n of upTo(20)) {
      const externalId = `order-${n}`;
      const card: Attempt = toCard({ externalId, scope: externalId });
      const [claim] = await Promise.all([
        ledger.claimAttempt(card),
        other.barKey(externalId, card.key),
      ]);
      const states = (await other.findAttempts(card.key, externalId))
        .filter((one) => one.externalId === externalId)
        .map(({ progress }) => progress.state);
      assert.deepEqual(states, [claim === 'new' ? 'claimed' : 'barred']);
      const mayLeave = await ledger.advanceAttempt(card, sent, 1_000);
      assert.equal(mayLeave, claim === 'new');
    }
  });
}
