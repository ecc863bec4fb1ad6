/**
 * Runs a proxy as an HTTP server of its own, and ends it without losing a payment.
 *
 * Owns the server's time-outs and the order of the ending: no new connection, held look-ups answered, what was sent
 * finished, then the process may go. Signals are the merchant's: knows of none.
 */

import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuseClient } from './client-error.js';
import { createNodeListener } from './listener.js';
import { startWorkOf } from '../runtime/start.js';
import type { PixProxy } from '../config/options.js';

/** Against clients that never finish, milliseconds. How long an answer takes is not limited here: some are held. */
const timeouts = {
  /** For the head of a request: phones on bad lines need seconds, not minutes. */
  headersTimeout: 20_000,
  /** For the whole of it, body and all. */
  requestTimeout: 30_000,
  /** Longer than the minute after which usual load balancers end an idle connection: theirs must end first. */
  keepAliveTimeout: 65_000,
};

const defaultGraceMs = 30_000;

/** Options of {@link serveProxy}. */
export interface ServeOptions {
  readonly proxy: Pick<PixProxy, 'fetch' | 'close'>;
  /** 0: any free one. */
  readonly port: number;
  /** Default `127.0.0.1`: for a TLS terminator on the same machine. `::` for all addresses. */
  readonly host?: string;
  /** Longest time that an ending waits for open answers, milliseconds; default 30 s. */
  readonly graceMs?: number;
}

/** A proxy that listens. */
export interface ProxyServer {
  /** Base address as seen from this machine, without a trailing slash. */
  readonly url: string;
  /**
   * Takes no new connection and no new payment, answers what is open, and resolves when the last answer is out; what
   * still hangs after `graceMs` is cut. Always the same promise.
   */
  close(): Promise<void>;
}

/**
 * Listens for a proxy.
 *
 * @throws Error of the system when the port cannot be had
 */
export async function serveProxy(options: ServeOptions): Promise<ProxyServer> {
  const { proxy, port, host = '127.0.0.1', graceMs = defaultGraceMs } = options;
  // A function around `fetch` may hide it; what waits in the ledger is told all the same.
  startWorkOf(proxy.close);
  let ending: Promise<void> | undefined;
  const listener = createNodeListener(proxy.fetch, { isEnding: () => ending !== undefined });
  const server = createServer(timeouts, listener);
  server.on('clientError', refuseClient);
  await new Promise<void>((resolve, reject) => {
    // Stays: that one connection cannot be accepted, later, must not end the process.
    server.on('error', reject);
    server.listen(port, host, resolve);
  });
  return { url: toUrl(server), close: () => (ending ??= end(server, proxy, graceMs)) };
}

async function end(server: Server, proxy: ServeOptions['proxy'], graceMs: number): Promise<void> {
  // Ends idle connections too; each of the others ends with its answer.
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expired = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs);
  });
  try {
    // A payer may have gone whose payment is still on its way: connections alone do not tell.
    await Promise.race([Promise.all([closed, proxy.close()]), expired]);
  } finally {
    clearTimeout(timer);
    server.closeAllConnections();
  }
}

function toUrl(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
