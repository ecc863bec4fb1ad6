/** Brazilian phone numbers, mobile and landline, with their area code (DDD): the numbering plan, in national digits. */

import { applyMask, toAlphanumeric } from './characters.js';

/**
 * The 67 area codes in use, then a mobile number (nine digits from 7, 8 or 9; Anatel's Resolução 749/2022, article 12)
 * or a landline (eight from 2 to 5).
 */
const phonePattern = /^([14689][1-9]|2[12478]|3[1-578]|5[1345]|7[134579])([789]\d{8}|[2-5]\d{7})$/;

/**
 * What may stand before a whole national number: +55, 0055 or 55; then, or alone, the trunk prefix 0. Without a country
 * code the 0 may be followed by the two digits of a carrier, or the "xx" that stands for them (0 15 11…, 0xx11…). No area
 * code begins with 0 and no carrier's does, so the number of digits tells each of these from the others.
 */
const prefixPattern = /^(?:(?:\+|00)?55)?0?(?=[1-9]\d{9,10}$)|^0(?:[1-9]\d|xx)(?=[1-9]\d{9,10}$)/i;

/**
 * National digits. 55 goes only where a whole number is left: it is an area code too (Rio Grande do Sul). Another
 * country's code keeps its `+`, so that it is never read as an area code.
 */
export function normalizePhone(text: string): string {
  const bare = toAlphanumeric(text);
  return ((bare && isInternational(text) ? '+' : '') + bare).replace(prefixPattern, '');
}

/** Whether this is a whole Brazilian number. */
export function isPhone(text: string): boolean {
  return phonePattern.test(normalizePhone(text));
}

/**
 * `(11) 98765-4321` or `(11) 3000-0000`, as much as was typed. A number begun with `+` stays as it is until it is whole,
 * one begun with 0 for good: whether a carrier's code is meant shows only with its last digit.
 */
export function formatPhone(text: string): string {
  const bare = normalizePhone(text);
  // A plus sign alone has no digits yet: it stays.
  const isUntold = bare.startsWith('+') || (!bare && isInternational(text));
  if (isUntold || toAlphanumeric(text).startsWith('0')) return text;
  const dash = /^..[789]/.test(bare) ? 7 : 6;
  return applyMask(bare, { 0: '(', 2: ') ', [dash]: '-' });
}

/** Whether the first thing typed, before any letter or digit, is a plus sign. */
function isInternational(text: string): boolean {
  return /^[^\p{L}\p{N}]*[+\uff0b]/u.test(text);
}
