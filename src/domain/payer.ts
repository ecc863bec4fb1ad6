/**
 * The fields that a payer may be asked for, in the invoice service's names, with one rule each to check, send and show it.
 */

import { applyMask, toAlphanumeric, toLine } from './characters.js';
import { formatTaxId, isTaxId, normalizeTaxId } from './tax-id.js';

/** Every payer field, in the order in which a form asks for them. */
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

/** The payer, in the service's names. Every value is as {@link normalizePayerField} returns it. */
export type Payer = Record<PayerField, string>;

/** A field that the payer is asked for. */
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
 * labels of RFC 1034), limited to addresses that a payer can have: a local part of at most 64 characters (RFC 5321 section
 * 4.5.3.1.1), a domain with a dot, and a last label of at least two characters.
 */
const emailPattern =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d][a-z\d-]{0,61}[a-z\d]$/i;

/** The 26 states and the Distrito Federal, by their two letters. */
export const states: readonly string[] =
  'AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO'.split(' ');

/** The names of the states, in the same order, without accents and in capitals. */
const stateNames =
  'ACRE ALAGOAS AMAZONAS AMAPA BAHIA CEARA DISTRITOFEDERAL ESPIRITOSANTO GOIAS MARANHAO MINASGERAIS MATOGROSSODOSUL MATOGROSSO PARA PARAIBA PERNAMBUCO PIAUI PARANA RIODEJANEIRO RIOGRANDEDONORTE RONDONIA RORAIMA RIOGRANDEDOSUL SANTACATARINA SERGIPE SAOPAULO TOCANTINS'.split(
    ' ',
  );

/** Finds the two letters of a state. Also reads its name, because services that look a CEP up may answer with that. */
function toState(text: string): string {
  const state = toLine(text).toUpperCase();
  const name = state.normalize('NFD').replace(/[^A-Z]/g, '');
  return states[stateNames.indexOf(name)] ?? state;
}

interface Rule {
  readonly normalize: (text: string) => string;
  /** Checks a normalised value. The caller has found it neither empty nor too long. */
  readonly isValid: (value: string) => boolean;
  readonly format?: (text: string) => string;
}

const freeText: Rule = { normalize: toLine, isValid: () => true };

const rules: Readonly<Record<PayerField, Rule>> = {
  // Two letters are enough, of any script, because some people have a single short name.
  name: { normalize: toLine, isValid: (name) => /\p{L}.*\p{L}/u.test(name) },
  cpf_cnpj: { normalize: normalizeTaxId, isValid: isTaxId, format: formatTaxId },
  email: { normalize: toLine, isValid: (email) => emailPattern.test(email) },
  phone: { normalize: normalizePhone, isValid: isPhone, format: formatPhone },
  address_zip: { normalize: toAlphanumeric, isValid: isCep, format: formatCep },
  address_line: freeText,
  // "S/N" (sem número) is a valid house number.
  address_number: freeText,
  address_complement: freeText,
  address_city: freeText,
  address_state: {
    normalize: toState,
    isValid: (state) => states.includes(state),
  },
};

/**
 * Reads the `payer-fields` attribute: field names separated by white space. A trailing `?` makes a field optional; `address`
 * stands for its group, in which the complement is always optional. A field that is named twice keeps its first place and
 * takes its last `?`, so `address address_number?` does what it says.
 *
 * @returns the fields, and the words that name no field; nothing is thrown
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
 * Checks a field.
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
 * Writes a field as the contract carries it: tax id without mask and in capitals, phone in national digits, CEP in digits, UF
 * in capitals, anything else as one trimmed line. It also changes invalid values, and changes nothing the second time.
 */
export function normalizePayerField(field: PayerField, text: string): string {
  return rules[field].normalize(text);
}

/** Writes a field as it is shown while the payer types: tax id, phone and CEP with their masks, anything else unchanged. */
export function formatPayerField(field: PayerField, text: string): string {
  return rules[field].format?.(text) ?? text;
}

/** Whether these are the eight bare digits of a CEP. They are assigned from 01000-000 up. */
function isCep(bare: string): boolean {
  return /^(0[1-9]|[1-9]\d)\d{6}$/.test(bare);
}

/** Writes `01310-100`, as much as was typed. */
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
 * What may stand before a whole national number: +55, 0055 or 55, and then, or alone, the trunk prefix 0. Without a country
 * code, two digits of a carrier may follow the 0, or the "xx" that stands for them (0 15 11…, 0xx11…). Neither an area code
 * nor a carrier's begins with 0, so the number of digits tells these forms apart.
 */
const prefixPattern = /^(?:(?:\+|00)?55)?0?(?=[1-9]\d{9,10}$)|^0(?:[1-9]\d|xx)(?=[1-9]\d{9,10}$)/i;

/**
 * Keeps the national digits. It removes 55 only if a whole number is left, because 55 is an area code too (Rio Grande do
 * Sul). Another country's code keeps its `+`, so that it is never read as an area code.
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
 * Writes `(11) 98765-4321` or `(11) 3000-0000`, as much as was typed. A number that begins with `+` stays as it is until it
 * is whole. A number that begins with 0 always stays as typed, because only its last digit shows whether a carrier's code is
 * meant.
 */
export function formatPhone(text: string): string {
  const bare = normalizePhone(text);
  // A plus sign alone has no digits yet, so it stays.
  const isUntold = bare.startsWith('+') || (!bare && isInternational(text));
  if (isUntold || toAlphanumeric(text).startsWith('0')) return text;
  const dash = /^..[789]/.test(bare) ? 7 : 6;
  return applyMask(bare, { 0: '(', 2: ') ', [dash]: '-' });
}

/** Whether the first thing typed, before any letter or digit, is a plus sign. */
function isInternational(text: string): boolean {
  return /^[^\p{L}\p{N}]*[+\uff0b]/u.test(text);
}
