/**
 * Serves requests: first the routes that servers call, then the check of the origin, the routes of pages, and their operation.
 * Every outcome becomes one response. It repeats nothing of its request but an allowed origin, and the names of the headers
 * that the page asks to send.
 */

import { errorCodes } from '../../contract/codes.js';
import type { Problem } from '../../contract/types.js';
import { isWithin } from '../../domain/spans.js';
import { readJsonBody, readKey, parseCreateRequest } from './create.js';
import type { CreateInvoice } from './create.js';
import type { LookUpInvoice, SummarizeOrder } from './look-up.js';
import type { RecoverInvoice } from './recover.js';
import type { ServePaymentPage } from './pay/payment-page.js';
import { createAssets } from './assets.js';
import { allowOrigin, admitOrigin, toPreflightHeaders } from './cors.js';
import { requireReading } from './request.js';
import type { Handle, LazyRequest, PlainResponse, Route, ServerRoute, Target } from './request.js';
import {
  findClientAddress,
  isForwardingOverlooked,
  isPrivateAddress,
} from '../runtime/client-address.js';
import type { Settings } from '../set-up/options/read-options.js';
import type { QrImages } from './pay/qr-image.js';
import type { ReceivePostback } from './postbacks/postbacks.js';
import { ProxyError, SetupError } from '../set-up/proxy-error.js';
import type { SetupDetails, ToProxyError } from '../set-up/proxy-error.js';
import type { ConnectionInfo, PixProxy, LogEntry } from '../set-up/options/options.js';
import { createInFlight, withTimeout } from '../runtime/running.js';
import { LedgerError } from '../store/order-store.js';
import type { OrderStore } from '../store/order-store.js';
import { logError } from '../set-up/log.js';
import { logHints } from '../set-up/log-hints.js';

/** Paths that pages of any origin may load: the package's files, and pictures with a signed address. */
const publicPath = /^\/(?:assets|qr)\//;

/**
 * A page with COEP blocks an answer without this header, and a page of another origin blocks `same-origin`, which helmet sets
 * (Fetch, section 3.7). Errors have it too, or the browser would report a blocked answer in place of a 404.
 */
const publicHeaders = { 'Cross-Origin-Resource-Policy': 'cross-origin' };

interface HandlerParts {
  readonly settings: Settings;
  readonly checkout: {
    readonly create: CreateInvoice;
    readonly recover: RecoverInvoice;
    readonly lookUp: LookUpInvoice;
    /** Null without a payment page; then the route does not exist. */
    readonly summarizeOrder: SummarizeOrder | null;
  };
  readonly servePaymentPage: ServePaymentPage | null;
  readonly serveQrImage: QrImages['serve'];
  readonly receivePostback: ReceivePostback;
  readonly isReady: IsReady;
  readonly toProxyError: ToProxyError;
  /** Called at the first request. */
  readonly startWork: () => void;
}

/** Makes the request handler. After `close` it refuses creations; `close` resolves when every request is answered. */
export function createHandler(parts: HandlerParts) {
  const { settings, checkout, receivePostback, isReady, toProxyError, startWork } = parts;
  const { servePaymentPage, serveQrImage } = parts;
  const { allowedOrigins, trustedHops, rawCard, warn } = settings;
  const basePath = new URL(settings.publicUrl).pathname.replace(/\/$/, '');
  const { track, isClosing, close } = createInFlight();
  let isStarted = false;
  const serveAsset = createAssets(settings);

  const handle: Handle = (request, info) => track(answer(request, info));
  return { handle, fetch: toFetch(handle), close };

  /** HEAD is GET without the body (RFC 9110 section 9.3.2), on every route. */
  async function answer(request: LazyRequest, info: ConnectionInfo): Promise<PlainResponse> {
    const target = toTarget(request, basePath);
    const { status, headers, body } = await serve(target, request, info);
    return {
      status,
      headers: publicPath.test(target.path) ? { ...headers, ...publicHeaders } : headers,
      body: request.method === 'HEAD' ? null : body,
    };
  }

  async function serve(
    target: Target,
    request: LazyRequest,
    info: ConnectionInfo,
  ): Promise<PlainResponse> {
    if (!isStarted) startWork();
    isStarted = true;
    let origin: string | null = null;
    try {
      const serverRoute = matchServerRoute(target);
      const served = serverRoute && (await serveServerRoute(serverRoute, target, request, info));
      if (served) return served;
      const page = servePaymentPage?.(target);
      if (page) return page;
      origin = admitOrigin(request.headers, allowedOrigins);
      const route = matchRoute(target, basePath);
      if (route.name === 'preflight') {
        const preflight = toPreflightHeaders(route.methods, origin, request.headers);
        return { status: 204, headers: toHeaders(origin, preflight), body: null };
      }
      return toPageAnswer(await servePageRoute(route, request, info), origin);
    } catch (thrown) {
      return toProblem(toProxyError(thrown), origin);
    }
  }

  /** @returns null for a bad reference, which is answered like a path that does not exist */
  async function serveServerRoute(
    route: ServerRoute,
    target: Target,
    request: LazyRequest,
    { remoteAddress }: ConnectionInfo,
  ): Promise<PlainResponse | null> {
    if (route.name === 'postback') {
      const isGood = await receivePostback(route.reference, () => warnIfBodyRead(request));
      return isGood ? toServerAnswer(200, null) : null;
    }
    if (route.name === 'qr') {
      const clientAddress = findClientAddress(request.headers, remoteAddress, trustedHops);
      return serveQrImage({ method: target.method, token: route.token, clientAddress });
    }
    if (route.name === 'asset') return serveAsset(route.file, request);
    requireReading(target.method);
    const isUp = route.name === 'health' || (!isClosing() && (await isReady()));
    return toServerAnswer(isUp ? 200 : 503, { status: isUp ? 'ok' : 'unavailable' });
  }

  async function servePageRoute(
    route: Exclude<Route, { name: 'preflight' }>,
    request: LazyRequest,
    { remoteAddress }: ConnectionInfo,
  ): Promise<object> {
    if (route.name === 'look_up') return checkout.lookUp({ ...route, request });
    const { headers } = request;
    const clientAddress = findClientAddress(headers, remoteAddress, trustedHops);
    if (route.name === 'summarize_order') {
      if (!checkout.summarizeOrder) throw new ProxyError('not_found');
      return checkout.summarizeOrder({ ...route, request, clientAddress });
    }
    if (route.name === 'recover') return checkout.recover({ ...route, request, clientAddress });
    const body = await readJsonBody(request);
    const fromBrowser = { key: readKey(headers), request, isClosing: isClosing() };
    warnOfFrontServer(request, remoteAddress);
    const creation = parseCreateRequest(body, rawCard);
    return checkout.create({ request: creation, fromBrowser, clientAddress });
  }

  /** Warns if something in front has read the body. The postback is still a hint, but it names no invoice. */
  function warnIfBodyRead(request: LazyRequest): LazyRequest {
    if (request.isBodyUsed()) warn({ level: 'warn', event: 'body_already_read' });
    return request;
  }

  /** Warns if a web server in front looks wrongly set up. The payment goes on. */
  function warnOfFrontServer(request: LazyRequest, remoteAddress: string | undefined): void {
    if (isForwardingOverlooked(request.headers, remoteAddress, trustedHops)) {
      warn({ level: 'warn', event: 'forwarding_not_trusted' });
    }
    const hosts = findForeignHost(request, settings);
    if (hosts) warn({ level: 'warn', event: 'host_differs', ...hosts });
  }
}

function toFetch(handle: Handle): PixProxy['fetch'] {
  return async (request, info = {}) => {
    const { method, url, headers, signal } = request;
    const lazy = {
      method,
      url,
      headers,
      signal,
      isBodyUsed: () => request.bodyUsed,
      openBody: () => request.body?.getReader(),
      toRequest: () => request,
    };
    const { status, headers: answered, body } = await handle(lazy, info);
    return new Response(body, { status, headers: answered });
  };
}

function toPageAnswer(data: object, origin: string | null): PlainResponse {
  const headers = toHeaders(origin, { 'Content-Type': 'application/json' });
  // The service's own message is free text, so the page gets none.
  return { status: 200, headers, body: JSON.stringify({ data, message: '' }) };
}

/** Problem details (RFC 9457). `detail` names a field or an option. Only `amount_mismatch` shows values: the two totals. */
function toProblem(error: ProxyError, origin: string | null): PlainResponse {
  const { code, status, field, retryAfterSeconds, allow, data } = error;
  const problem: Problem = {
    type: 'about:blank',
    title: errorCodes[code].title,
    status,
    code,
    ...(field === undefined ? {} : { detail: field }),
    ...(data === undefined ? {} : { data }),
  };
  const headers = toHeaders(origin, {
    'Content-Type': 'application/problem+json',
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    ...(allow === undefined ? {} : { Allow: allow }),
  });
  return { status, headers, body: JSON.stringify(problem) };
}

/** An answer for the service or for a health check. No page reads it. */
function toServerAnswer(status: number, state: object | null): PlainResponse {
  const type = state === null ? {} : { 'Content-Type': 'application/json' };
  const body = state === null ? null : JSON.stringify(state);
  return { status, headers: toHeaders(null, type), body };
}

/**
 * The headers of every answer, and its own. They are set one by one, because V8 takes a hundred times as long to spread one
 * object into another, and each look-up does this.
 */
function toHeaders(
  origin: string | null,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers: Record<string, string> = {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
  allowOrigin(headers, origin);
  return Object.assign(headers, own);
}

// Routes: where a request goes within this proxy.

/** The id is `invoiceIdPattern` of the contract. */
const invoicesPath = /^\/invoices(?:\/([A-Za-z0-9_-]{8,64}))?$/;

const assetsPath = '/assets/';

/** Signed texts (`door/tokens/tokens.ts`). Some services append a word to the address they were given, such as `/pix`. */
const postbackPath = /^\/postbacks\/([A-Za-z0-9_.-]{1,2048})(?:\/[a-z]{1,20})?$/;
/** One of our paths below another path. If `publicUrl` has no path, it lacks that one. */
const nestedPath = /^\/.+\/(?:invoices|assets)(?:\/|$)/;
const qrPath = /^\/qr\/([A-Za-z0-9_.-]{1,2048})\.png$/;

/**
 * Cuts the address, which the Web standard has normalised. To parse it would cost half a look-up.
 * @param basePath path of `publicUrl`, empty or without a trailing slash
 */
function toTarget({ method, url }: LazyRequest, basePath: string): Target {
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
function matchServerRoute({ path }: Target): ServerRoute | null {
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
function matchRoute({ method, path, query }: Target, basePath: string): Route {
  if (path === '' || (basePath === '' && nestedPath.test(path))) {
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

/** A host that others can reach. Inside a network a web server in front has its own names for the proxy. */
const publicHost =
  /^(?!.*\.(?:internal|local)(?::|$))(?:[a-z0-9-]{1,63}\.){1,8}[a-z][a-z0-9-]{1,62}(?=:\d+$|$)/;

/** Finds the host of a request if neither `publicUrl`, where postbacks go, nor an allowed origin names it. */
function findForeignHost(
  { url, headers }: LazyRequest,
  { publicUrl, allowedOrigins }: Pick<Settings, 'publicUrl' | 'allowedOrigins'>,
): SetupDetails | null {
  const host = headers.get('x-forwarded-host')?.split(',', 1)[0] ?? new URL(url).host;
  const got = publicHost.exec(host.trim().toLowerCase())?.[0];
  const expected = new URL(publicUrl).hostname;
  const known = [expected, ...[...allowedOrigins].map((one) => new URL(one).hostname)];
  if (got === undefined || known.includes(got)) return null;
  return { got, expected };
}

// Readiness: the proxy can take payments if its store can write.

/** How long a result is reused, milliseconds. */
const reusedForMs = 1_000;

/** Longest the store may take, milliseconds. */
const longestMs = 2_000;

/** Whether the store could write within the last second. */
export type IsReady = () => Promise<boolean>;

export function createReadiness(
  store: Pick<OrderStore, 'passThrottle'>,
  { now, startTimer, log, randomUuid }: Pick<Settings, 'now' | 'startTimer' | 'log' | 'randomUuid'>,
): IsReady {
  // Each process writes its own row, so that a process that hangs does not block the others.
  let name: string | null = null;
  let answer: Promise<boolean> | null = null;
  let answeredAtMs: number | null = null;

  return function isReady() {
    const isUsable = answeredAtMs === null || isWithin(answeredAtMs, reusedForMs, now());
    if (!answer || !isUsable) {
      answeredAtMs = null;
      answer = check().finally(() => {
        answeredAtMs = now();
      });
    }
    return answer;
  };

  async function check(): Promise<boolean> {
    name ??= `ready ${randomUuid()}`;
    const own = name;
    try {
      // This is the cheapest write of a store. A full disk or a replaced file can still be read, so reading proves less.
      const ask = async () => store.passThrottle(own, 0);
      await withTimeout(startTimer, longestMs, ask, () => new LedgerError('late'));
      return true;
    } catch (thrown) {
      logError(log, thrown);
      return false;
    }
  }
}

// The log's `started` entry: where the service's postbacks go, and whether they can arrive there.

type Reach = NonNullable<LogEntry['reach']>;

/** @param publicUrl as the options name it */
export function toStartEntry(publicUrl: string): LogEntry {
  const reach = toReach(new URL(publicUrl));
  const postbacksTo = `${publicUrl.replace(/\/+$/, '')}/postbacks/`;
  const hint = reach === 'public' ? {} : { hint: logHints.started };
  return { level: 'info', event: 'started', postbacksTo, reach, ...hint };
}

/** Judges by the address alone, without a look-up of the name. */
function toReach({ hostname, port }: URL): Reach {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (/^(localhost|.+\.localhost|127\..+|::1)$/.test(host)) return 'loopback';
  const isName = !host.includes(':') && !/^[\d.]+$/.test(host);
  const isInner =
    isName && !/\.(?!local$|internal$|lan$|test$|home\.arpa$)[a-z][\w-]*$/i.test(host);
  if (isInner || (!isName && isPrivateAddress(host))) return 'private';
  return port === '' ? 'public' : 'other_port';
}
