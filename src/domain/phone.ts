/**
 * Brazilian phone numbers, mobile and landline, with their area code (DDD).
 *
 * Owns the numbering plan. Must not know how the invoice service wants a number written: national digits are what
 * leaves here.
 */

import { applyMask, toAlphanumeric } from './characters.js';

/**
 * The 67 area codes in use, then a mobile number (nine digits from 7, 8 or 9; Anatel's Resolução 749/2022, article 12)
 * or a landline (eight from 2 to 5).
 */
const phonePattern = /^([14689][1-9]|2[12478]|3[1-578]|5[1345]|7[134579])([789]\d{8}|[2-5]\d{7})$/;

/**
 * National digits. The country code 55 goes only from 12 or 13 digits, where 10 or 11 are left: it is an area code too
 * (Rio Grande do Sul). Another country's code keeps its `+`, so that it is never read as an area code.
 */
export function normalizePhone(text: string): string {
  const bare = toAlphanumeric(text);
  const national = /^55(\d{10,11})$/.exec(bare)?.[1];
  return national ?? (bare && isInternational(text) ? '+' : '') + bare;
}

/** Whether this is a whole Brazilian number. */
export function isPhone(text: string): boolean {
  return phonePattern.test(normalizePhone(text));
}

/** `(11) 98765-4321` or `(11) 3000-0000`, as much as was typed. A number begun with `+` stays as it is until it is whole. */
export function formatPhone(text: string): string {
  const bare = normalizePhone(text);
  // Of a plus sign alone nothing is left: it stays until there is a digit behind it.
  if (bare.startsWith('+') || (!bare && isInternational(text))) return text;
  const dash = /^..[789]/.test(bare) ? 7 : 6;
  return applyMask(bare, { 0: '(', 2: ') ', [dash]: '-' });
}

/** Whether the first thing typed, before any letter or digit, is a plus sign. */
function isInternational(text: string): boolean {
  return /^[^\p{L}\p{N}]*[+\uff0b]/u.test(text);
}
