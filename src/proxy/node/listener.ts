/**
 * Turns a Web-standard handler into a `node:http` listener.
 *
 * Owns the way of an answer through Node's streams: back-pressure, disconnects, and the short way for the proxy's own
 * answers, which never become a Response. Knows no route and no limit: whoever handles the request reads as much of its
 * body as it wants.
 */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { findAnswering } from '../http/request.js';
import type { Answer } from '../http/request.js';
import { toAsked } from './node-request.js';
import { startWorkOf } from '../runtime/start.js';
import type { ConnectionInfo } from '../config/options.js';

/** A handler of Web-standard requests, such as the proxy's `fetch`. */
export type FetchHandler = (request: Request, info: ConnectionInfo) => Promise<Response> | Response;

/** Options of {@link createNodeListener}. */
export interface ListenerOptions {
  /** Whether the server is being ended: then each answer is the last of its connection. */
  readonly isEnding?: () => boolean;
}

/**
 * Makes a listener for `http.createServer`. The request's signal aborts when the client disconnects; nothing is ever
 * thrown at the server.
 *
 * @param handler is told the address of the connection's peer as `remoteAddress`. The proxy's own `fetch`, not wrapped,
 * is served several times faster.
 */
export function createNodeListener(
  handler: FetchHandler,
  { isEnding = () => false }: ListenerOptions = {},
): RequestListener {
  startWorkOf(handler);
  const answering = findAnswering(handler);
  return (incoming, outgoing) => {
    // Without a listener, a connection that breaks while it is written to would end the process.
    outgoing.on('error', ignore);
    serve(incoming, outgoing).catch(() => {
      if (outgoing.headersSent) outgoing.destroy();
      else end(incoming, outgoing, 500);
    });
  };

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const asked = toAsked(incoming, outgoing);
    if (typeof asked === 'number') return end(incoming, noteEnding(outgoing), asked);
    const { remoteAddress } = incoming.socket;
    const info = remoteAddress === undefined ? {} : { remoteAddress };
    if (answering) {
      const answer = await answering(asked, info);
      return sendAnswer(answer, incoming, noteEnding(outgoing));
    }
    const response = await handler(asked.toRequest(), info);
    return sendResponse(response, incoming, noteEnding(outgoing));
  }

  function noteEnding(outgoing: ServerResponse): ServerResponse {
    if (isEnding()) outgoing.shouldKeepAlive = false;
    return outgoing;
  }
}

function sendAnswer(
  { status, headers, body }: Answer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  endWithAnswer(incoming, outgoing);
  const fields: (string | number)[] = [];
  for (const name of Object.keys(headers)) fields.push(name, headers[name]!);
  if (body !== null) fields.push('Content-Length', Buffer.byteLength(body));
  outgoing.writeHead(status, fields).end(body ?? undefined);
}

async function sendResponse(
  response: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const reader = response.body?.getReader();
  endWithAnswer(incoming, outgoing);
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
  outgoing.writeHead(response.status);
  for (;;) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) break;
    // A connection that is closed already will say so no second time.
    if (!outgoing.write(chunk.value) && !outgoing.destroyed) await drained(outgoing);
    if (outgoing.destroyed) {
      await reader?.cancel();
      return;
    }
  }
  outgoing.end();
}

function end(incoming: IncomingMessage, outgoing: ServerResponse, status: number): void {
  endWithAnswer(incoming, outgoing);
  outgoing.writeHead(status).end();
}

/** A body that nobody read to its end would be taken for the next request: then the connection ends with the answer. */
function endWithAnswer(incoming: IncomingMessage, outgoing: ServerResponse): void {
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
  // 'close' follows, and that is heeded.
}
