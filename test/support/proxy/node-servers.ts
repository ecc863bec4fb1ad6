/** For the tests of the Node adapter: servers and sockets on loopback, gone when their test is over, and bundles. */

import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { TestContext } from 'vitest';
import { build } from 'esbuild';
import { root } from '../../tools/tools.js';
import { makeCertificate } from './certificate.js';

/** An answer as it stands on the wire. */
export const answer = (head: string, body = '') => `HTTP/1.1 ${head}\r\n\r\n${body}`;

/** A server of raw sockets, told of each piece of data. */
export async function listen(
  t: TestContext,
  onData: (data: string, socket: Socket) => void,
): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => onData(String(data), socket));
  });
  t.onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${await openPort(server)}`;
}

export async function listenTls(
  t: TestContext,
  onSocket: (socket: Socket) => void,
): Promise<string> {
  const server = createTlsServer(makeCertificate(), onSocket);
  server.on('tlsClientError', () => undefined);
  t.onTestFinished(() => void server.close());
  return `https://127.0.0.1:${await openPort(server)}`;
}

export async function serve(
  t: Pick<TestContext, 'onTestFinished'>,
  listener: RequestListener,
  options = {},
) {
  const server = createHttpServer(options, listener);
  t.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${await openPort(server)}`;
}

/** A port of loopback that is free now. */
export async function findPort(): Promise<number> {
  const server = createServer();
  const port = await openPort(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Whether anyone listens at a port of loopback. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}

export const freePort = async () => `http://127.0.0.1:${await findPort()}`;

export async function openPort(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** A connection on which this is sent as it is. */
export function connectTo(t: TestContext, url: string, text: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  t.onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write(text);
  return socket;
}

/** What comes until the connection ends. */
export async function readToEnd(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  await once(socket, 'close');
  return text;
}

/** A module of src/ with all it imports, as a URL to import: it is evaluated anew. */
export async function bundleToUrl(entry: string, external: string[] = []): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    format: 'esm',
    platform: 'node',
    external,
    write: false,
  });
  const code = Buffer.from(outputFiles[0]!.contents).toString('base64');
  return `data:text/javascript;base64,${code}`;
}

export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((done) => setImmediate(done));
}
