/** A second order beside the first, and codes that replace the first order's code. */

import {
  asSecond,
  toAsk,
  create,
  toCreation,
  toPoints,
  lookUp,
  ofOrder,
  openInvoice,
  addKey,
} from './requests.js';

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
      // A new code, or the price would not matter any more.
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
