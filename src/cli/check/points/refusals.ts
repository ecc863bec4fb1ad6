/** What a careful proxy refuses, whatever the order: paths and fields that are not there, and prices of a browser. */

import { create, inGroup, refused } from './requests.js';
import type { Point } from '../point.js';

/** A price that no order of a test has, integer cents. */
export const foreignCents = 3;

const cheapItem = [{ name: 'check', quantity: 1, unit_price: foreignCents }];

const paths: readonly Point[] = inGroup('refusals', 'better', [
  {
    id: 'unknown-path',
    name: 'A path that is not there is refused',
    why: 'A proxy that forwards paths hands the whole service out',
    request: { method: 'GET', path: '/payouts' },
    expect: { status: 404, code: 'not_found' },
    isUnasked: true,
    whenTaken: 'leak',
  },
  {
    id: 'path-out',
    name: 'A path that leads out of the service’s invoices is refused',
    why: 'The access token opens more than this',
    request: { method: 'GET', path: '/invoices/..%2Fcompany' },
    expect: { status: [400, 404], code: ['not_found', 'invalid_request'] },
    isUnasked: true,
    whenTaken: 'leak',
  },
]);

const fields = (
  [
    ['method', 'a foreign method', { method: 'boleto' }],
    ['reference-path', 'a reference with a slash', { external_id: '../order' }],
    ['reference-number', 'a reference that is a number', { external_id: 7 }],
    ['foreign-field', 'a foreign field', { ip_payer: '1.1.1.1' }],
    ['foreign-postback', 'an address for postbacks', { postback_url: 'https://evil.example/' }],
    ['foreign-product', 'the service’s kind of product', { product_fisical: 'false' }],
    ['payer-field', 'a foreign field of the payer', { payer: { cpf: '52998224725' } }],
    ['payer-type', 'a payer field that is no text', { payer: { name: 7 } }],
    ['no-json', 'a body that is no JSON', '{"method":'],
    ['list', 'a body that is a list', '[]'],
  ] as const
).map(([id, what, body]) => ({
  id,
  name: `A creation with ${what} is refused`,
  why: 'What is not named does not pass: the service may give it a meaning',
  severity: id === 'no-json' || id === 'list' ? ('better' as const) : ('leak' as const),
  request: { ...create, body },
  expect: refused,
}));

const prices = (
  [
    ['price', 'A price', { total_price_cents: foreignCents }],
    ['total', 'A total', { total_cents: foreignCents }],
    ['items', 'A list of items with prices', { items: cheapItem }],
    ['payer', 'A price among the fields of the payer', { payer: { total_price_cents: 3 } }],
  ] as const
).map(([id, what, body]) => ({
  id: `browser-${id}`,
  severity: 'money' as const,
  name: `${what} of the browser is refused`,
  why: 'A proxy that forwards the body would charge what the payer likes',
  request: { ...create, body },
  expect: refused,
}));

export const refusals: readonly Point[] = [
  ...paths,
  ...inGroup('refusals', 'leak', [
    ...fields,
    ...prices,
    {
      id: 'browser-form',
      severity: 'money',
      name: 'A price in the body of a form is refused',
      why: 'A form of a foreign site is sent without a preflight, and some languages read it like JSON',
      request: { ...create, isForm: true, body: { total_price_cents: foreignCents } },
      expect: { status: [400, 415], code: 'invalid_request' },
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
      // A proxy that can be asked for attempts takes it for such a question.
      expect: {
        status: [400, 401, 404, 405, 502, 504],
        code: ['invalid_request', 'unauthorized', 'unknown_order', 'not_found', 'outcome_unknown'],
      },
    },
  ]),
];
