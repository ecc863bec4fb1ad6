/**
 * The security code of a card: the few digits on its back, on the front of an Amex.
 *
 * Nothing here keeps one: a code must not outlive its use (PCI DSS 4.0.1, 3.3.1).
 */

import { codeLength } from './card-brand.js';
import type { CardBrand } from './card-brand.js';
import { toAlphanumeric } from '../characters.js';

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
  const isCode = /^\d{3,4}$/.test(bare) && bare.length === (codeLength(brand) ?? bare.length);
  return isCode ? null : 'invalid';
}
