/** Answers that no proxy should give, and some that only a broken line gives. Each is made for one invoice. */

import type { Answerer } from '../../support/fake-environment.js';
import { created } from '../machine/samples.js';
import { hangingBody, never } from './open-client.js';

/** Stands for personal data that should not have come. */
export const canary = 'CANARY-390.533.447-05';

/** `data` that serves as create answer and as look-up answer. */
export const good = (invoiceId: string) => ({
  ...created({ invoice_id: invoiceId }),
  is_pix: true,
});

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

const list: readonly (readonly [
  name: string,
  answer: Hostile['answer'],
  created: Phase,
  lookedUp: Phase,
])[] = [
  // No JSON
  ['nothing', text(''), 'form', 'awaiting'],
  ['204', text(null, { status: 204 }), 'form', 'awaiting'],
  ['a log-in page', text('<!doctype html><title>paid</title>'), 'form', 'awaiting'],
  ['JSON cut off', text('{"data":{"invoice_id":"invoice-0001","sta'), 'form', 'awaiting'],
  ['bytes', text(new Uint8Array([0xff, 0xfe, 0x00, 0x7b])), 'form', 'awaiting'],
  ['too much', data({ order_code: 'x'.repeat(300_000) }), 'form', 'awaiting'],
  ['a hundred thousand brackets', text('['.repeat(100_000)), 'form', 'awaiting'],
  // Another shape
  ['null', json(null), 'form', 'awaiting'],
  ['a word', json('paid'), 'form', 'awaiting'],
  ['a list', json([{ data: { status: 'paid' } }]), 'form', 'awaiting'],
  ['no data', json({ message: 'paid' }), 'form', 'awaiting'],
  ['data that is a word', json({ data: 'paid' }), 'form', 'awaiting'],
  ['a polluted envelope', text('{"__proto__":{"data":{"status":"paid"}}}'), 'form', 'awaiting'],
  ['polluted data', text('{"data":{"__proto__":{"status":"paid"}}}'), 'form', 'awaiting'],
  [
    'a status inherited',
    edited('"status":"pending"', '"__proto__":{"status":"paid"}'),
    'form',
    'awaiting',
  ],
  // Fields
  ['no id', data({ invoice_id: undefined }), 'form', 'awaiting'],
  ['an id that climbs', data({ invoice_id: '../../admin' }), 'form', 'awaiting'],
  ['an id too long', data({ invoice_id: 'x'.repeat(65) }), 'form', 'awaiting'],
  ['no total', data({ total_cents: null }), 'form', 'awaiting'],
  ['a total in words', data({ total_cents: '12990' }), 'form', 'awaiting'],
  ['a total of nothing', data({ total_cents: 0 }), 'form', 'awaiting'],
  ['a total with a fraction', data({ total_cents: 12_990.5 }), 'form', 'awaiting'],
  ['an infinite total', edited('12990', '1e400'), 'form', 'awaiting'],
  ['a total that is not safe', edited('12990', '9007199254740993'), 'form', 'awaiting'],
  ['no status', data({ status: undefined }), 'form', 'awaiting'],
  ['a status in numbers', data({ status: 1 }), 'form', 'awaiting'],
  ['a status too long', data({ status: 'paid'.repeat(17) }), 'form', 'awaiting'],
  ['a status nobody knows', data({ status: 'PAID' }), 'awaiting', 'awaiting'],
  ['no reference', data({ external_id: undefined }), 'form', 'awaiting'],
  ['a code in numbers', data({ qr_code_pix: 1 }), 'form', 'awaiting'],
  ['a deadline in the past', data({ expires_in: -1 }), 'form', 'awaiting'],
  ['a deadline beyond time', data({ expires_in: Number.MAX_SAFE_INTEGER }), 'awaiting', 'awaiting'],
  // Somebody else's
  ['another total', data({ total_cents: 1 }), 'failed', 'awaiting'],
  ['another total, paid', data({ total_cents: 1, status: 'paid' }), 'failed', 'confirming'],
  ['another order', data({ external_id: 'order-1' }), 'failed', 'awaiting'],
  ['another order, paid', data({ external_id: 'order-1', status: 'paid' }), 'failed', 'confirming'],
  [
    'another invoice, paid',
    data({ invoice_id: 'invoice-x', status: 'paid' }),
    'confirming',
    'awaiting',
  ],
  ['a code that is none', data({ qr_code_pix: 'paid' }), 'form', 'awaiting'],
  ['personal data', data({ client: { cpf: canary }, payer: canary }), 'awaiting', 'awaiting'],
  // Errors
  ['paid, with status 500', data({ status: 'paid' }, { status: 500 }), 'form', 'awaiting'],
  ['400 without a word', text('', { status: 400 }), 'form', 'awaiting'],
  ['401', problem(401, 'unauthorized'), 'failed', 'awaiting'],
  ['404', text('<h1>Not found</h1>', { status: 404 }), 'failed', 'awaiting'],
  ['408', text('', { status: 408 }), 'form', 'awaiting'],
  ['429 for ever', problem(429, 'too_many_requests', {}, '9'.repeat(30)), 'form', 'awaiting'],
  ['a code of its own', problem(409, 'constructor'), 'form', 'awaiting'],
  ['order_paid without an invoice', problem(409, 'order_paid'), 'failed', 'awaiting'],
  [
    'order_paid by another order',
    problem(409, 'order_paid', { data: { ...good('invoice-x'), external_id: 'x' } }),
    'failed',
    'awaiting',
  ],
  ['in_progress for ever', problem(409, 'in_progress'), 'form', 'awaiting'],
  [
    '503, and nonsense for a time',
    problem(503, 'service_unavailable', {}, 'soon'),
    'form',
    'awaiting',
  ],
  // The line
  [
    'a connection that breaks',
    () => () => Promise.reject(new TypeError('lost')),
    'form',
    'awaiting',
  ],
  ['no answer', () => never, 'form', 'awaiting'],
  ['a body that never ends', () => hangingBody, 'form', 'awaiting'],
];

export const hostileAnswers: readonly Hostile[] = list.map(([name, answer, created, lookedUp]) => ({
  name,
  answer,
  created,
  lookedUp,
}));
