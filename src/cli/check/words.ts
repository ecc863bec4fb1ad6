/** Describes answers in a few words: numbers, our codes and names of fields, without values of an answer. */

import { errorCodes, isErrorCode } from '../../contract/codes.js';
import { BrCodeError, parseBrCode } from '../../domain/br-code.js';
import { parseObject } from '../json-object.js';
import { fill, type Ask, type Values } from './point.js';
import type { Answer } from './send-request.js';

/** Describes the answer that a request demands. */
export function describeExpected({ expect, times = 1, during }: Ask, values: Values): string {
  const { data, differs, codes = [], never, allows, isUnread, mayRefuse } = expect;
  const invoice = data && `200 with ${Object.keys(data).join(', ')} as before`;
  return [
    [invoice, ...(data || codes.length > 0 ? codes : [])].filter(Boolean).join(' or '),
    ...(differs ? [`another ${Object.keys(differs).join(', ')}`] : []),
    ...(times > 1 && data ? ['one invoice'] : []),
    ...(mayRefuse ? ['or a refusal'] : []),
    ...(during ? ['no later than without the look-up that waits'] : []),
    ...(never ? [`not ${never.join(', ')}`] : []),
    ...(allows ? [`leave for ${values['origin']} to send ${allows.join(', ')}`] : []),
    ...(isUnread ? ['no leave to read it'] : []),
    ...(data || allows || codes.length > 0 ? [] : ['a refusal']),
  ]
    .filter(Boolean)
    .join(', ');
}

export function describeAnswer({ status, headers, body, data, text }: Answer): string {
  if (isErrorCode(body['code'])) return `${status} ${body['code']}`;
  if (data?.['invoice_id'] !== undefined) return `${status} with an invoice`;
  if (status >= 300 && status < 400) return `${status}, a redirection`;
  if (headers.has('www-authenticate')) return `${status}, a web server that asks for a password`;
  return `${status} ${status < 300 ? 'without an invoice' : 'without a code'}; ${describeNonJson(text)}`;
}

/** Shows the beginning of an answer that is not JSON, such as a notice of PHP. It leaves out long words, which may be tokens. */
function describeNonJson(text: string): string {
  if (parseObject(text) !== null) return 'other JSON';
  const begin = text.slice(0, 60).replace(/[\w-]{24,}/g, '…');
  const shown = JSON.stringify(begin).replaceAll(
    /[^\x20-\x7e…]/g,
    (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`,
  );
  return text === '' ? 'nothing' : `not JSON, it begins with ${shown}`;
}

/** Lists names of fields. A name that is not a plain word may be any text, so it is only counted. */
export function formatNames(names: readonly string[]): string {
  const words = names.filter((name) => /^[a-z_][a-z_\d]{0,40}$/i.test(name)).slice(0, 8);
  const rest = names.length - words.length;
  return [...words, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

/** The content type without parameters. @returns null if there is none that may be printed */
export function toMediaType(headers: Headers): string | null {
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : null;
}

/** Reads a Pix code. @returns its `kind`, or why no bank accepts it (`fault`), or what is `wrong` with it */
export function readCode(code: unknown, totalCents: unknown) {
  try {
    const { kind, amountCents, recurrenceLocation } = parseBrCode(code);
    if (recurrenceLocation !== null) return { wrong: 'that authorises later debits' };
    // The code of a location may have no amount or zero, because banks ask the location. Any other amount is a mistake.
    const isOther = Boolean(amountCents) && amountCents !== totalCents;
    return isOther ? { wrong: `of ${amountCents} cents` } : { kind };
  } catch (thrown) {
    return { fault: thrown instanceof BrCodeError ? thrown.fault : 'unreadable' };
  }
}

/** Finds a difference between an error and the contract. */
export function findErrorFault({ status, headers, body }: Answer): string | null {
  const type = toMediaType(headers) ?? 'no';
  const { code } = body;
  if (!isErrorCode(code)) return `${status} without a code of the contract`;
  if (type !== 'application/problem+json') return `${status} ${code} of ${type} type`;
  return errorCodes[code].statuses.includes(status) ? null : `${status} with ${code}`;
}

/** Finds a difference between the invoice and the expected one. */
export function findDifference({ data, differs }: Ask['expect'], answer: Answer, values: Values) {
  const came = answer.data ?? {};
  for (const [name, wanted] of Object.entries(data ?? {})) {
    const value = came[name];
    if (value === fill(wanted, values)) continue;
    const isAmount = name.endsWith('_cents') && Number.isSafeInteger(value);
    return `another ${name}${isAmount ? ` (${String(value)})` : ''}`;
  }
  const same = Object.entries(differs ?? {}).find(
    ([name, former]) => came[name] === fill(former, values),
  );
  return same ? `the same ${same[0]}` : null;
}
