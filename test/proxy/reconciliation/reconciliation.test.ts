/** Reconciliation: which invoices, how many at once and a minute, and what follows each status result. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { Throttled } from '../../../src/proxy/gateway/rate-limit.js';
import type { StatusResult, Classification } from '../../../src/proxy/status/shared-look-ups.js';
import { createMemoryLedger } from '../../../src/proxy/ledger/memory/memory-ledger.js';
import { ProxyError, unavailable } from '../../../src/proxy/runtime/proxy-error.js';
import { createReconciliation } from '../../../src/proxy/reconciliation/reconciliation.js';
import type { LogEntry } from '../../../src/proxy/config/options.js';
import { toCard, toInvoice } from '../ledger/contract/samples.js';
import { createTestClock, settle, until } from '../support/shop.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

type Answer = Classification | Error;

function openSweep() {
  const clock = createTestClock();
  const ledger = createMemoryLedger(clock.now);
  const log: LogEntry[] = [];
  const lookedUp: { id: string; ageMs: number }[] = [];
  const bornMs = clock.now();
  const service = { answer: async (): Promise<Answer> => 'open' };
  const sweep = createReconciliation({
    ledger,
    now: clock.now,
    log: (entry) => log.push(entry),
    async lookUp({ invoiceId }, terms) {
      assert.equal(terms?.priority, 'background');
      lookedUp.push({ id: invoiceId, ageMs: clock.now() - bornMs });
      const classification = await service.answer();
      if (classification instanceof Error) throw classification;
      return toFinding(classification);
    },
    async lookUpDue(named, terms) {
      assert.equal(terms?.priority, 'background');
      lookedUp.push({ id: named.lookUpId, ageMs: clock.now() - bornMs });
      await ledger.scheduleNamed(named, null);
    },
  });
  return {
    clock,
    ledger,
    log,
    lookedUp,
    service,
    sweep,
    async record(count = 1, deadlineMs: number | null = null) {
      for (let i = 1; i <= count; i++) {
        const invoiceId = `invoice-${i}`;
        const externalId = `order-${i}`;
        const createdAtMs = clock.now();
        await ledger.recordInvoice(toInvoice({ invoiceId, externalId, deadlineMs, createdAtMs }));
      }
    },
    /** As the worker does it, every five seconds. */
    async live(forMs: number) {
      for (let passedMs = 0; passedMs < forMs; passedMs += 5_000) {
        await clock.advance(5_000);
        await sweep.reconcileDue();
      }
    },
    first: async () => (await ledger.find('order-1')).invoices[0] ?? assert.fail(),
    lapsed: async () =>
      (await ledger.claimEvents(['lapsed'], 99, 1)).map(({ notice }) => notice.externalId),
  };
}

function toFinding(classification: Classification): StatusResult {
  return {
    classification,
    data: { status: classification === 'open' ? 'pending' : 'paid' } as StatusResult['data'],
  };
}

const agesOf = (lookedUp: readonly { ageMs: number }[]) => lookedUp.map(({ ageMs }) => ageMs);

describe('reconciliation', () => {
  const minutes = (...ages: number[]) => ages.map((age) => age * minuteMs);
  const regular = minutes(1 / 4, 1 / 2, 1, 2, 5, 10, 30, 60);
  const afterDeadline = regular.toSpliced(6, 0, 14 * minuteMs + 5_000);
  const schedules: [service: string, answer: Answer, ages: number[], isTold: boolean][] = [
    ['is open', 'open', afterDeadline, true],
    ['is unknown, so it cannot be paid', new ProxyError('not_found'), afterDeadline, true],
    ['is paid, which could not be recorded', 'paid', afterDeadline, false],
    ['is another', 'foreign', afterDeadline, false],
    ['may be asked about in four minutes', unavailable(240), minutes(1 / 4, 4.25, 8.25), false],
  ];
  for (const [service, answer, ages, isTold] of schedules) {
    it(`looks an invoice up at its ages and after its deadline, which is told once or never: it ${service}`, async () => {
      const shop = openSweep();
      await shop.record(1, shop.clock.now() + 14 * minuteMs);
      shop.service.answer = async () => answer;
      await shop.live(14 * minuteMs);
      assert.deepEqual(await shop.lapsed(), []);
      await shop.live(46 * minuteMs);
      assert.deepEqual(agesOf(shop.lookedUp).slice(0, ages.length), ages);
      assert.ok(shop.lookedUp.length > 8);
      assert.deepEqual(await shop.lapsed(), isTold ? ['order-1'] : []);
      let told = 0;
      shop.ledger.recordExpired = async () => void (told += 1);
      await shop.live(3 * hourMs);
      assert.equal(told, 0);
    });
  }

  it('looks four up at once, and more when those are done', async () => {
    const shop = openSweep();
    await shop.record(9);
    await shop.clock.advance(15_000);
    const waiting: (() => void)[] = [];
    shop.service.answer = () => new Promise((resolve) => waiting.push(() => resolve('open')));
    const sweeping = shop.sweep.reconcileDue();
    await until(() => waiting.length === 4);
    await settle();
    assert.equal(shop.lookedUp.length, 4);
    for (const total of [8, 9]) {
      for (const end of waiting.splice(0)) end();
      await until(() => shop.lookedUp.length === total);
    }
    for (const end of waiting.splice(0)) end();
    await sweeping;
    assert.equal(new Set(shop.lookedUp.map(({ id }) => id)).size, 9);
  });

  it('asks paid invoices for a return only where nothing else is due', async () => {
    const shop = openSweep();
    const paid = toInvoice({ invoiceId: 'paid', lookUpId: 'paid', externalId: 'order-paid' });
    const createdAtMs = shop.clock.now();
    await shop.ledger.recordPaid(
      { ...paid, createdAtMs },
      { endToEndId: null, askAgainAfterMs: 0 },
    );
    await shop.record(1);
    await shop.clock.advance(15_000);
    shop.service.answer = async () => new Throttled(60);
    await shop.sweep.reconcileDue();
    shop.service.answer = async () => 'open';
    await shop.sweep.reconcileDue();
    assert.deepEqual(
      shop.lookedUp.map(({ id }) => id),
      ['invoice-1', 'invoice-1', 'paid'],
    );
  });

  it('looks sixty up in a minute at most, the oldest first', async () => {
    const shop = openSweep();
    await shop.record(100);
    await shop.clock.advance(7 * hourMs);
    await shop.sweep.reconcileDue();
    assert.equal(shop.lookedUp.length, 60);
    await shop.clock.advance(minuteMs - 1);
    await shop.sweep.reconcileDue();
    assert.equal(shop.lookedUp.length, 60);
    await shop.clock.advance(1);
    await shop.sweep.reconcileDue();
    assert.equal(new Set(shop.lookedUp.map(({ id }) => id)).size, 100);
  });

  it('leaves what the look-up settled alone', async () => {
    const shop = openSweep();
    await shop.record();
    const invoice = await shop.first();
    shop.service.answer = async () => {
      await shop.ledger.recordPaid(invoice, { endToEndId: null });
      return 'paid';
    };
    await shop.live(hourMs);
    assert.equal(shop.lookedUp.length, 1);
  });

  it('ends where the rate limit throttles it, and leaves the rest due', async () => {
    const shop = openSweep();
    await shop.record(20);
    await shop.clock.advance(15_000);
    let left = 6;
    shop.service.answer = async () => (left-- > 0 ? 'open' : new Throttled(30));
    await shop.sweep.reconcileDue();
    assert.equal(shop.lookedUp.length, 8);
    await shop.sweep.reconcileDue();
    assert.equal(shop.lookedUp.length, 12);
    assert.equal((await shop.ledger.readState()).sweepLagMs, 0);
    await shop.clock.advance(10_000);
    assert.equal((await shop.ledger.readState()).sweepLagMs, 10_000);

    shop.lookedUp.length = 0;
    left = 99;
    await shop.sweep.reconcileDue();
    assert.equal(new Set(shop.lookedUp.map(({ id }) => id)).size, 14);
  });

  it('takes attempts on whose time ran out', async () => {
    const shop = openSweep();
    const card = toCard();
    await shop.ledger.claimAttempt(card);
    await shop.ledger.advanceAttempt(card, { state: 'sent' }, 10_000);
    await shop.live(5_000);
    assert.equal((await shop.ledger.readState()).unknownAttempts, 0);
    assert.deepEqual(shop.log, []);
    await shop.live(5_000);
    assert.equal((await shop.ledger.readState()).unknownAttempts, 1);
    await shop.live(60_000);
    assert.deepEqual(shop.log, [{ level: 'error', event: 'outcome_unknown', operation: 'sweep' }]);
  });

  it('tells soon that a deadline passed though the look-up at the deadline failed, ten days after the creation', async () => {
    const shop = openSweep();
    const deadlineMs = shop.clock.now() + 10 * dayMs;
    await shop.record(1, deadlineMs);
    await shop.clock.advance(10 * dayMs + 5_000);
    shop.service.answer = async () => unavailable();
    await shop.sweep.reconcileDue();
    shop.service.answer = async () => 'open';
    await shop.live(minuteMs);
    assert.equal(shop.lookedUp.length, 2);
    assert.deepEqual(await shop.lapsed(), ['order-1']);
  });

  it('asks once more a minute after a hastened look-up, and not for ever', async () => {
    const shop = openSweep();
    await shop.record();
    await shop.clock.advance(7 * hourMs);
    await shop.sweep.reconcileDue();
    shop.lookedUp.length = 0;
    const invoice = await shop.first();
    await shop.ledger.hastenLookUp(invoice, shop.clock.now() + 15_000);
    await shop.live(hourMs);
    assert.deepEqual(
      agesOf(shop.lookedUp).map((ageMs) => ageMs - 7 * hourMs),
      [15_000, 75_000],
    );
  });

  it('keeps the time of an invoice that was hastened meanwhile', async () => {
    const shop = openSweep();
    await shop.record();
    const invoice = await shop.first();
    await shop.clock.advance(7 * hourMs);
    shop.service.answer = async () => {
      await shop.ledger.hastenLookUp(invoice, shop.clock.now() + 5_000);
      return 'open';
    };
    await shop.sweep.reconcileDue();
    shop.service.answer = async () => 'open';
    await shop.live(5_000);
    assert.equal(shop.lookedUp.length, 2);
  });

  it('survives a ledger that fails, says so, and does it again', async () => {
    for (const operation of ['expireSent', 'claimDueLookUps', 'scheduleLookUp'] as const) {
      let isDown = true;
      const shop = openSweep();
      const works = shop.ledger[operation].bind(shop.ledger) as () => Promise<never>;
      Object.assign(shop.ledger, {
        [operation]: async (...args: []) => {
          if (isDown) throw new RangeError('disk full of order-1');
          return works(...args);
        },
      });
      await shop.record(2);
      await shop.clock.advance(15_000);
      await shop.sweep.reconcileDue();
      const entry = { level: 'error', event: 'ledger_failed', operation: 'sweep' };
      assert.ok(shop.log.length > 0);
      for (const one of shop.log) assert.deepEqual(one, { ...entry, errorName: 'RangeError' });

      isDown = false;
      shop.lookedUp.length = 0;
      await shop.live(minuteMs);
      assert.equal(new Set(shop.lookedUp.map(({ id }) => id)).size, 2, operation);
    }
  });

  it('begins nothing new when the proxy closes, and schedules what it began', async () => {
    const shop = openSweep();
    await shop.record(9);
    await shop.clock.advance(15_000);
    const closing = new AbortController();
    shop.service.answer = async () => {
      closing.abort();
      return 'open';
    };
    await shop.sweep.reconcileDue(closing.signal);
    assert.equal(shop.lookedUp.length, 4);
    assert.equal((await shop.ledger.claimDueLookUps(99, 1)).length, 5);
  });

  it('survives a look-up that fails unexpectedly', async () => {
    const shop = openSweep();
    await shop.record();
    shop.service.answer = async () => new RangeError('order-1');
    await shop.live(minuteMs + 15_000);
    assert.equal(shop.lookedUp.length, 3);
    const { level, event, errorName } = shop.log[0] ?? assert.fail();
    assert.deepEqual([level, event, errorName], ['error', 'unexpected_error', 'RangeError']);
  });
});

describe('a card that does not end', () => {
  async function openCard() {
    const shop = openSweep();
    const attempt = toCard();
    await shop.ledger.claimAttempt(attempt);
    const about = { invoiceId: 'card-1', method: 'credit_card', code: '' } as const;
    await shop.ledger.recordInvoice(
      toInvoice({ ...about, createdAtMs: shop.clock.now() }),
      attempt,
    );
    const told = async () => {
      const claimed = await shop.ledger.claimEvents(['outcome_unknown'], 9, 1);
      return claimed.map(({ notice }) => notice);
    };
    return { ...shop, told };
  }

  const entry = { level: 'error', event: 'outcome_unknown', operation: 'sweep' };
  const about = { ...entry, externalId: 'order-1', invoiceId: 'card-1' };

  const answers: [name: string, answer: Answer][] = [
    ['that it is open', 'open'],
    ['of another invoice', 'foreign'],
    ['that it knows none', new ProxyError('not_found')],
  ];
  for (const [name, answer] of answers) {
    it(`is told of after an hour in which the service speaks ${name}`, async () => {
      const { service, live, told, log } = await openCard();
      service.answer = async () => answer;
      await live(hourMs - 5_000);
      assert.deepEqual(await told(), []);
      assert.deepEqual(log, []);
      await live(5_000);
      assert.deepEqual(
        (await told()).map((notice) => 'invoiceId' in notice && notice.invoiceId),
        ['card-1'],
      );
      assert.deepEqual(log, [about]);
    });
  }

  it('is told of after a day in which the service does not answer', async () => {
    const { service, clock, sweep, live, told } = await openCard();
    service.answer = async () => unavailable();
    await live(hourMs + minuteMs);
    await clock.advance(22 * hourMs);
    await live(minuteMs);
    assert.deepEqual(await told(), []);
    await clock.advance(3 * hourMs);
    await sweep.reconcileDue();
    assert.equal((await told()).length, 1);
  });

  for (const classification of ['paid', 'refused'] as const) {
    it(`is no case for a person where the service says ${classification}`, async () => {
      const { service, live, told, log } = await openCard();
      service.answer = async () => classification;
      await live(hourMs + minuteMs);
      assert.deepEqual(await told(), []);
      assert.deepEqual(log, []);
    });
  }

  it('is no Pix code: that may be paid at any time', async () => {
    const shop = openSweep();
    await shop.record();
    await shop.live(hourMs + minuteMs);
    assert.equal((await shop.ledger.claimEvents(['outcome_unknown'], 9, 1)).length, 0);
    assert.deepEqual(shop.log, []);
  });
});
