/** What only a sandbox can do, with `--sandbox`: payments that differ, postbacks that lie, answers that are lost. */

import { create, creating, inGroup, lookUp, openInvoice, withKey } from './requests.js';
import type { Expectation, Point } from '../point.js';

const needs = ['sandbox'];
const fault = (on: string, kind: string, more: object = {}) => ({
  method: 'PUT',
  path: '/faults',
  body: [{ on, kind, ...more }],
});
const unpaid = { data: openInvoice, differs: { status: 'paid' } };
const asSecond = { external_id: '{second_order}', order_token: '{second_token}' };
const charging = (token: string, expect: Expectation) =>
  creating({ ...asSecond, method: 'credit_card', card: { token } }, expect, { needs });

export const sandboxed: readonly Point[] = inGroup('sandbox', 'money', [
  {
    id: 'sandbox-postback',
    name: 'A postback that says paid is not believed',
    why: 'Anyone can send one, and your shop would ship what is not paid',
    change: 'Take a postback for a hint: look the invoice up, and believe that alone',
    asks: [
      {
        ...lookUp,
        needs,
        before: [
          { method: 'POST', path: '/invoices/{invoice_id}/postback', body: { status: 'paid' } },
        ],
        expect: unpaid,
      },
    ],
  },
  {
    id: 'sandbox-lost',
    unless: ['card-other-key'],
    name: 'After an answer that was lost a card is charged no second time, and a code can be had',
    why: 'The service may have done it: the payer must not pay twice, and must not be stuck',
    change:
      'Write the attempt down before it leaves; afterwards answer outcome_unknown for a card, and let Pix try again',
    asks: [
      {
        ...creating({ ...asSecond, replaces: '{id_of_second}' }, { isAnything: true }),
        ...withKey(create, 'pix_lost_key'),
        needs,
        before: [fault('create', 'cut_after', { times: 1 })],
        after: [{ method: 'DELETE', path: '/faults' }],
      },
      {
        ...withKey(create, 'pix_lost_key'),
        body: { ...asSecond, replaces: '{id_of_second}' },
        needs,
        expect: { data: { external_id: '{second_order}' }, codes: ['key_reused'] },
      },
      charging('tok_reset_after_effect', { isAnything: true }),
      charging('tok_approve', {}),
    ],
  },
  {
    id: 'sandbox-total',
    unless: ['sandbox-postback'],
    name: 'A payment of another total is not called paid',
    why: 'A service that is wrong, or deceived, would pay your order with one cent',
    change:
      'Compare total, reference and method of a look-up with what was created, and call it amount_mismatch',
    asks: [
      {
        ...lookUp,
        needs,
        before: [
          fault('look_up', 'wrong_total'),
          { method: 'POST', path: '/invoices/{invoice_id}/settle' },
        ],
        after: [{ method: 'DELETE', path: '/faults' }],
        expect: { isAnything: true },
      },
    ],
    compare: ([answer]) => (answer?.data?.['status'] === 'paid' ? 'paid' : null),
  },
]);
