/** What a ledger does with attempts: claims and their time, the way forward, and that one card is open at most. */
import assert from 'node:assert/strict';
import {
  claimedForMs,
  type Attempt,
  type AttemptProgress,
  type Claim,
} from '../../../../src/proxy/ledger/ledger.js';
import { begin, cardStates, charge, claimIds, peekOnly, type OnStore } from './bench.js';
import { stages, startMs, toCard, toCharge, toIssued, toPix, upTo } from './samples.js';

const { claimed, created, refused, sent, unknown } = stages;

export function describeClaims(it: OnStore): void {
  it('tells a repeated request from a reused key', async ({ ledger, other }) => {
    const claims: [fields: Partial<Attempt>, claim: Claim][] = [
      [{}, 'new'],
      [{ holder: 'holder-2' }, 'known'],
      [{ totalCents: 1 }, 'reused'],
      [{ installment: 2 }, 'reused'],
      [{ scope: 'scope-2', totalCents: 1 }, 'new'],
      [{ key: 'key-2', totalCents: 1 }, 'new'],
    ];
    for (const [fields, claim] of claims) {
      assert.equal(await ledger.claimAttempt(toPix(fields)), claim, JSON.stringify(fields));
    }
    const scopes = (await other.findAttempts('key-1')).map(({ scope }) => scope);
    assert.deepEqual(scopes, ['scope-1', 'scope-2']);
    await other.advanceAttempt(toPix(), created);
    assert.equal(await ledger.claimAttempt(toPix()), 'known');
    const second = { ...toPix({ key: 'key-2', totalCents: 1 }), progress: claimed };
    assert.deepEqual(await ledger.findAttempts('key-2'), [second]);
    assert.deepEqual(await ledger.findAttempts('key-3'), []);
  });

  const candidate = toIssued(toCharge());
  for (const progress of [
    claimed,
    sent,
    unknown,
    { state: 'unknown', candidate },
    created,
  ] as const) {
    it(`keeps other cards out: ${JSON.stringify(progress)}`, async ({ ledger, other }) => {
      await begin(ledger, toCard(), progress);
      const claims: [attempt: Attempt, claim: Claim][] = [
        [toCard(), 'known'],
        [toCard({ key: 'card-2' }), 'busy'],
        [toCard({ scope: 'another' }), 'known'],
        [toCard({ externalId: 'order-2', scope: 'b' }), 'new'],
        [toPix(), 'new'],
      ];
      for (const [attempt, claim] of claims) {
        assert.equal(await other.claimAttempt(attempt), claim, JSON.stringify(attempt));
      }
      assert.deepEqual(await other.findAttempts('card-2'), []);
      assert.deepEqual((await other.find('order-1')).cards, [{ ...toCard(), progress }]);
    });
  }

  it('by card lets the next one in after a refusal or a release', async ({ ledger }) => {
    await ledger.claimAttempt(toCard());
    assert.equal(await ledger.advanceAttempt(toCard(), refused), true);
    const second = toCard({ key: 'card-2' });
    assert.equal(await ledger.claimAttempt(second), 'new');
    await ledger.releaseAttempt(second);
    assert.equal(await ledger.claimAttempt(toCard({ key: 'card-3' })), 'new');
  });

  for (const [attempt, step] of [
    [toCard(), sent],
    [toPix(), created],
  ] as const) {
    it(`by ${attempt.method} runs out`, async ({ ledger, other, clock }) => {
      const next = { ...attempt, holder: 'holder-2' };
      await ledger.claimAttempt(attempt);
      clock.nowMs += claimedForMs - 1;
      assert.equal(await other.claimAttempt(next), 'known');
      clock.nowMs += 1;
      assert.deepEqual(await ledger.findAttempts(attempt.key), []);
      assert.deepEqual(await cardStates(ledger), []);
      assert.equal(await ledger.advanceAttempt(attempt, sent, 1_000), false);
      const dearer = { ...next, totalCents: 99_999 };
      assert.equal(await other.claimAttempt(dearer), 'new');
      // The former holder can neither send nor release.
      assert.equal(await ledger.advanceAttempt(attempt, sent, 1_000), false);
      await ledger.releaseAttempt(attempt);
      assert.equal(await other.advanceAttempt(dearer, step, 1_000), true);
      assert.deepEqual(await ledger.findAttempts(attempt.key), [{ ...dearer, progress: step }]);
    });
  }

  it('by card lets another key in once it ran out', async ({ ledger, other, clock }) => {
    const next = toCard({ key: 'card-2' });
    await ledger.claimAttempt(toCard());
    clock.nowMs += claimedForMs;
    assert.equal(await other.claimAttempt(next), 'new');
    assert.equal(await ledger.advanceAttempt(toCard(), sent, 1_000), false);
    assert.equal(await ledger.claimAttempt(toCard()), 'busy');
    await other.advanceAttempt(next, sent, 10 * claimedForMs);
    clock.nowMs += 2 * claimedForMs;
    assert.equal(await ledger.claimAttempt(toCard()), 'busy');
    assert.equal(await other.advanceAttempt(next, created), true);
  });
}

export function describeAttempts(it: OnStore): void {
  it('goes forward only, and says whether it did', async ({ ledger }) => {
    const steps: [progress: AttemptProgress, isNew: boolean][] = [
      [claimed, false],
      [sent, true],
      [sent, false],
      [unknown, true],
      [sent, false],
      [created, true],
      [unknown, false],
      [refused, true],
      [created, false],
      [claimed, false],
    ];
    await ledger.claimAttempt(toCard());
    for (const [progress, isNew] of steps) {
      const answer = await ledger.advanceAttempt(toCard(), progress, 1_000);
      assert.equal(answer, isNew, progress.state);
    }
    assert.deepEqual(await ledger.findAttempts('card-1'), [{ ...toCard(), progress: refused }]);
  });

  const improved: [
    name: string,
    attempt: Attempt,
    steps: AttemptProgress[],
    toBetter: (invoiceId: string) => AttemptProgress,
  ][] = [
    [
      'of unknown outcome may get another candidate, but not none',
      toCard(),
      [sent, unknown],
      (invoiceId) => ({ state: 'unknown', candidate: toIssued(toCharge({ invoiceId })) }),
    ],
    [
      'that is created may get another invoice',
      toPix(),
      [created],
      (invoiceId) => ({ state: 'created', invoiceId }),
    ],
  ];
  for (const [name, attempt, steps, toBetter] of improved) {
    it(name, async ({ ledger }) => {
      await begin(ledger, attempt, ...steps);
      for (const progress of ['invoice-2', 'invoice-3'].map(toBetter)) {
        assert.equal(await ledger.advanceAttempt(attempt, progress), false);
        await ledger.advanceAttempt(attempt, unknown);
        assert.deepEqual(await ledger.findAttempts(attempt.key), [{ ...attempt, progress }]);
      }
    });
  }

  it('that is not known stays so, but for one by Pix that is created', async ({ ledger }) => {
    for (const progress of [sent, unknown, created, refused]) {
      assert.equal(await ledger.advanceAttempt(toCard(), progress, 1_000), false);
    }
    assert.equal(await ledger.advanceAttempt(toPix(), sent, 1_000), false);
    assert.equal(await ledger.advanceAttempt(toPix(), refused), false);
    assert.deepEqual(await ledger.findAttempts('card-1'), []);
    assert.equal(await ledger.advanceAttempt(toPix(), created), true);
    assert.deepEqual(await ledger.findAttempts('key-1'), [{ ...toPix(), progress: created }]);
  });

  it('is forgotten by its holder only, and not once it has ended', async ({ ledger, other }) => {
    await ledger.claimAttempt(toCard());
    await other.releaseAttempt(toCard({ holder: 'holder-2' }));
    await other.releaseAttempt(toCard({ scope: 'another' }));
    assert.equal((await ledger.findAttempts('card-1')).length, 1);
    await ledger.advanceAttempt(toCard(), sent, 1_000);
    await ledger.releaseAttempt(toCard());
    assert.deepEqual(await ledger.findAttempts('card-1'), []);
    for (const progress of [created, refused]) {
      await begin(ledger, toCard(), progress);
      await ledger.releaseAttempt(toCard());
      assert.deepEqual(await ledger.findAttempts('card-1'), [{ ...toCard(), progress }]);
    }
  });

  it('that was sent becomes unknown, and is told of', async ({ ledger, other, clock }) => {
    await ledger.claimAttempt(toCard());
    clock.nowMs += 5_000;
    await ledger.advanceAttempt(toCard(), sent, 60_000);
    clock.nowMs += 59_999;
    assert.equal(await ledger.expireSent(), 0);
    clock.nowMs += 1;
    assert.equal(await other.expireSent(), 1);
    assert.equal(await ledger.expireSent(), 0);
    const { cards } = await ledger.find('order-1');
    assert.deepEqual(cards, [{ ...toCard(), progress: unknown }]);
    assert.equal((await ledger.readState()).unknownAttempts, 1);
    const { attemptedAt, deliveryId, ...notice } = (await peekOnly(ledger, 'outcome_unknown'))
      .notice;
    assert.deepEqual(notice, { externalId: 'order-1', totalCents: 12_345 });
    const atMs = Date.parse(attemptedAt);
    assert.ok(atMs >= startMs && atMs <= startMs + 5_000, attemptedAt);
    assert.match(deliveryId, /order-1.*holder-1/);
  });

  it('of unknown outcome is told of once, however it became so', async ({ ledger, clock }) => {
    await begin(ledger, toCard(), sent, unknown);
    clock.nowMs += 60_000;
    assert.equal(await ledger.expireSent(), 0);
    await ledger.advanceAttempt(toCard(), unknown);
    await peekOnly(ledger, 'outcome_unknown');
  });

  it('that is refused ends its look-ups, and is news', async ({ ledger, other, clock }) => {
    await charge(ledger);
    clock.nowMs += 60_000;
    await ledger.advanceAttempt(toCard(), refused);
    assert.deepEqual(await claimIds(other), []);
    await ledger.hastenLookUp(toCharge(), clock.nowMs);
    assert.deepEqual(await claimIds(other), []);
    assert.deepEqual(await other.findSettled(clock.nowMs), ['invoice-1']);
    assert.deepEqual(await other.findSettled(clock.nowMs + 1), []);
  });

  it('does not add up with the keys of one order, unless it is open', async ({ ledger }) => {
    await begin(ledger, toCard(), unknown);
    for (const n of upTo(60)) await begin(ledger, toPix({ key: `key-${n}` }), created);
    assert.deepEqual(await ledger.findAttempts('key-1'), []);
    for (const key of ['card-1', 'key-20', 'key-60']) {
      assert.equal((await ledger.findAttempts(key)).length, 1, key);
    }
  });
}
