/**
 * Turns a Web-standard handler into a `node:http` listener, with back-pressure and disconnects. It calls the proxy's own
 * handler without making a `Request` and a `Response`.
 */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { findInternals, type PlainResponse, type LazyRequest } from '../request.js';
import type { ConnectionInfo } from '../../set-up/options/options.js';
import type { Readable } from 'node:stream';

/** A handler of Web-standard requests, such as the proxy's `fetch`. */
export type FetchHandler = (request: Request, info: ConnectionInfo) => Promise<Response> | Response;

/** Options of {@link createNodeListener}. */
export interface ListenerOptions {
  /** Whether the server is closing: then each response is the last of its connection. */
  readonly isEnding?: () => boolean;
}

/**
 * Makes a listener for `http.createServer`. The request's signal aborts when the client disconnects; the listener never
 * throws. If the ledger belongs to another shop, the unhandled rejection ends the process.
 *
 * @param handler gets the address of the connection's peer as `remoteAddress`. The proxy's own `fetch`, not wrapped, is
 * served several times faster.
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
  void requireOwnLedger(proxy);
  return createListener(handler, isEnding);
}

/** Throws if the ledger belongs to another shop. The caller does not catch that, so it ends the process. */
async function requireOwnLedger(proxy: ReturnType<typeof findInternals>): Promise<void> {
  const refusal = await proxy?.requireOwn();
  if (refusal) throw refusal;
}

/** Makes the listener without starting the proxy's background work. */
export function createListener(handler: FetchHandler, isEnding: () => boolean): RequestListener {
  const proxy = findInternals(handler);
  return (incoming, outgoing) => {
    // Without a listener, a connection that breaks while it is written to would end the process.
    outgoing.on('error', ignore);
    serve(incoming, outgoing).catch(() => {
      if (outgoing.headersSent) outgoing.destroy();
      else endEmpty(incoming, outgoing, 500);
    });
  };

  /** Serves a request by the proxy's own handler or, for another function, by a `Request` and a `Response`. */
  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = toLazyRequest(incoming, outgoing);
    if (typeof request === 'number') return endEmpty(incoming, closeIfEnding(outgoing), request);
    const { remoteAddress } = incoming.socket ?? {};
    const info = remoteAddress === undefined ? {} : { remoteAddress };
    if (proxy) {
      const response = await proxy.handle(request, info);
      return sendPlainResponse(response, incoming, closeIfEnding(outgoing));
    }
    const response = await handler(request.toRequest(), info);
    return sendResponse(response, incoming, closeIfEnding(outgoing));
  }

  /** Makes this the last response of its connection if the server is closing. */
  function closeIfEnding(outgoing: ServerResponse): ServerResponse {
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

/** Sends a Web-standard response, no faster than the client reads. Cancels its body if the client leaves. */
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
    if (!outgoing.write(chunk.value) && !outgoing.destroyed) await waitForDrain(outgoing);
    if (outgoing.destroyed) {
      await reader?.cancel();
      return;
    }
  }
  outgoing.end();
}

function endEmpty(incoming: IncomingMessage, outgoing: ServerResponse, status: number): void {
  closeIfUnread(incoming, outgoing);
  outgoing.writeHead(status).end();
}

/** The rest of an unread body would be taken for the next request, so the connection closes after this response. */
function closeIfUnread(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (incoming.complete) return;
  outgoing.shouldKeepAlive = false;
  incoming.resume();
}

/** Waits until the connection takes more data, or has closed. */
function waitForDrain(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done).off('close', done);
      resolve();
    };
    outgoing.on('drain', done).on('close', done);
  });
}

function ignore(): void {
  // The `close` event follows, and its listener ends the response.
}

// Requests of `node:http`, as the routes read them. A `Request` is made only if it is needed, because it costs more than a
// look-up. A program may have made the incoming message (`node:http2`, a serverless adapter, `inject` of a test framework),
// so some of its properties may be missing.

/** Methods that no `Request` can have (Fetch, section 2.2.1). */
const forbiddenMethods: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

/** Makes the request that the routes read. @returns the status that refuses the request if it cannot become a `Request` */
function toLazyRequest(incoming: IncomingMessage, outgoing: ServerResponse): LazyRequest | number {
  const { method = 'GET', url: target = '' } = incoming;
  if (forbiddenMethods.has(method)) return 405;
  const headers = new RawHeaders(listHeaders(incoming));
  const url = toUrl(target, findHost(headers));
  if (url === null) return 400;
  const request = new NodeRequest(incoming, outgoing, { method, url, headers });
  // The body already flows to a listener in front of us, so data that is not read at once is lost.
  if (incoming.readableFlowing === true) request.toRequest();
  return request;
}

/** Lists the headers as name, value, name, value. Adapters of serverless platforms have only `headers`, perhaps with numbers. */
function listHeaders({ rawHeaders, headers }: IncomingMessage): readonly string[] {
  if (rawHeaders?.length > 0) return rawHeaders;
  return Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().flatMap((value: string | number) => [name, `${value}`]),
  );
}

/**
 * Finds the host of a request. Two hosts are joined, which makes an invalid one (RFC 9112 section 3.2): Node's own object
 * would silently drop the second.
 */
function findHost(headers: RawHeaders): string | undefined {
  // HTTP/2 has `:authority`, and allows both if they agree (RFC 9113 section 8.3.1).
  const authority = headers.get(':authority');
  const host = headers.get('host');
  if (authority === null) return host ?? undefined;
  return host === null || host === authority ? authority : `${host}, ${authority}`;
}

/** A request of `node:http`. A class, because an object literal with closures takes four times as long to make. */
class NodeRequest implements LazyRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: RawHeaders;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  #signal: AbortSignal | undefined;
  #request: Request | undefined;

  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    head: { readonly method: string; readonly url: string; readonly headers: RawHeaders },
  ) {
    this.method = head.method;
    this.url = head.url;
    this.headers = head.headers;
    this.#incoming = incoming;
    this.#outgoing = outgoing;
  }

  get signal(): AbortSignal {
    return (this.#signal ??= toSignal(this.#outgoing));
  }

  get isBodyUsed(): LazyRequest['isBodyUsed'] {
    return () => {
      if (this.#request) return this.#request.bodyUsed;
      return this.#incoming.readableDidRead && findKeptBody(this.#incoming) === null;
    };
  }

  get openBody(): LazyRequest['openBody'] {
    return () => {
      // If the body flows already, or something in front kept it, it is read from the whole request.
      if (this.#request ?? this.#incoming.readableDidRead)
        return this.toRequest().body?.getReader();
      const chunks = this.#incoming.iterator({ destroyOnReturn: false });
      return { read: () => chunks.next(), cancel: async () => void (await chunks.return?.()) };
    };
  }

  get toRequest(): LazyRequest['toRequest'] {
    return () => (this.#request ??= toRequest(this, this.headers.toHeaders(), this.#incoming));
  }
}

/** Joins the values of one name, as `Headers` does. Node's own object drops all but the first value of some names. */
class RawHeaders {
  readonly #raw: readonly string[];

  constructor(raw: readonly string[]) {
    this.#raw = raw;
  }

  get(name: string): string | null {
    const wanted = name.toLowerCase();
    let value: string | null = null;
    for (let i = 0; i + 1 < this.#raw.length; i += 2) {
      const given = this.#raw[i]!;
      if (given.length !== wanted.length || given.toLowerCase() !== wanted) continue;
      value = value === null ? this.#raw[i + 1]! : `${value}, ${this.#raw[i + 1]}`;
    }
    return value;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  /** Leaves out the pseudo-headers of HTTP/2, such as `:method`. */
  toHeaders(): Headers {
    const headers = new Headers();
    for (let i = 0; i + 1 < this.#raw.length; i += 2) {
      if (!this.#raw[i]!.startsWith(':')) headers.append(this.#raw[i]!, this.#raw[i + 1]!);
    }
    return headers;
  }
}

/**
 * Makes the address of a request. @returns null for an invalid host, and for a path that URL parsing would change (dots, back
 * slashes), because a guard of paths in front saw the original
 */
function toUrl(target: string, host = 'localhost'): string | null {
  if (!target.startsWith('/')) return null;
  try {
    const url = new URL(`http://${host}${target}`);
    const isPlain = url.host === host.toLowerCase().replace(/:80$/, '') && url.hash === '';
    return isPlain && url.pathname === target.split('?', 1)[0] ? url.href : null;
  } catch {
    return null;
  }
}

/** Makes a signal that aborts when the client leaves before its response has ended. */
function toSignal(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abortIfLeft = () => {
    // `writableFinished` is missing in `node:http2`, and never set with the sockets that adapters make.
    if (!outgoing.writableEnded) controller.abort();
  };
  if (outgoing.closed) abortIfLeft();
  else outgoing.once('close', abortIfLeft);
  return controller.signal;
}

/** Makes the `Request`, with its body as it flows, or as something in front has kept it. */
function toRequest(
  { method, url, signal }: LazyRequest,
  headers: Headers,
  incoming: IncomingMessage,
): Request {
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const kept = hasBody ? findKeptBody(incoming) : null;
  const body = kept ?? toWebStream(incoming);
  const request = new Request(url, {
    method,
    headers,
    signal,
    ...(hasBody && { body, duplex: 'half' as const }),
  });
  // A parser in front has read the body, so `bodyUsed` has to be true.
  if (incoming.readableDidRead && kept === null) void request.body?.cancel();
  return request;
}

/** Finds a body that something in front has read and kept. @returns null if it was not read, or not kept */
function findKeptBody(
  incoming: IncomingMessage & { readonly rawBody?: unknown; readonly body?: unknown },
): Uint8Array<ArrayBuffer> | string | null {
  if (!incoming.readableDidRead) return null;
  for (const kept of [incoming.rawBody, incoming.body]) {
    if (typeof kept === 'string') return kept;
    if (kept instanceof Uint8Array) return new Uint8Array(kept);
  }
  return null;
}

/**
 * Turns a Node stream into a Web-standard one that reads on demand. @param onCancel absent: a cancel leaves the Node stream
 * open, because a request's connection also carries the response
 */
export function toWebStream(readable: Readable, onCancel?: () => void): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array, undefined> = readable.iterator({
    destroyOnReturn: false,
  });
  // The first chunk of a flowing stream is read at once, because otherwise only its other listeners would get the data.
  let first = readable.readableFlowing === true ? chunks.next() : null;
  first?.catch(() => undefined);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await (first ?? chunks.next());
        first = null;
        if (chunk.done) controller.close();
        else controller.enqueue(chunk.value);
      },
      async cancel() {
        onCancel?.();
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
