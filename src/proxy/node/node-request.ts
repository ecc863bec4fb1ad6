/**
 * A request that came over `node:http`, in the words of the Web standard: no more of it than somebody asks for, because
 * a whole Request costs more than most of them are about.
 *
 * Owns requests no Request can stand for, and back-pressure and disconnects on the way in. Knows no route and no limit.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Asked } from '../http/request.js';

/** Methods that a Request refuses to have (Fetch, section 2.2.1). */
const forbiddenMethods: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

/** The request, or the status that refuses it. */
export function toAsked(incoming: IncomingMessage, outgoing: ServerResponse): Asked | number {
  const { method = 'GET', url: target = '', rawHeaders } = incoming;
  if (forbiddenMethods.has(method)) return 405;
  const headers = new RawHeaders(rawHeaders);
  // Two of them, joined, are no host (RFC 9112 section 3.2): Node's own list would drop the second in silence.
  const url = toUrl(target, headers.get('host') ?? undefined);
  if (url === null) return 400;
  return new NodeRequest(incoming, outgoing, { method, url, headers });
}

/** Classes, for one is made per request: a literal with closures takes four times as long. */
class NodeRequest implements Asked {
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

  get toRequest(): Asked['toRequest'] {
    return () => (this.#request ??= toRequest(this, this.#incoming));
  }
}

/** As `Headers`: values of the same name are joined. Node's own list keeps the first of some, and drops the rest. */
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

/** A path that parsing would change (dots, back slashes) is refused: who guards paths must see what was sent. */
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

function toRequest({ method, url, signal }: Asked, incoming: IncomingMessage): Request {
  const headers = new Headers();
  for (let i = 0; i + 1 < incoming.rawHeaders.length; i += 2) {
    headers.append(incoming.rawHeaders[i]!, incoming.rawHeaders[i + 1]!);
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? { body: toStream(incoming), duplex: 'half' as const } : {};
  const request = new Request(url, { method, headers, signal, ...body });
  // A body that a parser in front has read is not an empty one: `bodyUsed` must say so.
  if (incoming.readableDidRead) void request.body?.cancel();
  return request;
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
