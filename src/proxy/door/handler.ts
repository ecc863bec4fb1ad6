/**
 * Serves the routes in this order: what servers call, then origin, path and method, then the operation. Every outcome
 * becomes one response, which repeats nothing of its request but an allowed origin and the headers that its page asks to send.
 */

import { errorCodes } from '../../contract/codes.js';
import type { Problem } from '../../contract/types.js';
import { hourSeconds, isWithin } from '../../domain/spans.js';
import { readKey, parseCreateRequest } from './create.js';
import type { Create } from './create.js';
import type { LookUpInvoice, SummarizeOrder } from './look-up.js';
import type { Recover } from './recover.js';
import type { ServePaymentPage } from './pay/payment-page.js';
import { createAssets } from './assets.js';
import {
  findClientAddress,
  findForeignHost,
  isForwardingOverlooked,
  admitOrigin,
  readJson,
  matchRoute,
  matchServerRoute,
  requireReading,
  toTarget,
} from './request.js';
import type { Handle, LazyRequest, PlainResponse, Route, ServerRoute, Target } from './request.js';
import type { Settings } from '../set-up/options/read-options.js';
import type { QrImages } from './pay/qr-image.js';
import type { ReceivePostback } from './postbacks/postbacks.js';
import { ProxyError } from '../set-up/proxy-error.js';
import type { ToProxyError } from '../set-up/proxy-error.js';
import type { ConnectionInfo, PixProxy, LogEntry } from '../set-up/options/options.js';
import { createInFlight, withTimeout } from '../runtime/running.js';
import { LedgerError } from '../store/order-store.js';
import type { OrderStore } from '../store/order-store.js';
import { logError } from '../set-up/log.js';
import { logHints } from '../set-up/log-hints.js';
import { isPrivateAddress } from '../runtime/private-address.js';

/** How long a browser may cache a preflight response, seconds: Chromium's own maximum. */
const preflightAgeSeconds = 2 * hourSeconds;

/** What a page sends. */
const pageHeaders = 'authorization, content-type, idempotency-key, lookup-token, order-token';

/** Names of headers (RFC 9110 section 5.1), as browsers list them. */
const headerNames = /^[\w!#$%&'*+.^`|~-]{1,100}(?:, ?[\w!#$%&'*+.^`|~-]{1,100}){0,30}$/;

/** What pages of any origin may load: files of this package, and pictures behind a signed address. */
const publicPath = /^\/(?:assets|qr)\//;

/**
 * A page under COEP blocks what does not say this, and a page of another origin what says `same-origin`, as helmet does (Fetch,
 * section 3.7). Errors say it, too: otherwise the browser reports that it blocked an answer, and not the 404.
 */
const publicHeaders = { 'Cross-Origin-Resource-Policy': 'cross-origin' };

/** What the routes lead to. */
interface HandlerParts {
  readonly settings: Settings;
  readonly checkout: {
    readonly create: Create;
    readonly recover: Recover;
    readonly lookUp: LookUpInvoice;
    /** Null, as the page: there is no such route. */
    readonly summarizeOrder: SummarizeOrder | null;
  };
  readonly servePaymentPage: ServePaymentPage | null;
  readonly serveQrImage: QrImages['serve'];
  readonly receivePostback: ReceivePostback;
  readonly isReady: IsReady;
  readonly toProxyError: ToProxyError;
  /** Called with the first request. */
  readonly startWork: () => void;
}

/** Requests of one proxy. `close` refuses creations from then on, and resolves when every request is answered. */
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
      const served = serverRoute && (await serveServer(serverRoute, target, request, info));
      if (served) return served;
      const page = servePaymentPage?.(target);
      if (page) return page;
      origin = admitOrigin(request.headers, allowedOrigins);
      const route = matchRoute(target, basePath);
      if (route.name === 'preflight') return toPreflight(route.methods, origin, request);
      return toAnswer(await servePage(route, request, info), origin);
    } catch (thrown) {
      return toProblem(toProxyError(thrown), origin);
    }
  }

  /** @returns null for a bad reference: it is answered as a path that does not exist */
  async function serveServer(
    route: ServerRoute,
    target: Target,
    request: LazyRequest,
    { remoteAddress }: ConnectionInfo,
  ): Promise<PlainResponse | null> {
    if (route.name === 'postback') {
      const isGood = await receivePostback(route.reference, () => noteReadBody(request));
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

  async function servePage(
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
    const body = await readJson(request);
    const fromBrowser = { key: readKey(headers), request, isClosing: isClosing() };
    noteFrontServer(request, remoteAddress);
    const creation = parseCreateRequest(body, rawCard);
    return checkout.create({ request: creation, fromBrowser, clientAddress });
  }

  /** A postback without its body is a hint all the same, but names no invoice. */
  function noteReadBody(request: LazyRequest): LazyRequest {
    if (request.isBodyUsed()) warn({ level: 'warn', event: 'body_already_read' });
    return request;
  }

  /** What a web server in front is not set up to say. The payment goes on. */
  function noteFrontServer(request: LazyRequest, remoteAddress: string | undefined): void {
    if (isForwardingOverlooked(request.headers, remoteAddress, trustedHops)) {
      warn({ level: 'warn', event: 'forwarding_not_trusted' });
    }
    const hosts = findForeignHost(request, settings);
    if (hosts) warn({ level: 'warn', event: 'host_differs', ...hosts });
  }
}

/** The handler as a `fetch`. */
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

/** A response of the contract. */
function toAnswer(data: object, origin: string | null): PlainResponse {
  const headers = toHeaders(origin, { 'Content-Type': 'application/json' });
  // The service's own message is free text and not passed on.
  return { status: 200, headers, body: JSON.stringify({ data, message: '' }) };
}

/** An error as problem details (RFC 9457). `detail` is the name of a field or an option, never a value but the two totals of `amount_mismatch`. */
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

/** The response to a preflight. @param methods of the route, as in `GET, HEAD` */
function toPreflight(
  methods: string,
  origin: string | null,
  { headers: incoming }: Pick<LazyRequest, 'headers'>,
): PlainResponse {
  // What traces a page adds headers to its requests. Of a listed origin they may come: none of them is read.
  const [asked = ''] = headerNames.exec(incoming.get('access-control-request-headers') ?? '') ?? [];
  const headers = toHeaders(origin, {
    Allow: methods,
    ...(origin === null
      ? {}
      : {
          'Access-Control-Allow-Methods': methods,
          'Access-Control-Allow-Headers': asked ? `${pageHeaders}, ${asked}` : pageHeaders,
          'Access-Control-Max-Age': String(preflightAgeSeconds),
        }),
  });
  return { status: 204, headers, body: null };
}

/** A response to the service or to the operator's checks, which no page reads. */
function toServerAnswer(status: number, state: object | null): PlainResponse {
  const type = state === null ? {} : { 'Content-Type': 'application/json' };
  const body = state === null ? null : JSON.stringify(state);
  return { status, headers: toHeaders(null, type), body };
}

/**
 * Credentials are allowed, because a page's wrapper of `fetch` may send them; the proxy reads no cookie. Set one by one,
 * because V8 takes a hundred times as long to spread one object into another, and each look-up does this.
 */
function toHeaders(
  origin: string | null,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers: Record<string, string> = {
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    Vary: 'Origin',
  };
  if (origin !== null) {
    headers['Access-Control-Allow-Origin'] = origin;
    headers['Access-Control-Allow-Credentials'] = 'true';
    headers['Access-Control-Expose-Headers'] = 'Retry-After';
  }
  return Object.assign(headers, own);
}

// Whether this proxy can take payments, which is whether its store writes.

/** How long a result is reused, milliseconds. */
const reusedForMs = 1_000;

/** Longest the store may take, milliseconds. */
const longestMs = 2_000;

/** @returns whether the store could write, a moment ago at most */
export type IsReady = () => Promise<boolean>;

export function createReadiness(
  store: Pick<OrderStore, 'passThrottle'>,
  { now, startTimer, log, randomUuid }: Pick<Settings, 'now' | 'startTimer' | 'log' | 'randomUuid'>,
): IsReady {
  // Each process has its own row: one that hangs must not block the others.
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
      // The cheapest write of a store. Reading proves less: a full disk, or a file that was replaced, still reads.
      const ask = async () => store.passThrottle(own, 0);
      await withTimeout(startTimer, longestMs, ask, () => new LedgerError('late'));
      return true;
    } catch (thrown) {
      logError(log, thrown);
      return false;
    }
  }
}

// The line that a proxy writes when it begins to listen: where the service's postbacks go, and whether they can come there.

type Reach = NonNullable<LogEntry['reach']>;

/** @param publicUrl as the options name it */
export function toStartEntry(publicUrl: string): LogEntry {
  const reach = toReach(new URL(publicUrl));
  const postbacksTo = `${publicUrl.replace(/\/+$/, '')}/postbacks/`;
  const hint = reach === 'public' ? {} : { hint: logHints.started };
  return { level: 'info', event: 'started', postbacksTo, reach, ...hint };
}

/** By the address alone: no name is looked up. */
function toReach({ hostname, port }: URL): Reach {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (/^(localhost|.+\.localhost|127\..+|::1)$/.test(host)) return 'loopback';
  const isName = !host.includes(':') && !/^[\d.]+$/.test(host);
  const isInner =
    isName && !/\.(?!local$|internal$|lan$|test$|home\.arpa$)[a-z][\w-]*$/i.test(host);
  if (isInner || (!isName && isPrivateAddress(host))) return 'private';
  return port === '' ? 'public' : 'other_port';
}
