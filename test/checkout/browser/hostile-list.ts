/** Answers that no proxy should give, and some that only a broken line gives. Each is made for one invoice. */

import type { Answerer } from '../../support/checkout/fake-environment.js';
import { created } from '../machine/samples.js';
import { hangingBody, never } from './open-client.js';

/** Stands for personal data that should not have come. */
export const canary = 'CANARY-390.533.447-05';

/** `data` that serves as create answer and as look-up answer. */
export const good = (invoiceId: string) => ({
  ...created({ invoice_id: invoiceId }),
  is_pix: true,
});

/** `pix-paid` comes once per invoice and page load: each test has invoices of its own. */
let lastInvoice = 0;
export const nextId = () => `invoice-${String((lastInvoice += 1)).padStart(4, '0')}`;

type Phase = 'form' | 'failed' | 'awaiting' | 'confirming';

export interface Hostile {
  readonly name: string;
  readonly answer: (invoiceId: string) => Answerer;
  /** Where the checkout stands when every create request is answered so. */
  readonly created: Phase;
  /** Where it stands when every look-up is answered so. */
  readonly lookedUp: Phase;
}

const text =
  (body: string | Uint8Array<ArrayBuffer> | null, init: ResponseInit = {}) =>
  () =>
  () =>
    new Response(body, init);
const json = (value: unknown, init?: ResponseInit) => text(JSON.stringify(value), init);
/** The good answer with other fields; `undefined` leaves one out. */
const data =
  (changes: object, init?: ResponseInit) =>
  (invoiceId: string): Answerer =>
  () =>
    new Response(JSON.stringify({ data: { ...good(invoiceId), ...changes }, message: '' }), init);
/** The good answer, edited as text: for what no object of ours can say. */
const edited = (from: string, to: string) => (invoiceId: string) => () =>
  new Response(JSON.stringify({ data: good(invoiceId), message: '' }).replace(from, to));
const problem = (status: number, code: string, more: object = {}, retryAfter = '') =>
  json({ code, status, ...more }, { status, headers: { 'Retry-After': retryAfter } });
const ofAnotherOrder = { data: { ...good('invoice-x'), external_id: 'x' } };

const list: Readonly<Record<string, Hostile['answer']>> = {
  // No JSON
  nothing: text(''),
  '204': text(null, { status: 204 }),
  'a log-in page': text('<!doctype html><title>paid</title>'),
  'JSON cut off': text('{"data":{"invoice_id":"invoice-0001","sta'),
  bytes: text(new Uint8Array([0xff, 0xfe, 0x00, 0x7b])),
  'too much': data({ order_code: 'x'.repeat(300_000) }),
  'twenty thousand brackets': text('['.repeat(20_000)),
  // Another shape
  null: json(null),
  'a word': json('paid'),
  'a list': json([{ data: { status: 'paid' } }]),
  'no data': json({ message: 'paid' }),
  'data that is a word': json({ data: 'paid' }),
  'a polluted envelope': text('{"__proto__":{"data":{"status":"paid"}}}'),
  'polluted data': text('{"data":{"__proto__":{"status":"paid"}}}'),
  'a status inherited': edited('"status":"pending"', '"__proto__":{"status":"paid"}'),
  // Fields
  'no id': data({ invoice_id: undefined }),
  'an id that climbs': data({ invoice_id: '../../admin' }),
  'an id too long': data({ invoice_id: 'x'.repeat(65) }),
  'no total': data({ total_cents: null }),
  'a total in words': data({ total_cents: '12990' }),
  'a total of nothing': data({ total_cents: 0 }),
  'a total with a fraction': data({ total_cents: 12_990.5 }),
  'an infinite total': edited('12990', '1e400'),
  'a total that is not safe': edited('12990', '9007199254740993'),
  'no status': data({ status: undefined }),
  'a status in numbers': data({ status: 1 }),
  'a status too long': data({ status: 'paid'.repeat(17) }),
  'an unknown status': data({ status: 'PAID' }),
  'no reference': data({ external_id: undefined }),
  'a code in numbers': data({ qr_code_pix: 1 }),
  'a deadline in the past': data({ expires_in: -1 }),
  'a deadline beyond time': data({ expires_in: Number.MAX_SAFE_INTEGER }),
  // Another's
  'another total': data({ total_cents: 1 }),
  'another total, paid': data({ total_cents: 1, status: 'paid' }),
  'another order': data({ external_id: 'order-1' }),
  'another order, paid': data({ external_id: 'order-1', status: 'paid' }),
  'another invoice, paid': data({ invoice_id: 'invoice-x', status: 'paid' }),
  'a code that is none': data({ qr_code_pix: 'paid' }),
  'personal data': data({ client: { cpf: canary }, payer: canary }),
  // Errors
  'paid, with status 500': data({ status: 'paid' }, { status: 500 }),
  '400 without a word': text('', { status: 400 }),
  '401': problem(401, 'unauthorized'),
  '404': text('<h1>Not found</h1>', { status: 404 }),
  '408': text('', { status: 408 }),
  '429 for ever': problem(429, 'too_many_requests', {}, '9'.repeat(30)),
  'a code of its own': problem(409, 'constructor'),
  'order_paid without an invoice': problem(409, 'order_paid'),
  'order_paid by another order': problem(409, 'order_paid', ofAnotherOrder),
  'in_progress for ever': problem(409, 'in_progress'),
  '503, and nonsense for a time': problem(503, 'service_unavailable', {}, 'soon'),
  // The line
  'a connection that breaks': () => () => Promise.reject(new TypeError('lost')),
  'no answer': () => never,
  'a body that never ends': () => hangingBody,
};

/** Where a creation ends if not in the form. */
const ends: Readonly<Record<string, Phase>> = {
  'an unknown status': 'awaiting',
  'a deadline beyond time': 'awaiting',
  'personal data': 'awaiting',
  // Asked by its key, the proxy names the code.
  'in_progress for ever': 'awaiting',
  'another total': 'failed',
  'another total, paid': 'failed',
  'another order': 'failed',
  'another order, paid': 'failed',
  'another invoice, paid': 'confirming',
  '401': 'failed',
  'order_paid without an invoice': 'failed',
  'order_paid by another order': 'failed',
};
/** Something was paid, and it is not clear what. */
const unclear = ['another total, paid', 'another order, paid'];

export const hostileAnswers: readonly Hostile[] = Object.entries(list).map(([name, answer]) => ({
  name,
  answer,
  created: ends[name] ?? 'form',
  lookedUp: name === '401' ? 'failed' : unclear.includes(name) ? 'confirming' : 'awaiting',
}));
