/**
 * Runs a proxy as an HTTP server of its own. Closing takes no new payment, answers long polls, and waits for calls of the
 * service, so that no payment is lost and no page sees a reset connection.
 */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextRound, setTimeout as pause } from 'node:timers/promises';
import { createListener } from './listener.js';
import { findInternals } from '../request.js';
import type { PixProxy } from '../../set-up/options/options.js';

/** Limits for clients that never finish, milliseconds. An answer has no limit here, because long polls take their time. */
const timeouts = {
  /** The time for the headers of a request. Phones on bad lines need seconds, not minutes. */
  headersTimeout: 20_000,
  /** The time for the whole request with its body. */
  requestTimeout: 30_000,
  /**
   * Longer than the minute after which usual load balancers close an idle connection, because the balancer must close first.
   */
  keepAliveTimeout: 65_000,
};

const defaultGraceMs = 30_000;

/**
 * How long a closing server still takes connections, milliseconds, so that clients that do not know that it closes get an
 * answer and no reset.
 */
const lingerMs = 500;

/** Options of {@link serveProxy}. */
export interface ServeOptions {
  readonly proxy: Pick<PixProxy, 'fetch' | 'close'>;
  /** 0: any free one. */
  readonly port: number;
  /** Default `127.0.0.1`: for a TLS terminator on the same machine. `::` for all addresses. */
  readonly host?: string;
  /** How long `close` waits for open answers at most, milliseconds; default 30 s. */
  readonly graceMs?: number;
}

/** A proxy that listens. */
export interface ProxyServer {
  /** Base address as seen from this machine, without a trailing slash. */
  readonly url: string;
  /**
   * Takes no new payment, but answers open requests and those that come within half a second. Resolves when the last answer
   * is sent; requests that are still open after `graceMs` are cut. Each call returns the same promise.
   */
  close(): Promise<void>;
}

/**
 * Starts an HTTP server for a proxy.
 *
 * @throws TypeError if `proxy` is not one; LedgerError if its ledger keeps the orders of another shop; the system's Error if
 * the port is taken
 */
export async function serveProxy(options: ServeOptions): Promise<ProxyServer> {
  const { proxy, port, host = '127.0.0.1', graceMs = defaultGraceMs } = options ?? {};
  if (typeof proxy?.fetch !== 'function' || typeof proxy.close !== 'function') {
    throw new TypeError(
      'serveProxy needs { proxy, port }, where proxy is what createProxy returns',
    );
  }
  // If a function wraps `fetch`, only `close` leads to the proxy's internals.
  const own = findInternals(proxy.close);
  const refusal = await own?.requireOwn();
  if (refusal) throw refusal;
  let ending: Promise<void> | undefined;
  const isEnding = () => ending !== undefined;
  const listener = createListener(proxy.fetch, isEnding);
  const server = createServer(timeouts, listener);
  const url = await listen(server, port, host);
  // The proxy's background work starts after the port is open, so that nothing is left running if it cannot be opened.
  own?.startListening();
  return { url, close: () => (ending ??= closeServer(server, proxy, graceMs)) };
}

/**
 * Closes the server and the proxy: connections are taken for `lingerMs` more, and what is still open after `graceMs` is cut.
 */
async function closeServer(
  server: Server,
  proxy: ServeOptions['proxy'],
  graceMs: number,
): Promise<void> {
  // `server.close` ends idle connections; other connections end with their answer. The pause lets the server first read
  // requests that arrived while this process was busy.
  const closed = pause(Math.min(lingerMs, graceMs))
    .then(() => nextRound())
    .then(() => new Promise<void>((resolve) => server.close(() => resolve())));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs);
  });
  try {
    // A payment may still be in flight after its payer has disconnected, so the proxy has to close as well.
    await Promise.race([Promise.all([closed, proxy.close()]), expired]);
  } finally {
    clearTimeout(timer);
    server.closeAllConnections();
  }
}

/** Opens the port. @returns the base address as seen from this machine */
export async function listen(server: Server, wanted: number, host: string): Promise<string> {
  server.on('clientError', refuseClient);
  await new Promise<void>((resolve, reject) => {
    // The error listener stays after the start, because a connection that cannot be accepted later must not end the process.
    server.on('error', reject);
    server.listen(wanted, host, resolve);
  });
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/**
 * Handles `clientError`: a connection that broke the rules of HTTP, or was too slow. It does what Node does by default, but
 * never answers 408, because browsers send a request again after a 408, also a payment.
 */
export function refuseClient(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const status = isTooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`, () => socket.destroy());
}
