/**
 * Turns a Web-standard handler into a `node:http` listener, with back-pressure and disconnects. The proxy's own handler
 * is called directly, without a `Request` and a `Response`.
 */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { findInternals } from '../request.js';
import type { PlainResponse } from '../request.js';
import { toLazyRequest } from './node-request.js';
import type { ConnectionInfo } from '../../set-up/options/options.js';

/** A handler of Web-standard requests, such as the proxy's `fetch`. */
export type FetchHandler = (request: Request, info: ConnectionInfo) => Promise<Response> | Response;

/** Options of {@link createNodeListener}. */
export interface ListenerOptions {
  /** Whether the server is closing: then each response is the last of its connection. */
  readonly isEnding?: () => boolean;
}

/**
 * Makes a listener for `http.createServer`. The request's signal aborts when the client disconnects; the listener never
 * throws.
 *
 * @param handler gets the address of the connection's peer as `remoteAddress`. The proxy's own `fetch`, not wrapped, is
 *   served several times faster.
 * @throws TypeError for anything else, such as the proxy itself
 */
export function createNodeListener(
  handler: FetchHandler,
  { isEnding = () => false }: ListenerOptions = {},
): RequestListener {
  if (typeof handler !== 'function') {
    throw new TypeError('createNodeListener needs a function: proxy.fetch, not the proxy');
  }
  const proxy = findInternals(handler);
  proxy?.startListening();
  return createListener(handler, isEnding);
}

export function createListener(handler: FetchHandler, isEnding: () => boolean): RequestListener {
  const proxy = findInternals(handler);
  return (incoming, outgoing) => {
    // Without a listener, a connection that breaks while it is written to would end the process.
    outgoing.on('error', ignore);
    serve(incoming, outgoing).catch(() => {
      if (outgoing.headersSent) outgoing.destroy();
      else end(incoming, outgoing, 500);
    });
  };

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = toLazyRequest(incoming, outgoing);
    if (typeof request === 'number') return end(incoming, noteEnding(outgoing), request);
    const { remoteAddress } = incoming.socket ?? {};
    const info = remoteAddress === undefined ? {} : { remoteAddress };
    if (proxy) {
      const response = await proxy.handle(request, info);
      return sendPlainResponse(response, incoming, noteEnding(outgoing));
    }
    const response = await handler(request.toRequest(), info);
    return sendResponse(response, incoming, noteEnding(outgoing));
  }

  function noteEnding(outgoing: ServerResponse): ServerResponse {
    if (isEnding()) outgoing.shouldKeepAlive = false;
    return outgoing;
  }
}

function sendPlainResponse(
  { status, headers, body }: PlainResponse,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  closeIfUnread(incoming, outgoing);
  // An object, not a list: adapters of serverless platforms have a `writeHead` of their own, which knows no lists.
  const fields: Record<string, string | number> = {};
  for (const name of Object.keys(headers)) fields[name] = headers[name]!;
  if (body !== null) fields['Content-Length'] = Buffer.byteLength(body);
  outgoing.writeHead(status, fields);
  outgoing.end(body ?? undefined);
}

async function sendResponse(
  response: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const reader = response.body?.getReader();
  closeIfUnread(incoming, outgoing);
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
  outgoing.writeHead(response.status);
  for (;;) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) break;
    // A destroyed connection emits no further `close` to wait for.
    if (!outgoing.write(chunk.value) && !outgoing.destroyed) await drained(outgoing);
    if (outgoing.destroyed) {
      await reader?.cancel();
      return;
    }
  }
  outgoing.end();
}

function end(incoming: IncomingMessage, outgoing: ServerResponse, status: number): void {
  closeIfUnread(incoming, outgoing);
  outgoing.writeHead(status).end();
}

/** The rest of an unread body would be taken for the next request, so the connection closes after this response. */
function closeIfUnread(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (incoming.complete) return;
  outgoing.shouldKeepAlive = false;
  incoming.resume();
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done).off('close', done);
      resolve();
    };
    outgoing.on('drain', done).on('close', done);
  });
}

function ignore(): void {
  // `close` follows, and is handled.
}
