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
  asSecond,
  lookUp,
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

/** These points run last, because after a limit per address no more requests pass. */
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
    // If another order gets 429 as well, the limit counts the address's requests, not the order's.
    compare: (came) => {
      const [control, own] = came.toReversed();
      const isLocked = own?.status === 429 && control?.status !== 429;
      return isLocked ? '429 after 30 requests with a wrong token' : null;
    },
  },
});

// A second order beside the first, and codes that replace the first order's code.

const foreignCents = 3;
const priceNames = ['total_price_cents', 'total_cents', 'amount', 'price', 'value', 'total'];
const query = priceNames.map((name) => `${name}=${foreignCents}`).join('&');
const replaces = '{second_invoice_id}';
const firstCode = { invoice_id: '{invoice_id}', qr_code_pix: '{code}' };
const priced = { data: { total_cents: '{total_cents}' }, mayRefuse: true };

export const replacements = toPoints('creation', 'money', {
  'price-replaces': {
    name: 'No new code in the place of another at another price than the page shows',
    why: 'The payer has seen another price than is owed',
    change: 'Compare expected_total_cents with the shop’s price where replaces is given, too',
    ask: toCreation(
      { replaces: '{invoice_id}', expected_total_cents: '{more_cents}' },
      { codes: ['amount_mismatch'] },
    ),
  },
  replaces: {
    name: 'Two tabs that want one code replaced get the same new one',
    why: 'Some bank apps refuse a code; the former one stays watched',
    change: 'Replace by compare-and-set under the order’s lock: who comes second gets the new code',
    ask: toCreation(
      { replaces: '{invoice_id}' },
      { data: { external_id: '{order}', total_cents: '{total_cents}' }, differs: firstCode },
      { times: 5, keeps: 'second_invoice' },
    ),
  },
  former: {
    name: 'The former code is looked up as before',
    why: 'It can still be paid: a payer may have copied it',
    change: 'Keep every code of an order with its own id, and go on looking all of them up',
    ask: toAsk(
      lookUp,
      { data: openInvoice, differs: { qr_code_pix: '{second_code}' } },
      { needs: ['second_invoice_id'] },
    ),
  },
  'browser-price': {
    name: 'A price that the browser sends is not charged',
    why: 'The payer would pay what they like',
    change: 'Send the service the shop’s price and items alone: name each field that you hand on',
    asks: [
      ...[
        { total_price_cents: foreignCents },
        { total_cents: foreignCents },
        { items: [{ name: 'check', quantity: 1, unit_price: foreignCents }] },
        { payer: { total_price_cents: String(foreignCents) } },
      ].map((fields) => toCreation({ replaces, ...fields }, priced)),
      // Each creation asks for a new code, because otherwise the proxy would answer with the open one, whatever the price.
      toCreation({ replaces }, priced, { path: `/invoices?${query}`, keeps: 'second_invoice' }),
    ],
  },
  'false-payer': {
    severity: 'breaks',
    name: 'A document that the service refuses is named to the page',
    why: 'The payer sees that the CPF is wrong, and can correct it',
    change:
      'Answer 400 or 422 of the service to a payer’s data with 400 invalid_request and the detail payer',
    isStrict: true,
    ask: toCreation(
      {
        replaces,
        payer: { name: 'Maria do Check', cpf_cnpj: '52998224724', email: 'check@example.com' },
      },
      { ...ofOrder, codes: ['invalid_request', 'too_many_requests'] },
    ),
  },
});

const ofSecond = { data: { external_id: '{second_order}' }, differs: firstCode };

export const secondOrder = toPoints('creation', 'money', {
  'second-order': {
    name: 'Two orders share no code',
    why: 'One payment would be booked for both, or for the wrong one',
    change: 'Keep codes, and keys, under the order’s reference',
    asks: [
      toCreation(asSecond, ofSecond, { keeps: 'second_order' }),
      toCreation(asSecond, { ...ofSecond, codes: ['key_reused'] }, addKey(create, 'key')),
      toAsk(
        lookUp,
        { data: openInvoice, differs: { qr_code_pix: '{code_of_second}' } },
        { needs: ['code_of_second'] },
      ),
    ],
  },
  'replaces-foreign': {
    name: 'A wish to replace another order’s invoice leaves both orders as they are',
    why: 'Two orders would get four codes, or one the code of the other',
    change: 'Compare replaces with the open code of this very order, not with all that you know',
    asks: [
      toCreation(
        { ...asSecond, replaces: '{invoice_id}' },
        { ...ofSecond, data: { ...ofSecond.data, invoice_id: '{id_of_second}' } },
      ),
      toCreation({ replaces: '{id_of_second}' }, { data: openInvoice }),
    ],
  },
});
