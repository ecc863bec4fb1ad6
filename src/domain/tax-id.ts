/**
 * CPF and CNPJ, the tax ids of a Brazilian person and company, as a payer types or pastes them.
 *
 * Since July 2026 a CNPJ may hold letters (IN RFB 2.229/2024),
 * so nothing here drops one. Own code, not a library: the same few lines make the sum for both.
 */

import { applyMask, toAlphanumeric, type Mask } from './characters.js';

/** Which of the two a text is, or is becoming. */
type TaxIdKind = 'cpf' | 'cnpj';

const masks: Readonly<Record<TaxIdKind, Mask>> = {
  cpf: { 3: '.', 6: '.', 9: '-' },
  cnpj: { 2: '.', 5: '.', 8: '/', 12: '-' },
};

const cpfLength = 11;
const cnpjLength = 14;

/** Words before the digits, and behind them what is apart from them: a pasted "CPF: 529 982 247 25 (titular)". */
const digitsWithin = /^\D*(\d[\d\s./-]*)([^\p{L}\d].*)?$/su;

/** Before a CNPJ with letters. */
const label = /^\W*C(PF|NPJ)\W+/i;

/**
 * Letters and digits only, upper case: how the contract carries a tax id. Of a text with a whole CPF or CNPJ in digits
 * just these. Says nothing of its validity.
 */
export function normalizeTaxId(text: string): string {
  const digits = digitsWithin.exec(text)?.[1]?.replace(/\D/g, '') ?? '';
  const isWhole = digits.length === cpfLength || digits.length === cnpjLength;
  return isWhole ? digits : toAlphanumeric(text.replace(label, '').toUpperCase());
}

/** How many digits a number that was begun lacks; 0 where that is not what is wrong with it. */
export function countMissingDigits(text: string): number {
  const bare = normalizeTaxId(text);
  const whole = bare.length > cpfLength ? cnpjLength : cpfLength;
  return /^\d+$/.test(bare) ? Math.max(0, whole - bare.length) : 0;
}

/** The kind that is being typed: a CNPJ from the first letter or the 12th character on, a CPF before; null for nothing yet. */
export function findTaxIdKind(text: string): TaxIdKind | null {
  const bare = normalizeTaxId(text);
  if (!bare) return null;
  return bare.length > cpfLength || /\D/.test(bare) ? 'cnpj' : 'cpf';
}

/** Whether this is a complete CPF or CNPJ with right check digits, masked or bare, in either case. */
export function isTaxId(text: string): boolean {
  return isCpf(text) || isCnpj(text);
}

/** Whether this is a complete CPF with right check digits. */
export function isCpf(text: string): boolean {
  const bare = normalizeTaxId(text);
  // A CPF is too short for its weights to start again.
  return /^\d{11}$/.test(bare) && hasCheckDigits(bare, cpfLength);
}

/** Whether this is a complete CNPJ, numeric or with letters, with right check digits. */
export function isCnpj(text: string): boolean {
  const bare = normalizeTaxId(text);
  return /^[\dA-Z]{12}\d\d$/.test(bare) && hasCheckDigits(bare, 8);
}

/** The mask for as much as was typed. Loses no letter or digit: a cut would make a right document of a wrong one. */
export function formatTaxId(text: string): string {
  const kind = findTaxIdKind(text);
  return kind ? applyMask(normalizeTaxId(text), masks[kind]) : '';
}

/** All-equal digits satisfy the sums and are refused; equal letters are not, since the check digits differ from them. */
function hasCheckDigits(bare: string, weights: number): boolean {
  const base = bare.slice(0, -2);
  const first = toCheckDigit(base, weights);
  return bare === base + first + toCheckDigit(base + first, weights) && !/^(.)\1+$/.test(bare);
}

/** Modulo 11. From the right, weights run from 2 up and start again after so many; a letter counts as ASCII minus 48. */
function toCheckDigit(base: string, weights: number): string {
  let sum = 0;
  for (let index = 0; index < base.length; index++) {
    sum += (base.charCodeAt(base.length - 1 - index) - 48) * (2 + (index % weights));
  }
  const rest = sum % 11;
  return String(rest < 2 ? 0 : 11 - rest);
}
