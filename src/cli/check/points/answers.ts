/** Points that hold for every answer of a proxy. They send nothing, and judge the answers to all requests. */

import { createdAnswerSchema, statusAnswerSchema } from '../../../contract/schemas.js';
import { daySeconds, hourSeconds } from '../../../domain/spans.js';
import { findGuessable, findPersonalData } from '../leaks.js';
import { isForeignAnswer, isInvoiceAnswer, type AnswerPoint } from '../judge.js';
import { findErrorFault, readCode } from '../words.js';
import type { Values } from '../point.js';
import type { Answer } from '../send-request.js';
import { toPoints } from './requests.js';

/** Whether an answer has an invoice by Pix. A card's invoice may be paid, or cost more. */
const isOfPix = (answer: Answer, { card_invoice_id: ofCard }: Values) =>
  isInvoiceAnswer(answer) && !answer.isOfCard && answer.data?.['invoice_id'] !== ofCard;

const isOfOrder = (answer: Answer, values: Values) =>
  isOfPix(answer, values) && answer.data?.['external_id'] !== values['second_order'];

const portuguese =
  /^(?:n[aã]o[ _-]?)?(?:pag[oa]|pagad[oa]|pendi?ente|aguardando|esperando|aprovad[oa]|aprobad[oa]|confirmad[oa]|conclu[ií]d[oa]|expirad[oa]|vencid[oa]|cancelad[oa]|recusad[oa]|rechazad[oa]|aberto|criad[oa]|process(?:ando|ado))(?![a-z])/iu;

/** Stack traces of JavaScript, Python, PHP, Ruby, Java, Go and .NET, in this order, also inside JSON or HTML. */
const stackTrace =
  /(?:[\n;]|\\n)\s*at .{1,300}?:\d+:\d+|Traceback \(most recent call last\)|#0 .{1,300}?\(\d+\): |\.rb:\d+:in |at [\w.$]{1,200}\([\w.]+\.java:\d+\)|goroutine \d+ \[|\.cs:line \d+/;

export const answerPoints = toPoints<AnswerPoint>('answers', 'breaks', {
  shape: {
    name: 'Invoices have the shape of the contract',
    why: 'The page stops at a field of another type, and takes PAID for any other word than paid',
    change:
      'Answer the fields of the contract, cents as whole numbers and statuses in small letters',
    expected: 'the fields of the contract, each of its type',
    isAbout: isInvoiceAnswer,
    findFault({ path, body, data }) {
      const schema = path.startsWith('/invoices/') ? statusAnswerSchema : createdAnswerSchema;
      const fault = schema.safeParse(body).error?.issues[0]?.path;
      if (fault) return `${fault.join('.')} is missing or of another type`;
      const isOdd = /\p{Lu}|^\s|\s$/u.test(String(data?.['status']));
      return isOdd ? 'a status with capital letters, or spaces around it' : null;
    },
  },
  'status-portuguese': {
    name: 'Statuses are the contract’s words, not their translation',
    why: 'The page shows a receipt at paid alone: after pago it waits on, and the payer may pay again',
    change: 'Answer paid where the service says so, and pending until then',
    expected: 'paid, pending, or another English word',
    isAbout: isInvoiceAnswer,
    findFault: ({ data }) =>
      portuguese.test(String(data?.['status'])) ? 'a status in Portuguese or Spanish' : null,
  },
  unpaid: {
    severity: 'money',
    name: 'An order that is not paid is not called paid',
    why: 'The page would show a receipt, and a shop that believes it would ship',
    change: 'Say paid only when a look-up at the service did, of this very invoice',
    expected: 'another status than paid',
    isAbout: isOfPix,
    findFault: ({ data }) =>
      String(data?.['status']).trim().toLowerCase() === 'paid' ? 'paid' : null,
  },
  payable: {
    severity: 'money',
    name: 'The code can be paid, and names the total',
    why: 'A bank app refuses a broken code, and pays the amount that stands in it',
    change: 'Hand the service’s code on as it is, and only if it names the order’s total',
    expected: 'a Pix code of this total',
    // A look-up may leave the field out.
    isAbout: (answer, values) =>
      isOfPix(answer, values) &&
      (answer.method === 'POST' || Boolean(answer.data?.['qr_code_pix'])),
    findFault({ data = {} }) {
      const { wrong, fault } = readCode(data['qr_code_pix'], data['total_cents']);
      if (fault) return `no code that a bank takes (${fault})`;
      return wrong ? `a code ${wrong}` : null;
    },
  },
  total: {
    severity: 'money',
    name: 'The order costs what it costs',
    why: 'Only the shop says what an order costs',
    change: 'Read the price in whole cents, and round or convert nothing',
    expected: 'the total of --total',
    // A card may cost more than Pix, so only answers about Pix are compared.
    isAbout: (answer, values) => values['true_cents'] !== undefined && isOfOrder(answer, values),
    // Another point reports answers that differ from the first.
    findFault: (_, { true_cents: wanted, total_cents: first }) =>
      first === wanted ? null : `${first} cents, not ${wanted}`,
  },
  'expires-in': {
    name: 'The deadline is in seconds from now',
    why: 'The page shows it, and calls the code expired after it',
    change: 'Answer expires_in in whole seconds that are left, or leave it out',
    expected: 'none, or the seconds until a deadline in days to come',
    isAbout: (answer) => isInvoiceAnswer(answer) && answer.method === 'POST',
    findFault({ data }) {
      const seconds = Number(data?.['expires_in'] ?? daySeconds);
      if (seconds <= 0) return `${seconds}: it has passed`;
      // Larger numbers must be whole days: half an hour in milliseconds is 20.8 days.
      const isWhole =
        daySeconds - (seconds % daySeconds) < hourSeconds || seconds % daySeconds === 0;
      const isLong = seconds > 60 * daySeconds || (seconds > 7 * daySeconds && !isWhole);
      return isLong ? `${seconds}: is it a time, or in milliseconds?` : null;
    },
  },
  'lookup-no-expiry': {
    name: 'A look-up names the deadline that the creation named',
    why: 'A page that was opened again shows no time, and offers the code when it has ended',
    change: 'Answer expires_in, the seconds that are left, to look-ups of an unpaid code too',
    expected: 'expires_in, as the creation had it',
    isAbout: (answer, values) =>
      isOfOrder(answer, values) &&
      answer.path.startsWith('/invoices/') &&
      answer.data?.['status'] !== 'paid',
    findFault: ({ data }, { expires_in: seconds }) =>
      seconds !== undefined && (data?.['expires_in'] ?? null) === null ? 'none' : null,
  },
  errors: {
    name: 'Errors are problem documents, with a code and its status',
    why: 'A page cannot tell “try again” from “already paid” by a status alone',
    change: 'Answer application/problem+json with the code, and the status that belongs to it',
    expected: 'application/problem+json with a code of the list, and its status',
    // A web server in front may itself answer a request that no page sends.
    isAbout: (answer, { unread }) =>
      answer.isOfPage &&
      (answer.status >= 400 || !(isInvoiceAnswer(answer) || isForeignAnswer(answer))) &&
      !(unread && isForeignAnswer(answer)),
    findFault: findErrorFault,
  },
  'no-408': {
    severity: 'money',
    name: 'No answer is 408, of a body that stalls either',
    why: 'Browsers send a request again on it, and a payment must not be sent twice',
    change: 'Close the connection, or answer 400 (Apache: RequestReadTimeout body=0)',
    expected: 'any other status, or none',
    findFault: ({ status }) => (status === 408 ? '408' : null),
  },
  'no-store': {
    name: 'No cache may keep an answer',
    why: 'A cached look-up says pending of a paid order, or shows it to another payer',
    change: 'Send Cache-Control: no-store with every answer, errors of a GET too',
    expected: 'Cache-Control: no-store',
    // A cache may keep the 404 of a GET by default, and then answer not_found for a payment that was made later.
    isAbout: (answer) =>
      answer.isOfPage &&
      !isForeignAnswer(answer) &&
      (isInvoiceAnswer(answer) || answer.method === 'GET'),
    findFault: ({ headers }) =>
      /\bno-store\b/i.test(headers.get('cache-control') ?? '') ? null : 'none',
  },
  readable: {
    name: 'The page of the shop may read every answer, errors too',
    why: 'Otherwise it sees a network error, and tries again what was refused',
    change:
      'Send Access-Control-Allow-Origin with the page’s origin from one place, also with errors',
    expected: 'Access-Control-Allow-Origin: the origin of the page',
    isAbout: (answer, values) =>
      answer.isOfPage &&
      !isForeignAnswer(answer) &&
      answer.origin !== null &&
      answer.origin === values['origin'],
    findFault: ({ headers, origin }) =>
      headers.get('access-control-allow-origin') === origin ? null : 'another, or none',
  },
  'personal-data': {
    severity: 'leak',
    name: 'No answer holds personal data',
    why: 'Anyone with the address of an invoice could read who ordered it and who paid (LGPD)',
    change:
      'Answer the contract’s fields by name: leave out client, payer, end_to_end_id and what was typed',
    expected: 'no name, CPF, CNPJ, e-mail, phone or address of anyone',
    findFault: ({ text, body }, { order, payer_name: name }) =>
      text.includes(String(name))
        ? 'the payer’s name'
        : findPersonalData(Object.keys(body).length > 0 ? body : text, order),
  },
  'stack-trace': {
    severity: 'leak',
    name: 'No answer shows a stack trace',
    why: 'It tells strangers paths, packages and versions, and may hold what was typed',
    change:
      'Catch every error of your own, and turn the framework’s debug mode off (NODE_ENV=production)',
    expected: 'a code of the contract, and nothing of the program',
    findFault: ({ text }) => (stackTrace.test(text) ? 'a stack trace' : null),
  },
  echo: {
    severity: 'leak',
    name: 'No answer repeats a token',
    why: 'Answers and addresses end in logs, error trackers and screenshots',
    change: 'Put no request and no header of one into an answer, and tokens into no address',
    expected: 'no Authorization, no order token, no address with a token',
    findFault({ headers, text }, { order_token: token = '' }) {
      const all = `${[...headers].flat().join('\n')}\n${text}`;
      if (String(token).length > 7 && all.includes(String(token))) return 'the order token';
      if (/[?&#](?:[a-z]+_)?token=/i.test(all)) return 'an address with a token';
      return /"authorization"\s*:|\bbearer\s+[\w.~+/-]{8}/i.test(all) ? 'Authorization' : null;
    },
  },
  guessable: {
    severity: 'leak',
    name: 'No token can be computed or guessed, and without one no id',
    why: 'Addresses and references stand in logs and histories; who knows one would have its token',
    change: 'Give 16 random bytes that you remember, or sign with a secret of 32 random bytes',
    expected: 'random letters, or a signature by a secret',
    isAbout: (answer) => isInvoiceAnswer(answer) && answer.method === 'POST',
    findFault: findGuessable,
  },
});
