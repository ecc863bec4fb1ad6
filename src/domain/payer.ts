/** The fields a payer may be asked for, in the invoice service's names: one rule to check, carry and show each. */

import { applyMask, toAlphanumeric, toLine } from './characters.js';
import { formatTaxId, isTaxId, normalizeTaxId } from './tax-id.js';

/** Every payer field, in the order a form asks for them. */
export const payerFields = [
  'name',
  'cpf_cnpj',
  'email',
  'phone',
  'address_zip',
  'address_line',
  'address_number',
  'address_complement',
  'address_city',
  'address_state',
] as const;

/** One of {@link payerFields}. */
export type PayerField = (typeof payerFields)[number];

/** The payer, in the service's names. Every value as {@link normalizePayerField} leaves it. */
export type Payer = Record<PayerField, string>;

/** A field the payer is asked for. */
export interface AskedField {
  readonly field: PayerField;
  readonly required: boolean;
}

/** A fault of a field: empty, not valid, or longer than {@link maxPayerFieldLength}. */
export type FieldFault = 'missing' | 'invalid' | 'too_long';

/**
 * Most characters in any field.
 *
 * Assumed: the service takes every field as long as this (service spec does not show its limits).
 */
export const maxPayerFieldLength = 200;

/**
 * What a browser's own `type=email` takes (HTML Standard, "valid email address": marks of RFC 5322's atext and dots, then
 * labels of RFC 1034), and of that what a payer can have: a local part of at most 64 characters (RFC 5321 section
 * 4.5.3.1.1), a domain with a dot, and no last label of one character.
 */
const emailPattern =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d][a-z\d-]{0,61}[a-z\d]$/i;

/** The 26 states and the Distrito Federal, by their two letters. */
export const states: readonly string[] =
  'AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO'.split(' ');

/** Their names, in the same order, bare and in capitals. */
const stateNames =
  'ACRE ALAGOAS AMAZONAS AMAPA BAHIA CEARA DISTRITOFEDERAL ESPIRITOSANTO GOIAS MARANHAO MINASGERAIS MATOGROSSODOSUL MATOGROSSO PARA PARAIBA PERNAMBUCO PIAUI PARANA RIODEJANEIRO RIOGRANDEDONORTE RONDONIA RORAIMA RIOGRANDEDOSUL SANTACATARINA SERGIPE SAOPAULO TOCANTINS'.split(
    ' ',
  );

/** The two letters of a state; of one that is named, too, as services that look a CEP up do. */
function toState(text: string): string {
  const state = toLine(text).toUpperCase();
  const name = state.normalize('NFD').replace(/[^A-Z]/g, '');
  return states[stateNames.indexOf(name)] ?? state;
}

interface Rule {
  readonly normalize: (text: string) => string;
  /** Asked about a normalised value that is neither empty nor too long. */
  readonly isValid: (value: string) => boolean;
  readonly format?: (text: string) => string;
}

const freeText: Rule = { normalize: toLine, isValid: () => true };

const rules: Readonly<Record<PayerField, Rule>> = {
  // Two letters, of any script: initials and single names are names.
  name: { normalize: toLine, isValid: (name) => /\p{L}.*\p{L}/u.test(name) },
  cpf_cnpj: { normalize: normalizeTaxId, isValid: isTaxId, format: formatTaxId },
  email: { normalize: toLine, isValid: (email) => emailPattern.test(email) },
  phone: { normalize: normalizePhone, isValid: isPhone, format: formatPhone },
  address_zip: { normalize: toAlphanumeric, isValid: isCep, format: formatCep },
  address_line: freeText,
  // "S/N" (sem número) is a valid one.
  address_number: freeText,
  address_complement: freeText,
  address_city: freeText,
  address_state: {
    normalize: toState,
    isValid: (state) => states.includes(state),
  },
};

/**
 * Reads the `payer-fields` attribute: field names with white space between; a trailing `?` makes one optional; `address`
 * is all of its group, of which the complement is optional anyway. A field named twice keeps its first place and its
 * last word, so `address address_number?` does what it says.
 *
 * @returns the fields, and the words that are none; nothing is thrown
 */
export function parseAskedFields(text: string): { asked: AskedField[]; unknown: string[] } {
  const asked = new Map<PayerField, AskedField>();
  const unknown: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const name = word.replace(/\?$/, '');
    const group = payerFields.filter((field) =>
      name === 'address' ? field.startsWith('address_') : field === name,
    );
    if (group.length === 0) unknown.push(word);
    for (const field of group) {
      const required = name === word && (field === name || field !== 'address_complement');
      asked.set(field, { field, required });
    }
  }
  return { asked: [...asked.values()], unknown };
}

/**
 * @param text as typed; it is normalised first
 * @param required whether an empty field is a fault
 * @returns the fault, or null
 */
export function checkPayerField(
  field: PayerField,
  text: string,
  required: boolean,
): FieldFault | null {
  const value = normalizePayerField(field, text);
  if (!value) return required ? 'missing' : null;
  if (value.length > maxPayerFieldLength) return 'too_long';
  return rules[field].isValid(value) ? null : 'invalid';
}

/**
 * A field as the contract carries it: tax id bare and in capitals, phone in national digits, CEP bare, UF in capitals,
 * all else one trimmed line. Valid or not; doing it twice changes nothing.
 */
export function normalizePayerField(field: PayerField, text: string): string {
  return rules[field].normalize(text);
}

/** A field as it is shown while it is typed: tax id, phone and CEP with their masks, all else untouched. */
export function formatPayerField(field: PayerField, text: string): string {
  return rules[field].format?.(text) ?? text;
}

/** Whether these are the eight bare digits of a CEP; assigned from 01000-000 up. */
function isCep(bare: string): boolean {
  return /^(0[1-9]|[1-9]\d)\d{6}$/.test(bare);
}

/** `01310-100`, as much as was typed. */
function formatCep(text: string): string {
  return applyMask(toAlphanumeric(text), { 5: '-' });
}

// Phone numbers, mobile and landline, in national digits: the area code (DDD) and the number.

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
