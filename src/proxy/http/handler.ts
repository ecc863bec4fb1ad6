/**
 * The routes over HTTP: guards, then the operation, then one answer for every outcome.
 *
 * Owns the order: what servers ask, then origin, path and method, then what the route needs. Never rejects, never names
 * a value.
 */

import { readKey } from '../idempotency/idempotency.js';
import { parseCreateRequest } from '../operations/create.js';
import type { Create } from '../operations/create.js';
import { readBearer } from '../operations/look-up.js';
import type { LookUpInvoice } from '../operations/look-up.js';
import type { Recover } from '../operations/recover.js';
import { findClientAddress, isForwardingOverlooked } from '../gateway/client-address.js';
import { toFetch } from './request.js';
import type { Answer, Asked } from './request.js';
import {
  admitOrigin,
  readJson,
  toAnswer,
  toPreflight,
  toProblem,
  toServerAnswer,
} from './responses.js';
import type { Settings } from '../config/read-options.js';
import type { ToProxyError } from '../runtime/unexpected-errors.js';
import type { Postbacks } from '../postbacks/postbacks.js';
import type { IsReady } from './readiness.js';
import { ProxyError, unavailable } from '../runtime/proxy-error.js';
import { matchRoute, matchServerRoute, toTarget } from './routes.js';
import type { Route, ServerRoute, Target } from './routes.js';
import type { ConnectionInfo, PixProxy } from '../config/options.js';
import { createInFlight } from '../runtime/in-flight.js';

/** For look-ups nobody holds, most of all: a signal of their own would cost more than the rest of them. */
const answeredAtOnce = new AbortController().signal;

/** What the routes lead to. */
export interface HandlerParts {
  readonly settings: Settings;
  readonly checkout: {
    readonly create: Create;
    readonly findAttempt: Recover;
    readonly lookUp: LookUpInvoice;
  };
  readonly receivePostback: Postbacks['receive'];
  readonly isReady: IsReady;
  readonly toProxyError: ToProxyError;
  /** Told each request. */
  readonly startWork: () => void;
}

/** Requests of one proxy. */
export interface Handler {
  readonly fetch: PixProxy['fetch'];
  /** Refuses creations from now on, and resolves when every request has its answer. */
  readonly close: () => Promise<void>;
}

/** Makes the request handler of one proxy. */
export function createHandler(parts: HandlerParts): Handler {
  const { settings, checkout, receivePostback, isReady, toProxyError, startWork } = parts;
  const { allowedOrigins, trustedHops, rawCard, log } = settings;
  const basePath = new URL(settings.publicUrl).pathname.replace(/\/$/, '');
  const { track, isClosing, close } = createInFlight();
  let isForwardingNoted = false;

  return { fetch: toFetch((asked, info) => track(answer(asked, info))), close };

  async function answer(asked: Asked, info: ConnectionInfo): Promise<Answer> {
    startWork();
    let origin: string | null = null;
    try {
      const target = toTarget(asked, basePath);
      const serverRoute = matchServerRoute(target);
      const served = serverRoute && (await serveServer(serverRoute, target, asked));
      if (served) return served;
      origin = admitOrigin(asked, allowedOrigins);
      const route = matchRoute(target);
      if (route.name === 'preflight') return toPreflight(route.methods, origin);
      return toAnswer(await servePage(route, asked, info), origin);
    } catch (thrown) {
      return toProblem(toProxyError(thrown), origin);
    }
  }

  /** @returns null for a bad reference: it is answered as every path that does not exist */
  async function serveServer(
    route: ServerRoute,
    target: Target,
    asked: Asked,
  ): Promise<Answer | null> {
    if (route.name === 'postback') {
      const isGood = await receivePostback(route.reference, asked.toRequest);
      return isGood ? toServerAnswer(200, null) : null;
    }
    if (target.method !== 'GET' && target.method !== 'HEAD') {
      throw new ProxyError('invalid_request', { status: 405, allow: 'GET, HEAD' });
    }
    const isUp = route.name === 'health' || (!isClosing() && (await isReady()));
    const state = target.method === 'HEAD' ? null : { status: isUp ? 'ok' : 'unavailable' };
    return toServerAnswer(isUp ? 200 : 503, state);
  }

  async function servePage(
    route: Exclude<Route, { name: 'preflight' }>,
    asked: Asked,
    { remoteAddress }: ConnectionInfo,
  ): Promise<object> {
    if (route.name === 'look_up') {
      const { invoiceId, wait } = route;
      const token = readBearer(asked.headers);
      const signal = wait === null ? answeredAtOnce : asked.signal;
      return checkout.lookUp({ invoiceId, token, wait, signal });
    }
    const request = asked.toRequest();
    const { headers } = request;
    if (route.name === 'find_attempt') return checkout.findAttempt(readKey(headers), request);
    const body = await readJson(request);
    // Not before: a body may take half a minute, and what is sent after that has nobody to record it.
    if (isClosing()) throw unavailable();
    const fromBrowser = { key: readKey(headers), request };
    noteForwarding(headers, remoteAddress);
    const clientAddress = findClientAddress(headers, remoteAddress, trustedHops);
    const creation = parseCreateRequest(body, rawCard);
    return checkout.create({ request: creation, fromBrowser, clientAddress });
  }

  function noteForwarding(headers: Headers, remoteAddress: string | undefined): void {
    if (isForwardingNoted || !isForwardingOverlooked(headers, remoteAddress, trustedHops)) return;
    isForwardingNoted = true;
    log({ level: 'warn', event: 'forwarding_not_trusted' });
  }
}
