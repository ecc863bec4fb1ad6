/** What came of an attempt, asked by its key: the answer again, or the promise that there never will be one. */

import {
  barred,
  create,
  fieldsOfCreation,
  inGroup,
  openInvoice,
  recover,
  unauthorized,
  unknownAttempt,
  withKey,
} from './requests.js';
import { allowing, toPreflight } from './pages.js';
import type { Point } from '../point.js';

const noRoute = 'no such route: cards need it';

const wrongTokens = (
  [
    ['no-token', 'without the order token', null],
    ['tampered', 'with an order token whose signature was changed', '{tampered_token}'],
    ['look-up-token', 'with a look-up token', '{lookup_token}'],
  ] as const
).map(([id, what, token]) => ({
  id: `recover-${id}`,
  severity: 'leak' as const,
  name: `The question for an attempt ${what} is refused`,
  why: 'Anyone could bar keys of the order, and fill the memory',
  needs: ['barred_key', 'order_token'],
  request: { ...recover, headers: { 'order-token': token } },
  expect: unauthorized,
}));

export const recoveries: readonly Point[] = inGroup('recovery', 'money', [
  {
    id: 'recover',
    severity: 'breaks',
    name: 'The answer of an attempt can be had again',
    why: 'A page that lost the answer asks for it by its key',
    needs: ['invoice_id'],
    request: withKey(recover, 'key'),
    expect: { status: 200, data: openInvoice, only: fieldsOfCreation },
    without: { 404: noRoute, 405: noRoute },
  },
  {
    id: 'recover-unknown',
    name: 'An attempt that never came is not known',
    why: 'To answer it with an invoice would hand one order’s code to another page',
    needs: ['invoice_id'],
    request: withKey(recover, 'lost_key'),
    expect: unknownAttempt,
    keeps: 'barred_key',
  },
  {
    id: 'preflight-recover',
    severity: 'breaks',
    name: 'A preflight lets the page ask for an attempt',
    why: 'Without it a page of another origin never hears what came of a card',
    needs: ['origin', 'barred_key'],
    request: toPreflight('/invoices?external_id={order}', 'GET', 'idempotency-key, order-token'),
    expect: allowing('idempotency-key, order-token'),
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
  ...wrongTokens,
  {
    id: 'recover-foreign',
    severity: 'leak',
    name: 'The question of a page of another site is refused',
    why: 'It would use the browsers of its visitors',
    needs: ['barred_key'],
    request: { ...recover, headers: { origin: 'https://evil.example' } },
    expect: {
      status: 403,
      code: 'invalid_request',
      headers: { 'access-control-allow-origin': null },
    },
  },
  {
    id: 'recover-other-order',
    name: 'The key of an attempt tells nothing of it under another reference',
    why: 'One order’s page would show another’s code',
    needs: ['invoice_id', 'barred_key'],
    request: withKey({ ...recover, path: '/invoices?external_id={other_order}' }, 'key'),
    expect: {
      status: [400, 401, 404, 409, 422, 502, 504],
      code: [
        'invalid_request',
        'unauthorized',
        'unknown_order',
        'not_found',
        'in_progress',
        'key_reused',
        'outcome_unknown',
      ],
    },
  },
  {
    id: 'recover-held',
    name: 'An attempt that was on its way when it was answered not_found is never made',
    why: 'The payer was told that it did not leave, and pays in another way; this would be a second payment',
    needs: ['invoice_id'],
    // The question overtakes the creation, whose body is still on its way: the answer holds for it all the same.
    request: { ...withKey(create, 'held_key'), heldFor: withKey(recover, 'held_key') },
    expect: barred,
  },
  {
    id: 'recover-get',
    name: 'A key that only a GET named has no invoice',
    why: 'The GET had created one, and said that there was nothing',
    needs: ['invoice_id'],
    request: withKey(recover, 'get_key'),
    expect: unknownAttempt,
  },
  {
    id: 'recover-never',
    name: 'An attempt that was answered not_found is never made',
    why: 'The payer pays in another way then; a request that arrives late would be a second payment',
    request: withKey(create, 'barred_key'),
    expect: barred,
  },
]);
