/** Look-ups: what they answer, to whom, and how long they may delay other requests. */

import {
  toAsk,
  create,
  toPoints,
  lookUp,
  toRefusedLookUp,
  openInvoice,
  unknownId,
} from './requests.js';

const needs = ['lookup_token'];
const toWaitingLookUp = (query: string) => ({ ...lookUp, path: `/invoices/{invoice_id}?${query}` });

export const lookUps = toPoints('look-up', 'leak', {
  'look-up': {
    severity: 'breaks',
    name: 'A look-up with its token says what was created',
    why: 'The page follows the code by it, and shows no receipt of another invoice',
    change:
      'Read the token from Lookup-Token, and answer with the invoice’s own id, reference and total',
    ask: toAsk(lookUp, { data: { ...openInvoice, is_pix: true } }),
  },
  wait: {
    severity: 'breaks',
    name: 'A look-up that may wait is answered in time',
    why: 'A page that hears nothing looks as if it were broken',
    change: 'Wait 25 seconds at most, whatever is asked for, and answer then',
    isStrict: true,
    isSlow: true,
    ask: toAsk(toWaitingLookUp('n=3&wait=600'), { data: openInvoice }),
  },
  'beside-wait': {
    severity: 'breaks',
    name: 'A creation beside a look-up that waits takes no longer than without',
    why: 'Each open page waits like that: the next payer would see no code for half a minute',
    change:
      'Hold no lock, session or worker that others need while a look-up waits, or answer it at once',
    isStrict: true,
    ask: toAsk(
      create,
      { data: openInvoice },
      { during: toWaitingLookUp('n=2&wait={wait_seconds}') },
    ),
  },
  'look-up-missing': {
    name: 'A look-up without its token is refused',
    why: 'The address stands in logs and histories',
    change: 'Demand the token that came with the invoice',
    asks: [toRefusedLookUp(null, { needs }), toRefusedLookUp('null', { needs })],
  },
  'look-up-forged': {
    name: 'A look-up with a token that was changed or made up is refused',
    why: 'The address stands in logs and histories: a token that is not compared protects nothing',
    change: 'Compare the whole token with the one that was given, or verify its signature',
    asks: ['tampered_lookup_token', 'unsigned_lookup_token', 'invoice_id', 'base64_invoice_id'].map(
      (name) => toRefusedLookUp(`{${name}}`, { needs }),
    ),
  },
});

/** These points run once there are other invoices. */
export const lookUpsOfOthers = toPoints('look-up', 'leak', {
  'look-up-other': {
    name: 'A look-up with the token of another invoice is refused',
    why: 'With any token of their own a stranger would read all invoices',
    change: 'Bind a look-up token to its invoice’s id',
    asks: [
      toAsk(
        { ...lookUp, path: `/invoices/${unknownId}?n=4` },
        { codes: ['unauthorized', 'not_found'] },
        { needs },
      ),
      toRefusedLookUp('{second_order_lookup_token}'),
      toRefusedLookUp('{lookup_token}', { path: '/invoices/{second_invoice_id}?n=5' }),
    ],
  },
});
