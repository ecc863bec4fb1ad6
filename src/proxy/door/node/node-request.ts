/**
 * Requests of `node:http` as the routes read them. A `Request` is made only when it is needed: it costs more than a look-up.
 * Some were made by a program (`node:http2`, serverless adapters, `inject` of a test), and lack what a parsed one has.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LazyRequest } from '../request.js';
import { toWebStream } from './web-stream.js';

/** Methods that no `Request` can have (Fetch, section 2.2.1). */
const forbiddenMethods: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

/** @returns a number for a request that no `Request` can stand for: the status that refuses it */
export function toLazyRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): LazyRequest | number {
  const { method = 'GET', url: target = '' } = incoming;
  if (forbiddenMethods.has(method)) return 405;
  const headers = new RawHeaders(listHeaders(incoming));
  const url = toUrl(target, findHost(headers));
  if (url === null) return 400;
  const request = new NodeRequest(incoming, outgoing, { method, url, headers });
  // Something in front listens to the body, which flows from now on: what is not read at once is lost.
  if (incoming.readableFlowing === true) request.toRequest();
  return request;
}

/** Name, value, name, value. Adapters of serverless platforms give only an object, with numbers in it. */
function listHeaders({ rawHeaders, headers }: IncomingMessage): readonly string[] {
  if (rawHeaders?.length > 0) return rawHeaders;
  return Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().flatMap((value: string | number) => [name, `${value}`]),
  );
}

/** Two hosts, joined, are none (RFC 9112 section 3.2). Node's own list would silently drop the second. */
function findHost(headers: RawHeaders): string | undefined {
  // HTTP/2 has a name of its own for it, and allows both where they agree (RFC 9113 section 8.3.1).
  const authority = headers.get(':authority');
  const host = headers.get('host');
  if (authority === null) return host ?? undefined;
  return host === null || host === authority ? authority : `${host}, ${authority}`;
}

/** Classes, because a literal with closures takes four times as long to make, and each request makes one. */
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
      // What flows, or was read and kept, comes by way of a whole request.
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

/** Joins values of one name, as `Headers` does. Node's own list drops all but the first of some. */
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

  /** Without what HTTP/2 counts as headers, such as `:method`. */
  toHeaders(): Headers {
    const headers = new Headers();
    for (let i = 0; i + 1 < this.#raw.length; i += 2) {
      if (!this.#raw[i]!.startsWith(':')) headers.append(this.#raw[i]!, this.#raw[i + 1]!);
    }
    return headers;
  }
}

/** Refuses a path that parsing would change (dots, back slashes): guards of paths must see what was sent. */
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

function toSignal(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abortIfLeft = () => {
    // Not `writableFinished`: `node:http2` has none, and over the sockets that adapters make it never comes.
    if (!outgoing.writableEnded) controller.abort();
  };
  if (outgoing.closed) abortIfLeft();
  else outgoing.once('close', abortIfLeft);
  return controller.signal;
}

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
  // A body that a parser in front has read is not empty: `bodyUsed` must say so.
  if (incoming.readableDidRead && kept === null) void request.body?.cancel();
  return request;
}

/** The bytes of a body that was read already, where what has read it keeps them; null: it was not read, or is lost. */
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
