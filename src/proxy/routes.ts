/** Which paths there are, and which methods on them. Nothing else of this server can be reached. */

import { Refusal } from './refusal.js';

/** What a page asks for. */
export type Route =
  | { readonly name: 'create' }
  | { readonly name: 'find_attempt' }
  | { readonly name: 'look_up'; readonly invoiceId: string }
  | { readonly name: 'preflight'; readonly methods: string };

/** What no page asks for, but the invoice service (postbacks) and whoever runs this server. No origin has a say in it. */
export type ServerRoute =
  | { readonly name: 'postback'; readonly reference: string }
  | { readonly name: 'health' }
  | { readonly name: 'ready' };

/** Exactly this: no trailing, doubled or encoded slash. The id is `invoiceIdPattern` of the contract. */
const invoicesPath = /^\/invoices(?:\/([A-Za-z0-9_-]{8,64}))?$/;

/** A signed text (`signer.ts`). */
const postbackPath = /^\/postbacks\/([A-Za-z0-9_.-]{1,2048})$/;

/**
 * @param url address of the request
 * @param basePath path of `publicUrl`, empty or without a trailing slash
 * @returns the path within this proxy; empty where the address is not of it
 */
export function toPath({ pathname }: URL, basePath: string): string {
  return pathname.startsWith(basePath) ? pathname.slice(basePath.length) : '';
}

/** @returns null where the path is for pages, or for nobody. Whether the reference is good is not looked at. */
export function matchServerRoute(path: string): ServerRoute | null {
  if (path === '/health') return { name: 'health' };
  if (path === '/ready') return { name: 'ready' };
  const reference = postbackPath.exec(path)?.[1];
  return reference === undefined ? null : { name: 'postback', reference };
}

/**
 * @param path as {@link toPath} gives it
 * @throws Refusal 404, or 405 with what is allowed
 */
export function matchRoute(method: string, path: string): Route {
  const match = invoicesPath.exec(path);
  if (!match) throw new Refusal('not_found');
  const invoiceId = match[1];
  const methods = invoiceId === undefined ? 'GET, POST' : 'GET';

  if (method === 'OPTIONS') return { name: 'preflight', methods };
  if (method === 'GET') {
    return invoiceId === undefined ? { name: 'find_attempt' } : { name: 'look_up', invoiceId };
  }
  if (method === 'POST' && invoiceId === undefined) return { name: 'create' };
  throw new Refusal('invalid_request', { status: 405, allow: methods });
}
