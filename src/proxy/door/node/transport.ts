/**
 * A `fetch` for calls of the invoice service, over undici. It sends each request once, follows no redirect, decodes no
 * content coding, and its errors say whether a connection was ever open. Node's own `fetch` does not say that.
 */

import type { Dispatcher, buildConnector } from 'undici';
import { ownSend, type Answer, type Send, type Sending } from '../../../service/send.js';
import { requireVersion, toUnusableError } from '../../runtime/optional-package.js';
import { toWebStream } from './listener.js';

/** Longest time for the name look-up, connection and TLS handshake, milliseconds. It has room for two lost SYN packets. */
const defaultConnectTimeoutMs = 4_000;

/** Statuses whose answers have no body (Fetch, section 2.2.3). */
const bodilessStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

/** Firewalls turn away requests without a user agent. */
const ownHeaders = { 'accept-encoding': 'identity', accept: '*/*', 'user-agent': 'node' };

/** A request as undici gets it. Names of headers are in lower case. */
interface Outgoing extends Omit<Sending, 'body' | 'signal'> {
  readonly body?: string | null;
  readonly signal?: AbortSignal | null | undefined;
}

/**
 * Makes a `fetch` for `createProxy` and `createServiceClient`. It takes an address, a method, headers, a body of text and
 * a signal; redirects are never followed. Needs the package `undici`.
 *
 * Rejects as `fetch` does: `TypeError` with a `cause`, and with the signal's reason after an abort. Where connecting
 * failed, the cause's `syscall` is `connect`: then nothing was sent.
 *
 * @param options `connectTimeoutMs`: longest time for name, connection and TLS; default 4 s
 */
export function createNodeFetch(
  options: { readonly connectTimeoutMs?: number } = {},
): typeof fetch {
  const { connectTimeoutMs = defaultConnectTimeoutMs } = options;
  let loading: ReturnType<typeof loadUndici> | undefined;

  const send: Send = async (url, sending) => toAnswer(await request(url, sending));

  async function nodeFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
    const { method = 'GET', body, signal } = init;
    const headers = Object.fromEntries(new Headers(init.headers));
    const outgoing = { method, headers, body: body as string | null, signal };
    return toResponse(await request(input as string | URL, outgoing), method);
  }

  /**
   * Sends a request. If a kept connection closes meanwhile, a repeatable request goes out once more, over a connection of its
   * own.
   */
  async function request(url: string | URL, outgoing: Outgoing): Promise<Dispatcher.ResponseData> {
    const { isRepeatable = false, method, body, signal } = outgoing;
    const { request: ask, kept, single } = await (loading ??= loadUndici(connectTimeoutMs));
    signal?.throwIfAborted();
    const headers = { ...ownHeaders, ...outgoing.headers };
    const over = (dispatcher: Dispatcher) =>
      ask(url, { method, body: body ?? null, signal: signal ?? null, dispatcher, headers });
    const isKept = isRepeatable || method === 'GET' || method === 'HEAD';
    try {
      return checkStatus(await over(isKept ? kept : single));
    } catch (cause) {
      signal?.throwIfAborted();
      // If the second try fails, the error of the first is thrown: the first request may have arrived, while the second error
      // may say that nothing was sent.
      const again =
        isRepeatable && isConnectionClosed(cause) ? await over(single).catch(() => null) : null;
      signal?.throwIfAborted();
      if (again) return checkStatus(again);
      throw new TypeError('fetch failed', { cause });
    }
  }

  return Object.assign(nodeFetch, { [ownSend]: send });
}

/** Loads undici and makes two agents: `kept` reuses connections, `single` opens one for each request. */
async function loadUndici(connectTimeoutMs: number) {
  const undici = await importUndici();
  const connect = markUnsentErrors(undici.buildConnector({ timeout: connectTimeoutMs }));
  // undici's own time-outs are off, because the caller has one.
  const options = { connect, headersTimeout: 0, bodyTimeout: 0 };
  const kept = new undici.Agent(options);
  // A kept connection may close while a request is written to it, and then it is unknown whether a card was charged. So a
  // request that must not happen twice gets a connection of its own.
  const single = new undici.Agent({ ...options, pipelining: 0 });
  return { request: undici.request, kept, single };
}

/** The `try` is around the `import()` itself, so that bundlers warn of a missing package and do not fail. */
async function importUndici() {
  try {
    requireVersion('createNodeFetch', 'undici');
    return await import('undici');
  } catch {
    const { message } = toUnusableError('createNodeFetch', 'undici');
    // The service client keeps no message of an error, so this warns the operator.
    process.emitWarning(message);
    throw new TypeError(message, { cause: toUnsentError() });
  }
}

/** Marks the errors of connecting, because undici writes nothing before the connection is open. */
function markUnsentErrors(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) =>
    connect(target, (...[error, socket]) =>
      error ? callback(toUnsentError(error), null) : callback(null, socket),
    );
}

/** Makes an error that names the system call, as Node's own errors of refused connections do. */
function toUnsentError(cause?: unknown): Error {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return Object.assign(new Error('No connection', { cause }), { code, syscall: 'connect' });
}

/** Whether an open connection ended before an answer came. */
function isConnectionClosed(cause: unknown): boolean {
  const { code, syscall } = Object(cause) as NodeJS.ErrnoException;
  return syscall !== 'connect' && /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(code ?? '');
}

/** Checks a status. @throws RangeError for one that no answer can have */
function checkStatus(answer: Dispatcher.ResponseData): Dispatcher.ResponseData {
  // Without a listener for errors, an answer that breaks off before it is read would end the process.
  answer.body.on('error', () => undefined);
  if (answer.statusCode <= 599) return answer;
  answer.body.destroy();
  throw new RangeError('No status of HTTP');
}

function toAnswer({ statusCode, headers, body }: Dispatcher.ResponseData): Answer {
  const cancel = async () => void body.destroy();
  return {
    status: statusCode,
    header(name) {
      const values = headers[name];
      return values === undefined ? null : [values].flat().join(', ');
    },
    body: {
      cancel,
      getReader() {
        const chunks: AsyncIterator<Uint8Array, undefined> = body[Symbol.asyncIterator]();
        return { read: () => chunks.next(), cancel };
      },
    },
  };
}

function toResponse(answer: Dispatcher.ResponseData, method: string): Response {
  const { statusCode: status, statusText, body } = answer;
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headers)) {
    for (const value of [values ?? []].flat()) headers.append(name, value);
  }
  const hasBody = method !== 'HEAD' && !bodilessStatuses.has(status);
  if (!hasBody) body.resume();
  const stream = hasBody ? toWebStream(body, () => body.destroy()) : null;
  try {
    return new Response(stream, { status, statusText, headers });
  } catch (thrown) {
    body.destroy();
    throw thrown;
  }
}
