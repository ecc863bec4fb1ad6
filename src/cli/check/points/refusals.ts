/** Requests that a careful proxy refuses from anyone: paths and fields that the contract does not have. */

import { toAsk, toCreation, toPoints, lookUp } from './requests.js';

const needs = ['invoice_id'];
const withType = (type: string) => ({ headers: { 'content-type': type }, needs });

export const refusals = toPoints('refusals', 'leak', {
  'foreign-path': {
    name: 'Other paths and methods than the contract’s give nothing',
    why: 'The access token opens more than invoices, and a service may refund by another method',
    change: 'Serve a closed list of routes, and let an id be letters, digits, - and _ alone',
    asks: [
      { method: 'GET', path: '/payouts' },
      { method: 'GET', path: '/invoices/..%2Fcompany' },
      { ...lookUp, path: '/invoices/..%2Finvoices%2F{invoice_id}' },
      { ...lookUp, method: 'DELETE' },
    ].map((request) => toAsk(request, {})),
  },
  'foreign-field': {
    name: 'A creation with a field that the contract does not name is refused',
    why: 'The service may give it a meaning: an address for postbacks, a kind of product, a method',
    change: 'Read the fields of the contract by name, and answer 400 invalid_request to any other',
    asks: [
      { method: 'boleto' },
      { ip_payer: '1.1.1.1' },
      { postback_url: 'https://evil.example/' },
      { product_fisical: 'false' },
      { payer: { cpf: '52998224725' } },
    ].map((body) => toCreation(body, {}, { needs })),
  },
  'form-body': {
    name: 'A creation whose body is not JSON, and called so, is refused',
    why: 'A form on any site can send it from the payer’s browser, which asks no leave for that (CSRF)',
    change:
      'Answer 415 invalid_request to every type but application/json, before you read the body',
    asks: [
      toCreation(
        'method=pix&external_id={order}&order_token={order_token}&payer[name]={payer_name}',
        {},
        withType('application/x-www-form-urlencoded'),
      ),
      toCreation({}, {}, withType('text/plain')),
      toCreation('{"method":"pix",', {}, { needs }),
    ],
  },
});
