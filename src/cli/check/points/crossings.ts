/** Keys, tokens and references of one attempt in another: where a proxy remembers an answer by too little, it gives it away. */

import {
  create,
  inGroup,
  lookUp,
  openInvoice,
  recover,
  unauthorized,
  withKey,
} from './requests.js';
import type { Point } from '../point.js';

const forStranger = 'What was remembered for one payer is no answer to a stranger';
const again = withKey(create, 'key');
const asSecond = { external_id: '{second_order}', order_token: '{second_token}' };

export const crossings: readonly Point[] = inGroup('order-token', 'leak', [
  {
    id: 'replay-no-token',
    name: 'A repeated request without its order token is refused',
    why: forStranger,
    needs: ['order_token', 'invoice_id'],
    request: { ...again, body: { order_token: null } },
    expect: unauthorized,
  },
  {
    id: 'replay-foreign',
    name: 'A repeated request of a page of another site is refused',
    why: forStranger,
    needs: ['invoice_id'],
    request: { ...again, headers: { ...again.headers, origin: 'https://evil.example' } },
    expect: {
      status: 403,
      code: 'invalid_request',
      headers: { 'access-control-allow-origin': null },
    },
  },
  {
    id: 'replay-other-order',
    name: 'The key of an attempt of one order is no key to it for another',
    why: 'One order’s page would show another’s code',
    needs: ['order_token', 'invoice_id'],
    request: { ...again, body: { external_id: '{other_order}' } },
    expect: { status: [401, 422], code: ['unauthorized', 'key_reused'] },
  },
  {
    id: 'reference-line',
    severity: 'money',
    name: 'A reference with a line break at its end is refused',
    why: 'It passes for the order’s own, and is another in your books: the payer gets two codes',
    needs: ['invoice_id'],
    request: { ...create, body: { external_id: '{order}\n' } },
    expect: {
      status: [400, 401, 404],
      code: ['invalid_request', 'unauthorized', 'unknown_order'],
    },
  },
  {
    id: 'reference-space',
    severity: 'money',
    name: 'A reference with a space before it is refused',
    why: 'It passes for the order’s own, and is another in your books: the payer gets two codes',
    needs: ['invoice_id'],
    request: { ...create, body: { external_id: ' {order}' } },
    expect: {
      status: [400, 401, 404],
      code: ['invalid_request', 'unauthorized', 'unknown_order'],
    },
  },
]);

/** A second order that is open, with its own token. */
export const secondOrder: readonly Point[] = inGroup('creation', 'money', [
  {
    id: 'second-order',
    name: 'Two orders share no code',
    why: 'One payment would be booked for both, or for the wrong one',
    request: { ...create, body: asSecond },
    expect: {
      status: 200,
      data: { external_id: '{second_order}' },
      differs: { invoice_id: '{invoice_id}', qr_code_pix: '{code}' },
    },
    keeps: 'second_order',
  },
  {
    id: 'second-order-key',
    name: 'The key of one order gets no code of it for another',
    why: 'Two orders whose pages make the same key would be one',
    needs: ['code_of_second'],
    request: { ...again, body: asSecond },
    expect: {
      status: [200, 422],
      code: 'key_reused',
      data: { external_id: '{second_order}' },
      differs: { invoice_id: '{invoice_id}', qr_code_pix: '{code}' },
    },
  },
  {
    id: 'second-order-former',
    name: 'An order keeps its code beside another',
    why: 'The code of the one would stand for the other',
    needs: ['code_of_second'],
    request: lookUp,
    expect: { status: 200, data: openInvoice, differs: { qr_code_pix: '{code_of_second}' } },
  },
  {
    id: 'second-order-token',
    severity: 'leak',
    name: 'The valid token of another order is refused',
    why: 'Who may pay one order could see all',
    request: { ...create, body: { order_token: '{second_token}' } },
    expect: unauthorized,
  },
  {
    id: 'second-order-look-up',
    severity: 'leak',
    name: 'A look-up with the token of another order’s invoice is refused',
    why: 'Who has paid one order could see all',
    request: { ...lookUp, headers: { 'lookup-token': '{second_order_lookup_token}' } },
    expect: unauthorized,
  },
  {
    id: 'second-order-recover',
    severity: 'leak',
    name: 'The question for an attempt with the token of another order tells nothing',
    why: 'Who may pay one order could bar the keys of all',
    needs: ['barred_key'],
    request: { ...recover, headers: { 'order-token': '{second_token}' } },
    expect: unauthorized,
  },
]);
