/** Pages of the shop's origins may create and read everything, and pages of other origins nothing. */

import { toAsk, create, toPoints, lookUp, recover, addKey } from './requests.js';
import type { Ask, PointRequest } from '../point.js';

/** A preflight as a browser sends it: names of headers in small letters, sorted. */
function toPreflight(path: string, method: string, asked: readonly string[], needs: string[]): Ask {
  const headers = {
    'access-control-request-method': method,
    'access-control-request-headers': asked.join(','),
  };
  const request = { method: 'OPTIONS', path, headers };
  return toAsk(request, { allows: asked }, { needs: ['origin', ...needs] });
}

/** Origins of pages that are not the shop's. Some resemble its origin. */
const strangers =
  'https://evil.example null {origin_prefix} {origin_suffix} {origin_substring} {origin_dot} {origin_scheme}'.split(
    ' ',
  );

export const pages = toPoints('pages', 'leak', {
  'foreign-origin': {
    name: 'Pages of other sites create and read nothing',
    why: 'They would use the browsers of their visitors',
    change:
      'Compare Origin with a list, letter by letter; refuse others with 403, and never answer with *',
    asks: strangers.flatMap((origin) => {
      const always: PointRequest[] = [create, { method: 'OPTIONS', path: '/invoices' }];
      const once = [addKey(create, 'key'), lookUp, addKey(recover, 'key')];
      return [...always, ...(origin === strangers[0] ? once : [])].map((request) => {
        const headers = { ...request.headers, origin };
        return toAsk(request, { isUnread: true }, { headers, needs: ['invoice_id'] });
      });
    }),
  },
  preflight: {
    severity: 'breaks',
    name: 'Preflights let the shop’s page create, look up and ask',
    why: 'Without them a page of another origin cannot pay, or never sees that it is paid',
    change:
      'Answer OPTIONS of every route for the shop’s origin, and allow the headers that it asks for',
    asks: [
      toPreflight('/invoices', 'POST', ['content-type', 'idempotency-key'], []),
      toPreflight('/invoices/{invoice_id}?n=6', 'GET', ['lookup-token'], ['lookup_token']),
      toPreflight(recover.path, 'GET', ['idempotency-key', 'order-token'], ['barred_key']),
    ],
  },
});
