/** What pages of other origins may do: those of the shop everything, the others nothing. */

import { create, inGroup, lookUp } from './requests.js';
import type { Point } from '../point.js';

/** A preflight as a browser sends it: names of headers in small letters, sorted. */
export function toPreflight(path: string, method: string, headers: string): Point['request'] {
  const asked = {
    'access-control-request-method': method,
    'access-control-request-headers': headers.replaceAll(' ', ''),
  };
  return { method: 'OPTIONS', path, headers: asked };
}

/** @param headers those that the page wants to send: others need not be allowed */
export function allowing(headers: string): Point['expect'] {
  return {
    status: [200, 204],
    headers: {
      'access-control-allow-origin': '{origin}',
      'access-control-allow-headers': headers,
    },
  };
}

const stranger = {
  why: 'It would use the browsers of its visitors',
  expect: {
    status: 403,
    code: 'invalid_request',
    headers: { 'access-control-allow-origin': null },
  },
} as const;

const strangers = (
  [
    ['foreign-page', 'another site', 'https://evil.example'],
    ['prefix-page', 'a site whose name begins like the shop’s', '{origin}.evil.example'],
    ['suffix-page', 'a site whose name ends like the shop’s', '{origin_suffix}'],
  ] as const
).flatMap(([id, whose, origin]) => [
  {
    id: id.replace('page', 'preflight'),
    name: `A preflight of ${whose} gets no leave`,
    why: stranger.why,
    request: { method: 'OPTIONS', path: '/invoices', headers: { origin } },
    expect: {
      status: [200, 204, 400, 403, 404, 405],
      headers: { 'access-control-allow-origin': null },
    },
  },
  {
    ...stranger,
    id,
    name: `A page of ${whose} is refused`,
    request: { ...create, headers: { origin } },
  },
]);

const creating = 'content-type, idempotency-key';

export const pages: readonly Point[] = inGroup('pages', 'leak', [
  {
    id: 'preflight',
    severity: 'breaks',
    name: 'A preflight lets the page create',
    why: 'Without it a page of another origin cannot pay',
    needs: ['origin'],
    request: toPreflight('/invoices', 'POST', creating),
    expect: allowing(creating),
  },
  {
    id: 'preflight-look-up',
    severity: 'breaks',
    name: 'A preflight lets the page look up with its token',
    why: 'Without it a page of another origin shows a code, and never that it is paid',
    needs: ['origin', 'lookup_token'],
    request: toPreflight('/invoices/{invoice_id}', 'GET', 'lookup-token'),
    expect: allowing('lookup-token'),
  },
  ...strangers,
  {
    ...stranger,
    id: 'null-origin',
    name: 'A page without an origin, such as a file or a sandboxed frame, is refused',
    request: { ...create, headers: { origin: 'null' } },
  },
  {
    ...stranger,
    id: 'foreign-look-up',
    name: 'A look-up by a page of another site is refused',
    request: { ...lookUp, headers: { origin: 'https://evil.example' } },
  },
]);
