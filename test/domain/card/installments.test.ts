/** The merchant's table of instalments: what is read, what is ignored by name, what one instalment is. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cardSchema } from '../../../src/contract/schemas.js';
import { maxInstallments, parseInstallments } from '../../../src/domain/card/installments.js';
import { numRuns } from '../../support/runs.js';
import vectors from '../../support/vectors/cards.json' with { type: 'json' };

describe('the value of one instalment', () => {
  for (const { totalCents, n, interestFree, displayRounded } of vectors.installments) {
    it(`${totalCents} cents in ${n}: ${displayRounded}`, () => {
      const row = { installment: n, total_cents: totalCents, interest_free: interestFree };
      assert.deepEqual(parseInstallments([row]), {
        offers: [{ installment: n, totalCents, interestFree, eachCents: displayRounded }],
        faults: [],
      });
    });
  }
  for (const { totalCents, n, pmtCents } of vectors.installmentsInterest) {
    it(`${totalCents} cents with interest in ${n}: ${pmtCents}`, () => {
      const { offers } = parseInstallments([{ installment: n, total_cents: totalCents }]);
      assert.equal(offers[0]?.eachCents, pmtCents);
    });
  }
  const ties: readonly [totalCents: number, eachCents: number][] = [
    [1, 0],
    [3, 2],
    [5, 2],
    [10_001, 5_000],
    [10_003, 5_002],
    [Number.MAX_SAFE_INTEGER, 4_503_599_627_370_496],
  ];
  for (const [totalCents, eachCents] of ties) {
    it(`half a cent of ${totalCents} goes to the even one`, () => {
      const { offers } = parseInstallments([{ installment: 2, total_cents: totalCents }]);
      assert.equal(offers[0]?.eachCents, eachCents);
    });
  }
  it('is never further from the total than rounding takes it', () => {
    const count = fc.integer({ min: 1, max: maxInstallments });
    const total = fc.oneof(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    );
    fc.assert(
      fc.property(count, total, (installment, total_cents) => {
        const [offer] = parseInstallments([{ installment, total_cents }]).offers;
        assert.ok(offer);
        assert.equal(offer.totalCents, total_cents);
        const off = BigInt(offer.eachCents) * BigInt(installment) - BigInt(total_cents);
        assert.ok(2n * (off < 0n ? -off : off) <= BigInt(installment));
      }),
      { numRuns: numRuns(1_000) },
    );
  });
});

describe('the table', () => {
  it('is put in order, each number of instalments once', () => {
    const { offers, faults } = parseInstallments([
      { installment: 12, total_cents: 13_260 },
      { installment: 1, total_cents: 12_000, interest_free: true },
      { installment: 3, total_cents: 12_000, interest_free: true, note: 'kept out' },
      { installment: 3, total_cents: 12_300 },
    ]);
    assert.deepEqual(offers, [
      { installment: 1, totalCents: 12_000, interestFree: true, eachCents: 12_000 },
      { installment: 3, totalCents: 12_000, interestFree: true, eachCents: 4_000 },
      { installment: 12, totalCents: 13_260, interestFree: false, eachCents: 1_105 },
    ]);
    assert.deepEqual(faults, ['installments[3].installment']);
  });

  it('promises no freedom from interest that the merchant did not say', () => {
    const { offers } = parseInstallments([{ installment: 2, total_cents: 200 }]);
    assert.equal(offers[0]?.interestFree, false);
  });

  const bad: readonly [row: unknown, fault: string][] = [
    [null, ''],
    ['3x', ''],
    [3, ''],
    [{}, '.installment'],
    [[], '.installment'],
    [{ installment: 0, total_cents: 100 }, '.installment'],
    [{ installment: 1.5, total_cents: 100 }, '.installment'],
    [{ installment: '3', total_cents: 100 }, '.installment'],
    [{ installment: maxInstallments + 1, total_cents: 100 }, '.installment'],
    [{ installment: Number.NaN, total_cents: 100 }, '.installment'],
    [{ installment: 3 }, '.total_cents'],
    [{ installment: 3, total_cents: 0 }, '.total_cents'],
    [{ installment: 3, total_cents: 99.9 }, '.total_cents'],
    [{ installment: 3, total_cents: '100' }, '.total_cents'],
    [{ installment: 3, total_cents: 2 ** 53 }, '.total_cents'],
    [{ installment: 3, total_cents: 100, interest_free: 'yes' }, '.interest_free'],
    [{ installment: 3, total_cents: 100, interest_free: null }, '.interest_free'],
  ];
  for (const [row, fault] of bad) {
    it(`leaves out ${JSON.stringify(row)}, and names it`, () => {
      const good = { installment: 1, total_cents: 100 };
      const { offers, faults } = parseInstallments([good, row]);
      assert.deepEqual(faults, [`installments[1]${fault}`]);
      assert.deepEqual(
        offers.map(({ installment }) => installment),
        [1],
      );
    });
  }

  for (const value of [undefined, null, []]) {
    it(`may be absent: ${JSON.stringify(value)}`, () => {
      assert.deepEqual(parseInstallments(value), { offers: [], faults: [] });
    });
  }
  for (const value of ['12', 12, {}, true]) {
    it(`is a list, not ${JSON.stringify(value)}`, () => {
      assert.deepEqual(parseInstallments(value), { offers: [], faults: ['installments'] });
    });
  }
  it('holds no number of instalments that the contract does not carry', () => {
    assert.equal(cardSchema.safeParse({ installment: maxInstallments }).success, true);
    assert.equal(cardSchema.safeParse({ installment: maxInstallments + 1 }).success, false);
  });
  it('is any value at all, without an exception', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        parseInstallments(value);
        parseInstallments([value]);
      }),
      { numRuns: numRuns(500) },
    );
  });
});
