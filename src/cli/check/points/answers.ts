/** Points that hold for every answer of a proxy. They send nothing: each looks at what came to all requests. */

import { createdAnswerSchema, statusAnswerSchema } from '../../../contract/schemas.js';
import { BrCodeError, parseBrCode } from '../../../domain/br-code.js';
import { findErrorFault, toMediaType, toNoJson } from '../compare-answers.js';
import { leaks } from './leaks.js';
import type { AnswerPoint } from '../judge.js';
import type { Values } from '../point.js';
import type { Answer } from '../send-request.js';

const isSuccess = ({ status, method }: Answer) =>
  status >= 200 && status < 300 && method !== 'OPTIONS';

/** Cards may pay the order during the check. */
const isOfPix = ({ data, isOfCard }: Answer, { card_invoice_id: ofCard }: Values) =>
  !isOfCard && data?.['invoice_id'] !== undefined && data['invoice_id'] !== ofCard;

const isOfOrder = (answer: Answer, values: Values) =>
  isOfPix(answer, values) && answer.data?.['external_id'] !== values['second_order'];

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
    findFault: ({ data }) =>
      String(data?.['status']).trim().toLowerCase() === 'paid' ? 'paid' : null,
  },
  {
    id: 'status-word',
    severity: 'breaks',
    name: 'Statuses are spelled as in the contract',
    why: 'A page waits for the word paid: it takes PAID for any other word, and waits for ever',
    expected: 'small letters, without spaces around them',
    isAbout: (answer) => isSuccess(answer) && typeof answer.data?.['status'] === 'string',
    findFault: ({ data }) =>
      /\p{Lu}|^\s|\s$/u.test(String(data?.['status']))
        ? 'capital letters, or spaces around it'
        : null,
  },
  {
    id: 'payable',
    severity: 'money',
    name: 'The code can be paid, and names the total',
    why: 'A bank app refuses a broken code, and pays the amount that stands in it',
    expected: 'a Pix code of this total',
    // A look-up may leave it out.
    isAbout: (answer, values) =>
      isSuccess(answer) &&
      isOfPix(answer, values) &&
      (answer.method === 'POST' || Boolean(answer.data?.['qr_code_pix'])),
    findFault: ({ data = {} }) => findCodeFault(data),
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
    expected: 'one total in all answers, and that of --total',
    // A card may cost more than Pix.
    isAbout: (answer, values) =>
      values['total_cents'] !== undefined &&
      answer.data?.['total_cents'] !== undefined &&
      isOfOrder(answer, values),
    findFault({ data }, { total_cents: first, true_cents: wanted = first }) {
      const came = data?.['total_cents'];
      if (came === wanted) return null;
      return Number.isSafeInteger(came) ? `${String(came)} cents, not ${wanted}` : 'another total';
    },
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
    findFault: ({ status }) =>
      status === 408 ? '408 (by Apache? RequestReadTimeout body=0, or without a limit)' : null,
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
  ...leaks,
];

/** All of them. */
export const answerPoints: readonly AnswerPoint[] = points.map((point) => ({
  ...point,
  group: 'answers',
}));

/** A bank asks a location for the amount, and may find none or zero in its code. Another one is a mistake all the same. */
function findCodeFault(data: Readonly<Record<string, unknown>>): string | null {
  try {
    const { amountCents, recurrenceLocation } = parseBrCode(data['qr_code_pix']);
    if (recurrenceLocation !== null) return 'a code that authorises later debits';
    const isOther = Boolean(amountCents) && amountCents !== data['total_cents'];
    return isOther ? `a code of ${amountCents} cents` : null;
  } catch (thrown) {
    return `no code that a bank takes (${thrown instanceof BrCodeError ? thrown.fault : 'unreadable'})`;
  }
}
