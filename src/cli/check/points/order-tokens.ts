/** Order tokens that a careful proxy refuses, and one that it takes. */

import { create, inGroup, unauthorized } from './requests.js';
import type { Point } from '../point.js';

const guessed = 'Anyone who guesses a reference would see its code, and that it is paid';

const wrong = (
  [
    ['missing', 'no order token', { order_token: null }],
    ['other-order', 'a token of another order', { external_id: '{other_order}' }],
    [
      'alike',
      'a token of an order whose reference begins alike',
      { external_id: '{longer_order}' },
    ],
    ['tampered', 'an order token whose signature was changed', { order_token: '{tampered_token}' }],
    [
      'payload',
      'a token that was rewritten for another order',
      { external_id: '{other_order}', order_token: '{rewritten_token}' },
    ],
    ['unsigned', 'an order token without its signature', { order_token: '{unsigned_token}' }],
    ['expired', 'an order token that has expired', { order_token: '{expired_token}' }],
    ['expired-now', 'a token that has just expired', { order_token: '{expired_now_token}' }],
    ['expired-hour', 'a token of the last hour', { order_token: '{expired_hour_token}' }],
    [
      'expired-zone',
      'a token that has expired, but not in another time zone',
      { order_token: '{expired_zone_token}' },
    ],
    ['look-up', 'a look-up token in its place', { order_token: '{lookup_token}' }],
    ['forged', 'a token of our own making', { order_token: '{forged_token}' }],
    ['nonsense', 'the word null for a token', { order_token: 'null' }],
  ] as const
).map(([id, what, body]) => ({
  id: `order-token-${id}`,
  name: `A creation with ${what} is refused`,
  why: guessed,
  needs: ['order_token'],
  request: { ...create, body },
  expect: unauthorized,
}));

export const orderTokens: readonly Point[] = inGroup('order-token', 'leak', [
  ...wrong,
  {
    id: 'order-token-true',
    name: 'A creation with true for a token is refused',
    why: 'In some languages true equals every text',
    needs: ['order_token'],
    request: { ...create, body: { order_token: true } },
    expect: { status: [400, 401], code: ['invalid_request', 'unauthorized'] },
  },
  {
    id: 'order-token-ending',
    severity: 'breaks',
    name: 'An order token is good until its end',
    why: 'A clock of another time zone refuses payers whose token still holds',
    request: { ...create, body: { order_token: '{ending_token}' } },
    expect: { status: 200 },
  },
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
