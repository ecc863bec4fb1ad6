/** The table of instalments that page and server compute: the Price table, in whole cents. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import { parseInstallments } from '../../../src/domain/card/installments.js';
import { createInstallments } from '../../../src/proxy.js';
import type { InstallmentTerms } from '../../../src/proxy.js';
import { forAny } from '../../support/tables.js';

const terms = fc.record({
  totalCents: fc.integer({ min: 1, max: 100_000_000 }),
  most: fc.integer({ min: 1, max: 99 }),
  leastCents: fc.integer({ min: 1, max: 100_000 }),
  interestFree: fc.integer({ min: 0, max: 99 }),
  monthlyRate: fc.double({ min: 0, max: 0.2, noNaN: true }),
});

describe('createInstallments', () => {
  it('computes the example of a loan of R$ 1.000,00 in 12 instalments at 2 % by hand', () => {
    const rows = createInstallments({ totalCents: 100_000, most: 12, monthlyRate: 0.02 });
    // 1000 × 0,02 ÷ (1 − 1,02^−12) = 94,5596 each.
    assert.deepEqual(rows.at(-1), {
      installment: 12,
      total_cents: 113_472,
      interest_free: false,
    });
    assert.deepEqual(rows[0], { installment: 1, total_cents: 100_000, interest_free: true });
  });

  it('is free of interest as far as the shop says, and the first always', () => {
    const freeOf = (given: Partial<InstallmentTerms>) =>
      createInstallments({ totalCents: 12_990, most: 4, monthlyRate: 0.02, ...given }).map(
        (row) => row.interest_free,
      );
    assert.deepEqual(freeOf({ interestFree: 3 }), [true, true, true, false]);
    assert.deepEqual(freeOf({}), [true, false, false, false]);
    assert.deepEqual(freeOf({ interestFree: 0 }), [true, false, false, false]);
    assert.deepEqual(freeOf({ monthlyRate: 0 }), [true, true, true, true]);
  });

  it('leaves out what is smaller than the least instalment, but never one payment', () => {
    const countsOf = (given: InstallmentTerms) =>
      createInstallments(given).map(({ installment }) => installment);
    assert.deepEqual(countsOf({ totalCents: 2_000, most: 12, leastCents: 500 }), [1, 2, 3, 4]);
    assert.deepEqual(countsOf({ totalCents: 100, most: 12, leastCents: 500 }), [1]);
  });

  it('is a table that the element takes whole, never below the price, and dearer with each instalment', () => {
    forAny(400, terms, (given) => {
      const rows = createInstallments(given);
      const { offers, faults } = parseInstallments(rows);
      assert.deepEqual(faults, []);
      assert.equal(offers.length, rows.length);
      let before = given.totalCents;
      for (const { installment, total_cents: total, interest_free: isFree } of rows) {
        assert.ok(Number.isSafeInteger(total) && total >= before);
        before = total;
        if (isFree) assert.equal(total, given.totalCents);
        const each = Math.floor(total / installment);
        assert.ok(installment === 1 || each >= given.leastCents);
      }
    });
  });

  it('pays the price back: what the instalments are worth today is the price, to half a cent of each', () => {
    forAny(400, terms, (given) => {
      for (const { installment, total_cents: total, interest_free: isFree } of createInstallments(
        given,
      )) {
        if (isFree) continue;
        let worth = 0;
        for (let month = 1; month <= installment; month += 1) {
          worth += total / installment / (1 + given.monthlyRate) ** month;
        }
        assert.ok(Math.abs(worth - given.totalCents) <= 1, `${worth} of ${given.totalCents}`);
      }
    });
  });

  it('names what is wrong', () => {
    const good = { totalCents: 100, most: 3 };
    const wrong: [string, object][] = [
      ['totalCents', { totalCents: 0 }],
      ['totalCents', { totalCents: 1.5 }],
      ['most', { most: 100 }],
      ['leastCents', { leastCents: 0 }],
      ['interestFree', { interestFree: -1 }],
      ['monthlyRate', { monthlyRate: 1.99 }],
      ['monthlyRate', { monthlyRate: Number.NaN }],
    ];
    for (const [name, fields] of wrong) {
      assert.throws(
        () => createInstallments({ ...good, ...fields }),
        new RegExp(`^TypeError: ${name} must`),
      );
    }
  });
});
