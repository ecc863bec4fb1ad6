/** What pages of other origins may do: those of the shop everything, the others nothing. */

import { create, inGroup, lookUp, recover, withKey } from './requests.js';
import type { Ask, Point } from '../point.js';

/** A preflight as a browser sends it: names of headers in small letters, sorted. */
function preflight(
  path: string,
  method: string,
  headers: readonly string[],
  more: Partial<Ask>,
): Ask {
  return {
    method: 'OPTIONS',
    path,
    headers: {
      'access-control-request-method': method,
      'access-control-request-headers': headers.join(','),
    },
    expect: { allows: headers },
    ...more,
    needs: ['origin', ...(more.needs ?? [])],
  };
}

/** Pages that are not the shop's, though their origins resemble its own. */
const strangers = ['prefix', 'suffix', 'substring', 'dot', 'scheme'].map(
  (name) => `{origin_${name}}`,
);
strangers.unshift('https://evil.example', 'null');

export const pages: readonly Point[] = inGroup('pages', 'leak', [
  {
    id: 'foreign-origin',
    name: 'Pages of other sites create and read nothing',
    why: 'They would use the browsers of their visitors',
    change:
      'Compare Origin with a list, letter by letter; refuse others with 403, and never answer with *',
    asks: strangers.flatMap((origin) => {
      const asStranger = { expect: { isUnread: true }, needs: ['invoice_id'] };
      const from = (request: typeof create): Ask => ({
        ...request,
        headers: { ...request.headers, origin },
        ...asStranger,
      });
      const [first] = strangers;
      const once = origin === first ? [from(lookUp), from(withKey(recover, 'key'))] : [];
      const replayed = origin === first ? [from(withKey(create, 'key'))] : [];
      return [from(create), from({ method: 'OPTIONS', path: '/invoices' }), ...replayed, ...once];
    }),
  },
  {
    id: 'preflight',
    severity: 'breaks',
    name: 'Preflights let the shop’s page create, look up and ask',
    why: 'Without them a page of another origin cannot pay, or never sees that it is paid',
    change:
      'Answer OPTIONS of every route for the shop’s origin, and allow the headers that it asks for',
    asks: [
      preflight('/invoices', 'POST', ['content-type', 'idempotency-key'], {}),
      preflight('/invoices/{invoice_id}?n=6', 'GET', ['lookup-token'], { needs: ['lookup_token'] }),
      preflight('/invoices?external_id={order}', 'GET', ['idempotency-key', 'order-token'], {
        needs: ['barred_key'],
      }),
    ],
  },
]);
