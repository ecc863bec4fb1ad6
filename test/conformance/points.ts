/**
 * The points of `pix-checkout check`, each with an order of its own, and those that need a hold of the service or of the shop:
 * payments, postbacks, faults. Texts in braces are values of the run; `{postback}` and `{expired_token}` exist here only.
 */
import { contractPoints } from '../../src/cli/check/contract-points.js';
import { namesIn } from '../../src/cli/check/point.js';
import type { Expectation, Point, PointRequest } from '../../src/cli/check/point.js';

/** What happened to an order before the request, and what the service does during it. */
export type Given =
  | 'a new order'
  | 'a paid order'
  | 'a closed order'
  | 'an unknown order'
  | 'an open code'
  | 'a paid code'
  | 'a receipt'
  | 'a key that is barred'
  | 'a payment of another total'
  | 'a payment of another order'
  | 'a service that is down'
  | 'a service that answers for another order'
  | 'a service that answers another total'
  | 'a service that answers no JSON'
  | 'a service that sends the caller elsewhere';

/** What has to come of it, at the service and in the shop, too. */
interface SteeredExpectation extends Expectation {
  /** Invoices that the service has of the order afterwards. */
  readonly invoices?: number;
  /** Payments that the shop has heard of afterwards. */
  readonly payments?: number;
}

/** A point, and what is brought about for it. */
export interface SteeredPoint {
  readonly name: string;
  readonly why: string;
  readonly given: Given;
  /** `reconcile`: no request at all; the proxy looks by itself, an hour later. */
  readonly request: PointRequest | 'reconcile';
  readonly expect: SteeredExpectation;
}

/** What every order costs, integer cents. */
export const totalCents = 12_990;

const create: PointRequest = { method: 'POST', path: '/invoices' };
const lookUp: PointRequest = { method: 'GET', path: '/invoices/{invoice_id}' };
/** Sent by the service: no page stands behind it. */
const postback: PointRequest = { method: 'POST', path: '{postback}', headers: { origin: null } };
const refused = { status: 400, code: 'invalid_request', invoices: 0 } as const;
const created = ['invoice_id', 'order_code', 'external_id', 'qr_code_pix', 'status', 'total_cents'];
const openInvoice = { invoice_id: '{invoice_id}', total_cents: totalCents, external_id: '{order}' };

const creations: readonly SteeredPoint[] = [
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
    name: 'A payer who is not known to the shop is passed on',
    why: 'The service makes the invoice out to this person; nothing of it comes back',
    given: 'a new order',
    request: { ...create, body: { payer: { name: 'Maria da Silva', cpf_cnpj: '52998224725' } } },
    expect: { status: 200, only: [...created, 'lookup_token', 'expires_in'], invoices: 1 },
  },
];

const refusals: readonly SteeredPoint[] = [
  {
    name: 'A creation with a token that has expired is refused',
    why: 'A page of last month would still show the code of an order',
    given: 'a new order',
    request: { ...create, body: { order_token: '{expired_token}' } },
    expect: { status: 401, code: 'unauthorized', invoices: 0 },
  },
];

const lookUps: readonly SteeredPoint[] = [
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
];

const others: readonly SteeredPoint[] = [
  ...(
    [
      'a service that is down',
      'a service that answers for another order',
      'a service that answers another total',
      'a service that answers no JSON',
      'a service that sends the caller elsewhere',
    ] as const
  ).map((given): SteeredPoint => {
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
    request: { ...postback, body: '{"id":"{invoice_id}","status":"paid"}' },
    expect: { status: 200, payments: 1 },
  },
  {
    name: 'A postback is believed in nothing',
    why: 'Anyone may send one',
    given: 'an open code',
    request: { ...postback, body: '{"id":"{invoice_id}","status":"paid"}' },
    expect: { status: 200, payments: 0 },
  },
  {
    name: 'A postback with a reference of no one is refused',
    why: 'It would make the proxy call the service as often as a stranger likes',
    given: 'an open code',
    request: { ...postback, path: '/postbacks/v1.e30.AAAA', body: '{}' },
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

/** Of `check`: those that one order with its token and an origin can show. */
const shared = contractPoints.filter(
  ({ id, group }) => id !== 'unknown-order' && (group !== 'cards' || id === 'raw-card'),
);

/** All of them: for Pix. */
export const points: readonly SteeredPoint[] = [
  ...shared.map(steer),
  ...creations,
  ...refusals,
  ...lookUps,
  ...others,
];

/** Without the optional route, which a proxy for Pix may leave out. */
export const pointsWithoutRecovery = points.filter(
  ({ name }) => !shared.some((one) => one.name === name && /^recover(-never)?$/.test(one.id)),
);

/** What `check` cannot see: how many invoices the service made of it, and that the shop heard of no payment. */
function steer(point: Point): SteeredPoint {
  const isAfterwards = namesIn(point).some((name) => /invoice|lookup|total/.test(name));
  const isBarred = namesIn(point).includes('barred_key');
  const isCreation = point.request.method === 'POST' && point.expect.status === 200;
  const invoices = point.id === 'replaces' ? 2 : isAfterwards || isCreation ? 1 : 0;
  return {
    ...point,
    given: isBarred ? 'a key that is barred' : isAfterwards ? 'an open code' : 'a new order',
    expect: { ...point.expect, invoices, payments: 0 },
  };
}

/** For a proxy that takes no cards. */
export const withoutCards: readonly SteeredPoint[] = [
  {
    name: 'A card is refused, and nothing of it reaches the service',
    why: 'A charge asks for more care than this proxy has',
    given: 'a new order',
    request: { ...create, body: { method: 'credit_card', card: { token: 'tok_approve' } } },
    expect: refused,
  },
];
