/**
 * The points of the contract that can be held against any proxy, in the order in which they run: what creates nothing comes
 * first. One list in one file: the tests of our own proxies take it, and add what steers the service.
 */
// oxlint-disable max-lines
import type { Group, Point, PointRequest, Severity } from './point.js';

const create: PointRequest = { method: 'POST', path: '/invoices' };
const recover: PointRequest = { method: 'GET', path: '/invoices?external_id={order}' };
const lookUp: PointRequest = { method: 'GET', path: '/invoices/{invoice_id}' };
const refused = { status: 400, code: 'invalid_request' } as const;
const barred = { status: 422, code: 'key_reused' } as const;
const unauthorized = { status: 401, code: 'unauthorized' } as const;
const created = ['invoice_id', 'order_code', 'external_id', 'qr_code_pix', 'status', 'total_cents'];
const fieldsOfCreation = [...created, 'lookup_token', 'expires_in'];
const times = ['created_at', 'updated_at', 'expires_in'];
const fieldsOfLookUp = [...created, 'is_pix', 'installments', ...times];
const openInvoice = {
  invoice_id: '{invoice_id}',
  total_cents: '{total_cents}',
  external_id: '{order}',
};
const foreignOrigin = 'https://evil.example';
const heldKey = { 'idempotency-key': '{held_key}' };
const unknownAttempt: Point['expect'] = {
  status: [404, 405, 502, 504],
  code: ['not_found', 'invalid_request', 'outcome_unknown'],
};
const foreignPage = {
  why: 'It would use the browsers of its visitors',
  expect: {
    status: 403,
    code: 'invalid_request',
    headers: { 'access-control-allow-origin': null },
  },
} as const;

const refusals: readonly Point[] = inGroup('refusals', 'leak', [
  {
    id: 'unknown-path',
    name: 'A path that is not there is refused',
    why: 'A proxy that forwards paths hands the whole service out',
    request: { method: 'GET', path: '/payouts' },
    expect: { status: 404, code: 'not_found' },
  },
  {
    id: 'path-out',
    name: 'A path that leads out of the service’s invoices is refused',
    why: 'The access token opens more than this',
    request: { method: 'GET', path: '/invoices/..%2Fcompany' },
    expect: { status: 404, code: 'not_found' },
  },
  ...(
    [
      ['method', 'a foreign method', { method: 'boleto' }],
      ['reference-path', 'a reference with a slash', { external_id: '../order' }],
      ['reference-number', 'a reference that is a number', { external_id: 7 }],
      ['foreign-field', 'a foreign field', { ip_payer: '1.1.1.1' }],
      ['payer-field', 'a foreign field of the payer', { payer: { cpf: '52998224725' } }],
      ['payer-type', 'a payer field that is no text', { payer: { name: 7 } }],
      ['no-json', 'a body that is no JSON', '{"method":'],
      ['list', 'a body that is a list', '[]'],
    ] as const
  ).map(([id, what, body]) => {
    return {
      id,
      name: `A creation with ${what} is refused`,
      why: 'What is not named does not pass: the service may give it a meaning',
      severity: id === 'no-json' || id === 'list' ? ('better' as const) : ('leak' as const),
      request: { ...create, body },
      expect: refused,
    };
  }),
  {
    id: 'browser-price',
    severity: 'money',
    name: 'A price of the browser is refused',
    why: 'A proxy that forwards the body would charge what the payer likes',
    request: { ...create, body: { total_price_cents: 1 } },
    expect: refused,
  },
  {
    id: 'no-key',
    severity: 'money',
    name: 'A creation without an Idempotency-Key is refused',
    why: 'Without it a repeated request is not told from a new one',
    request: { ...create, headers: { 'idempotency-key': null } },
    expect: refused,
  },
  {
    id: 'content-type',
    name: 'A body of another type is refused',
    why: 'A form of a foreign site may send it without a preflight',
    request: { ...create, headers: { 'content-type': 'text/plain' } },
    expect: { status: 415, code: 'invalid_request' },
  },
  {
    id: 'size',
    severity: 'better',
    name: 'A body of more than 16 KiB is refused',
    why: 'No page sends one, and it fills the memory',
    request: { ...create, body: `"${'x'.repeat(16_384)}"` },
    expect: { status: 413, code: 'invalid_request' },
  },
  {
    id: 'get-creates',
    severity: 'money',
    name: 'A GET creates nothing',
    why: 'Previews, scanners and prefetching browsers send GETs',
    request: {
      method: 'GET',
      path: '/invoices?method=pix&external_id={order}',
      headers: { 'idempotency-key': '{get_key}' },
    },
    expect: {
      status: [400, 401, 404, 405],
      code: ['invalid_request', 'unauthorized', 'not_found', 'unknown_order'],
    },
  },
]);

const creations: readonly Point[] = inGroup('creation', 'money', [
  {
    id: 'ten-at-once',
    name: 'Ten requests at once get one code',
    why: 'A page sends again when a line breaks, and two tabs open together',
    request: { ...create, times: 10 },
    expect: { status: 200, data: { external_id: '{order}' } },
    keeps: 'invoice',
  },
  {
    id: 'creation',
    severity: 'breaks',
    name: 'A creation is answered with the code of the order',
    why: 'The page shows this code, and follows it with this token',
    request: { ...create, headers: { 'idempotency-key': '{key}' } },
    expect: { status: 200, data: { external_id: '{order}' }, only: fieldsOfCreation },
    keeps: 'invoice',
  },
  {
    id: 'same-key',
    name: 'A repeated request gets the same code',
    why: 'A browser may itself repeat a request when a connection breaks',
    request: { ...create, headers: { 'idempotency-key': '{key}' } },
    expect: { status: 200, data: openInvoice },
  },
  {
    id: 'other-key',
    name: 'The same order gets the same code, whatever the key',
    why: 'A payer with two tabs must not pay twice',
    request: create,
    expect: { status: 200, data: openInvoice },
  },
  {
    id: 'other-device',
    name: 'The same order gets the same code on another device',
    why: 'A payer who goes on at a computer must not pay twice',
    request: { ...create, headers: { 'user-agent': 'another device', 'accept-language': 'en' } },
    expect: { status: 200, data: openInvoice },
  },
  {
    id: 'payable',
    name: 'The code can be paid, and names the total',
    why: 'A bank app refuses a broken code, and pays the amount that stands in it',
    request: create,
    expect: { status: 200, isPayable: true },
    needs: ['invoice_id'],
  },
  {
    id: 'expected-total',
    name: 'The price that the page shows is compared',
    why: 'The payer has seen another price than is owed',
    request: { ...create, body: { expected_total_cents: '{wrong_total}' } },
    expect: { status: 409, code: 'amount_mismatch' },
  },
]);

const orderTokens: readonly Point[] = inGroup('order-token', 'leak', [
  ...(
    [
      ['missing', 'no order token', { order_token: null }],
      ['other-order', 'a token of another order', { external_id: '{other_order}' }],
      [
        'tampered',
        'an order token whose signature was changed',
        { order_token: '{tampered_token}' },
      ],
      [
        'payload',
        'a token that was rewritten for another order',
        { external_id: '{other_order}', order_token: '{rewritten_token}' },
      ],
      ['unsigned', 'an order token without its signature', { order_token: '{unsigned_token}' }],
      ['expired', 'an order token that has expired', { order_token: '{expired_token}' }],
      ['look-up', 'a look-up token in its place', { order_token: '{lookup_token}' }],
      ['forged', 'a token of our own making', { order_token: '{forged_token}' }],
    ] as const
  ).map(([id, what, body]) => {
    return {
      id: `order-token-${id}`,
      name: `A creation with ${what} is refused`,
      why: 'Anyone who guesses a reference would see its code, and that it is paid',
      needs: ['order_token'],
      request: { ...create, body },
      expect: unauthorized,
    };
  }),
  {
    id: 'unknown-order',
    severity: 'money',
    name: 'An order that the shop does not know gets no code',
    why: 'Nothing can be owed for it',
    needs: ['other_order_token'],
    request: {
      ...create,
      body: { external_id: '{other_order}', order_token: '{other_order_token}' },
    },
    expect: { status: 404, code: 'unknown_order' },
  },
]);

const lookUps: readonly Point[] = inGroup('look-up', 'leak', [
  {
    id: 'look-up',
    name: 'A look-up says what the page may know, and no more',
    why: 'client, payer and end_to_end_id are personal data, and anyone with the address could read them',
    request: lookUp,
    expect: { status: 200, data: { ...openInvoice, is_pix: true }, only: fieldsOfLookUp },
  },
  {
    id: 'wait',
    severity: 'breaks',
    name: 'A look-up that may wait is answered in time',
    why: 'A page that hears nothing looks as if it were broken',
    request: { ...lookUp, path: '/invoices/{invoice_id}?wait=1' },
    expect: { status: 200, data: openInvoice },
  },
  ...(
    [
      ['no-token', 'without its token', null],
      ['tampered', 'with a token whose signature was changed', 'Bearer {tampered_lookup_token}'],
      ['unsigned', 'with a token without its signature', 'Bearer {unsigned_lookup_token}'],
      ['id', 'with the invoice’s id for a token', 'Bearer {invoice_id}'],
      ['base64', 'with the invoice’s id in base64', 'Bearer {base64_invoice_id}'],
      ['order-token', 'with an order token', 'Bearer {order_token}'],
    ] as const
  ).map(([id, what, authorization]) => {
    return {
      id: `look-up-${id}`,
      name: `A look-up ${what} is refused`,
      why: 'The address stands in logs and histories, and each token has one purpose',
      request: { ...lookUp, headers: { authorization } },
      expect: unauthorized,
    };
  }),
  {
    id: 'look-up-other',
    name: 'A look-up of another invoice is refused',
    why: 'A token is for one invoice',
    needs: ['lookup_token'],
    request: { ...lookUp, path: '/invoices/11111111-1111-4111-8111-111111111111' },
    expect: { status: [401, 404], code: ['unauthorized', 'not_found'] },
  },
  {
    id: 'delete',
    severity: 'better',
    name: 'A method that is not there is refused',
    why: 'The list of routes is closed',
    request: { ...lookUp, method: 'DELETE' },
    expect: { status: 405, code: 'invalid_request' },
  },
]);

const pages: readonly Point[] = inGroup('pages', 'leak', [
  {
    id: 'preflight',
    severity: 'breaks',
    name: 'A preflight lets the page send its four headers',
    why: 'Without it a page of another origin cannot pay',
    needs: ['origin'],
    request: { method: 'OPTIONS', path: '/invoices' },
    expect: {
      status: [200, 204],
      headers: {
        'access-control-allow-origin': '{origin}',
        'access-control-allow-headers': 'authorization, content-type, idempotency-key, order-token',
      },
    },
  },
  {
    id: 'foreign-preflight',
    name: 'A preflight of another site gets no leave',
    why: 'It would use the browsers of its visitors',
    request: { method: 'OPTIONS', path: '/invoices', headers: { origin: foreignOrigin } },
    expect: {
      status: [200, 204, 400, 403, 404, 405],
      headers: { 'access-control-allow-origin': null },
    },
  },
  {
    ...foreignPage,
    id: 'foreign-page',
    name: 'A page of another site is refused',
    request: { ...create, headers: { origin: foreignOrigin } },
  },
  {
    ...foreignPage,
    id: 'null-origin',
    name: 'A page without an origin, such as a file or a sandboxed frame, is refused',
    request: { ...create, headers: { origin: 'null' } },
  },
]);

const recoveries: readonly Point[] = inGroup('recovery', 'money', [
  {
    id: 'recover',
    severity: 'breaks',
    name: 'The answer of an attempt can be had again',
    why: 'A page that lost the answer asks for it by its key',
    needs: ['invoice_id'],
    request: { ...recover, headers: { 'idempotency-key': '{key}' } },
    expect: { status: 200, data: openInvoice, only: fieldsOfCreation },
    without: { 404: 'no such route: cards need it', 405: 'no such route: cards need it' },
  },
  {
    id: 'recover-unknown',
    name: 'An attempt that never came is not known',
    why: 'To answer it with an invoice would hand one order’s code to another page',
    needs: ['invoice_id'],
    request: { ...recover, headers: { 'idempotency-key': '{lost_key}' } },
    expect: unknownAttempt,
    keeps: 'barred_key',
  },
  {
    id: 'recover-no-order',
    name: 'Without its order, no attempt is answered not_found',
    why: 'Nothing can be barred for it, so it may still be on its way; the payer would pay in another way',
    needs: ['barred_key'],
    request: { method: 'GET', path: '/invoices' },
    expect: {
      status: [400, 401, 502, 504],
      code: ['invalid_request', 'unauthorized', 'outcome_unknown'],
    },
  },
  {
    id: 'recover-no-token',
    severity: 'leak',
    name: 'The question for an attempt without the order token is refused',
    why: 'Anyone could bar keys of the order, and fill the memory',
    needs: ['barred_key', 'order_token'],
    request: { ...recover, headers: { 'order-token': null } },
    expect: unauthorized,
  },
  {
    id: 'recover-held',
    name: 'An attempt that was on its way when it was answered not_found is never made',
    why: 'The payer was told that it did not leave, and pays in another way; this would be a second payment',
    needs: ['invoice_id'],
    // The question overtakes the creation, whose body is still on its way: the answer holds for it all the same.
    request: { ...create, headers: heldKey, heldFor: { ...recover, headers: heldKey } },
    expect: barred,
  },
  {
    id: 'recover-get',
    name: 'A key that only a GET named has no invoice',
    why: 'The GET had created one, and said that there was nothing',
    needs: ['invoice_id'],
    request: { ...recover, headers: { 'idempotency-key': '{get_key}' } },
    expect: unknownAttempt,
  },
  {
    id: 'recover-never',
    name: 'An attempt that was answered not_found is never made',
    why: 'The payer pays in another way then; a request that arrives late would be a second payment',
    request: { ...create, headers: { 'idempotency-key': '{barred_key}' } },
    expect: barred,
  },
]);

const replacements: readonly Point[] = inGroup('creation', 'money', [
  {
    id: 'replaces-other',
    name: 'A wish to replace another invoice gets the open code',
    why: 'replaces is compare-and-set: another tab may have got the new one already',
    request: { ...create, body: { replaces: '11111111-1111-4111-8111-111111111111' } },
    expect: { status: 200, data: openInvoice },
  },
  {
    id: 'replaces',
    name: 'Two tabs that want one code replaced get the same new one',
    why: 'Some bank apps refuse a code; the former one stays watched',
    request: { ...create, body: { replaces: '{invoice_id}' }, times: 5 },
    expect: {
      status: 200,
      data: { external_id: '{order}', total_cents: '{total_cents}' },
      differs: { invoice_id: '{invoice_id}' },
    },
    keeps: 'second_invoice',
  },
  {
    id: 'look-up-crossed',
    severity: 'leak',
    name: 'A look-up with the token of another invoice is refused',
    why: 'A token is for one invoice: with any of them a stranger would read all',
    needs: ['lookup_token'],
    request: { ...lookUp, path: '/invoices/{second_invoice_id}' },
    expect: unauthorized,
  },
]);

const card = { method: 'credit_card', card: { token: '{card_token}' } };
const noSecondPayment = { status: 409, code: ['in_progress', 'order_paid'] } as const;

const cards: readonly Point[] = inGroup('cards', 'money', [
  {
    id: 'raw-card',
    severity: 'leak',
    name: 'A card number is refused',
    why: 'It brings your whole server into the scope of PCI DSS; a provider’s token does not',
    request: { ...create, body: { method: 'credit_card', card: { number: '0000000000000000' } } },
    expect: refused,
  },
  {
    id: 'card-never',
    name: 'A card is not charged with a key that was answered not_found',
    why: 'The payer was told that it did not leave, and pays by Pix',
    request: { ...create, headers: { 'idempotency-key': '{barred_key}' }, body: card },
    expect: barred,
    without: { 400: 'the proxy takes no cards' },
  },
  {
    id: 'card',
    severity: 'breaks',
    name: 'A card’s token is charged',
    why: 'The page waits for this answer',
    request: { ...create, headers: { 'idempotency-key': '{card_key}' }, body: card },
    expect: { status: 200, data: { external_id: '{order}' }, only: fieldsOfCreation },
    without: {
      400: 'the proxy takes no cards',
      402: 'the card was refused: give one that is charged',
      outcome_unknown: 'the outcome of this card is unknown, and it may have been charged',
    },
    keeps: 'card_invoice',
  },
  {
    id: 'card-same-key',
    name: 'A repeated request charges no second time',
    why: 'A browser may itself repeat a request when a connection breaks',
    request: { ...create, headers: { 'idempotency-key': '{card_key}' }, body: card },
    expect: { status: 200, data: { invoice_id: '{card_invoice_id}' } },
  },
  {
    id: 'card-other-key',
    name: 'No second charge while the first is pending, or has paid',
    why: 'A payer who reloads the page must not pay twice',
    needs: ['open_card'],
    request: { ...create, body: card },
    expect: noSecondPayment,
  },
  {
    id: 'card-then-pix',
    name: 'No Pix code while a charge is pending, or has paid',
    why: 'A payer who changes the method must not pay twice',
    needs: ['card_token', 'open_card'],
    request: create,
    expect: noSecondPayment,
  },
]);

/** All of them, in the order in which they run. */
export const contractPoints: readonly Point[] = [
  ...refusals,
  ...creations,
  ...orderTokens,
  ...lookUps,
  ...pages,
  ...recoveries,
  ...replacements,
  ...cards,
];

/** @param severity of those that name no other */
function inGroup(
  group: Group,
  severity: Severity,
  points: readonly (Omit<Point, 'group' | 'severity'> & { readonly severity?: Severity })[],
): Point[] {
  return points.map((point) => ({ severity, ...point, group }));
}
