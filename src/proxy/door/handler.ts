/**
 * Serves requests: first the routes that servers call, then the check of the origin, then the routes of pages. Every outcome
 * becomes one response. A response repeats nothing of its request, except for an allowed origin and the names of the headers
 * that the page asks to send.
 */

import { errorCodes } from '../../contract/codes.js';
import type { Problem } from '../../contract/types.js';
import { isWithin } from '../../domain/spans.js';
import { readPageCreation, type CreateInvoice } from './create.js';
import type { LookUpInvoice, SummarizeOrder } from './look-up.js';
import type { RecoverInvoice } from './recover.js';
import type { ServePaymentPage } from './pay/payment-page.js';
import { createAssets } from './assets.js';
import { allowOrigin, admitOrigin, toPreflightHeaders } from './cors.js';
import { requireReading } from './request.js';
import type { Handle, LazyRequest, PlainResponse, Target } from './request.js';
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
import { LedgerError, type OrderStore } from '../store/order-store.js';
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
    readonly createForPage: CreateInvoice['createForPage'];
    readonly recover: RecoverInvoice;
    readonly lookUp: LookUpInvoice;
    /** Null without a payment page; then its route does not exist. */
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
  const { allowedOrigins, trustedHops, warn } = settings;
  const basePath = new URL(settings.publicUrl).pathname.replace(/\/$/, '');
  const { track, isClosing, close } = createInFlight();
  let isStarted = false;
  const serveAsset = createAssets(settings);

  const handle: Handle = (request, info) => track(answer(request, info));
  return { handle, fetch: toFetch(handle), close };

  /** Adds the headers of public paths. HEAD is GET without the body (RFC 9110 section 9.3.2), on every route. */
  async function answer(request: LazyRequest, info: ConnectionInfo): Promise<PlainResponse> {
    const target = toTarget(request, basePath);
    const { status, headers, body } = await serve(target, request, info);
    return {
      status,
      headers: publicPath.test(target.path) ? { ...headers, ...publicHeaders } : headers,
      body: request.method === 'HEAD' ? null : body,
    };
  }

  /** Tries the routes of servers, the payment page and, for an admitted origin, the routes of pages. Never rejects. */
  async function serve(
    target: Target,
    request: LazyRequest,
    info: ConnectionInfo,
  ): Promise<PlainResponse> {
    if (!isStarted) startWork();
    isStarted = true;
    let origin: string | null = null;
    try {
      const served = await serveServer(target, request, info);
      if (served) return served;
      const page = servePaymentPage?.(target);
      if (page) return page;
      origin = admitOrigin(request.headers, allowedOrigins);
      return await servePage(target, request, info, origin);
    } catch (thrown) {
      return toProblem(toProxyError(thrown), origin);
    }
  }

  /**
   * Serves the routes that do not check the origin: postbacks of the service, files, pictures in e-mails, health checks.
   * @returns null for any other path. A postback with a bad reference is answered like a path that does not exist
   */
  async function serveServer(
    { method, path }: Target,
    request: LazyRequest,
    { remoteAddress }: ConnectionInfo,
  ): Promise<PlainResponse | null> {
    if (path === '/health' || path === '/ready') {
      requireReading(method);
      const isUp = path === '/health' || (!isClosing() && (await isReady()));
      return toServerAnswer(isUp ? 200 : 503, { status: isUp ? 'ok' : 'unavailable' });
    }
    const token = qrPath.exec(path)?.[1];
    if (token !== undefined) {
      const clientAddress = findClientAddress(request.headers, remoteAddress, trustedHops);
      return serveQrImage({ method, token, clientAddress });
    }
    if (path.startsWith(assetsPath)) return serveAsset(path.slice(assetsPath.length), request);
    const reference = postbackPath.exec(path)?.[1];
    if (reference === undefined) return null;
    const isGood = await receivePostback(reference, () => warnIfBodyRead(request));
    return isGood ? toServerAnswer(200, null) : null;
  }

  /** Serves the routes that pages call. @throws ProxyError, also 404, or 405 with the allowed methods */
  async function servePage(
    { method, path, query }: Target,
    request: LazyRequest,
    { remoteAddress }: ConnectionInfo,
    origin: string | null,
  ): Promise<PlainResponse> {
    if (path === '' || (basePath === '' && nestedPath.test(path))) {
      throw new SetupError('path_outside_public_url', { expected: basePath || '/' });
    }
    const match = invoicesPath.exec(path);
    if (!match && path !== '/order') throw new ProxyError('not_found');
    const invoiceId = match?.[1];
    const isCreated = match !== null && invoiceId === undefined;
    const allow = isCreated ? 'GET, HEAD, POST' : 'GET, HEAD';
    const isReading = method === 'GET' || method === 'HEAD';
    if (method === 'OPTIONS') {
      const preflight = toPreflightHeaders(allow, origin, request.headers);
      return { status: 204, headers: toHeaders(origin, preflight), body: null };
    }
    if (!isReading && !(isCreated && method === 'POST')) {
      throw new ProxyError('invalid_request', { status: 405, field: 'method', allow });
    }
    const read = (name: string) => (query === '' ? null : new URLSearchParams(query).get(name));
    if (invoiceId !== undefined) {
      const data = await checkout.lookUp({ invoiceId, wait: read('wait'), request });
      return toPageAnswer(data, origin);
    }
    const clientAddress = findClientAddress(request.headers, remoteAddress, trustedHops);
    if (isReading) {
      const find = isCreated ? checkout.recover : checkout.summarizeOrder;
      if (!find) throw new ProxyError('not_found');
      const data = await find({ externalId: read('external_id'), request, clientAddress });
      return toPageAnswer(data, origin);
    }
    const creation = { ...(await readPageCreation(request)), isClosing: isClosing() };
    warnOfFrontServer(request, remoteAddress);
    return toPageAnswer(await checkout.createForPage({ ...creation, clientAddress }), origin);
  }

  /** Warns if something in front has read the body. The postback still counts as a hint, but names no invoice. */
  function warnIfBodyRead(request: LazyRequest): LazyRequest {
    if (request.isBodyUsed()) warn({ level: 'warn', event: 'body_already_read' });
    return request;
  }

  /** Warns if a web server in front seems to be set up wrongly. The payment goes on. */
  function warnOfFrontServer(request: LazyRequest, remoteAddress: string | undefined): void {
    if (isForwardingOverlooked(request.headers, remoteAddress, trustedHops)) {
      warn({ level: 'warn', event: 'forwarding_not_trusted' });
    }
    const hosts = findForeignHost(request, settings);
    if (hosts) warn({ level: 'warn', event: 'host_differs', ...hosts });
  }
}

/** Turns the handler into a Web-standard `fetch`. */
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
  // The page does not get the service's own message, because that is free text.
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

/** Makes an answer for the service or for a health check. No page reads it. */
function toServerAnswer(status: number, state: object | null): PlainResponse {
  const type = state === null ? {} : { 'Content-Type': 'application/json' };
  const body = state === null ? null : JSON.stringify(state);
  return { status, headers: toHeaders(null, type), body };
}

/**
 * Adds the headers of every answer to its own. They are set one by one, because V8 takes a hundred times as long to spread
 * one object into another, and each look-up does this.
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

// Paths of the routes

/** The id is `invoiceIdPattern` of the contract. */
const invoicesPath = /^\/invoices(?:\/([A-Za-z0-9_-]{8,64}))?$/;

const assetsPath = '/assets/';

/** The reference is signed (`door/tokens/tokens.ts`). Some services append a word to their address, such as `/pix`. */
const postbackPath = /^\/postbacks\/([A-Za-z0-9_.-]{1,2048})(?:\/[a-z]{1,20})?$/;
/** One of the proxy's paths below another path. If `publicUrl` has no path, that other path is missing in it. */
const nestedPath = /^\/.+\/(?:invoices|assets)(?:\/|$)/;
const qrPath = /^\/qr\/([A-Za-z0-9_.-]{1,2048})\.png$/;

/**
 * Takes the path and query out of the address, which the Web standard has normalised. Parsing it again would cost half a
 * look-up.
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
 * Undoes what a gateway may do to a path, if the path cannot mean anything else: doubled slashes, and letters that needed no
 * encoding (RFC 3986 section 6.2.2.2). Dot segments are gone already: the URL parser also removes encoded ones.
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

/** A host that the internet can reach. Inside a network a web server in front has its own names for the proxy. */
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

/** Creates the check behind `/ready`. It writes to the store once a second at most, however many ask. */
export function createReadiness(
  store: Pick<OrderStore, 'passThrottle'>,
  { now, startTimer, log, randomUuid }: Pick<Settings, 'now' | 'startTimer' | 'log' | 'randomUuid'>,
): IsReady {
  // The name of this process's own row, so that a process that hangs does not block the others.
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
      // Writes the throttle's row, which is the cheapest write to a store. A full disk or a replaced file can still be read,
      // so a read would prove less.
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

/** Makes the log's `started` entry. @param publicUrl as the options name it */
export function toStartEntry(publicUrl: string): LogEntry {
  const reach = toReach(new URL(publicUrl));
  const postbacksTo = `${publicUrl.replace(/\/+$/, '')}/postbacks/`;
  const hint = reach === 'public' ? {} : { hint: logHints.started };
  return { level: 'info', event: 'started', postbacksTo, reach, ...hint };
}

/** Judges by the address alone, without a DNS look-up. */
function toReach({ hostname, port }: URL): Reach {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (/^(localhost|.+\.localhost|127\..+|::1)$/.test(host)) return 'loopback';
  const isName = !host.includes(':') && !/^[\d.]+$/.test(host);
  const isInner =
    isName && !/\.(?!local$|internal$|lan$|test$|home\.arpa$)[a-z][\w-]*$/i.test(host);
  if (isInner || (!isName && isPrivateAddress(host))) return 'private';
  return port === '' ? 'public' : 'other_port';
}
