/** Tests of functions of values: a table with a test for each row, and a property with its searches. */
import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { it } from 'vitest';
import fc from 'fast-check';
import { numRuns } from '../tools/runs.js';

const show = (value: unknown) => inspect(value, { breakLength: Infinity }).slice(0, 70);

/** A row is the arguments of a call, and what it gives. */
export function maps<Args extends unknown[], Result>(
  call: (...args: Args) => Result,
  rows: Iterable<readonly [...Args, NoInfer<Result>]>,
): void {
  for (const row of rows) {
    const args = row.slice(0, -1) as Args;
    it(`${args.map(show).join(', ')}: ${show(row.at(-1))}`, () => {
      assert.deepEqual(call(...args), row.at(-1));
    });
  }
}

/** A row is what a call gives, and every value for which it does. */
export function groups<Value, Result>(
  call: (value: Value) => Result,
  rows: Iterable<readonly [NoInfer<Result>, ...NoInfer<Value>[]]>,
): void {
  for (const [result, ...values] of rows) {
    maps(
      call,
      values.map((value) => [value, result] as const),
    );
  }
}

/** Searches for values of which it does not hold. @param runs how many are tried, as `numRuns` counts them */
export function forAny<Values extends [unknown, ...unknown[]]>(
  runs: number,
  ...property: [
    ...arbitraries: { [K in keyof Values]: fc.Arbitrary<Values[K]> },
    check: (...values: Values) => boolean | void,
  ]
): void {
  fc.assert(fc.property<Values>(...property), { numRuns: numRuns(runs) });
}

/** The same of what takes its time. */
export function forAnyAsync<Values extends [unknown, ...unknown[]]>(
  runs: number,
  ...property: [
    ...arbitraries: { [K in keyof Values]: fc.Arbitrary<Values[K]> },
    check: (...values: Values) => Promise<boolean | void>,
  ]
): Promise<void> {
  return fc.assert(fc.asyncProperty<Values>(...property), { numRuns: numRuns(runs) });
}

/** A test that a property holds of any values. */
export function holds<Values extends [unknown, ...unknown[]]>(
  title: string,
  runs: number,
  ...property: [
    ...arbitraries: { [K in keyof Values]: fc.Arbitrary<Values[K]> },
    check: (...values: Values) => boolean | void,
  ]
): void {
  it(title, () => forAny<Values>(runs, ...property));
}

/** One integer for each code point that is no half of a pair, in their order. */
const anyCharacter = fc.integer({ min: 0, max: 0x10_f7ff }).map(
  (nth) => String.fromCodePoint(nth < 0xd8_00 ? nth : nth + 0x8_00),
  (character) => {
    const [point, ...others] = Array.from(String(character), (one) => one.codePointAt(0) ?? 0);
    if (point === undefined || others.length > 0) throw new Error('Not one character');
    return point < 0xd8_00 ? point : point - 0x8_00;
  },
);

/** Any text, as `unit: 'binary'` gives it: that maps a million characters first, for 1.7 s in each process. */
export function anyText(lengths: { readonly maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ ...lengths, unit: anyCharacter });
}
