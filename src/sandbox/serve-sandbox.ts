/** Runs a sandbox as an HTTP server on this machine, so that a fault can cut a real connection. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Sandbox } from './sandbox.js';

/** Loopback only, because the control surface has no password. */
const host = '127.0.0.1';

/** A sandbox that listens. */
export interface SandboxServer {
  /** Base address, without a trailing slash. */
  readonly url: string;
  /** Cuts open connections and stops listening. */
  close(): Promise<void>;
}

/** Starts the server. @param options.port default 0: any free port */
export async function serveSandbox(
  sandbox: Pick<Sandbox, 'fetch'>,
  options: { readonly port?: number } = {},
): Promise<SandboxServer> {
  const server = createServer((incoming, outgoing) => {
    // A fault throws if the connection has to break.
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
  for await (const chunk of response.body ?? []) {
    if (gone.signal.aborted) return;
    // Waits until the chunk is sent. If a fault then breaks the body off, the client has received its beginning.
    await new Promise<void>((resolve) => {
      outgoing.write(chunk, () => resolve());
    });
  }
  outgoing.end();
}

/** Makes the request. A GET's body is read and dropped. */
async function toRequest(incoming: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const body = await buffer(incoming);
  const { method = 'GET', url = '/', headers } = incoming;
  const isBodyless = method === 'GET' || method === 'HEAD';
  return new Request(new URL(url, `http://${headers.host ?? host}`), {
    method,
    headers: headers as Record<string, string>,
    signal,
    body: isBodyless ? null : body,
  });
}
