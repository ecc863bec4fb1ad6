/** One order, one code: from the first ten requests to the code that is asked for in its place. */

import {
  create,
  fieldsOfCreation,
  inGroup,
  lookUp,
  openInvoice,
  unknownId,
  unauthorized,
  withKey,
} from './requests.js';
import { foreignCents } from './refusals.js';
import type { Point } from '../point.js';

const priceNames = ['total_price_cents', 'total_cents', 'amount', 'price', 'value', 'total'];
const foreignPrice = priceNames.map((name) => `${name}=${foreignCents}`).join('&');
const mismatch = { status: 409, code: 'amount_mismatch' } as const;

/** The code of the order, asked for in every way. */
export const creations: readonly Point[] = inGroup('creation', 'money', [
  {
    id: 'ten-at-once',
    name: 'Ten requests at once get one code',
    why: 'A page sends again when a line breaks, and two tabs open together',
    request: { ...create, times: 10 },
    expect: { status: 200, data: { external_id: '{order}' } },
    keeps: 'invoice',
  },
  {
    id: 'creation',
    severity: 'breaks',
    name: 'A creation is answered with the code of the order',
    why: 'The page shows this code, and follows it with this token',
    request: withKey(create, 'key'),
    expect: { status: 200, data: { external_id: '{order}' }, only: fieldsOfCreation },
    keeps: 'invoice',
  },
  {
    id: 'same-key',
    name: 'A repeated request gets the same code',
    why: 'A browser may itself repeat a request when a connection breaks',
    request: withKey(create, 'key'),
    expect: { status: 200, data: openInvoice },
    keeps: 'usual_time',
  },
  {
    id: 'other-key',
    name: 'The same order gets the same code, whatever the key',
    why: 'A payer with two tabs must not pay twice',
    request: create,
    expect: { status: 200, data: openInvoice },
  },
  {
    id: 'other-device',
    name: 'The same order gets the same code on another device',
    why: 'A payer who goes on at a computer must not pay twice',
    request: { ...create, headers: { 'user-agent': 'another device', 'accept-language': 'en' } },
    expect: { status: 200, data: openInvoice },
  },
  {
    id: 'expected-total',
    name: 'The price that the page shows is compared',
    why: 'The payer has seen another price than is owed',
    request: { ...withKey(create, 'refused_key'), body: { expected_total_cents: '{more_cents}' } },
    expect: mismatch,
  },
  {
    id: 'corrected',
    severity: 'breaks',
    name: 'A refusal is not repeated for a request that was corrected',
    why: 'The page shows the right price now, and the payer presses again',
    needs: ['invoice_id'],
    request: withKey(create, 'refused_key'),
    expect: { status: [200, 422], code: 'key_reused', data: openInvoice },
  },
  {
    id: 'expected-total-below',
    name: 'A lower price that the page shows is compared',
    why: 'The payer has seen another price than is owed, or asks for one',
    request: { ...create, body: { expected_total_cents: '{less_cents}' } },
    expect: mismatch,
  },
  {
    id: 'expected-total-zero',
    name: 'A price of zero that the page shows is compared',
    why: 'Zero is a number, not the lack of one',
    needs: ['invoice_id'],
    request: { ...create, body: { expected_total_cents: 0 } },
    expect: { status: [400, 409], code: ['amount_mismatch', 'invalid_request'] },
  },
]);

/** A code in the place of the first, and one in the place of that. */
export const replacements: readonly Point[] = inGroup('creation', 'money', [
  {
    id: 'replaces-other',
    name: 'A wish to replace another invoice gets the open code',
    why: 'replaces is compare-and-set: another tab may have got the new one already',
    request: { ...create, body: { replaces: unknownId } },
    expect: { status: 200, data: openInvoice },
  },
  {
    id: 'replaces',
    name: 'Two tabs that want one code replaced get the same new one',
    why: 'Some bank apps refuse a code; the former one stays watched',
    request: { ...create, body: { replaces: '{invoice_id}' }, times: 5 },
    expect: {
      status: 200,
      data: { external_id: '{order}', total_cents: '{total_cents}' },
      differs: { invoice_id: '{invoice_id}', qr_code_pix: '{code}' },
    },
    keeps: 'second_invoice',
  },
  {
    id: 'former',
    name: 'The former code is looked up as before',
    why: 'It can still be paid: a payer may have copied it',
    needs: ['second_invoice_id', 'lookup_token'],
    request: lookUp,
    expect: { status: 200, data: openInvoice, differs: { qr_code_pix: '{second_code}' } },
  },
  {
    id: 'look-up-crossed',
    severity: 'leak',
    name: 'A look-up with the token of another invoice is refused',
    why: 'A token is for one invoice: with any of them a stranger would read all',
    needs: ['lookup_token'],
    request: { ...lookUp, path: '/invoices/{second_invoice_id}' },
    expect: unauthorized,
  },
  {
    id: 'browser-query',
    name: 'A price in the address of a creation is not charged',
    why: 'Some languages mix the address and the body up',
    needs: ['total_cents'],
    request: {
      ...create,
      path: `/invoices?${foreignPrice}`,
      // A new code, or the price would not matter any more.
      body: { replaces: '{second_invoice_id}' },
    },
    expect: {
      status: [200, 400, 404],
      code: ['invalid_request', 'not_found'],
      data: { total_cents: '{total_cents}' },
    },
  },
]);
