/**
 * The three routes over HTTP: guards, then the operation, then one answer for every outcome.
 *
 * Owns the order: origin, path and method, then what the route needs. Never rejects, never names a value.
 */

import type { Checkout } from './checkout.js';
import { readKey } from './attempts.js';
import { findClientAddress, isForwardingOverlooked } from './client-address.js';
import { toFetch } from './exchange.js';
import type { Asked } from './exchange.js';
import { admitOrigin, readJson, toAnswer, toPreflight, toProblem } from './http.js';
import { errorNameOf } from './log.js';
import type { Settings } from './options.js';
import { Refusal, broken } from './refusal.js';
import { parseCreateRequest, readBearer } from './requests.js';
import { matchRoute } from './routes.js';
import type { Route } from './routes.js';
import type { ConnectionInfo, PixProxy } from './types.js';

/** For look-ups nobody holds, most of all: a signal of their own would cost more than the rest of them. */
const answeredAtOnce = new AbortController().signal;

/** Makes the request handler of one proxy. */
export function createHandler(settings: Settings, checkout: Checkout): PixProxy['fetch'] {
  const { allowedOrigins, trustedHops, rawCard, log } = settings;
  const basePath = new URL(settings.publicUrl).pathname.replace(/\/$/, '');
  let isForwardingNoted = false;

  return toFetch(async function answer(asked, info) {
    let origin: string | null = null;
    try {
      origin = admitOrigin(asked, allowedOrigins);
      const route = matchRoute(asked, basePath);
      if (route.name === 'preflight') return toPreflight(route.methods, origin);
      return toAnswer(await serve(route, asked, info), origin);
    } catch (thrown) {
      return toProblem(toRefusal(thrown), origin);
    }
  });

  async function serve(
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
    const fromBrowser = { key: readKey(headers), request };
    noteForwarding(headers, remoteAddress);
    const clientAddress = findClientAddress(headers, remoteAddress, trustedHops);
    const creation = parseCreateRequest(body, rawCard);
    return checkout.create({ request: creation, fromBrowser, clientAddress });
  }

  function toRefusal(thrown: unknown): Refusal {
    if (thrown instanceof Refusal) return thrown;
    log({ level: 'error', event: 'unexpected_error', errorName: errorNameOf(thrown) });
    return broken();
  }

  function noteForwarding(headers: Headers, remoteAddress: string | undefined): void {
    if (isForwardingNoted || !isForwardingOverlooked(headers, remoteAddress, trustedHops)) return;
    isForwardingNoted = true;
    log({ level: 'warn', event: 'forwarding_not_trusted' });
  }
}
