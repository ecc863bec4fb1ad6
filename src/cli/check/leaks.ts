/** Finds leaks in an answer: personal data, and tokens or ids that a stranger could compute or guess. */

import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { daySeconds } from '../../domain/spans.js';
import { isTaxId } from '../../domain/tax-id.js';
import type { Values } from './point.js';
import type { Answer } from './send-request.js';
import { formatNames } from './words.js';

/** The shortest token that is safe, because a stranger can try all shorter ones. */
const shortest = 10;

/** Keys from examples, tutorials and attackers' lists. */
const weakKeys =
  'secret password key test jwt changeme 123456 supersecret your-256-bit-secret your-secret-key secretkey my-secret-key jwt_secret mysecret'.split(
    ' ',
  );

/** The findings of each run, kept because answers repeat, and their digests cost more than the rest of the check. */
const knownFindings = new WeakMap<Values, Map<string, string | null>>();

/** Finds out how a stranger could get the tokens of an answer. @returns null if a stranger could not */
export function findGuessable({ data = {} }: Answer, values: Values): string | null {
  const { lookup_token: lookUpToken, invoice_id: id } = data;
  // Without a look-up token, only the id protects the invoice.
  const hasToken = typeof lookUpToken === 'string';
  const named: Named = [
    hasToken ? ['lookup_token', lookUpToken] : ['invoice_id', String(id)],
    ['order_token', String(values['order_token'] ?? '')],
  ];
  const ids = toPublicIds(data);
  const known = knownFindings.get(values) ?? new Map<string, string | null>();
  knownFindings.set(values, known);
  const words = JSON.stringify([named, ids]);
  if (!known.has(words)) known.set(words, findInTokens(named, ids));
  return known.get(words) ?? null;
}

/** The token or id that protects the invoice, and the order token. */
type Named = readonly [NamedText, NamedText];
type NamedText = readonly [name: string, text: string];

/** Finds a weak token: guessable by its form, a digest of public ids, or signed with a well-known key. */
function findInTokens(named: Named, ids: readonly string[]) {
  const [[name, key]] = named;
  const look = findWeakForm(key);
  if (look !== null) return `${name} ${look}`;
  const digests = toPublicDigests(ids);
  for (const [token, text] of named) {
    const isDigest = digests.has(text) || text.split('.').some((part) => digests.has(part));
    if (isDigest) return `${token} is a digest of public ids`;
    if (hasWeakKey(text)) return `the key of ${token} stands in every example`;
  }
  return null;
}

/** Says why a text's form makes it guessable; null if it does not. */
function findWeakForm(text: string): string | null {
  if (text.length < shortest) return 'is short';
  if (/^\d{1,20}$/.test(text)) return 'is a number';
  // PHP's uniqid is the time in microseconds; a UUID of version 1 is the time and the machine.
  const [, seconds] = /^([\da-f]{8})[\da-f]{5}(\.\d+)?$/.exec(text) ?? [];
  const isTime =
    seconds && Math.abs(Number.parseInt(seconds, 16) - Date.now() / 1_000) < daySeconds;
  return isTime || /^[\da-f]{8}-[\da-f]{4}-1[\da-f]{3}-/i.test(text) ? 'is made of the time' : null;
}

/** Whether a well-known key signs the token, whatever the digest. */
function hasWeakKey(token: string): boolean {
  const dot = token.lastIndexOf('.');
  const signed = token.slice(0, dot);
  return weakKeys.some((key) =>
    toDigests((hash) => createHmac(hash, key).update(signed)).includes(token.slice(dot + 1)),
  );
}

function toPublicIds(data: Readonly<Record<string, unknown>>): string[] {
  return ['invoice_id', 'external_id', 'order_code', 'total_cents']
    .map((name) => data[name])
    .filter((one) => typeof one === 'string' || typeof one === 'number')
    .map(String);
}

/** The digests that anyone can compute from public ids: of each id, of pairs, and with one id as the key for another. */
function toPublicDigests(known: readonly string[]): Set<string> {
  const pairs = known.flatMap((one) =>
    known.flatMap((more) => ['', ':', '-', '|', '.', '_'].map((by) => one + by + more)),
  );
  return new Set([
    ...[...known, ...pairs].flatMap((text) => toDigests((hash) => createHash(hash).update(text))),
    ...known.flatMap((text) =>
      ['', ...known].flatMap((key) => toDigests((hash) => createHmac(hash, key).update(text))),
    ),
  ]);
}

function toDigests(digest: (hash: string) => Hash | Hmac): string[] {
  return ['md5', 'sha1', 'sha256', 'sha512'].flatMap((hash) => {
    const bytes = digest(hash).digest();
    return (['hex', 'base64', 'base64url'] as const).map((form) => bytes.toString(form));
  });
}

/** Names of fields that hold personal data. `client` and `payer` are fields of the service. */
const personalName =
  /cpf|cnpj|e-?mail|phone|telefone|celular|address|endereco|birth|nascimento|^(client|payer|end_to_end_id)$/i;
const personalWord = /\b(cpf|cnpj|e-?mail|telefone|celular)\b/i;
/** Only one letter is matched before the `@`, because with `+` the time would grow with the square of the length. */
const emailForm = /[^\s@]@[^\s@]+\.[^\s@]/;
const taxIdForm =
  /(?<![\w-])(\d{3}\.\d{3}\.\d{3}-\d\d|\d{11}|[\dA-Z]{2}\.[\dA-Z]{3}\.[\dA-Z]{3}\/[\dA-Z]{4}-\d\d)(?![\w-])/g;

/** Searches names of fields, and texts. It does not recurse, because an answer may be nested deeply. */
export function findPersonalData(answer: unknown, order: unknown): string | null {
  const left: [name: string, value: unknown][] = [['', answer]];
  for (const [name, value] of left) {
    if (personalName.test(name)) return formatNames([name]);
    const found =
      typeof value === 'string' && value !== order ? findPersonalText(name, value) : null;
    if (found !== null) return found;
    if (typeof value === 'object' && value !== null) left.push(...Object.entries(value));
  }
  return null;
}

/**
 * Names the personal data in a field's text, or null. Skips a Pix code, which may contain the shop's own key, and a token,
 * which contains any letters. In texts that name fields it looks for no words.
 */
function findPersonalText(name: string, text: string): string | null {
  if (['qr_code_pix', 'lookup_token'].includes(name)) return null;
  if (emailForm.test(text)) return 'an e-mail address';
  if ((text.match(taxIdForm) ?? []).some(isTaxId)) return 'a CPF or CNPJ';
  return !['detail', 'title'].includes(name) && personalWord.test(text) ? 'words of it' : null;
}
