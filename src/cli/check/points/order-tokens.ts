/** Order tokens that a careful proxy refuses, and a token that it accepts. */

import { create, toCreation, toPoints, toRefusedLookUp, ofOrder, addKey } from './requests.js';
import type { Ask } from '../point.js';

const guessed = 'Anyone who guesses a reference would see its code, and that it is paid';
const toRefusedCreation = (
  body: Ask['body'],
  codes: Ask['expect']['codes'] = ['unauthorized'],
  more?: Partial<Ask>,
) => toCreation(body, { codes }, { needs: ['order_token', 'invoice_id'], ...more });

export const orderTokens = toPoints('order-token', 'leak', {
  'order-token-missing': {
    name: 'A creation without an order token is refused',
    why: guessed,
    change: 'Demand a token that is a text, always: null and true are none',
    asks: [null, 'null', true, []].map((order_token) =>
      toRefusedCreation({ order_token }, ['unauthorized', 'invalid_request']),
    ),
  },
  'order-token-other': {
    name: 'A token of another order is refused',
    why: 'Who may pay one order could see all',
    change: 'Compare the reference in the token with external_id, the whole of it',
    asks: [
      { external_id: '{other_order}' },
      { external_id: '{longer_order}' },
      { order_token: '{second_token}' },
    ].map((body) => toRefusedCreation(body, ['unauthorized', 'unknown_order'])),
  },
  'order-token-signature': {
    name: 'An order token without its own signature is refused',
    why: guessed,
    change: 'Verify the signature before you read anything of a token, and compare all of it',
    asks: [
      { order_token: '{tampered_token}' },
      { order_token: '{unsigned_token}' },
      { order_token: '{forged_token}' },
      { external_id: '{other_order}', order_token: '{rewritten_token}' },
    ].map((body) => toRefusedCreation(body)),
  },
  'order-token-algorithm': {
    unless: ['order-token-signature'],
    name: 'A token that says itself that it needs no signature is refused',
    why: guessed,
    change: 'Name the one algorithm that you verify with (HS256): never take it from the token',
    asks: ['none', 'None'].map((name) => toRefusedCreation({ order_token: `{alg_${name}_token}` })),
  },
  'order-token-expired': {
    name: 'An order token that has expired is refused',
    why: 'It stands in histories, backups and logs',
    change: 'Compare the token’s end with the time in UTC, and leave at most a minute for clocks',
    asks: ['', '_now', '_hour', '_zone'].map((age) =>
      toRefusedCreation({ order_token: `{expired${age}_token}` }),
    ),
  },
  'order-token-ending': {
    severity: 'breaks',
    name: 'An order token is good until its end',
    why: 'A clock of another time zone refuses payers whose token still holds',
    change: 'Compare the token’s end with the time in UTC',
    ask: toCreation({ order_token: '{ending_token}' }, ofOrder),
  },
  'token-purpose': {
    name: 'A token of one purpose is refused for another',
    why: 'A look-up token shows one invoice; it must not pay, and an order token shows no invoice',
    change: 'Put the purpose under the signature, or derive a key for each',
    asks: [
      toRefusedCreation({ order_token: '{lookup_token}' }),
      toRefusedLookUp('{order_token}', { needs: ['lookup_token'] }),
    ],
  },
  replay: {
    unless: ['order-token-missing', 'order-token-other'],
    name: 'What was remembered for one payer is no answer to a stranger',
    why: 'Keys stand in logs, and pages of two orders may make the same',
    change: 'Look at origin, token and order first, and at the key after that',
    asks: [
      toRefusedCreation({ order_token: null }, ['unauthorized'], addKey(create, 'key')),
      toRefusedCreation(
        { external_id: '{other_order}' },
        ['unauthorized', 'key_reused', 'unknown_order'],
        addKey(create, 'key'),
      ),
    ],
  },
});
