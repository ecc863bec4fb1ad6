/**
 * Turns a Web-standard handler into a `node:http` listener. The only file of this room that knows Node.
 *
 * Owns the way of a request and a response through Node's streams: back-pressure, disconnects, requests no Request can
 * stand for. Knows no route and no limit: whoever handles the request reads as much of its body as it wants.
 */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ConnectionInfo } from './types.js';

/** A handler of Web-standard requests, such as the proxy's `fetch`. */
export type FetchHandler = (request: Request, info: ConnectionInfo) => Promise<Response> | Response;

/** Methods that a Request refuses to have (Fetch, section 2.2.1). */
const forbiddenMethods: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

/**
 * Makes a listener for `http.createServer`. The request's signal aborts when the client disconnects; nothing is ever
 * thrown at the server.
 *
 * @param handler is told the address of the connection's peer as `remoteAddress`
 */
export function createNodeListener(handler: FetchHandler): RequestListener {
  return (incoming, outgoing) => {
    void serve(handler, incoming, outgoing);
  };
}

async function serve(
  handler: FetchHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const controller = new AbortController();
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) controller.abort();
  });
  // Without a listener, a connection that breaks while it is written to would end the process.
  outgoing.on('error', () => controller.abort());
  try {
    const request = toRequest(incoming, controller.signal);
    if (typeof request === 'number') return end(incoming, outgoing, request);
    const { remoteAddress } = incoming.socket;
    const info = remoteAddress === undefined ? {} : { remoteAddress };
    await send(await handler(request, info), incoming, outgoing);
  } catch {
    if (outgoing.headersSent) outgoing.destroy();
    else end(incoming, outgoing, 500);
  }
}

/** The request, or the status that refuses it. */
function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request | number {
  const { method = 'GET', url: target = '' } = incoming;
  if (forbiddenMethods.has(method)) return 405;
  const url = toUrl(target, incoming.headers.host);
  if (url === null) return 400;
  const headers = new Headers();
  for (let i = 0; i + 1 < incoming.rawHeaders.length; i += 2) {
    headers.append(incoming.rawHeaders[i]!, incoming.rawHeaders[i + 1]!);
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? { body: toStream(incoming), duplex: 'half' as const } : {};
  return new Request(url, { method, headers, signal, ...body });
}

/** A path that parsing would change (dots, back slashes) is refused: who guards paths must see what was sent. */
function toUrl(target: string, host = 'localhost'): string | null {
  const text = `http://${host}${target}`;
  if (!target.startsWith('/') || !URL.canParse(text)) return null;
  const url = new URL(text);
  const isPlain = url.host === host.toLowerCase().replace(/:80$/, '') && url.hash === '';
  return isPlain && url.pathname === target.split('?', 1)[0] ? url.href : null;
}

/** Reads only when asked to, and leaves the connection alone when the reader has had enough: it is to be answered. */
function toStream(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = incoming.iterator({ destroyOnReturn: false });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk: IteratorResult<Uint8Array, undefined> = await chunks.next();
        if (chunk.done) controller.close();
        else controller.enqueue(chunk.value);
      },
      async cancel() {
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

async function send(
  response: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const reader = response.body?.getReader();
  writeHead(incoming, outgoing, response.status, [...response.headers]);
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
  writeHead(incoming, outgoing, status, []);
  outgoing.end();
}

/** A body that nobody read to its end would be taken for the next request: then the connection ends with the answer. */
function writeHead(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  status: number,
  headers: [string, string][],
): void {
  if (!incoming.complete) {
    outgoing.setHeader('Connection', 'close');
    incoming.resume();
  }
  for (const [name, value] of headers) outgoing.appendHeader(name, value);
  outgoing.writeHead(status);
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
