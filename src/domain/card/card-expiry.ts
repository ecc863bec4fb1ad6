/**
 * The month a card is good until, as a payer types it, a browser fills it in (`cc-exp`: `MM/YY`, `MM/YYYY`, or Safari's
 * `YYYY-MM`) or a paste brings it.
 */

import { toAlphanumeric } from '../characters.js';

/** A month of a year, January is 1; the year in full. */
export interface YearMonth {
  readonly year: number;
  readonly month: number;
}

/** A fault of an expiry: empty, no month of a year that a card can have, or past. */
export type ExpiryFault = 'missing' | 'invalid' | 'past';

/** Cards live for ten years at most: a year this far ahead is a slip. */
const maxYearsAhead = 25;

/** @returns null if this is no month and year, two digits or four of this century, in any of the spellings above */
export function parseExpiry(text: string): YearMonth | null {
  const { month, year } = split(text);
  const [, digits] = /^(?:20)?(\d\d)$/.exec(year) ?? [];
  if (!digits || !/^(0?[1-9]|1[0-2])$/.test(month)) return null;
  return { month: Number(month), year: 2000 + Number(digits) };
}

/**
 * @param text as typed
 * @param now the present month, where the payer is; a card is good until the end of its month
 * @returns the fault, or null
 */
export function checkExpiry(text: string, now: YearMonth): ExpiryFault | null {
  if (!toAlphanumeric(text)) return 'missing';
  const expiry = parseExpiry(text);
  if (!expiry || expiry.year > now.year + maxYearsAhead) return 'invalid';
  return expiry.year * 12 + expiry.month < now.year * 12 + now.month ? 'past' : null;
}

/**
 * `05/30`, as much as was typed. The slash comes with the first digit of the year, or when it is typed itself, and no
 * zero is added: so deleting never sticks, and a slash that stands keeps month and year apart while either is changed.
 * Loses no letter or digit but the century of `2030-05`.
 */
export function formatExpiry(text: string): string {
  const { month, year, apart } = split(text);
  return month + (year || (month && apart) ? '/' : '') + year;
}

/** Cuts a text into month and year, without checking either. */
function split(text: string): { month: string; year: string; apart: boolean } {
  const bare = toAlphanumeric(text);
  const [, first, second] = /^20(\d\d)(0[1-9]|1[0-2])$/.exec(bare) ?? [];
  if (first && second) return { month: second, year: first, apart: true };

  // Format characters (\p{Cf}) are invisible companions of a paste, and stand between nothing.
  const parts = /^[^\p{L}\p{N}/]*([\p{L}\p{N}]*)([^\p{L}\p{N}]*)/u.exec(
    text.replace(/\p{Cf}/gu, ''),
  );
  const typed = toAlphanumeric(parts?.[1] ?? '');
  const apart = Boolean(parts?.[2]) && typed.length <= 2;
  // Without a slash of the payer's own, the month ends where it cannot go on: 5/30, 1/30 (there is no 13th), 12/30.
  const month = apart ? typed : (/^(?:0\d|1[0-2]|.)/u.exec(bare)?.[0] ?? '');
  return { month, year: bare.slice(month.length), apart };
}
