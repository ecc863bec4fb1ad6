/** Runs a sandbox as an HTTP server on this machine, so that a fault can cut a real connection. */

import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Sandbox } from './sandbox.js';

/** Loopback only, because the control surface has no password. */
const host = '127.0.0.1';

/** A sandbox that listens. */
export interface SandboxServer {
  /** Base address, without a trailing slash. */
  readonly url: string;
  /** Cuts what is open and stops listening. */
  close(): Promise<void>;
}

/** @param options.port default 0: any free port */
export async function serveSandbox(
  sandbox: Pick<Sandbox, 'fetch'>,
  options: { readonly port?: number } = {},
): Promise<SandboxServer> {
  const server = createServer((incoming, outgoing) => {
    // Faults throw to break the connection.
    answer(sandbox, incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The sandbox has no port');
  return {
    url: `http://${host}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  sandbox: Pick<Sandbox, 'fetch'>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const response = await sandbox.fetch(await toRequest(incoming, gone.signal));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  const reader = response.body?.getReader();
  for (;;) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) break;
    if (gone.signal.aborted) return reader?.cancel();
    // Wait for the chunk to be sent, so that a body that breaks off has begun.
    await new Promise<void>((resolve) => {
      outgoing.write(chunk.value, () => resolve());
    });
  }
  outgoing.end();
}

/** Reads and drops a body on GET. */
async function toRequest(incoming: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const body = await buffer(incoming);
  const { method = 'GET', url = '/', headers } = incoming;
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const isBodyless = method === 'GET' || method === 'HEAD';
  return new Request(new URL(url, `http://${headers.host ?? host}`), {
    method,
    headers: pairs,
    signal,
    body: isBodyless ? null : body,
  });
}
