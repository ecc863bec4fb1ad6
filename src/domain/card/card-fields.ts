/**
 * The four fields of a card, as a payer types, pastes or autofills them, with one rule each to check, send and show it.
 * Nothing here keeps or prints a value: a security code must not outlive its use (PCI DSS 4.0.1, 3.3.1).
 */

import {
  findCardBrand,
  cardBrands,
  isAcceptedBrand,
  isCardLength,
  findCodeLength,
} from './card-brand.js';
import type { CardBrand } from './card-brand.js';
import { applyMask, toAlphanumeric, toLine, type Mask } from '../characters.js';

/** The fields, in the order of the card, and the `id` of each control. None of these is a name of the service. */
export const cardFields = ['card_number', 'card_name', 'card_expiry', 'card_code'] as const;

export type CardField = (typeof cardFields)[number];

/** The faults of all fields. Only `missing` and `invalid` belong to several fields. */
export type CardFault = CardNumberFault | HolderFault | ExpiryFault | CardCodeFault;

// The number: check digit, lengths and grouping.

/**
 * A fault of a card number: empty, too few or too many digits, a typing error in them, or a brand that the merchant does not
 * take.
 */
export type CardNumberFault = 'missing' | 'length' | 'invalid' | 'not_accepted';

const groupsOfFour: Mask = { 4: ' ', 8: ' ', 12: ' ', 16: ' ' };

/** Grouped as printed on the card: 4-6-5 and 4-6-4. All other brands, also unknown ones, have groups of four. */
const groups: Readonly<Partial<Record<CardBrand, Mask>>> = {
  amex: { 4: ' ', 10: ' ' },
  diners: { 4: ' ', 10: ' ' },
};

/** Keeps the bare digits, as the contract carries a number. A letter stays, so that it is refused and not silently lost. */
export function normalizeCardNumber(text: string): string {
  return toAlphanumeric(text);
}

/** Whether the check digit is right (ISO/IEC 7812-1, annex B); false for anything but digits. */
export function isLuhn(bare: string): boolean {
  if (!/^\d+$/.test(bare)) return false;
  let sum = 0;
  for (let index = 0; index < bare.length; index++) {
    const digit = Number(bare[bare.length - 1 - index]);
    // From the right, every second digit counts double; a double above 9 counts as the sum of its digits.
    sum += index % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  }
  return sum % 10 === 0;
}

/**
 * Checks a number.
 * @param text as typed; it is normalised first
 * @param accepted the brands that the merchant takes
 * @returns the fault, or null; an unknown brand is no fault
 */
export function checkCardNumber(
  text: string,
  accepted: readonly CardBrand[] = cardBrands,
): CardNumberFault | null {
  const bare = normalizeCardNumber(text);
  if (!bare) return 'missing';
  if (/\D/.test(bare)) return 'invalid';
  const brand = findCardBrand(bare);
  if (!isCardLength(bare.length, brand)) return 'length';
  // Sixteen zeros have a valid check digit, so repeated digits are refused as well.
  if (!isLuhn(bare) || /^(.)\1+$/.test(bare)) return 'invalid';
  return isAcceptedBrand(brand, accepted) ? null : 'not_accepted';
}

/**
 * Writes the number in the groups that are printed on the card, as much as was typed. It drops no letter or digit, however
 * many there are.
 */
export function formatCardNumber(text: string): string {
  const bare = normalizeCardNumber(text);
  const brand = findCardBrand(bare);
  return applyMask(bare, (brand && groups[brand]) ?? groupsOfFour);
}

// The name printed on the card: one field asks for it (`cc-name`), the service takes it in two. It may differ from the
// payer's name.

/** The name as the contract carries it, in the service's names. */
interface CardHolder {
  readonly first_name: string;
  readonly last_name: string;
}

/**
 * A fault of a name: empty, a first name only, no letters, or a part longer than {@link maxHolderLength}.
 *
 * Assumed: the service needs both names (service spec does not show one left out), and cards carry both; so a single
 * name is asked to be completed, neither sent twice nor with an empty half.
 */
export type HolderFault = 'missing' | 'incomplete' | 'invalid' | 'too_long';

/**
 * Most characters in either name.
 *
 * Assumed: the service takes names as long as this (service spec does not show its limits).
 */
export const maxHolderLength = 100;

/** Cuts a name at its first space: `Maria da Silva` is `Maria` and `da Silva`. A single name leaves `last_name` empty. */
export function splitHolder(text: string): CardHolder {
  const [first_name = '', ...others] = toLine(text).split(' ');
  return { first_name, last_name: others.join(' ') };
}

/**
 * Checks a name.
 * @param text as typed; it is normalised first
 * @returns the fault, or null
 */
export function checkHolder(text: string): HolderFault | null {
  const { first_name, last_name } = splitHolder(text);
  if (!first_name) return 'missing';
  // The check is for a card number in the wrong field; names of companies may well contain digits.
  if (!/\p{L}/u.test(first_name + last_name)) return 'invalid';
  if (!last_name) return 'incomplete';
  return Math.max(first_name.length, last_name.length) > maxHolderLength ? 'too_long' : null;
}

// The expiry: `MM/YY`, `MM/YYYY` or Safari's `YYYY-MM` (`cc-exp`).

/** A month of a year. January is 1, and the year has four digits. */
export interface YearMonth {
  readonly year: number;
  readonly month: number;
}

/** A fault of an expiry: empty, no month of a year that a card can have, or past. */
export type ExpiryFault = 'missing' | 'invalid' | 'past';

/** Cards are valid for ten years at most, so a year this far ahead is a typing error. */
const maxYearsAhead = 25;

/**
 * Reads an expiry. @returns null if the text is no month and year (two digits, or four of this century) in one of the
 * spellings above
 */
export function parseExpiry(text: string): YearMonth | null {
  const { month, year } = splitExpiry(text);
  const [, digits] = /^(?:20)?(\d\d)$/.exec(year) ?? [];
  if (!digits || !/^(0?[1-9]|1[0-2])$/.test(month)) return null;
  return { month: Number(month), year: 2000 + Number(digits) };
}

/**
 * Checks an expiry.
 * @param text as typed
 * @param now the present month, where the payer is; a card is valid until the end of its month
 * @returns the fault, or null
 */
export function checkExpiry(text: string, now: YearMonth): ExpiryFault | null {
  if (!toAlphanumeric(text)) return 'missing';
  const expiry = parseExpiry(text);
  if (!expiry || expiry.year > now.year + maxYearsAhead) return 'invalid';
  return expiry.year * 12 + expiry.month < now.year * 12 + now.month ? 'past' : null;
}

/**
 * Writes `05/30`, as much as was typed. The slash comes with the first digit of the year, or when the payer types it, and no
 * zero is added, so that deleting never gets stuck. A slash stays while month or year is changed. It drops no letter or
 * digit, except for the century of `2030-05`.
 */
export function formatExpiry(text: string): string {
  const { month, year, apart } = splitExpiry(text);
  return month + (year || (month && apart) ? '/' : '') + year;
}

/** Cuts a text into month and year, without checking either. */
function splitExpiry(text: string): { month: string; year: string; apart: boolean } {
  const bare = toAlphanumeric(text);
  const [, first, second] = /^20(\d\d)(0[1-9]|1[0-2])$/.exec(bare) ?? [];
  if (first && second) return { month: second, year: first, apart: true };

  // Format characters (\p{Cf}) come invisibly with a paste, and separate nothing.
  const parts = /^[^\p{L}\p{N}/]*([\p{L}\p{N}]*)([^\p{L}\p{N}]*)/u.exec(
    text.replace(/\p{Cf}/gu, ''),
  );
  const typed = toAlphanumeric(parts?.[1] ?? '');
  const apart = Boolean(parts?.[2]) && typed.length <= 2;
  // If the payer typed no slash, the month ends where no further digit can belong to it: 5/30, 1/30 (there is no 13th),
  // 12/30.
  const month = apart ? typed : (/^(?:0\d|1[0-2]|.)/u.exec(bare)?.[0] ?? '');
  return { month, year: bare.slice(month.length), apart };
}

// The security code: three digits on the card's back, or four on the front of an Amex.

/** A fault of a security code: empty, or not as many digits as this card has. */
export type CardCodeFault = 'missing' | 'invalid';

/** Keeps the bare digits, as the contract carries a code. A letter stays, so that it is refused and not silently lost. */
export function normalizeCardCode(text: string): string {
  return toAlphanumeric(text);
}

/**
 * Checks a code.
 * @param text as typed; it is normalised first
 * @param brand of the number typed beside it; for null, three or four digits are right
 * @returns the fault, or null
 */
export function checkCardCode(text: string, brand: CardBrand | null): CardCodeFault | null {
  const bare = normalizeCardCode(text);
  if (!bare) return 'missing';
  const isCode = /^\d{3,4}$/.test(bare) && bare.length === (findCodeLength(brand) ?? bare.length);
  return isCode ? null : 'invalid';
}
