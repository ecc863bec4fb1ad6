/**
 * CPF and CNPJ, the tax ids of a Brazilian person and company, as a payer types or pastes them.
 *
 * Since July 2026 a CNPJ may contain letters (IN RFB 2.229/2024), so nothing here drops one. This is our own code and no
 * library, because the same few lines compute the check sum of both.
 */

import { applyMask, toAlphanumeric, type Mask } from './characters.js';

/** Which tax id a text is, or is going to be. */
type TaxIdKind = 'cpf' | 'cnpj';

const masks: Readonly<Record<TaxIdKind, Mask>> = {
  cpf: { 3: '.', 6: '.', 9: '-' },
  cnpj: { 2: '.', 5: '.', 8: '/', 12: '-' },
};

const cpfLength = 11;
const cnpjLength = 14;

/** Finds the digits in a pasted "CPF: 529 982 247 25 (titular)": words may stand before them, and other text behind them. */
const digitsWithin = /^\D*(\d[\d\s./-]*)([^\p{L}\d].*)?$/su;

/** A label before a CNPJ that contains letters. */
const label = /^\W*C(PF|NPJ)\W+/i;

/**
 * Keeps letters and digits only, in upper case, as the contract carries a tax id. Takes just the id out of a text that has a
 * whole CPF or CNPJ in digits. Does not check whether it is valid.
 */
export function normalizeTaxId(text: string): string {
  const digits = digitsWithin.exec(text)?.[1]?.replace(/\D/g, '') ?? '';
  const isWhole = digits.length === cpfLength || digits.length === cnpjLength;
  return isWhole ? digits : toAlphanumeric(text.replace(label, '').toUpperCase());
}

/** Counts how many digits an unfinished number lacks; 0 if something else is wrong with it. */
export function countMissingDigits(text: string): number {
  const bare = normalizeTaxId(text);
  const whole = bare.length > cpfLength ? cnpjLength : cpfLength;
  return /^\d+$/.test(bare) ? Math.max(0, whole - bare.length) : 0;
}

/**
 * Finds the kind that is being typed: a CNPJ from the first letter or the 12th character on, a CPF before that; null if
 * nothing was typed yet.
 */
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
  // A CPF is too short for its weights to repeat.
  return /^\d{11}$/.test(bare) && hasCheckDigits(bare, cpfLength);
}

/** Whether this is a complete CNPJ, numeric or with letters, with right check digits. */
export function isCnpj(text: string): boolean {
  const bare = normalizeTaxId(text);
  return /^[\dA-Z]{12}\d\d$/.test(bare) && hasCheckDigits(bare, 8);
}

/**
 * Puts the mask on what was typed so far. It drops no letter or digit, because cutting could turn a wrong document into a
 * valid one.
 */
export function formatTaxId(text: string): string {
  const kind = findTaxIdKind(text);
  return kind ? applyMask(normalizeTaxId(text), masks[kind]) : '';
}

/**
 * Whether the last two digits are the check digits. All-equal digits satisfy the sums, so they are refused. Equal letters
 * need no rule, because the check digits differ from them.
 */
function hasCheckDigits(bare: string, weights: number): boolean {
  const base = bare.slice(0, -2);
  const first = toCheckDigit(base, weights);
  return bare === base + first + toCheckDigit(base + first, weights) && !/^(.)\1+$/.test(bare);
}

/**
 * Computes a check digit, modulo 11. From the right, weights run from 2 up and begin again after so many; a letter counts as
 * its ASCII code minus 48.
 */
function toCheckDigit(base: string, weights: number): string {
  let sum = 0;
  for (let index = 0; index < base.length; index++) {
    sum += (base.charCodeAt(base.length - 1 - index) - 48) * (2 + (index % weights));
  }
  const rest = sum % 11;
  return String(rest < 2 ? 0 : 11 - rest);
}
