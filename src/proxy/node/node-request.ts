/** Requests of `node:http` as the routes read them. A `Request` is made only when it is needed: it costs more than a look-up. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LazyRequest } from '../http/request.js';
import { toWebStream } from './web-stream.js';

/** Methods that no `Request` can have (Fetch, section 2.2.1). */
const forbiddenMethods: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

/** @returns a number for a request that no `Request` can stand for: the status that refuses it */
export function toLazyRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): LazyRequest | number {
  const { method = 'GET', url: target = '', rawHeaders } = incoming;
  if (forbiddenMethods.has(method)) return 405;
  const headers = new RawHeaders(rawHeaders);
  // Two hosts, joined, are none (RFC 9112 section 3.2). Node's own list would silently drop the second.
  const url = toUrl(target, headers.get('host') ?? undefined);
  if (url === null) return 400;
  return new NodeRequest(incoming, outgoing, { method, url, headers });
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

  get toRequest(): LazyRequest['toRequest'] {
    return () => (this.#request ??= toRequest(this, this.#incoming));
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
    if (!outgoing.writableFinished) controller.abort();
  };
  if (outgoing.closed) abortIfLeft();
  else outgoing.once('close', abortIfLeft);
  return controller.signal;
}

function toRequest({ method, url, signal }: LazyRequest, incoming: IncomingMessage): Request {
  const headers = new Headers();
  for (let i = 0; i + 1 < incoming.rawHeaders.length; i += 2) {
    headers.append(incoming.rawHeaders[i]!, incoming.rawHeaders[i + 1]!);
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? { body: toWebStream(incoming), duplex: 'half' as const } : {};
  const request = new Request(url, { method, headers, signal, ...body });
  // A body that a parser in front has read is not empty: `bodyUsed` must say so.
  if (incoming.readableDidRead) void request.body?.cancel();
  return request;
}
