/** The paths of the proxy and their methods. Every other path is 404. */

import type { RequestHead } from './request.js';
import { ProxyError, SetupError } from '../runtime/proxy-error.js';

/** Routes for pages. */
export type Route =
  | { readonly name: 'create' }
  | { readonly name: 'find_attempt' }
  | {
      readonly name: 'look_up';
      readonly invoiceId: string;
      /** Text of `?wait=`; null: respond at once. */
      readonly wait: string | null;
    }
  | { readonly name: 'preflight'; readonly methods: string };

/** Routes for servers: the invoice service's postbacks, and the operator's checks. Their origin does not matter. */
export type ServerRoute =
  { readonly name: 'postback'; readonly reference: string } | { readonly name: 'health' | 'ready' };

/** Where a request goes within this proxy. */
export interface Target {
  readonly method: string;
  /** Empty for an address outside of `publicUrl`. */
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
}

/** Exactly this: no trailing, doubled or encoded slash. The id is `invoiceIdPattern` of the contract. */
const invoicesPath = /^\/invoices(?:\/([A-Za-z0-9_-]{8,64}))?$/;

/** A signed text (`tokens/tokens.ts`). */
const postbackPath = /^\/postbacks\/([A-Za-z0-9_.-]{1,2048})$/;

/**
 * Cuts the address, which the Web standard has normalised. To parse it would cost half a look-up.
 * @param basePath path of `publicUrl`, empty or without a trailing slash
 */
export function toTarget({ method, url }: RequestHead, basePath: string): Target {
  const [location = ''] = url.split('#', 1);
  const queryAt = location.indexOf('?');
  const endAt = queryAt < 0 ? location.length : queryAt;
  const pathname = location.slice(location.indexOf('/', location.indexOf('://') + 3), endAt);
  const path = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : '';
  return { method, path, query: location.slice(endAt + 1) };
}

/** @returns null for a path that is not for servers. The reference of a postback is not verified here. */
export function matchServerRoute({ path }: Target): ServerRoute | null {
  if (path === '/health') return { name: 'health' };
  if (path === '/ready') return { name: 'ready' };
  const reference = postbackPath.exec(path)?.[1];
  return reference === undefined ? null : { name: 'postback', reference };
}

/** @throws ProxyError 404, or 405 with what is allowed */
export function matchRoute({ method, path, query }: Target): Route {
  if (path === '') throw new SetupError('path_outside_public_url');
  const match = invoicesPath.exec(path);
  if (!match) throw new ProxyError('not_found');
  const invoiceId = match[1];
  const methods = invoiceId === undefined ? 'GET, POST' : 'GET';

  if (method === 'OPTIONS') return { name: 'preflight', methods };
  if (method === 'GET') {
    if (invoiceId === undefined) return { name: 'find_attempt' };
    const wait = query === '' ? null : new URLSearchParams(query).get('wait');
    return { name: 'look_up', invoiceId, wait };
  }
  if (method === 'POST' && invoiceId === undefined) return { name: 'create' };
  throw new ProxyError('invalid_request', { status: 405, allow: methods });
}
