/** Recovering an attempt by its key: the proxy repeats the answer, or promises that there will never be one. */

import { toAsk, create, toPoints, openInvoice, recover, addKey } from './requests.js';
import type { Ask } from '../point.js';

const noRoute = 'no such route: cards need it';
const needs = ['invoice_id'];
const barred = { codes: ['key_reused'] } as const;
const again = toAsk(addKey(create, 'barred_key'), barred);
const told =
  'The payer was told that it did not leave, and pays in another way; this would be a second payment';
const bar =
  'Write the key down as barred in the transaction that claims attempts, before you say not_found';

/** Asks for an attempt with a token that is not the order's. */
const toStrangersAsk = (token: string | null): Ask =>
  toAsk(
    { ...recover, headers: { 'order-token': token } },
    { codes: ['unauthorized'], never: ['not_found'] },
    { needs: ['barred_key', 'order_token'] },
  );

export const recoveries = toPoints('recovery', 'money', {
  recover: {
    severity: 'breaks',
    name: 'The answer of an attempt can be had again',
    why: 'A page that lost the answer asks for it by its key',
    change: 'Keep the answer under order and key, and give it again',
    ask: toAsk(
      addKey(recover, 'key'),
      { data: openInvoice, without: { 404: noRoute, 405: noRoute } },
      { needs },
    ),
  },
  'recover-unknown': {
    name: 'An attempt that never came has no invoice, and one of another order neither',
    why: 'One order’s code would be handed to another page',
    change: 'Look an attempt up by its order and its key, both',
    asks: [
      toAsk(addKey(recover, 'lost_key'), {}, { needs, keeps: 'barred_key' }),
      toAsk(
        { ...addKey(recover, 'key'), path: '/invoices?external_id={other_order}' },
        {},
        { needs: ['barred_key'] },
      ),
    ],
  },
  'recover-no-order': {
    name: 'Without its order, no attempt is answered not_found',
    why: 'Nothing can be barred for it, so it may still be on its way; the payer would pay in another way',
    change: 'Answer 400 invalid_request, or 502 outcome_unknown, where external_id is missing',
    ask: toAsk(
      { method: 'GET', path: '/invoices' },
      { never: ['not_found'] },
      { needs: ['barred_key'] },
    ),
  },
  'recover-stranger': {
    severity: 'leak',
    name: 'The question for an attempt without the order’s own token is refused',
    why: 'Anyone could bar keys of the order, and fill the memory',
    change: 'Verify Order-Token before you look for a key, or bar one',
    unless: ['order-token-other', 'order-token-signature', 'token-purpose'],
    asks: [null, '{tampered_token}', '{second_token}', '{lookup_token}'].map(toStrangersAsk),
  },
  barred: {
    name: 'An attempt that was answered not_found is never made, five at once neither',
    why: told,
    change: `${bar}; answer a creation with it 422 key_reused`,
    asks: [again, { ...again, times: 5 }],
  },
  'barred-held': {
    name: 'An attempt that was on its way when it was answered not_found is never made',
    why: told,
    change: `${bar}, and look for the bar again when a body has come`,
    // This question overtakes the creation, whose body is still being sent. The answer must hold for that creation, too.
    ask: toAsk(addKey(create, 'held_key'), barred, {
      heldFor: addKey(recover, 'held_key'),
      needs,
    }),
  },
});

/** Runs after the slow points; with `--minute`, a minute after the beginning at the earliest. */
export const barredLater = toPoints('recovery', 'money', {
  'barred-later': {
    name: 'A key that was barred stays barred',
    why: told,
    change: 'Keep the bar for an hour, over a restart too',
    isLate: true,
    ask: again,
  },
});
