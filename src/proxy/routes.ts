/** Which paths there are, and which methods on them. Nothing else of this server can be reached. */

import { Refusal } from './refusal.js';

/** What a request asks for. */
export type Route =
  | { readonly name: 'create' }
  | { readonly name: 'find_attempt' }
  | { readonly name: 'look_up'; readonly invoiceId: string }
  | { readonly name: 'preflight'; readonly methods: string };

/** Exactly this: no trailing, doubled or encoded slash. The id is `invoiceIdPattern` of the contract. */
const invoicesPath = /^\/invoices(?:\/([A-Za-z0-9_-]{8,64}))?$/;

/**
 * @param basePath path of `publicUrl`, empty or without a trailing slash
 * @throws Refusal 404, or 405 with what is allowed
 */
export function matchRoute(request: Request, basePath: string): Route {
  const { pathname } = new URL(request.url);
  const path = pathname.startsWith(basePath) ? pathname.slice(basePath.length) : '';
  const match = invoicesPath.exec(path);
  if (!match) throw new Refusal('not_found');
  const invoiceId = match[1];
  const methods = invoiceId === undefined ? 'GET, POST' : 'GET';

  if (request.method === 'OPTIONS') return { name: 'preflight', methods };
  if (request.method === 'GET') {
    return invoiceId === undefined ? { name: 'find_attempt' } : { name: 'look_up', invoiceId };
  }
  if (request.method === 'POST' && invoiceId === undefined) return { name: 'create' };
  throw new Refusal('invalid_request', { status: 405, allow: methods });
}
