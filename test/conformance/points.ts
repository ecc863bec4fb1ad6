/**
 * The contract, point by point, as data: what happened before, one request, and what a careful proxy answers. Any proxy in any
 * language can be held against it. Texts in braces stand for values of the run: `{order}`, `{order_token}`, `{invoice_id}`,
 * `{lookup_token}`, `{key}`, `{postback}`.
 */
import type { ErrorCode } from '../../src/contract/codes.js';

/** What happened to an order before the request, and what the service does during it. */
export type Given =
  | 'a new order'
  | 'a paid order'
  | 'a closed order'
  | 'an unknown order'
  | 'an open code'
  | 'a paid code'
  | 'a receipt'
  | 'a payment of another total'
  | 'a payment of another order'
  | 'a service that is down'
  | 'a service that answers for another order'
  | 'a service that answers another total'
  | 'a service that answers no JSON'
  | 'a service that sends the caller elsewhere';

/** A request; what is left out is as an element sends it. Null in a header leaves it out. */
export interface PointRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Merged over the body of a creation; null leaves a field out. A string is the whole body. */
  readonly body?: string | Readonly<Record<string, unknown>>;
  /** So many of them at once, each with a key of its own. They must get the same invoice. */
  readonly times?: number;
}

/** What has to come of it. */
export interface Expectation {
  /** One of them. */
  readonly status: number | readonly number[];
  readonly code?: ErrorCode;
  /** Fields of `data`, exactly. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** No other field may stand in `data`. */
  readonly only?: readonly string[];
  /** Headers; null: it must not be there. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Invoices that the service has of the order afterwards. */
  readonly invoices?: number;
  /** Payments that the shop has heard of afterwards. */
  readonly payments?: number;
}

/** One point of the contract. */
export interface Point {
  readonly name: string;
  readonly why: string;
  readonly given: Given;
  /** `reconcile`: no request at all; the proxy looks by itself, an hour later. */
  readonly request: PointRequest | 'reconcile';
  readonly expect: Expectation;
}

/** What every order costs, integer cents. */
export const totalCents = 12_990;

const create: PointRequest = { method: 'POST', path: '/invoices' };
const lookUp: PointRequest = { method: 'GET', path: '/invoices/{invoice_id}' };
const refused = { status: 400, code: 'invalid_request', invoices: 0 } as const;
const created = ['invoice_id', 'order_code', 'external_id', 'qr_code_pix', 'status', 'total_cents'];
const openInvoice = { invoice_id: '{invoice_id}', total_cents: totalCents, external_id: '{order}' };

const creations: readonly Point[] = [
  {
    name: 'A creation is answered with the code of the order',
    why: 'The page shows this code, and follows it with this token',
    given: 'a new order',
    request: create,
    expect: {
      status: 200,
      data: { external_id: '{order}', total_cents: totalCents, status: 'pending' },
      only: [...created, 'lookup_token', 'expires_in'],
      headers: { 'access-control-allow-origin': '{origin}', 'cache-control': 'no-store' },
      invoices: 1,
      payments: 0,
    },
  },
  {
    name: 'The same order gets the same code, whatever the key',
    why: 'A payer with two tabs or two devices must not pay twice',
    given: 'an open code',
    request: create,
    expect: { status: 200, data: openInvoice, invoices: 1 },
  },
  {
    name: 'Ten requests at once get one code',
    why: 'A page sends again when a line breaks, and two tabs open together',
    given: 'a new order',
    request: { ...create, times: 10 },
    expect: { status: 200, data: { total_cents: totalCents }, invoices: 1 },
  },
  {
    name: 'A code that the payer wants replaced gets another one',
    why: 'Some bank apps refuse a code; the former one stays watched',
    given: 'an open code',
    request: { ...create, body: { replaces: '{invoice_id}' } },
    expect: { status: 200, data: { external_id: '{order}' }, invoices: 2 },
  },
  {
    name: 'Two tabs that want one code replaced get the same new one',
    why: 'replaces is compare-and-set',
    given: 'an open code',
    request: { ...create, body: { replaces: '{invoice_id}' }, times: 5 },
    expect: { status: 200, invoices: 2 },
  },
  {
    name: 'A code that was paid is not replaced',
    why: 'The payment may be a minute old, and no page has seen it',
    given: 'a paid code',
    request: { ...create, body: { replaces: '{invoice_id}' } },
    expect: { status: 409, code: 'order_paid', data: openInvoice, invoices: 1, payments: 1 },
  },
  {
    name: 'A paid order is answered with the invoice that paid it',
    why: 'The page looks that up, and shows it as the receipt',
    given: 'a receipt',
    request: create,
    expect: { status: 409, code: 'order_paid', data: openInvoice, invoices: 1, payments: 1 },
  },
  {
    name: 'An order that was paid in another way gets no code',
    why: 'The shop knows of payments that this proxy does not',
    given: 'a paid order',
    request: create,
    expect: { status: 409, code: 'order_paid', invoices: 0 },
  },
  {
    name: 'A closed order gets no code',
    why: 'The goods are gone',
    given: 'a closed order',
    request: create,
    expect: { status: 409, code: 'order_closed', invoices: 0 },
  },
  {
    name: 'An order that the shop does not know gets no code',
    why: 'Nothing can be owed for it',
    given: 'an unknown order',
    request: create,
    expect: { status: 404, code: 'unknown_order', invoices: 0 },
  },
  {
    name: 'The price that the page shows is compared',
    why: 'The payer has seen another price than is owed',
    given: 'a new order',
    request: { ...create, body: { expected_total_cents: totalCents - 1 } },
    expect: { status: 409, code: 'amount_mismatch', invoices: 0 },
  },
  {
    name: 'A price of the browser is refused',
    why: 'A proxy that forwards the body would charge what the payer likes',
    given: 'a new order',
    request: { ...create, body: { total_price_cents: 1 } },
    expect: refused,
  },
  {
    name: 'A payer who is not known to the shop is passed on',
    why: 'The service makes the invoice out to this person; nothing of it comes back',
    given: 'a new order',
    request: { ...create, body: { payer: { name: 'Maria da Silva', cpf_cnpj: '52998224725' } } },
    expect: { status: 200, only: [...created, 'lookup_token', 'expires_in'], invoices: 1 },
  },
];

const refusals: readonly Point[] = [
  ...(
    [
      ['no order token', null],
      ['a token of another order', '{other_token}'],
      ['a token that has expired', '{expired_token}'],
      ['a look-up token in its place', '{lookup_token}'],
      ['a token of our own making', 'v1.eyJlIjoib3JkZXIiLCJ4Ijo5OTk5OTk5OTk5fQ.AAAA'],
    ] as const
  ).map(([what, token]): Point => {
    return {
      name: `A creation with ${what} is refused`,
      why: 'Anyone who guesses a reference would see its code, and that it is paid',
      given: what.includes('look-up') ? 'an open code' : 'a new order',
      request: { ...create, body: { order_token: token } },
      expect: { status: 401, code: 'unauthorized' },
    };
  }),
  ...(
    [
      ['a foreign method', { method: 'boleto' }],
      ['a reference with a slash', { external_id: '../order' }],
      ['a reference that is a number', { external_id: 7 }],
      ['a foreign field', { ip_payer: '1.1.1.1' }],
      ['a foreign field of the payer', { payer: { cpf: '52998224725' } }],
      ['a payer field that is no text', { payer: { name: 7 } }],
      ['a body that is no JSON', '{"method":'],
      ['a body that is a list', '[]'],
    ] as const
  ).map(([what, body]): Point => {
    return {
      name: `A creation with ${what} is refused`,
      why: 'What is not named does not pass: the service may give it a meaning',
      given: 'a new order',
      request: { ...create, body },
      expect: refused,
    };
  }),
  {
    name: 'A creation without an Idempotency-Key is refused',
    why: 'Without it a repeated request is not told from a new one',
    given: 'a new order',
    request: { ...create, headers: { 'idempotency-key': null } },
    expect: refused,
  },
  {
    name: 'A body of another type is refused',
    why: 'A form of a foreign site may send it without a preflight',
    given: 'a new order',
    request: { ...create, headers: { 'content-type': 'text/plain' } },
    expect: { status: 415, code: 'invalid_request', invoices: 0 },
  },
  {
    name: 'A body of more than 16 KiB is refused',
    why: 'Nobody needs it, and it fills the memory',
    given: 'a new order',
    request: { ...create, body: `"${'x'.repeat(16_384)}"` },
    expect: { status: 413, code: 'invalid_request', invoices: 0 },
  },
  {
    name: 'A page of another site is refused',
    why: 'It would use the browsers of its visitors',
    given: 'a new order',
    request: { ...create, headers: { origin: 'https://evil.example' } },
    expect: {
      status: 403,
      code: 'invalid_request',
      headers: { 'access-control-allow-origin': null },
      invoices: 0,
    },
  },
  {
    name: 'A method that is not there is refused',
    why: 'The list of routes is closed',
    given: 'an open code',
    request: { ...lookUp, method: 'DELETE' },
    expect: { status: 405, code: 'invalid_request' },
  },
  {
    name: 'A path that is not there is refused',
    why: 'A proxy that forwards paths hands the whole service out',
    given: 'a new order',
    request: { method: 'GET', path: '/payouts' },
    expect: { status: 404, code: 'not_found' },
  },
  {
    name: 'A path that leads out of the service’s invoices is refused',
    why: 'The access token opens more than this',
    given: 'a new order',
    request: { method: 'GET', path: '/invoices/..%2Fcompany' },
    expect: { status: 404, code: 'not_found' },
  },
];

const lookUps: readonly Point[] = [
  {
    name: 'A look-up says what the page may know, and no more',
    why: 'client, payer and end_to_end_id are personal data, and anyone with the address could read them',
    given: 'an open code',
    request: lookUp,
    expect: {
      status: 200,
      data: { ...openInvoice, status: 'pending', is_pix: true },
      only: [...created, 'is_pix', 'installments', 'created_at', 'updated_at', 'expires_in'],
      headers: { 'access-control-allow-origin': '{origin}', 'cache-control': 'no-store' },
      payments: 0,
    },
  },
  {
    name: 'A payment is found by a look-up, and the shop hears of it',
    why: 'Nothing else proves it',
    given: 'a paid code',
    request: lookUp,
    expect: {
      status: 200,
      data: { ...openInvoice, status: 'paid' },
      only: [...created, 'is_pix', 'installments', 'created_at', 'updated_at', 'expires_in'],
      payments: 1,
    },
  },
  {
    name: 'A payment is told to the shop once, however often it is looked up',
    why: 'The shop ships',
    given: 'a receipt',
    request: { ...lookUp, times: 5 },
    expect: { status: 200, data: { status: 'paid' }, payments: 1 },
  },
  {
    name: 'A payment of another total is not paid',
    why: 'Somebody paid another invoice, or the service was told another price',
    given: 'a payment of another total',
    request: lookUp,
    expect: { status: 200, data: { ...openInvoice, status: 'amount_mismatch' }, payments: 0 },
  },
  {
    name: 'A payment with another reference is not paid',
    why: 'A receipt of one order must not pay another',
    given: 'a payment of another order',
    request: lookUp,
    expect: { status: 200, data: { status: 'reference_mismatch' }, payments: 0 },
  },
  {
    name: 'A look-up without its token is refused',
    why: 'The address stands in logs and histories',
    given: 'an open code',
    request: { ...lookUp, headers: { authorization: null } },
    expect: { status: 401, code: 'unauthorized' },
  },
  {
    name: 'A look-up with an order token is refused',
    why: 'Each token has one purpose',
    given: 'an open code',
    request: { ...lookUp, headers: { authorization: 'Bearer {order_token}' } },
    expect: { status: 401, code: 'unauthorized' },
  },
  {
    name: 'A look-up of another invoice is refused',
    why: 'A token is for one invoice',
    given: 'an open code',
    request: { ...lookUp, path: '/invoices/11111111-1111-4111-8111-111111111111' },
    expect: { status: 401, code: 'unauthorized' },
  },
];

const others: readonly Point[] = [
  {
    name: 'A preflight lets the page send its three headers',
    why: 'Without it a page of another origin cannot pay',
    given: 'a new order',
    request: { method: 'OPTIONS', path: '/invoices' },
    expect: {
      status: [200, 204],
      headers: {
        'access-control-allow-origin': '{origin}',
        'access-control-allow-headers': 'authorization, content-type, idempotency-key',
      },
    },
  },
  ...(
    [
      'a service that is down',
      'a service that answers for another order',
      'a service that answers another total',
      'a service that answers no JSON',
      'a service that sends the caller elsewhere',
    ] as const
  ).map((given): Point => {
    return {
      name: `Before ${given}, a creation says that it may be tried again`,
      why: 'No payer has seen an invoice, so another one harms no one; the access token goes nowhere else',
      given,
      request: create,
      expect: {
        status: 503,
        code: 'service_unavailable',
        headers: { 'access-control-expose-headers': 'retry-after' },
      },
    };
  }),
  {
    name: 'A postback leads to a look-up',
    why: 'It comes sooner than a page that was closed',
    given: 'a paid code',
    request: { method: 'POST', path: '{postback}', body: '{"id":"{invoice_id}","status":"paid"}' },
    expect: { status: 200, payments: 1 },
  },
  {
    name: 'A postback is believed in nothing',
    why: 'Anyone may send one',
    given: 'an open code',
    request: { method: 'POST', path: '{postback}', body: '{"id":"{invoice_id}","status":"paid"}' },
    expect: { status: 200, payments: 0 },
  },
  {
    name: 'A postback with a reference of no one is refused',
    why: 'It would make the proxy call the service as often as a stranger likes',
    given: 'an open code',
    request: { method: 'POST', path: '/postbacks/v1.e30.AAAA', body: '{}' },
    expect: { status: 404, code: 'not_found' },
  },
  {
    name: 'A payment whose page was closed is found',
    why: 'Payers close the page when they leave for the bank app',
    given: 'a paid code',
    request: 'reconcile',
    expect: { status: 0, payments: 1 },
  },
  {
    name: 'An open code is not told as paid by reconciliation',
    why: 'The shop ships',
    given: 'an open code',
    request: 'reconcile',
    expect: { status: 0, payments: 0 },
  },
];

/** All of them: for Pix. */
export const points: readonly Point[] = [...creations, ...refusals, ...lookUps, ...others];

/** For a proxy that takes no cards. */
export const withoutCards: readonly Point[] = [
  {
    name: 'A card is refused, and nothing of it reaches the service',
    why: 'A charge asks for more care than this proxy has',
    given: 'a new order',
    request: { ...create, body: { method: 'credit_card', card: { token: 'tok_approve' } } },
    expect: refused,
  },
];
