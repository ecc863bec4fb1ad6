/** What a ledger does with attempts: claims and their time, the way forward, and that one card is open at most. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  claimedForMs,
  type Attempt,
  type AttemptProgress,
  type Claim,
} from '../../../../src/proxy/ledger/ledger.js';
import { startMs, toCard, toInvoice, toIssued, toPix, upTo, type WithBench } from './bench.js';

const sent: AttemptProgress = { state: 'sent' };
const unknown: AttemptProgress = { state: 'unknown', candidate: null };
const created: AttemptProgress = { state: 'created', invoiceId: 'invoice-1' };
const refused: AttemptProgress = { state: 'refused' };

export function describeAttempts(withBench: WithBench): void {
  describe('an attempt', () => {
    it('is told from a repeated request and from a reused key, by scope and fingerprint', () =>
      withBench(async ({ ledger, other }) => {
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
        const known = await other.findAttempts('key-1');
        assert.deepEqual(
          known.map(({ scope }) => scope),
          ['scope-1', 'scope-2'],
        );
        await other.advanceAttempt(toPix(), created);
        assert.equal(await ledger.claimAttempt(toPix()), 'known');
        assert.deepEqual(await ledger.findAttempts('key-2'), [
          { ...toPix({ key: 'key-2', totalCents: 1 }), progress: { state: 'claimed' } },
        ]);
        assert.deepEqual(await ledger.findAttempts('key-3'), []);
      }));

    const open: AttemptProgress[] = [
      { state: 'claimed' },
      sent,
      unknown,
      { state: 'unknown', candidate: toIssued(toInvoice({ method: 'credit_card' })) },
      created,
    ];
    for (const progress of open) {
      it(`by card that is ${JSON.stringify(progress)} keeps every other card of its order out`, () =>
        withBench(async ({ ledger, other }) => {
          await ledger.claimAttempt(toCard());
          await ledger.advanceAttempt(toCard(), progress, 60_000);
          assert.equal(await other.claimAttempt(toCard()), 'known');
          assert.equal(await other.claimAttempt(toCard({ key: 'card-2' })), 'busy');
          assert.equal(await other.claimAttempt(toCard({ scope: 'another' })), 'busy');
          assert.deepEqual(await other.findAttempts('card-2'), []);
          assert.deepEqual(await other.findAttempts('card-1'), [{ ...toCard(), progress }]);
          assert.equal(
            await other.claimAttempt(toCard({ externalId: 'order-2', scope: 'b' })),
            'new',
          );
          assert.equal(await other.claimAttempt(toPix()), 'new');
        }));
    }

    it('by card lets the next one in after a refusal or a release', () =>
      withBench(async ({ ledger }) => {
        await ledger.claimAttempt(toCard());
        assert.equal(await ledger.advanceAttempt(toCard(), refused), true);
        const second = toCard({ key: 'card-2' });
        assert.equal(await ledger.claimAttempt(second), 'new');
        await ledger.releaseAttempt(second);
        assert.equal(await ledger.claimAttempt(toCard({ key: 'card-3' })), 'new');
      }));

    for (const attempt of [toCard(), toPix()]) {
      it(`by ${attempt.method} is as if it had never been, once its claim ran out`, () =>
        withBench(async ({ ledger, other, clock }) => {
          const late = { ...attempt, holder: 'holder-2' };
          await ledger.claimAttempt(attempt);
          clock.nowMs += claimedForMs - 1;
          assert.equal(await other.claimAttempt(late), 'known');
          clock.nowMs += 1;
          assert.deepEqual(await ledger.findAttempts(attempt.key), []);
          assert.deepEqual((await ledger.find('order-1')).cards, []);
          assert.equal(await ledger.advanceAttempt(attempt, sent, 1_000), false);
          assert.equal(await other.claimAttempt({ ...late, totalCents: 1 }), 'new');
        }));
    }

    it('by card whose claim ran out lets another key in, and cannot be sent any more', () =>
      withBench(async ({ ledger, other, clock }) => {
        await ledger.claimAttempt(toCard());
        clock.nowMs += claimedForMs;
        assert.equal(await other.claimAttempt(toCard({ key: 'card-2' })), 'new');
        assert.equal(await ledger.advanceAttempt(toCard(), sent, 1_000), false);
        assert.equal(await ledger.claimAttempt(toCard()), 'busy');
      }));

    it('goes to who claims it next: the former holder can neither send nor release', () =>
      withBench(async ({ ledger, other, clock }) => {
        const next = toCard({ holder: 'holder-2' });
        await ledger.claimAttempt(toCard());
        clock.nowMs += claimedForMs;
        assert.equal(await other.claimAttempt(next), 'new');
        assert.equal(await ledger.advanceAttempt(toCard(), sent, 1_000), false);
        await ledger.releaseAttempt(toCard());
        assert.equal(await other.advanceAttempt(next, sent, 1_000), true);
        assert.deepEqual(await ledger.findAttempts('card-1'), [{ ...next, progress: sent }]);
      }));

    it('that was sent does not end with its claim', () =>
      withBench(async ({ ledger, clock }) => {
        await ledger.claimAttempt(toCard());
        await ledger.advanceAttempt(toCard(), sent, 10 * claimedForMs);
        clock.nowMs += 2 * claimedForMs;
        assert.equal(await ledger.claimAttempt(toCard({ key: 'card-2' })), 'busy');
        assert.equal(await ledger.advanceAttempt(toCard(), created), true);
      }));

    it('goes forward only, and says whether it did', () =>
      withBench(async ({ ledger }) => {
        const steps: [progress: AttemptProgress, isNew: boolean][] = [
          [{ state: 'claimed' }, false],
          [sent, true],
          [sent, false],
          [unknown, true],
          [sent, false],
          [created, true],
          [unknown, false],
          [refused, true],
          [created, false],
          [{ state: 'claimed' }, false],
        ];
        await ledger.claimAttempt(toCard());
        for (const [progress, isNew] of steps) {
          const answer = await ledger.advanceAttempt(toCard(), progress, 1_000);
          assert.equal(answer, isNew, progress.state);
        }
        assert.deepEqual(await ledger.findAttempts('card-1'), [{ ...toCard(), progress: refused }]);
      }));

    it('of unknown outcome may get another candidate, but not none', () =>
      withBench(async ({ ledger }) => {
        await ledger.claimAttempt(toCard());
        await ledger.advanceAttempt(toCard(), sent, 1_000);
        await ledger.advanceAttempt(toCard(), unknown);
        for (const invoiceId of ['invoice-1', 'invoice-2']) {
          const candidate = toIssued(toInvoice({ invoiceId, method: 'credit_card' }));
          const better: AttemptProgress = { state: 'unknown', candidate };
          assert.equal(await ledger.advanceAttempt(toCard(), better), false);
          await ledger.advanceAttempt(toCard(), unknown);
          const [known] = await ledger.findAttempts('card-1');
          assert.deepEqual(known?.progress, better);
        }
      }));

    it('that is created may get another invoice', () =>
      withBench(async ({ ledger }) => {
        await ledger.claimAttempt(toPix());
        await ledger.advanceAttempt(toPix(), created);
        const second: AttemptProgress = { state: 'created', invoiceId: 'invoice-2' };
        assert.equal(await ledger.advanceAttempt(toPix(), second), false);
        assert.deepEqual(await ledger.findAttempts('key-1'), [{ ...toPix(), progress: second }]);
      }));

    it('that is not known stays so, but for one by Pix that is created', () =>
      withBench(async ({ ledger }) => {
        for (const progress of [sent, unknown, created, refused]) {
          assert.equal(await ledger.advanceAttempt(toCard(), progress, 1_000), false);
        }
        assert.equal(await ledger.advanceAttempt(toPix(), sent, 1_000), false);
        assert.equal(await ledger.advanceAttempt(toPix(), refused), false);
        assert.deepEqual(await ledger.findAttempts('card-1'), []);
        assert.equal(await ledger.advanceAttempt(toPix(), created), true);
        assert.deepEqual(await ledger.findAttempts('key-1'), [{ ...toPix(), progress: created }]);
      }));

    it('is forgotten by its holder only', () =>
      withBench(async ({ ledger, other }) => {
        await ledger.claimAttempt(toCard());
        await other.releaseAttempt(toCard({ holder: 'holder-2' }));
        await other.releaseAttempt(toCard({ scope: 'another' }));
        assert.equal((await ledger.findAttempts('card-1')).length, 1);
        await ledger.advanceAttempt(toCard(), sent, 1_000);
        await ledger.releaseAttempt(toCard());
        assert.deepEqual(await ledger.findAttempts('card-1'), []);
      }));

    for (const progress of [created, refused]) {
      it(`that is ${progress.state} is not forgotten`, () =>
        withBench(async ({ ledger }) => {
          await ledger.claimAttempt(toCard());
          await ledger.advanceAttempt(toCard(), progress);
          await ledger.releaseAttempt(toCard());
          assert.deepEqual(await ledger.findAttempts('card-1'), [{ ...toCard(), progress }]);
        }));
    }

    it('that was sent becomes unknown when its time has run out, once, and the merchant hears of it', () =>
      withBench(async ({ ledger, other, clock }) => {
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
        const [told, ...more] = await ledger.claimEvents(['outcome_unknown'], 10, 1_000);
        assert.deepEqual(more, []);
        assert.ok(told?.kind === 'outcome_unknown');
        const { attemptedAt, deliveryId, ...notice } = told.notice;
        assert.deepEqual(notice, { externalId: 'order-1', totalCents: 12_345 });
        const atMs = Date.parse(attemptedAt);
        assert.ok(atMs >= startMs && atMs <= startMs + 5_000, attemptedAt);
        assert.match(deliveryId, /order-1.*holder-1/);
      }));

    it('of unknown outcome is told of once, however it became so', () =>
      withBench(async ({ ledger, clock }) => {
        await ledger.claimAttempt(toCard());
        await ledger.advanceAttempt(toCard(), sent, 1_000);
        await ledger.advanceAttempt(toCard(), unknown);
        clock.nowMs += 1_000;
        assert.equal(await ledger.expireSent(), 0);
        await ledger.advanceAttempt(toCard(), unknown);
        assert.equal((await ledger.claimEvents(['outcome_unknown'], 10, 1)).length, 1);
      }));

    it('that is refused ends the look-ups of its invoice, and is news', () =>
      withBench(async ({ ledger, other, clock }) => {
        const invoice = toInvoice({ method: 'credit_card' });
        await ledger.claimAttempt(toCard());
        await ledger.recordInvoice(invoice, toCard());
        clock.nowMs += 60_000;
        await ledger.advanceAttempt(toCard(), refused);
        assert.deepEqual(await other.claimDueLookUps(10, 1_000), []);
        await ledger.hastenLookUp(invoice, clock.nowMs);
        assert.deepEqual(await other.claimDueLookUps(10, 1_000), []);
        assert.deepEqual(await other.findSettled(clock.nowMs), ['invoice-1']);
        assert.deepEqual(await other.findSettled(clock.nowMs + 1), []);
      }));

    it('does not add up with the keys of one order, and none in progress is given up', () =>
      withBench(async ({ ledger }) => {
        await ledger.claimAttempt(toCard());
        await ledger.advanceAttempt(toCard(), unknown);
        for (const n of upTo(60)) {
          const done = toPix({ key: `key-${n}` });
          await ledger.claimAttempt(done);
          await ledger.advanceAttempt(done, created);
        }
        assert.deepEqual(await ledger.findAttempts('key-1'), []);
        for (const key of ['card-1', 'key-20', 'key-60']) {
          assert.equal((await ledger.findAttempts(key)).length, 1, key);
        }
      }));
  });
}
