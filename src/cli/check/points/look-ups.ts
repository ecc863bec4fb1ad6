/** Look-ups: what they say, to whom, and how long they may hold others up. */

import {
  create,
  fieldsOfLookUp,
  inGroup,
  lookUp,
  openInvoice,
  unauthorized,
  unknownId,
} from './requests.js';
import type { Point } from '../point.js';

const wrongTokens = (
  [
    ['no-token', 'without its token', null],
    ['tampered', 'with a token whose signature was changed', '{tampered_lookup_token}'],
    ['unsigned', 'with a token without its signature', '{unsigned_lookup_token}'],
    ['id', 'with the invoice’s id for a token', '{invoice_id}'],
    ['base64', 'with the invoice’s id in base64', '{base64_invoice_id}'],
    ['order-token', 'with an order token', '{order_token}'],
    ['nonsense', 'with the word null for a token', 'null'],
  ] as const
).map(([id, what, token]) => ({
  id: `look-up-${id}`,
  name: `A look-up ${what} is refused`,
  why: 'The address stands in logs and histories, and each token has one purpose',
  request: { ...lookUp, headers: { 'lookup-token': token } },
  expect: unauthorized,
}));

const waiting = { ...lookUp, path: '/invoices/{invoice_id}?wait={wait_seconds}' };

export const lookUps: readonly Point[] = inGroup('look-up', 'leak', [
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
  {
    id: 'beside-wait',
    severity: 'breaks',
    name: 'A creation beside a look-up that waits takes no longer than without',
    why: 'Each open page waits like that: the next payer would see no code for half a minute',
    request: { ...create, during: waiting },
    expect: { status: 200, data: openInvoice },
  },
  ...wrongTokens,
  {
    id: 'look-up-other',
    name: 'A look-up of another invoice is refused',
    why: 'A token is for one invoice',
    needs: ['lookup_token'],
    request: { ...lookUp, path: `/invoices/${unknownId}` },
    expect: { status: [401, 404], code: ['unauthorized', 'not_found'] },
  },
  {
    id: 'path-back',
    name: 'A path that leads out and back is refused',
    why: 'A proxy that forwards it lets anyone go anywhere with the access token',
    request: { ...lookUp, path: '/invoices/..%2Finvoices%2F{invoice_id}' },
    expect: { status: [400, 401, 404], code: ['not_found', 'invalid_request', 'unauthorized'] },
    isUnasked: true,
  },
  {
    id: 'delete',
    severity: 'better',
    name: 'A method that is not there is refused',
    why: 'The list of routes is closed: a service may cancel or refund by another',
    request: { ...lookUp, method: 'DELETE' },
    expect: { status: 405, code: 'invalid_request' },
    whenTaken: 'leak',
  },
]);
