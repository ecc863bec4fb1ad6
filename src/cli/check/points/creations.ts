/** Creations: an order has one code, at its own price. */

import {
  toAsk,
  create,
  toCreation,
  toPoints,
  ofOrder,
  openInvoice,
  recover,
  unknownId,
  addKey,
} from './requests.js';
import type { Expectation } from '../point.js';

const mismatch: Expectation = { codes: ['amount_mismatch', 'invalid_request'] };
const sameCode: Expectation = { data: openInvoice };
const needs = ['invoice_id'];
const compare = 'Compare expected_total_cents with the shop’s own price';

export const creations = toPoints('creation', 'money', {
  'price-first': {
    name: 'No first code at another price than the page shows',
    why: 'The payer has seen another price than is owed',
    change: `${compare} before the first code is made, too; if it differs, answer 409 amount_mismatch`,
    ask: toCreation({ expected_total_cents: 1 }, mismatch),
  },
  'ten-at-once': {
    name: 'Ten requests at once get one code',
    why: 'A page sends again when a line breaks, and two tabs open together',
    change:
      'Lock the order while its code is made, or put a unique index on its open code and read it when the insert fails',
    ask: toAsk(create, ofOrder, { times: 10, keeps: 'invoice' }),
  },
  'one-code': {
    name: 'The same order gets the same code, whatever key and device',
    why: 'A payer with two tabs, or who goes on at a computer, must not pay twice',
    change: 'Look the open code up by the order’s reference before you make one',
    asks: [
      toAsk(addKey(create, 'key'), ofOrder, { keeps: 'invoice' }),
      toAsk(addKey(create, 'key'), sameCode, { keeps: 'usual_time' }),
      toAsk(create, sameCode, {
        headers: { 'user-agent': 'another device', 'accept-language': 'en' },
      }),
    ],
  },
  'price-open': {
    name: 'The price that the page shows is compared',
    why: 'The payer has seen another price than is owed; zero is a number, too',
    change: `${compare}, above, below and zero; if it differs, answer 409 amount_mismatch and make nothing`,
    asks: [
      toCreation({ expected_total_cents: '{more_cents}' }, mismatch, addKey(create, 'refused_key')),
      toCreation({ expected_total_cents: '{less_cents}' }, mismatch),
      toCreation({ expected_total_cents: 0 }, mismatch, { needs }),
    ],
  },
  corrected: {
    severity: 'breaks',
    name: 'A refusal is not repeated for a request that was corrected',
    why: 'The page shows the right price now, and the payer presses again',
    change: 'Bind no key by a refusal, or answer 422 key_reused',
    ask: toAsk(addKey(create, 'refused_key'), { ...sameCode, codes: ['key_reused'] }, { needs }),
  },
  'replaces-other': {
    name: 'A wish to replace an unknown invoice gets the open code',
    why: 'replaces is compare-and-set: another tab may have got the new one already',
    change:
      'Make a new code only if replaces is the id of the order’s open one; else answer with that',
    ask: toCreation({ replaces: unknownId }, sameCode),
  },
  'get-creates': {
    name: 'A GET creates nothing',
    why: 'Previews, scanners and prefetching browsers send GETs',
    change: 'Read the request’s method: only POST may create',
    asks: [
      toAsk(
        addKey(recover, 'get_key'),
        {},
        { path: '/invoices?method=pix&external_id={order}', needs },
      ),
      toAsk(addKey(recover, 'get_key'), {}, { needs }),
    ],
  },
  'unknown-order': {
    name: 'An order that the shop does not know gets no code',
    why: 'Nothing can be owed for it',
    change: 'Ask the shop for each order’s price, and answer 404 unknown_order where it has none',
    ask: toCreation(
      { external_id: '{other_order}', order_token: '{other_order_token}' },
      { codes: ['unknown_order', 'unauthorized', 'not_found'] },
    ),
  },
  'reference-alike': {
    name: 'A reference that only resembles the order’s gets nothing',
    why: 'PHP and MySQL take 01042, 1042.0 and other cases for 1042: one order gets two codes',
    change:
      'Compare references letter by letter (=== in PHP, a binary collation in MySQL), and trim and convert nothing',
    asks: ['line', 'space', 'case', 'zero', 'decimal'].flatMap((name) => {
      const external_id = `{order_${name}}`;
      return [{ external_id }, { external_id, order_token: `{order_${name}_token}` }].map((body) =>
        toCreation(
          body,
          { codes: ['invalid_request', 'unauthorized', 'unknown_order'] },
          { needs },
        ),
      );
    }),
  },
  'ruby-anchors': {
    unless: ['reference-alike'],
    name: 'A reference of two lines, the first of which is the order’s, gets nothing',
    why: 'In Ruby ^ and $ stand at each line: the order would get a second code, under a name that the shop has not given',
    change: 'Match the whole reference: \\A and \\z in Ruby, no flag m in other languages',
    ask: toCreation(
      { external_id: '{order_two_lines}' },
      { codes: ['invalid_request', 'unauthorized', 'unknown_order'] },
      { needs },
    ),
  },
});

/** These run last, because a limit per address leaves no more requests. */
export const limits = toPoints('creation', 'breaks', {
  limit: {
    name: 'Requests with a wrong token use up nothing of the payer’s',
    why: 'A stranger who knows a reference could lock its payer out',
    change: 'Verify the token before you count a request for the order',
    asks: [
      ...[1, 2, 3].map(() =>
        toCreation({ order_token: '{tampered_token}' }, { isAnything: true }, { times: 10 }),
      ),
      toAsk(create, { isAnything: true }),
      toCreation(
        { external_id: '{other_order}', order_token: '{tampered_token}' },
        { isAnything: true },
      ),
    ],
    // An address’s limit counts for every order.
    compare: (came) => {
      const [control, own] = came.toReversed();
      const isLocked = own?.status === 429 && control?.status !== 429;
      return isLocked ? '429 after 30 requests with a wrong token' : null;
    },
  },
});
