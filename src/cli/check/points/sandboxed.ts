/** Points that need the sandbox (`--sandbox`): payments that differ, postbacks that lie, answers that are lost. */

import {
  asSecond,
  toAsk,
  create,
  toCreation,
  toPoints,
  lookUp,
  openInvoice,
  addKey,
} from './requests.js';
import type { Expectation } from '../point.js';

const needs = ['sandbox'];
const fault = (on: string, kind: string, more: object = {}) => ({
  method: 'PUT',
  path: '/faults',
  body: [{ on, kind, ...more }],
});
const unpaid = { data: openInvoice, differs: { status: 'paid' } };
const healed = [{ method: 'DELETE', path: '/faults' }];
const cutOnce = [fault('create', 'cut_after', { times: 1 })];
const settledWrong = [
  fault('look_up', 'wrong_total'),
  { method: 'POST', path: '/invoices/{invoice_id}/settle' },
];
const lost = { ...addKey(create, 'pix_lost_key'), needs };
const another = { ...asSecond, replaces: '{id_of_second}' };
const toCharge = (token: string, expect: Expectation) =>
  toCreation({ ...asSecond, method: 'credit_card', card: { token } }, expect, { needs });

export const sandboxed = toPoints('sandbox', 'money', {
  'sandbox-postback': {
    name: 'A postback that says paid is not believed',
    why: 'Anyone can send one, and your shop would ship what is not paid',
    change: 'Take a postback for a hint: look the invoice up, and believe that alone',
    ask: toAsk(lookUp, unpaid, {
      needs,
      before: [
        { method: 'POST', path: '/invoices/{invoice_id}/postback', body: { status: 'paid' } },
      ],
    }),
  },
  'sandbox-lost': {
    unless: ['card-other-key'],
    name: 'After an answer that was lost a card is charged no second time, and a code can be had',
    why: 'The service may have done it: the payer must not pay twice, and must not be stuck',
    change:
      'Write the attempt down before it leaves; afterwards answer outcome_unknown for a card, and let Pix try again',
    asks: [
      toCreation(another, { isAnything: true }, { ...lost, before: cutOnce, after: healed }),
      toCreation(another, { data: { external_id: '{second_order}' }, codes: ['key_reused'] }, lost),
      toCharge('tok_reset_after_effect', { isAnything: true }),
      toCharge('tok_approve', {}),
    ],
  },
  'sandbox-total': {
    unless: ['sandbox-postback'],
    name: 'A payment of another total is not called paid',
    why: 'A service that is wrong, or deceived, would pay your order with one cent',
    change:
      'Compare total, reference and method of a look-up with what was created, and call it amount_mismatch',
    ask: toAsk(lookUp, { isAnything: true }, { needs, before: settledWrong, after: healed }),
    compare: ([answer]) => (answer?.data?.['status'] === 'paid' ? 'paid' : null),
  },
});
