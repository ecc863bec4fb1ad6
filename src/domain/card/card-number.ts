/**
 * The number of a card, as a payer types, pastes or autofills it: check digit, lengths and grouping. Nothing here keeps or
 * prints a number.
 */

import { cardBrand, cardBrands, isAcceptedBrand, isCardLength } from './card-brand.js';
import type { CardBrand } from './card-brand.js';
import { applyMask, toAlphanumeric } from '../characters.js';
import type { Mask } from '../characters.js';

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
  const brand = cardBrand(bare);
  if (!isCardLength(bare.length, brand)) return 'length';
  // Sixteen zeros satisfy the sum.
  if (!isLuhn(bare) || /^(.)\1+$/.test(bare)) return 'invalid';
  return isAcceptedBrand(brand, accepted) ? null : 'not_accepted';
}

/** The groups printed on the card, as much as was typed. Loses no letter or digit, however many there are. */
export function formatCardNumber(text: string): string {
  const bare = normalizeCardNumber(text);
  const brand = cardBrand(bare);
  return applyMask(bare, (brand && groups[brand]) ?? groupsOfFour);
}
