/** The merchant's table of instalments: what is read, what is ignored by name, what one instalment is. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import { cardSchema } from '../../../src/contract/schemas.js';
import { maxInstallments, parseInstallments } from '../../../src/domain/card/installments.js';
import { holds, maps } from '../../support/tables.js';
import vectors from '../../support/vectors/cards.json' with { type: 'json' };

describe('the value of one instalment', () => {
  for (const { totalCents, n, interestFree, displayRounded } of vectors.installments) {
    it(`${totalCents} cents in ${n}: ${displayRounded}`, () => {
      const row = { installment: n, total_cents: totalCents, interest_free: interestFree };
      assert.deepEqual(parseInstallments([row]), {
        offers: [{ installment: n, totalCents, interestFree, eachCents: displayRounded }],
        atOnceCents: n === 1 ? totalCents : null,
        faults: [],
      });
    });
  }
  const each = (installment: number, total_cents: number) =>
    parseInstallments([{ installment, total_cents }]).offers[0]?.eachCents;
  for (const { totalCents, n, pmtCents } of vectors.installmentsInterest) {
    maps(each, [[n, totalCents, pmtCents]]);
  }
  // Half a cent goes to the even one.
  maps(each, [
    [2, 1, 0],
    [2, 3, 2],
    [2, 5, 2],
    [2, 10_001, 5_000],
    [2, 10_003, 5_002],
    [2, Number.MAX_SAFE_INTEGER, 4_503_599_627_370_496],
  ]);
  const count = fc.integer({ min: 1, max: maxInstallments });
  const total = fc.oneof(
    fc.integer({ min: 1, max: 1_000_000 }),
    fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  );
  const title = 'is never further from the total than rounding takes it';
  holds(title, 1_000, count, total, (installment, total_cents) => {
    const [offer] = parseInstallments([{ installment, total_cents }]).offers;
    assert.ok(offer);
    assert.equal(offer.totalCents, total_cents);
    const off = BigInt(offer.eachCents) * BigInt(installment) - BigInt(total_cents);
    assert.ok(2n * (off < 0n ? -off : off) <= BigInt(installment));
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
      assert.deepEqual([offers.length, offers[0]?.installment], [1, 1]);
    });
  }

  const denied = 'interest_free of 6x, dearer than 1x,';
  for (const [name, price, rows, isFree, faults] of [
    [
      'a total above that of 1x',
      null,
      [
        [6, 15_624, true],
        [1, 14_670],
      ],
      false,
      [denied],
    ],
    [
      'that of 1x, whatever the price',
      100,
      [
        [6, 14_670, true],
        [1, 14_670],
      ],
      true,
      [],
    ],
    ['a total above the price', 14_670, [[6, 14_671, true]], false, [denied]],
    ['the price', 14_670, [[6, 14_670, true]], true, []],
    ['less than that', 14_670, [[6, 14_000, true]], true, []],
    ['no sum beside it', null, [[6, 15_624, true]], true, []],
    ['the price, and no word', 14_670, [[6, 14_670]], false, []],
  ] as const) {
    it(`calls six instalments for ${name} ${isFree ? 'free of interest' : 'not so'}`, () => {
      const table = rows.map(([installment, total_cents, interest_free]) => {
        return { installment, total_cents, ...(interest_free && { interest_free }) };
      });
      const read = parseInstallments(table, price);
      assert.deepEqual([read.offers.at(-1)?.interestFree, read.faults], [isFree, faults]);
    });
  }

  maps(
    (value: unknown) => parseInstallments(value),
    [
      ...[undefined, null, []].map(
        (none) => [none, { offers: [], atOnceCents: null, faults: [] }] as const,
      ),
      ...['12', 12, {}, true].map((no) => {
        return [no, { offers: [], atOnceCents: null, faults: ['installments'] }] as const;
      }),
    ],
  );
  it('holds no number of instalments that the contract does not carry', () => {
    assert.equal(cardSchema.safeParse({ installment: 0 }).success, false);
    assert.equal(cardSchema.safeParse({ installment: 1 }).success, true);
    assert.equal(cardSchema.safeParse({ installment: maxInstallments }).success, true);
    assert.equal(cardSchema.safeParse({ installment: maxInstallments + 1 }).success, false);
  });
  holds('is any value at all, without an exception', 500, fc.anything(), (value) => {
    parseInstallments(value);
    parseInstallments([value]);
  });
});
