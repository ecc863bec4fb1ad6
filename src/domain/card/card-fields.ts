/**
 * The four fields of a card, as a payer types, pastes or autofills them: one rule to check, carry and show each. Nothing
 * here keeps or prints a value; a security code must not outlive its use (PCI DSS 4.0.1, 3.3.1).
 */

import {
  findCardBrand,
  cardBrands,
  isAcceptedBrand,
  isCardLength,
  findCodeLength,
} from './card-brand.js';
import type { CardBrand } from './card-brand.js';
import { applyMask, toAlphanumeric, toLine } from '../characters.js';
import type { Mask } from '../characters.js';

/** The fields, in the order of the card, and the `id` of each control. None is a name of the service. */
export const cardFields = ['card_number', 'card_name', 'card_expiry', 'card_code'] as const;

export type CardField = (typeof cardFields)[number];

/** A fault of any field; `missing` and `invalid` are the only ones that several fields have. */
export type CardFault = CardNumberFault | HolderFault | ExpiryFault | CardCodeFault;

// The number: check digit, lengths and grouping.

/**
 * A fault of a card number: empty, too few or too many digits, a slip in them, or a brand that the
 * merchant does not take.
 */
export type CardNumberFault = 'missing' | 'length' | 'invalid' | 'not_accepted';

const groupsOfFour: Mask = { 4: ' ', 8: ' ', 12: ' ', 16: ' ' };

/** As printed on the card: 4-6-5 and 4-6-4. Any other brand, and an unknown one, has groups of four. */
const groups: Readonly<Partial<Record<CardBrand, Mask>>> = {
  amex: { 4: ' ', 10: ' ' },
  diners: { 4: ' ', 10: ' ' },
};

/** Bare digits: how the contract carries a number. A letter stays, so that it is refused and not silently lost. */
export function normalizeCardNumber(text: string): string {
  return toAlphanumeric(text);
}

/** Whether the check digit is right (ISO/IEC 7812-1, annex B); false for anything but digits. */
export function isLuhn(bare: string): boolean {
  if (!/^\d+$/.test(bare)) return false;
  let sum = 0;
  for (let index = 0; index < bare.length; index++) {
    const digit = Number(bare[bare.length - 1 - index]);
    // Every second digit, from the last but one, counts double: the sum of the digits of its double.
    sum += index % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  }
  return sum % 10 === 0;
}

/**
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
  // Sixteen zeros satisfy the sum.
  if (!isLuhn(bare) || /^(.)\1+$/.test(bare)) return 'invalid';
  return isAcceptedBrand(brand, accepted) ? null : 'not_accepted';
}

/** The groups printed on the card, as much as was typed. Loses no letter or digit, however many there are. */
export function formatCardNumber(text: string): string {
  const bare = normalizeCardNumber(text);
  const brand = findCardBrand(bare);
  return applyMask(bare, (brand && groups[brand]) ?? groupsOfFour);
}

// The name printed on the card: asked for in one field (`cc-name`), carried in two. It need not be the payer's.

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

/** Cuts at the first space: `Maria da Silva` is `Maria` and `da Silva`. A single name leaves `last_name` empty. */
export function splitHolder(text: string): CardHolder {
  const [first_name = '', ...others] = toLine(text).split(' ');
  return { first_name, last_name: others.join(' ') };
}

/**
 * @param text as typed; it is normalised first
 * @returns the fault, or null
 */
export function checkHolder(text: string): HolderFault | null {
  const { first_name, last_name } = splitHolder(text);
  if (!first_name) return 'missing';
  // A number filled into the wrong field is the slip that matters here; names of companies may well hold digits.
  if (!/\p{L}/u.test(first_name + last_name)) return 'invalid';
  if (!last_name) return 'incomplete';
  return Math.max(first_name.length, last_name.length) > maxHolderLength ? 'too_long' : null;
}

// The expiry: `MM/YY`, `MM/YYYY` or Safari's `YYYY-MM` (`cc-exp`).

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
  const { month, year } = splitExpiry(text);
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
  const { month, year, apart } = splitExpiry(text);
  return month + (year || (month && apart) ? '/' : '') + year;
}

/** Cuts a text into month and year, without checking either. */
function splitExpiry(text: string): { month: string; year: string; apart: boolean } {
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

// The security code: the few digits on the card's back, on the front of an Amex.

/** A fault of a security code: empty, or not the digits that this card has. */
export type CardCodeFault = 'missing' | 'invalid';

/** Bare digits: how the contract carries a code. A letter stays, so that it is refused and not silently lost. */
export function normalizeCardCode(text: string): string {
  return toAlphanumeric(text);
}

/**
 * @param text as typed; it is normalised first
 * @param brand of the number typed beside it; for null, three digits or four will do
 * @returns the fault, or null
 */
export function checkCardCode(text: string, brand: CardBrand | null): CardCodeFault | null {
  const bare = normalizeCardCode(text);
  if (!bare) return 'missing';
  const isCode = /^\d{3,4}$/.test(bare) && bare.length === (findCodeLength(brand) ?? bare.length);
  return isCode ? null : 'invalid';
}
