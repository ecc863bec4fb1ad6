/**
 * Reads a Pix BR Code, the text behind a Pix QR code and "Pix Copia e Cola", and refuses codes that no bank app could pay.
 *
 * It never follows the code's location, which is for the payer's bank alone. Where issued codes break the manual's limits, it
 * is as tolerant as banks are: long names and cities, odd txids, a scheme before the location, a CRC in lower case, other
 * payment arrangements beside Pix.
 *
 * Sources: Banco Central, Manual de Padrões para Iniciação do Pix (sections 2.6 to 2.8) and Manual do BR Code; EMV QRCPS-MPM
 * 1.1.
 */

import { toCharacters } from './characters.js';

/** Why a text is not a payable BR Code. */
export type BrCodeFault =
  /** not a string */
  | 'not-text'
  /** empty, or longer than {@link maxBrCodeLength} */
  | 'length'
  /** the text does not consist of whole objects, repeats one, or does not end with the CRC */
  | 'tlv'
  | 'crc'
  | 'payload-format'
  /** field 01 is neither absent nor 11 nor 12 */
  | 'initiation'
  | 'currency'
  | 'country'
  | 'no-mcc'
  | 'no-name'
  | 'no-city'
  /** no Pix account, or one without key, location and recurrence */
  | 'no-account'
  | 'several-accounts'
  /** a location beside fields that only a static code has */
  | 'key-and-location'
  | 'location'
  | 'amount';

/** The text is not a BR Code that can be paid. The message names the fault and never contains the code. */
export class BrCodeError extends Error {
  override readonly name = 'BrCodeError';
  readonly fault: BrCodeFault;

  constructor(fault: BrCodeFault) {
    super(`not a payable Pix code: ${fault}`);
    this.fault = fault;
  }
}

/** The content of a BR Code. */
interface BrCode {
  /** The code itself, trimmed: exactly what QR and clipboard hold. */
  text: string;
  /**
   * `static`: pays a key, and the amount in the code counts. `dynamic`: pays a charge behind a location, whose amount
   * counts instead. `recurrence`: only authorises recurring payments (Pix Automático), pays nothing now.
   */
  kind: 'static' | 'dynamic' | 'recurrence';
  /** Field 54 in cents; null if the code names no amount. It is zero in codes for withdrawals and in some dynamic codes. */
  amountCents: number | null;
  merchantName: string;
  /** The receiver's Pix key. It may be a person's CPF, e-mail or phone, so keep it out of logs. */
  key: string | null;
  /** The address where the payer's bank finds the charge, usually without a scheme. */
  location: string | null;
  /** The address where the payer's bank finds the recurrence, alone or beside a key or a location. */
  recurrenceLocation: string | null;
}

/** Longest BR Code, in characters (`pixCopiaECola` in Banco Central's Pix API 2.9.0). */
export const maxBrCodeLength = 512;

/** The id that marks a template as Pix. Both cases are valid: the manual's own example is in capitals. */
const pixGui = 'br.gov.bcb.pix';

/** A host with a dot and a path, no user, no port. */
const locationPattern = /^(https:\/\/)?([a-z\d-]+\.)+[a-z\d-]+(\/[^\s]*)?$/i;

/**
 * The required content of single fields, in the order in which they are checked, and the fault if one differs. An absent
 * field is empty.
 */
const fixedFields: readonly (readonly [id: string, pattern: RegExp, fault: BrCodeFault])[] = [
  ['00', /^01$/, 'payload-format'],
  ['01', /^(1[12])?$/, 'initiation'],
  ['52', /^\d{4}$/, 'no-mcc'],
  ['53', /^986$/, 'currency'],
  ['58', /^BR$/, 'country'],
  ['59', /\S/, 'no-name'],
  ['60', /\S/, 'no-city'],
];

/**
 * Reads a code.
 * @param value what should be a BR Code; white space around it is allowed
 * @throws {@link BrCodeError}, and nothing else, for any value
 */
export function parseBrCode(value: unknown): BrCode {
  if (typeof value !== 'string') throw new BrCodeError('not-text');
  const text = value.trim();
  if (!text || text.length > maxBrCodeLength) throw new BrCodeError('length');

  const fields = readFields(text);
  const field = (id: string): string => fields.get(id) ?? '';
  for (const [id, pattern, fault] of fixedFields) {
    if (!pattern.test(field(id))) throw new BrCodeError(fault);
  }

  const [account, another] = findPixTemplates(fields, 26, 51);
  if (!account) throw new BrCodeError('no-account');
  if (another) throw new BrCodeError('several-accounts');
  const key = account.get('01') || null;
  const withdrawal = account.has('03');
  const location = findLocation(account);
  const recurrenceLocation =
    findPixTemplates(fields, 80, 99).map(findLocation).find(Boolean) ?? null;
  if (location && (key || withdrawal)) throw new BrCodeError('key-and-location');
  const kind = key ? 'static' : location ? 'dynamic' : recurrenceLocation ? 'recurrence' : null;
  if (!kind) throw new BrCodeError('no-account');

  const amountCents = toCents(fields.get('54'));
  // In a key's code, only a withdrawal at a shop (Pix Saque) may have an amount of zero; behind a location the bank ignores
  // the amount.
  if (amountCents === 0 && key && !withdrawal) throw new BrCodeError('amount');

  // Nothing of the additional data is used, but banks read it.
  readTemplate(field('62'));
  const merchantName = field('59').trim();
  return { text, kind, amountCents, merchantName, key, location, recurrenceLocation };
}

/**
 * Finds a field for which some banks refuse a code that follows the rules, as their users report: accents in the receiver's
 * name or city (59, 60: github.com/bacen/pix-api issues 634 and 635), an amount without two decimals (54: issue 318), no
 * field 62, which the BR Code manual requires and EMV does not (issues 190 and 245).
 * @param code a code that {@link parseBrCode} reads
 * @returns the field's id; null if nothing is unusual
 */
export function findUnusualField(code: string): string | null {
  const fields = readFields(code.trim());
  const amount = fields.get('54');
  if (amount !== undefined && !/^\d+\.\d\d$/.test(amount)) return '54';
  const accented = ['59', '60'].find((id) => /[^ -~]/.test(fields.get(id) ?? ''));
  return accented ?? (fields.has('62') ? null : '62');
}

/**
 * CRC-16/CCITT-FALSE (polynomial 0x1021, start 0xFFFF) over the UTF-8 bytes.
 *
 * @param text for a BR Code: everything up to and including `6304`
 * @returns four upper-case hexadecimal digits
 */
export function crc16(text: string): string {
  let crc = 0xffff;
  for (const byte of new TextEncoder().encode(text)) {
    // The eight steps of the polynomial are folded into one, because computing bit by bit takes a slow phone 10 ms.
    let step = (crc >> 8) ^ byte;
    step ^= step >> 4;
    crc = ((crc << 8) ^ (step << 12) ^ (step << 5) ^ step) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

/** Reads the top-level fields of a Pix code. @throws BrCodeError if 00 is not first, 63 is not last, or the CRC is wrong */
function readFields(text: string): Map<string, string> {
  const fields = readTemplate(text);
  const ids = [...fields.keys()];
  const crc = fields.get('63') ?? '';
  if (ids[0] !== '00' || ids.at(-1) !== '63' || crc.length !== 4) throw new BrCodeError('tlv');
  if (crc.toUpperCase() !== crc16(text.slice(0, -4))) throw new BrCodeError('crc');
  return fields;
}

/**
 * Finds the Pix templates with an id in this range. Templates of other schemes are skipped, because their mistakes do no
 * harm.
 */
function findPixTemplates(fields: Map<string, string>, first: number, last: number) {
  return [...fields]
    .filter(([id, value]) => +id >= first && +id <= last && value.toLowerCase().includes(pixGui))
    .map(([, value]) => readTemplate(value))
    .filter((template) => template.get('00')?.toLowerCase() === pixGui);
}

function findLocation(template: Map<string, string>): string | null {
  const location = template.get('25') || null;
  if (location && !locationPattern.test(location)) throw new BrCodeError('location');
  return location;
}

/**
 * Reads an amount as cents. EMV allows `98.73`, `98.7` and `98`; the Pix API writes two decimals and at most ten digits
 * before them.
 */
function toCents(amount: string | undefined): number | null {
  if (amount === undefined) return null;
  if (!/^\d{1,10}(\.\d{1,2})?$/.test(amount)) throw new BrCodeError('amount');
  const [reais, decimals = ''] = amount.split('.');
  return Number(reais + decimals.padEnd(2, '0'));
}

/**
 * Cuts a text into its objects of a two-digit id, a two-digit length and a value, in their order.
 *
 * Lengths count characters, not bytes (EMV QRCPS-MPM 1.1, section 3.2), so an accent counts once.
 *
 * @returns values by id
 * @throws BrCodeError if the text is not whole objects, or if an id comes twice: which one counts is not defined
 */
function readTemplate(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  const characters = toCharacters(text);
  for (let at = 0; at < characters.length;) {
    const head = characters.slice(at, at + 4).join('');
    const id = head.slice(0, 2);
    const end = at + 4 + Number(head.slice(2));
    if (!/^\d{4}$/.test(head) || end > characters.length || fields.has(id)) {
      throw new BrCodeError('tlv');
    }
    fields.set(id, characters.slice(at + 4, end).join(''));
    at = end;
  }
  return fields;
}
