/** Compares answers with what is expected, in words that hold nothing of an answer but numbers, our codes and names of fields. */

import { errorCodes, isErrorCode, isRetryable } from '../../contract/codes.js';
import { parseObject } from '../json-object.js';
import { fill } from './point.js';
import type { Expectation, Point, Values } from './point.js';
import type { Answer } from './send-request.js';

/** What differs, in the words of {@link toExpected}; null: nothing does. */
export function findDifference(
  expect: Expectation,
  values: Values,
  answers: readonly Answer[],
): string | null {
  for (const answer of answers) {
    const difference = differenceOf(expect, values, answer);
    if (difference !== null) return difference;
  }
  const ids = new Set(answers.map(({ data }) => data?.['invoice_id']));
  return ids.size > 1 ? `${ids.size} different invoices` : null;
}

function differenceOf(expect: Expectation, values: Values, answer: Answer): string | null {
  const { status, body, data = {}, headers } = answer;
  const codes = toList(expect.code);
  // An answer without a code of ours has a point of its own.
  const isOtherCode =
    codes.length > 0 && isErrorCode(body['code']) && !codes.includes(body['code']);
  if (!toList(expect.status).includes(status) || isOtherCode) return toCame(answer);
  for (const [name, wanted] of Object.entries(expect.headers ?? {})) {
    const difference = differenceOfHeader(name, headers.get(name), fill(wanted, values));
    if (difference !== null) return `${name}: ${difference}`;
  }
  // An error of the list has no data, or that of another invoice.
  if (status >= 400) return null;
  if (expect.data !== undefined && answer.data === undefined) return toCame(answer);
  for (const [name, wanted] of Object.entries(expect.data ?? {})) {
    if (data[name] !== fill(wanted, values)) return `another ${name}${toAmount(name, data[name])}`;
  }
  for (const [name, former] of Object.entries(expect.differs ?? {})) {
    if (data[name] === fill(former, values)) return `the same ${name}`;
  }
  const { only } = expect;
  const more = only ? Object.keys(data).filter((name) => !only.includes(name)) : [];
  return more.length > 0 ? `more fields: ${toNames(more)}` : null;
}

/** The parts of a list that a header lacks, in any case and order; null: none. */
function differenceOfHeader(
  name: string,
  found: string | null,
  wanted: string | null,
): string | null {
  if (found === wanted) return null;
  if (found === null || wanted === null) return found === null ? 'none' : 'another';
  const parts = toParts(found);
  const hasStar = name === 'access-control-allow-headers' && parts.includes('*');
  const missing = toParts(wanted).filter((part) => !hasStar && !parts.includes(part));
  return missing.length === 0 ? null : `without ${missing.join(', ')}`;
}

function toParts(text: string): string[] {
  return text
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
}

/** What is expected of a point, in a few words. */
export function toExpected(
  { request, expect }: Pick<Point, 'request' | 'expect'>,
  values: Values,
): string {
  const { status, code, data, differs, headers, ...more } = expect;
  return [
    [toList(status).join(' or '), toList(code).join(' or ')].filter(Boolean).join(' '),
    ...Object.entries(headers ?? {}).map(
      ([name, value]) => `${name}: ${value === null ? 'none' : fill(value, values)}`,
    ),
    ...(data === undefined ? [] : [`the same ${Object.keys(data).join(', ')}`]),
    ...((request.times ?? 1) > 1 ? ['one invoice'] : []),
    ...(request.during ? ['no later than without the look-up that waits'] : []),
    ...(differs === undefined ? [] : [`another ${Object.keys(differs).join(', ')}`]),
    ...(more.only === undefined ? [] : [`no fields but ${more.only.join(', ')}`]),
  ].join(', ');
}

/** An answer, in a few words. */
export function toCame({ status, body, data }: Answer): string {
  if (status >= 300 && status < 400) return `${status}, a redirection`;
  const isInvoice = data?.['invoice_id'] !== undefined;
  const what = isInvoice ? 'with an invoice' : status < 300 ? 'without one' : 'without a code';
  return `${status} ${isErrorCode(body['code']) ? body['code'] : what}`;
}

/** What came in place of JSON: a notice of PHP, a byte order mark, a page. Long words are left out: a token may stand there. */
export function toNoJson(text: string): string {
  if (parseObject(text) !== null) return 'an empty object';
  const begin = text.slice(0, 60).replace(/[\w-]{24,}/g, '…');
  const shown = JSON.stringify(begin).replaceAll(
    /[^\x20-\x7e…]/g,
    (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`,
  );
  return text === '' ? 'nothing' : `not JSON, it begins with ${shown}`;
}

/** Names of fields. Others than words are not repeated: they may hold anything. */
export function toNames(names: readonly string[]): string {
  const words = names.filter((name) => /^[a-z_][a-z_\d]{0,40}$/i.test(name)).slice(0, 8);
  const rest = names.length - words.length;
  return [...words, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

/** Without its parameters. Null: there is none, or no word that may be repeated. */
export function toMediaType(headers: Headers): string | null {
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : null;
}

/** What an error says that the contract does not; null: it is as described. */
export function findErrorFault({ status, headers, body }: Answer): string | null {
  const type = toMediaType(headers) ?? 'no';
  const { code, detail } = body;
  if (type !== 'application/problem+json') return `${status} of ${type} type`;
  if (!isErrorCode(code)) return `${status} without a code of the contract`;
  if (!errorCodes[code].statuses.includes(status)) return `${status} with ${code}`;
  const isVague = code === 'invalid_request' && (typeof detail !== 'string' || detail === '');
  return isVague ? `${status} ${code} without detail` : null;
}

export function isNotFound({ status, body }: Pick<Answer, 'status' | 'body'>): boolean {
  return status === 404 && body['code'] === 'not_found';
}

/** An answer that tells the page to come again: right for some of many requests at once. */
export function asksForRetry({ status, body: { code } }: Answer): boolean {
  return status >= 400 && isErrorCode(code) && isRetryable(code);
}

function toAmount(name: string, value: unknown): string {
  return name.endsWith('_cents') && Number.isSafeInteger(value) ? ` (${String(value)})` : '';
}

function toList<T>(value: T | readonly T[] | undefined): readonly T[] {
  return value === undefined ? [] : ([value].flat() as T[]);
}
