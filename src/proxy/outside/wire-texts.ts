/**
 * Which texts of the service may be passed on. One that does not look like what belongs there, such as a CPF for an order code,
 * stays here. Pure.
 */

import { maxBrCodeLength, parseBrCode } from '../../domain/br-code.js';
import { isCpf } from '../../domain/tax-id.js';
import type { WireInvoice } from '../../service.js';
import type { Settings } from '../set-up/options/read-options.js';

/** Stands for a status that is no word: the page keeps waiting, as for any unknown word. */
export const unknownStatus = 'unknown';

/** Letters, `_`, `-`, and no more than two digits in a row. */
const word = /^(?!.*\d{3})[\w-]{1,40}$/;

const orderCode = /^[\w.:#/-]{1,64}$/;

/** ISO 8601, or as databases write it. */
const moment = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?( ?([+-]\d\d:?\d\d)|Z)?$/;

/** Banco Central: `E`, the payer's bank, the minute, and eleven more. */
const endToEndId = /^E[A-Za-z\d]{1,63}$/;

/** Visible characters only. */
const printable = /^\P{C}+$/u;

/** Whether a status may stand in the log and in answers. */
export function isStatusWord(status: string): boolean {
  return word.test(status);
}

/** Whether a list of the option `statuses` has this word of the service, in whatever case, with spaces around it or none. */
export function isListed(list: ReadonlySet<string>, status: string): boolean {
  return list.has(status.trim().toLowerCase());
}

/** The word as a page may see it: small, and one for paid, whatever its spelling. A refused one may be any text that is listed. */
export function toStatusWord(status: string, { paid, refused }: Settings['statuses']): string {
  if (isListed(paid, status)) return 'paid';
  const isPassable = isStatusWord(status.trim()) || isListed(refused, status);
  return isPassable ? status.trim().toLowerCase() : unknownStatus;
}

// Assumed: an order code is one word of letters, digits and `_ . : # / -`, 64 at most, and holds no CPF (service spec does
// not show its format). One number of eleven digits in a hundred looks like a CPF.
export function toOrderCode(code = ''): string {
  return orderCode.test(code) && !holdsCpf(code) ? code : '';
}

// Assumed: times are ISO 8601 (as the specification says), or with a space for the `T`.
export function toMoment(time = ''): string {
  return moment.test(time) ? time : '';
}

/** Null for an id of another form. */
export function toEndToEndId({ end_to_end_id: own, payer }: WireInvoice): string | null {
  const id = own || payer?.end_to_end_id || '';
  return endToEndId.test(id) ? id : null;
}

/** 1 for a number out of range. */
export function toInstallments(count = 1): number {
  return count >= 1 && count <= 99 ? count : 1;
}

/** @param allowUnverifiedCodes a test environment's placeholder will do */
export function isPassableCode(code: string, allowUnverifiedCodes: boolean): boolean {
  try {
    parseBrCode(code);
    return true;
  } catch {
    return allowUnverifiedCodes && isPlaceholder(code);
  }
}

/** A real code may hold a CPF: a receiver's key is one, often. */
function isPlaceholder(code: string): boolean {
  return code.length <= maxBrCodeLength && printable.test(code) && !holdsCpf(code);
}

/** Bare or masked, with letters around it or without. */
function holdsCpf(text: string): boolean {
  return text.split(/[^\d.-]+/).some(isCpf);
}
