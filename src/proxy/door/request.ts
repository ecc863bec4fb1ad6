/**
 * Reads requests: where one goes within this proxy, whether its page may ask, its body, and the payer's address.
 *
 * Requests and responses are plain objects beside the Web standard's. To make a `Request` and a `Response` costs Node 20
 * several times as much as a whole look-up, so the Node adapter finds the handler here and makes neither.
 */

import { BodyError, announcesMore, readText } from '../../service/call.js';
import type { BodyReader } from '../../service/send.js';
import type { ConnectionInfo, PixProxy } from '../set-up/options/options.js';
import type { Settings } from '../set-up/options/read-options.js';
import { isPrivateAddress } from '../runtime/private-address.js';
import { ProxyError, SetupError } from '../set-up/proxy-error.js';
import type { SetupDetails } from '../set-up/proxy-error.js';

/** Largest request body, bytes. */
const maxBodyBytes = 16 * 1024;

/** For a page that is listed, but by http. */
const byTlsHint =
  'Browsers come by https: write allowedOrigins and publicUrl so, also where TLS ends in front of this process';

/** For a page that no list can name. */
const noOriginHint =
  'The page is a file, an HTML string in a WebView, or in a sandboxed iframe: load it by https from an allowed origin';

/** What browsers send as an origin: nothing else is repeated in the log. */
const originForm = /^(?:null|[a-z][a-z0-9+.-]{0,20}:\/\/[a-z0-9.:[\]-]{1,100})$/i;

/** A host that others can reach. Inside a network a web server in front has its own names for the proxy. */
const publicHost =
  /^(?!.*\.(?:internal|local)(?::|$))(?:[a-z0-9-]{1,63}\.){1,8}[a-z][a-z0-9-]{1,62}(?=:\d+$|$)/;

/** What routing reads of a request. A `Request` is one. */
interface RequestHead {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers: Pick<Headers, 'get' | 'has'>;
}

/** A request whose `Request` is made only when it is needed. */
export interface LazyRequest extends RequestHead {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Whether something in front has read its body, and keeps no copy. */
  isBodyUsed(this: void): boolean;
  /** Reads its body, once. Undefined: it has none. */
  openBody(this: void): BodyReader | undefined;
  /** The whole request; always the same object. */
  toRequest(this: void): Request;
}

/** What a `Response` is made of. */
export interface PlainResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
}

/** Answers every request, and never rejects. */
export type Handle = (request: LazyRequest, info: ConnectionInfo) => Promise<PlainResponse>;

/** What an adapter uses of a proxy beside its public functions. */
interface Internals {
  readonly handle: Handle;
  /**
   * Says where postbacks go, once, and begins the work that no request asks for, such as events left in the store. May be
   * called any number of times.
   */
  readonly startListening: () => void;
  /** Makes sure that the store is this shop's. Never rejects. @returns why it is not; null: it is, or did not answer */
  readonly requireOwn: () => Promise<Error | null>;
}

/** The property of a proxy's functions that holds its internals. */
const internals: unique symbol = Symbol('pix-checkout internals');

/** Lets adapters find the internals by either function: they may be given no more of a proxy than one. */
export function noteInternals({ fetch, close }: PixProxy, own: Internals): void {
  Object.assign(fetch, { [internals]: own });
  Object.assign(close, { [internals]: own });
}

/** Null for a function that is not a proxy's, or that wraps one. */
export function findInternals(
  proxyFunction: object & { readonly [internals]?: Internals },
): Internals | null {
  return proxyFunction[internals] ?? null;
}

/** Routes for pages. */
export type Route =
  | { readonly name: 'create' }
  | {
      readonly name: 'recover' | 'summarize_order';
      /** Text of `?external_id=`. */
      readonly externalId: string | null;
    }
  | {
      readonly name: 'look_up';
      readonly invoiceId: string;
      /** Text of `?wait=`; null: respond at once. */
      readonly wait: string | null;
    }
  | { readonly name: 'preflight'; readonly methods: string };

/** Routes whose origin does not matter: the invoice service's postbacks, files, pictures in e-mails, the operator's checks. */
export type ServerRoute =
  | { readonly name: 'asset'; readonly file: string }
  | { readonly name: 'postback'; readonly reference: string }
  | { readonly name: 'qr'; readonly token: string }
  | { readonly name: 'health' | 'ready' };

/** Where a request goes within this proxy. */
export interface Target {
  readonly method: string;
  /** Empty for an address outside of `publicUrl`. */
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
}

/** The id is `invoiceIdPattern` of the contract. */
const invoicesPath = /^\/invoices(?:\/([A-Za-z0-9_-]{8,64}))?$/;

const assetsPath = '/assets/';

/** Signed texts (`door/tokens/tokens.ts`). Some services append a word to the address they were given, such as `/pix`. */
const postbackPath = /^\/postbacks\/([A-Za-z0-9_.-]{1,2048})(?:\/[a-z]{1,20})?$/;
/** A path of ours below another one: a `publicUrl` without a path lacks that. */
const furtherDown = /^\/.+\/(?:invoices|assets)(?:\/|$)/;
const qrPath = /^\/qr\/([A-Za-z0-9_.-]{1,2048})\.png$/;

/**
 * Cuts the address, which the Web standard has normalised. To parse it would cost half a look-up.
 * @param basePath path of `publicUrl`, empty or without a trailing slash
 */
export function toTarget({ method, url }: RequestHead, basePath: string): Target {
  const [location = ''] = url.split('#', 1);
  const queryAt = location.indexOf('?');
  const endAt = queryAt < 0 ? location.length : queryAt;
  const pathname = toPlainPath(
    location.slice(location.indexOf('/', location.indexOf('://') + 3), endAt),
  );
  const path = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : '';
  return { method, path: path.replace(/(?!^)\/$/, ''), query: location.slice(endAt + 1) };
}

/**
 * Undoes what a gateway may do to a path, where that cannot mean anything else: doubled slashes, and letters that needed no
 * encoding (RFC 3986 section 6.2.2.2). Segments of dots are gone before: the URL parser knows them encoded, too.
 */
function toPlainPath(pathname: string): string {
  if (!/%|\/\//.test(pathname)) return pathname;
  return pathname
    .replaceAll(/%[2-7][\da-f]/gi, (code) => {
      const letter = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[\w.~-]/.test(letter) ? letter : code;
    })
    .replaceAll(/\/{2,}/g, '/');
}

/** @returns null for a path that is not for servers. The reference of a postback is not verified here. */
export function matchServerRoute({ path }: Target): ServerRoute | null {
  if (path === '/health') return { name: 'health' };
  if (path === '/ready') return { name: 'ready' };
  const token = qrPath.exec(path)?.[1];
  if (token !== undefined) return { name: 'qr', token };
  if (path.startsWith(assetsPath)) return { name: 'asset', file: path.slice(assetsPath.length) };
  const reference = postbackPath.exec(path)?.[1];
  return reference === undefined ? null : { name: 'postback', reference };
}

/**
 * @param basePath as for {@link toTarget}
 * @throws ProxyError 404, or 405 with what is allowed
 */
export function matchRoute({ method, path, query }: Target, basePath: string): Route {
  if (path === '' || (basePath === '' && furtherDown.test(path))) {
    throw new SetupError('path_outside_public_url', { expected: basePath || '/' });
  }
  const match = invoicesPath.exec(path);
  const isOrder = path === '/order';
  if (!match && !isOrder) throw new ProxyError('not_found');
  const invoiceId = match?.[1];
  const isCreated = match !== null && invoiceId === undefined;
  const methods = isCreated ? 'GET, HEAD, POST' : 'GET, HEAD';

  if (method === 'OPTIONS') return { name: 'preflight', methods };
  if (method === 'GET' || method === 'HEAD') {
    const read = (name: string) => (query === '' ? null : new URLSearchParams(query).get(name));
    if (invoiceId === undefined) {
      return { name: isOrder ? 'summarize_order' : 'recover', externalId: read('external_id') };
    }
    return { name: 'look_up', invoiceId, wait: read('wait') };
  }
  if (method === 'POST' && isCreated) return { name: 'create' };
  throw new ProxyError('invalid_request', { status: 405, field: 'method', allow: methods });
}

/** @throws ProxyError 405: what is only read there is not written */
export function requireReading(method: string): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new ProxyError('invalid_request', { status: 405, field: 'method', allow: 'GET, HEAD' });
}

/**
 * Admits pages of the allowed origins, and requests without an origin (same-origin GET, servers). An origin does not
 * authenticate, tokens do; this check keeps other sites from using their visitors' browsers.
 *
 * @returns the origin to respond to; null: there was none
 * @throws ProxyError 403
 */
export function admitOrigin(
  headers: RequestHead['headers'],
  allowed: ReadonlySet<string>,
): string | null {
  const origin = headers.get('origin');
  if (origin !== null && allowed.has(origin)) return origin;
  // Browsers omit Origin from some cross-site requests, but not Sec-Fetch-Site.
  const isCrossSite = headers.get('sec-fetch-site') === 'cross-site';
  if (origin === null && !isCrossSite) return null;
  throw refusedOrigin(origin, allowed);
}

/** @param origin as the browser sent it; null: it sent none */
export function refusedOrigin(origin: string | null, allowed: ReadonlySet<string>): SetupError {
  const got = origin === null ? 'none' : originForm.test(origin) ? origin : 'unreadable';
  const expected = [...allowed].join(' ');
  const isByTls = allowed.has(got.replace(/^https:/, 'http:'));
  const hint = got === 'null' ? noOriginHint : isByTls ? byTlsHint : null;
  return new SetupError('origin_refused', { got, expected, ...(hint !== null && { hint }) });
}

/** Notes a creation for a host that neither `publicUrl`, where the service's postbacks go, nor a page's origin names. */
export function findForeignHost(
  { url, headers }: RequestHead,
  { publicUrl, allowedOrigins }: Pick<Settings, 'publicUrl' | 'allowedOrigins'>,
): SetupDetails | null {
  const host = headers.get('x-forwarded-host')?.split(',', 1)[0] ?? new URL(url).host;
  const got = publicHost.exec(host.trim().toLowerCase())?.[0];
  const expected = new URL(publicUrl).hostname;
  const known = [expected, ...[...allowedOrigins].map((one) => new URL(one).hostname)];
  if (got === undefined || known.includes(got)) return null;
  return { got, expected };
}

/** Reads a JSON body. @throws ProxyError 415, 413 or 400 */
export async function readJson(request: LazyRequest): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    throw new ProxyError('invalid_request', { status: 415, field: 'Content-Type' });
  }
  // A body that is announced as too large is not waited for.
  if (announcesMore(request.headers, maxBodyBytes)) throw tooLarge();
  if (request.isBodyUsed()) throw new SetupError('body_already_read');
  try {
    return JSON.parse(await readText(request.openBody(), maxBodyBytes));
  } catch (thrown) {
    const isTooLarge = thrown instanceof BodyError && thrown.problem === 'too_large';
    if (isTooLarge) throw tooLarge();
    // Not UTF-8, not JSON, or a client that disconnected.
    throw new ProxyError('invalid_request', { field: 'body' });
  }
}

function tooLarge(): ProxyError {
  return new ProxyError('invalid_request', { status: 413, field: 'body' });
}

/**
 * Finds the payer's address, for the service's `ip_payer`. Believes forwarding headers only as far as the merchant's
 * `trustedHops`: everything to the left of them may be forged (RFC 7239 section 8.1).
 * @param remoteAddress peer of the connection
 * @param trustedHops how many forwarding proxies to believe, counted from the right
 * @returns an IP address; null where none is known
 */
export function findClientAddress(
  headers: RequestHead['headers'],
  remoteAddress: string | undefined,
  trustedHops: number,
): string | null {
  const peer = toAddress(remoteAddress ?? '');
  if (trustedHops === 0) return peer;
  const forwarded = headers.get('x-forwarded-for')?.split(',') ?? [];
  // A list shorter than the hops did not come through all of them: then only the connection is certain.
  return forwarded.length < trustedHops ? peer : toAddress(forwarded.at(-trustedHops) ?? '');
}

/** Whether a proxy of the merchant seems to forward requests that are taken for its own. */
export function isForwardingOverlooked(
  headers: RequestHead['headers'],
  remoteAddress: string | undefined,
  trustedHops: number,
): boolean {
  if (trustedHops > 0) return false;
  const isForwarded = headers.has('x-forwarded-for') || headers.has('forwarded');
  return isForwarded && isPrivateAddress(toAddress(remoteAddress ?? '') ?? '');
}

/** An IPv4 or IPv6 address without port, brackets and zone, an IPv4 one without its IPv6 prefix; null for all else. */
export function toAddress(text: string): string | null {
  const bare = text
    .trim()
    .replace(/^"|"$/g, '')
    .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=\d+\.)/i, '');
  if (/^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.|$)){4}$/.test(bare) && !bare.endsWith('.'))
    return bare;
  return bare.includes(':') && /^[\da-f:.]+$/i.test(bare) && URL.canParse(`http://[${bare}]`)
    ? bare.toLowerCase()
    : null;
}
