/** Look-ups: what they say, to whom, and how long they may hold others up. */

import { create, inGroup, lookUp, lookingUp, openInvoice, unknownId } from './requests.js';
import type { Point } from '../point.js';

const needs = ['lookup_token'];

export const lookUps: readonly Point[] = inGroup('look-up', 'leak', [
  {
    id: 'look-up',
    severity: 'breaks',
    name: 'A look-up with its token says what was created',
    why: 'The page follows the code by it, and shows no receipt of another invoice',
    change:
      'Read the token from Lookup-Token, and answer with the invoice’s own id, reference and total',
    asks: [{ ...lookUp, expect: { data: { ...openInvoice, is_pix: true } } }],
  },
  {
    id: 'wait',
    severity: 'breaks',
    name: 'A look-up that may wait is answered in time',
    why: 'A page that hears nothing looks as if it were broken',
    change: 'Wait 25 seconds at most, whatever is asked for, and answer then',
    isStrict: true,
    isSlow: true,
    asks: [
      { ...lookUp, path: '/invoices/{invoice_id}?n=3&wait=600', expect: { data: openInvoice } },
    ],
  },
  {
    id: 'beside-wait',
    severity: 'breaks',
    name: 'A creation beside a look-up that waits takes no longer than without',
    why: 'Each open page waits like that: the next payer would see no code for half a minute',
    change:
      'Hold no lock, session or worker that others need while a look-up waits, or answer it at once',
    isStrict: true,
    asks: [
      {
        ...create,
        during: { ...lookUp, path: '/invoices/{invoice_id}?n=2&wait={wait_seconds}' },
        expect: { data: openInvoice },
      },
    ],
  },
  {
    id: 'look-up-missing',
    name: 'A look-up without its token is refused',
    why: 'The address stands in logs and histories',
    change: 'Demand the token that came with the invoice',
    asks: [lookingUp(null, { needs }), lookingUp('null', { needs })],
  },
  {
    id: 'look-up-forged',
    name: 'A look-up with a token that was changed or made up is refused',
    why: 'The address stands in logs and histories: a token that is not compared protects nothing',
    change: 'Compare the whole token with the one that was given, or verify its signature',
    asks: ['tampered_lookup_token', 'unsigned_lookup_token', 'invoice_id', 'base64_invoice_id'].map(
      (name) => lookingUp(`{${name}}`, { needs }),
    ),
  },
]);

/** Once there are other invoices. */
export const lookUpsOfOthers: readonly Point[] = inGroup('look-up', 'leak', [
  {
    id: 'look-up-other',
    name: 'A look-up with the token of another invoice is refused',
    why: 'With any token of their own a stranger would read all invoices',
    change: 'Bind a look-up token to its invoice’s id',
    asks: [
      {
        ...lookUp,
        path: `/invoices/${unknownId}?n=4`,
        needs,
        expect: { codes: ['unauthorized', 'not_found'] },
      },
      lookingUp('{second_order_lookup_token}'),
      lookingUp('{lookup_token}', { path: '/invoices/{second_invoice_id}?n=5' }),
    ],
  },
]);
