/** What no answer may hold: data of people, tokens, and the inside of the proxy. */

import { createHash, createHmac } from 'node:crypto';
import type { Hash, Hmac } from 'node:crypto';
import { isTaxId } from '../../../domain/tax-id.js';
import { toNames } from '../compare-answers.js';
import type { AnswerPoint } from '../judge.js';
import type { Values } from '../point.js';
import type { Answer } from '../send-request.js';

/** Tokens shorter than this are not searched for: such a text occurs in answers by chance. */
const shortestSoughtToken = 8;

/** Tokens shorter than this can be tried one by one. */
const shortestToken = 10;

/** Names of fields that hold personal data. `client` and `payer` are fields of the service. */
const personalName =
  /cpf|cnpj|e-?mail|phone|telefone|celular|address|endereco|birth|nascimento|^(client|payer|end_to_end_id)$/i;
const personalWord = /\b(cpf|cnpj|e-?mail|telefone|celular)\b/i;
/** Only one letter before the `@`: with `+` there, the time would grow with the square of a text's length. */
const emailForm = /[^\s@]@[^\s@]+\.[^\s@]/;
const taxIdForm =
  /(?<![\w-])(\d{3}\.\d{3}\.\d{3}-\d\d|\d{11}|[\dA-Z]{2}\.[\dA-Z]{3}\.[\dA-Z]{3}\/[\dA-Z]{4}-\d\d)(?![\w-])/g;

/** Where a program stood, as PHP, Python, Node, Ruby, Go, Java and C# write it. Without a repetition before: see above. */
const stackForm =
  /\.php(?:\(\d+\)| on line \d|:\d)|Traceback \(most recent|\.py"?, line \d|\.[cm]?[jt]s:\d+:\d|\.rb:\d+:in |\.go:\d|\bgoroutine \d|\.(?:java|kt|scala):\d+\)|\.(?:cs|vb):line \d/;

/** Points of what leaks. */
export const leaks: readonly Omit<AnswerPoint, 'group'>[] = [
  {
    id: 'personal-data',
    severity: 'leak',
    name: 'No answer holds personal data',
    why: 'Anyone with the address of an invoice could read who ordered it and who paid (LGPD)',
    expected: 'no name, CPF, CNPJ, e-mail, phone or address of anyone',
    findFault: ({ text, body }, values) =>
      findPersonalData(Object.keys(body).length > 0 ? body : text, values),
  },
  {
    id: 'echo',
    severity: 'leak',
    name: 'No answer repeats a token',
    why: 'Answers end in logs, error trackers and screenshots',
    expected: 'no Authorization, no access token, no order token',
    findFault: findEcho,
  },
  {
    id: 'address',
    severity: 'leak',
    name: 'No answer names an address with a token in it',
    why: 'Addresses stand in histories, logs and referrers',
    expected: 'tokens in headers and bodies only',
    findFault: (answer) =>
      /[?&#](?:[a-z]+_)?token=/i.test(toAll(answer)) ? 'an address with a token' : null,
  },
  {
    id: 'stack-trace',
    severity: 'leak',
    name: 'No answer shows where the proxy failed',
    why: 'Stack traces hold paths, versions, and often arguments: tokens and what a payer typed',
    expected: 'the code service_unavailable, and the trace in the log of the server',
    findFault: ({ text }) => (stackForm.test(text.replaceAll('\\"', '"')) ? 'a stack trace' : null),
  },
  {
    id: 'guessable',
    severity: 'leak',
    name: 'No token can be computed from what is public',
    why: 'Addresses and references stand in logs and histories; who knows one would have its token',
    expected: 'a signature by a secret, or random letters that are remembered',
    isAbout: ({ data }) => typeof data?.['lookup_token'] === 'string',
    findFault: findGuessable,
  },
];

function toAll({ headers, text }: Answer): string {
  return `${[...headers].flat().join('\n')}\n${text}`;
}

function findEcho({ headers, text, path, data }: Answer, values: Values): string | null {
  const all = `${[...headers.values()].join('\n')}\n${text}`;
  // An answer to a creation brings the look-up token: it has this one place.
  const isPlace = path.startsWith('/invoices') && data?.['lookup_token'] !== undefined;
  const tokens = ['order_token', 'card_token', ...(isPlace ? [] : ['lookup_token'])];
  const echoed = tokens.filter((name) => {
    const token = String(values[name] ?? '');
    return token.length >= shortestSoughtToken && all.includes(token);
  });
  if (echoed.length > 0) return toNames(echoed);
  return /"authorization"\s*:|\bbearer\s+[\w.~+/-]{8}/i.test(all) ? 'Authorization' : null;
}

/** Looks at names of fields, and at texts. Without recursion: how deep an answer is nested is not ours to say. */
function findPersonalData(answer: unknown, { order }: Values): string | null {
  const left: [name: string, value: unknown][] = [['', answer]];
  for (const [name, value] of left) {
    if (personalName.test(name)) return toNames([name]);
    const found = typeof value === 'string' && value !== order ? findInText(name, value) : null;
    if (found !== null) return found;
    if (typeof value === 'object' && value !== null) left.push(...Object.entries(value));
  }
  return null;
}

/** A Pix code may hold the shop's own key, a token any letters, and `detail` names a field. */
function findInText(name: string, text: string): string | null {
  if (['qr_code_pix', 'lookup_token'].includes(name)) return null;
  if (emailForm.test(text)) return 'an e-mail address';
  if ((text.match(taxIdForm) ?? []).some(isTaxId)) return 'a CPF or CNPJ';
  return !['detail', 'title'].includes(name) && personalWord.test(text) ? 'words of it' : null;
}

/** A token that is a digest of what everyone can know of the order, or too short to be none. */
function findGuessable({ data = {} }: Answer, { order_token: orderToken }: Values): string | null {
  const named = {
    lookup_token: data['lookup_token'] as string,
    order_token: String(orderToken ?? ''),
  };
  const known = ['invoice_id', 'external_id', 'order_code', 'total_cents']
    .map((name) => data[name])
    .filter((one) => typeof one === 'string' || typeof one === 'number')
    .map(String);
  const pairs = known.flatMap((one) =>
    known.flatMap((more) => ['', ':', '-', '|', '.', '_'].map((by) => one + by + more)),
  );
  const digests = new Set([
    ...[...known, ...pairs].flatMap((text) => toDigests((hash) => createHash(hash).update(text))),
    ...known.flatMap((text) =>
      ['', ...known].flatMap((key) => toDigests((hash) => createHmac(hash, key).update(text))),
    ),
  ]);
  const found = Object.entries(named).find(
    ([, token]) => digests.has(token) || token.split('.').some((part) => digests.has(part)),
  );
  if (found) return `${found[0]} is a digest of public ids`;
  return named.lookup_token.length < shortestToken ? 'lookup_token can be guessed' : null;
}

function toDigests(digest: (hash: string) => Hash | Hmac): string[] {
  return ['md5', 'sha1', 'sha256', 'sha512'].flatMap((hash) => {
    const bytes = digest(hash).digest();
    return (['hex', 'base64', 'base64url'] as const).map((form) => bytes.toString(form));
  });
}
