/** Points that hold for every answer of a proxy. They send nothing: each looks at what came to all requests. */

import { createdAnswerSchema, statusAnswerSchema } from '../../contract/schemas.js';
import { isTaxId } from '../../domain/tax-id.js';
import { findErrorFault, toMediaType, toNames } from './compare-answers.js';
import { parseObject } from '../json-object.js';
import type { PointText, Values } from './point.js';
import type { Answer } from './send-request.js';

/** Such a point. */
export interface AnswerPoint extends PointText {
  readonly expected: string;
  /** The point also judges the answer to the body that stalled, which a web server in front may give by itself. */
  readonly isOfServer?: true;
  /** Chooses the answers that the point judges; default: all. */
  readonly isAbout?: (answer: Answer, values: Values) => boolean;
  /** Says what is wrong with an answer, without quoting a value of it; null: nothing. */
  readonly findFault: (answer: Answer, values: Values) => string | null;
}

const isSuccess = ({ status, method }: Answer) =>
  status >= 200 && status < 300 && method !== 'OPTIONS';

/** Tokens shorter than this are not searched for: such a text occurs in answers by chance. */
const shortestSoughtToken = 8;

/** Names of fields that hold personal data. `client` and `payer` are fields of the service. */
const personalName =
  /cpf|cnpj|e-?mail|phone|telefone|celular|address|endereco|birth|nascimento|^(client|payer|end_to_end_id)$/i;
const personalWord = /\b(cpf|cnpj|e-?mail|telefone|celular)\b/i;
/** Only one letter before the `@`: with `+` there, the time would grow with the square of a text's length. */
const emailForm = /[^\s@]@[^\s@]+\.[^\s@]/;
const taxIdForm =
  /(?<![\w-])(\d{3}\.\d{3}\.\d{3}-\d\d|\d{11}|[\dA-Z]{2}\.[\dA-Z]{3}\.[\dA-Z]{3}\/[\dA-Z]{4}-\d\d)(?![\w-])/g;

/** Cards may pay the order during the check. */
const isOfPix = ({ data }: Answer, { card_invoice_id: ofCard }: Values) =>
  data?.['invoice_id'] !== undefined && data['invoice_id'] !== ofCard;

const points: readonly Omit<AnswerPoint, 'group'>[] = [
  {
    id: 'shape',
    severity: 'breaks',
    name: 'Invoices have the shape of the contract',
    why: 'The page stops at an answer that it cannot read',
    expected: 'the fields of the contract, each of its type',
    isAbout: (answer) => isSuccess(answer) && answer.path.startsWith('/invoices'),
    findFault({ path, body, text }) {
      if (Object.keys(body).length === 0) return toNoJson(text);
      const schema = path.startsWith('/invoices/') ? statusAnswerSchema : createdAnswerSchema;
      const fault = schema.safeParse(body).error?.issues[0]?.path;
      return fault === undefined
        ? null
        : `${fault.join('.') || 'body'} is missing or of another type`;
    },
  },
  {
    id: 'unpaid',
    severity: 'money',
    name: 'An order that is not paid is not called paid',
    why: 'The page would show a receipt, and a shop that believes it would ship',
    expected: 'another status than paid',
    isAbout: (answer, values) => isSuccess(answer) && isOfPix(answer, values),
    findFault: ({ data }) => (data?.['status'] === 'paid' ? 'paid' : null),
  },
  {
    id: 'type',
    severity: 'breaks',
    name: 'Invoices are JSON, and say so',
    why: 'A browser that guesses a type may run an answer as a page',
    expected: 'Content-Type: application/json',
    isAbout: (answer) => isSuccess(answer) && answer.data !== undefined,
    findFault: ({ headers }) =>
      toMediaType(headers) === 'application/json' ? null : 'another type, or none',
  },
  {
    id: 'total',
    severity: 'money',
    name: 'The total stays the same',
    why: 'Only the shop says what an order costs',
    expected: 'one total in all answers',
    // A card may cost more than Pix.
    isAbout: (answer, values) =>
      values['total_cents'] !== undefined &&
      answer.data?.['total_cents'] !== undefined &&
      isOfPix(answer, values),
    findFault: ({ data }, values) =>
      data?.['total_cents'] === values['total_cents'] ? null : 'another total_cents',
  },
  {
    id: 'errors',
    severity: 'breaks',
    name: 'Errors are problem documents with a code',
    why: 'A page cannot tell “try again” from “already paid” by a status alone',
    expected: 'application/problem+json with a code of the list, its status, and detail',
    isAbout: ({ status }) => status >= 400,
    findFault: findErrorFault,
  },
  {
    id: 'no-408',
    severity: 'money',
    name: 'No answer is 408, of a body that stalls either',
    why: 'Browsers send a request again on it, and a payment must not be sent twice',
    expected: 'any other status, or none',
    isOfServer: true,
    findFault: ({ status }) => (status === 408 ? '408' : null),
  },
  {
    id: 'no-redirect',
    severity: 'leak',
    name: 'No answer redirects',
    why: 'A page would send its tokens on to another place',
    expected: 'no 3xx',
    findFault: ({ status }) => (status >= 300 && status < 400 ? `${status}` : null),
  },
  {
    id: 'no-store',
    severity: 'breaks',
    name: 'No cache may keep an answer',
    why: 'A cached look-up says pending of a paid order, or shows it to another payer',
    expected: 'Cache-Control: no-store',
    // A cache may keep a 404 of a GET by itself, and then it says not_found of a payment that has been made.
    isAbout: (answer) => isSuccess(answer) || (answer.method === 'GET' && answer.status >= 400),
    findFault: ({ headers }) =>
      /\bno-store\b/i.test(headers.get('cache-control') ?? '')
        ? null
        : 'no Cache-Control: no-store',
  },
  {
    id: 'nosniff',
    severity: 'better',
    name: 'No browser may guess the type of an answer',
    why: 'What a payer typed may stand in it, and must never run as a page',
    expected: 'X-Content-Type-Options: nosniff',
    isAbout: ({ text }) => text !== '',
    findFault: ({ headers }) =>
      headers.get('x-content-type-options')?.toLowerCase() === 'nosniff' ? null : 'none',
  },
  {
    id: 'wildcard',
    severity: 'leak',
    name: 'No answer lets every page of the world read it',
    why: 'Any site could use the browsers of its visitors',
    expected: 'the origin of one page, never *',
    findFault: ({ headers }) =>
      headers.get('access-control-allow-origin') === '*' ? 'Access-Control-Allow-Origin: *' : null,
  },
  {
    id: 'vary',
    severity: 'better',
    name: 'A cache tells the pages of the shop apart',
    why: 'It would give one page the leave of another, and the browser refuses it',
    expected: 'Vary: Origin beside Access-Control-Allow-Origin',
    isAbout: ({ headers }) => !['*', null].includes(headers.get('access-control-allow-origin')),
    findFault: ({ headers }) =>
      /(^|,)\s*(origin|\*)\s*(,|$)/i.test(headers.get('vary') ?? '') ? null : 'no Vary: Origin',
  },
  {
    id: 'readable',
    severity: 'breaks',
    name: 'The page of the shop may read every answer, errors too',
    why: 'Otherwise it sees a network error, and tries again what was refused',
    expected: 'Access-Control-Allow-Origin: the origin of the page',
    isAbout: ({ origin }, values) => origin !== null && origin === values['origin'],
    findFault: ({ headers, origin }) =>
      headers.get('access-control-allow-origin') === origin ? null : 'another, or none',
  },
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
];

/** All of them. */
export const answerPoints: readonly AnswerPoint[] = points.map((point) => ({
  ...point,
  group: 'answers',
}));

/** What came in place of JSON: a notice of PHP, a byte order mark, a page. Long words are left out: a token may stand there. */
function toNoJson(text: string): string {
  if (parseObject(text) !== null) return 'an empty object';
  const begin = text.slice(0, 60).replace(/[\w-]{24,}/g, '…');
  const shown = JSON.stringify(begin).replaceAll(
    /[^\x20-\x7e…]/g,
    (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`,
  );
  return text === '' ? 'nothing' : `not JSON, it begins with ${shown}`;
}

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
