/**
 * The Node adapter's way to the invoice service: a `fetch` over `node:http`. Node 20's own is several times dearer, and
 * keeps from its caller whether a connection ever came about.
 *
 * Owns connections: what is kept, what is new, and what a failure proves. Sends each request once, follows no redirect,
 * and decodes no content coding. Knows no operation and no token.
 */

import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { idempotentMethods, toCall } from './transport-request.js';
import type { Call } from './transport-request.js';
import { toResponse } from './transport-response.js';

/** Longest silence while a connection comes about, milliseconds: room for two lost SYN packets. */
const defaultConnectTimeoutMs = 4_000;

/** How long a connection lies idle before it is let go, milliseconds. Few servers close one sooner. */
const idleMs = 4_000;

/**
 * Makes a `fetch` for `createProxy` and `createServiceClient`. What it does not support (a Request, a body that is no
 * string, any `redirect` but `manual`, …) is refused with a TypeError that names it.
 *
 * Rejects as `fetch` does: `TypeError` with a `cause`, and with the signal's reason after an abort. Where no connection
 * came about the cause's `syscall` is `connect`, whatever the reason: then nothing was sent.
 *
 * @param options `connectTimeoutMs`: longest silence while name, connection and TLS come about; default 4 s
 */
export function createNodeFetch(
  options: { readonly connectTimeoutMs?: number } = {},
): typeof fetch {
  const { connectTimeoutMs = defaultConnectTimeoutMs } = options;
  const keeping = { keepAlive: true, timeout: idleMs };
  const kept = { http: new HttpAgent(keeping), https: new HttpsAgent(keeping) };
  // A kept connection may be dying, unseen, while a request is written to it: then nobody can say whether a card was
  // charged. What must not happen twice gets a connection of its own, for a round trip or two.
  const single = { http: new HttpAgent(), https: new HttpsAgent() };

  return async function nodeFetch(input, init = {}) {
    const call = toCall(input, init);
    const { url, method, headers } = call;
    call.signal?.throwIfAborted();
    const agents = idempotentMethods.has(method) ? kept : single;
    const sent = { method, headers: Object.fromEntries(headers), timeout: connectTimeoutMs };
    const request =
      url.protocol === 'https:'
        ? requestHttps(url, { ...sent, agent: agents.https })
        : requestHttp(url, { ...sent, agent: agents.http });
    return send(request, call);
  };
}

function send(request: ClientRequest, { method, body, signal }: Call): Promise<Response> {
  return new Promise((resolve, reject) => {
    let isSettled = false;
    const isSent = watchConnection(request);
    const fail = (error?: unknown) => {
      if (isSettled) return;
      isSettled = true;
      reject(toFailure(error, isSent()));
    };
    const abort = () => {
      reject(signal?.reason);
      request.destroy();
    };
    signal?.addEventListener('abort', abort, { once: true });
    request.on('error', fail);
    request.on('response', (incoming: IncomingMessage) => {
      // From here on the body heeds the signal.
      signal?.removeEventListener('abort', abort);
      try {
        resolve(toResponse(incoming, { method, signal }));
        isSettled = true;
      } catch (thrown) {
        // A status no Response can have.
        fail(thrown);
        request.destroy();
      }
    });
    // An upgrade that nobody asked for ends without an error: a promise must not stay open.
    request.on('close', () => {
      signal?.removeEventListener('abort', abort);
      fail();
    });
    request.end(body ?? undefined);
  });
}

/** Tells whether a request may have left, and ends one whose connection does not come about. */
function watchConnection(request: ClientRequest): () => boolean {
  let isConnected = false;
  request.on('socket', (socket: Socket) => {
    isConnected = request.reusedSocket;
    // Before a certificate is accepted nothing is written.
    const event = 'encrypted' in socket ? 'secureConnect' : 'connect';
    if (!isConnected) socket.once(event, () => void (isConnected = true));
  });
  // An answer may take as long as the caller waits.
  request.on('timeout', () => {
    if (!isConnected) request.destroy(Object.assign(new Error('Too slow'), { code: 'ETIMEDOUT' }));
  });
  return () => isConnected;
}

/** As `fetch` and the system say it: where connecting failed, whatever the reason, the cause names that call. */
function toFailure(error: unknown, isSent: boolean): TypeError {
  if (isSent) return new TypeError('fetch failed', { cause: error });
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const cause = new Error('No connection', { cause: error });
  Object.assign(cause, { code, syscall: 'connect' });
  return new TypeError('fetch failed', { cause });
}
