/**
 * What of a Brazilian address has a form of its own: the postal code (CEP) and the state (UF).
 *
 * Owns their format. Must not know which streets exist: looking one up is the merchant's choice.
 */

import { applyMask, toAlphanumeric } from './characters.js';

/** The 26 states and the Distrito Federal, by their two letters. */
export const states: readonly string[] =
  'AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO'.split(' ');

/** Whether these are the eight bare digits of a CEP; assigned from 01000-000 up. */
export function isCep(bare: string): boolean {
  return /^(0[1-9]|[1-9]\d)\d{6}$/.test(bare);
}

/** `01310-100`, as much as was typed. */
export function formatCep(text: string): string {
  return applyMask(toAlphanumeric(text), { 5: '-' });
}
