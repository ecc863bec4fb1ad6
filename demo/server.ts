/**
 * `npm start`: page, proxy and sandbox on this machine. What a merchant writes stands in `shop.ts`, what only QA needs in
 * `qa/`.
 */

import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { networkInterfaces } from 'node:os';
import { argv, env } from 'node:process';
import { fileURLToPath } from 'node:url';
import type { ViteDevServer } from 'vite';
import { toFoldStyles, toPageTokens } from '../src/checkout/element/design-tokens.js';
import { createNodeListener } from '../src/node.js';
import type { FetchHandler } from '../src/node.js';
import { createProxy } from '../src/proxy.js';
import type { LogEntry, PixProxy } from '../src/proxy.js';
import { createSandbox, serveSandbox } from '../src/sandbox.js';
import { toPageStyles } from './page-styles.js';
import { findNetworkAddress } from './network-address.js';
import { createMailbox } from './email.js';
import { contentSecurityPolicy, sendPage, startVite } from './page.js';
import { createProxyLog } from './qa/proxy-log.js';
import { createProxySwitch } from './qa/proxy-switch.js';
import { createQaRoutes } from './qa/routes.js';
import { createShortPayments } from './qa/short-payments.js';
import { createShop } from './shop.js';

/** Loopback only, unless it is asked for: nothing here has a password. */
const host = '127.0.0.1';

const defaultPort = 5173;

/** The element fetches this file when it first shows the card form. */
const cardFile = '/src/checkout/card/card-file-entry.ts';

/** A demo that listens. */
export interface Demo {
  /** Address of the page, without a trailing slash. */
  readonly url: string;
  /** Address of the sandbox, without a trailing slash. */
  readonly sandboxUrl: string;
  /** Cuts what is open and stops listening. */
  close(): Promise<void>;
}

/** How a demo is started. */
export interface DemoOptions {
  /** 0: any free port. */
  readonly port?: number;
  /** An address of this machine in a private network, where a phone opens the demo. Default: loopback only. */
  readonly address?: string;
  /** A Vite that several demos share, and that outlives them. Default: the demo's own. */
  readonly vite?: ViteDevServer;
}

/**
 * Starts page, proxy and sandbox.
 *
 * @throws Error that says so if the port is taken
 */
export async function startDemo({
  port = defaultPort,
  address,
  vite: shared,
}: DemoOptions = {}): Promise<Demo> {
  const accessToken = randomUUID();
  const sandbox = createSandbox({ accessToken });
  const shortPayments = createShortPayments(sandbox);
  const sandboxServer = await serveSandbox(shortPayments);
  const proxyLog = createProxyLog();
  const vite = shared ?? (await startVite());
  const server = createServer();
  let proxy: PixProxy | undefined;
  const close = async () => {
    await Promise.all([stop(server), ...(shared ? [] : [vite.close()])]);
    await Promise.all([sandboxServer.close(), proxy?.close()]);
  };
  try {
    const taken = await listen(server, port, address === undefined ? host : '0.0.0.0');
    const url = `http://${address ?? 'localhost'}:${taken}`;
    const near = ['localhost', host].map((name) => `http://${name}:${taken}`);
    const publicUrl = `${url}/pix`;
    const secrets = [randomBytes(32).toString('hex')];
    const shop = createShop({ secrets, publicUrl });
    const mailbox = createMailbox('Café da Serra', url);
    proxy = createProxy({
      serviceUrl: sandboxServer.url,
      accessToken,
      secrets,
      publicUrl,
      allowedOrigins: [...new Set([url, ...near])],
      resolveOrder: shop.resolveOrder,
      onPaid: shop.onPaid,
      onReturned: shop.onReturned,
      onPixWaiting: mailbox.onPixWaiting,
      // For the demo, which has test cards only: with real numbers your server would be in PCI DSS scope.
      rawCard: true,
      // Checks your page's captcha, while too many cards are refused.
      verifyHuman: () => true,
      // Shorter than the default, because QA waits for it.
      serviceTimeoutMs: 4_000,
      // For the demo only: payments of the sandbox count as paid.
      allowSandbox: true,
      // No ledger: each start of the demo begins afresh.
      log(entry) {
        proxyLog.write(entry);
        writeWarning(entry);
      },
    });
    const { fetch: answer, createInvoice } = proxy;
    // Without the payer's address: trying every test card would soon count as card testing.
    const listener = createNodeListener((request) => answer(request));
    const proxySwitch = createProxySwitch(listener);
    const routes: readonly [prefix: string, listener: RequestListener][] = [
      ['/pix/', proxySwitch.listener],
      ['/orders/', createNodeListener(shop.answer)],
      ['/emails/', createNodeListener(async (request) => mailbox.answer(request))],
      ['/pages/', createNodeListener(withPolicy((page) => shop.answerPage(page, createInvoice)))],
      // In the package this is `dist/pix-checkout.css`.
      ['/pix-checkout.css', createNodeListener(async () => sendStyles(await toPageStyles()))],
      // The element's, for the tools and the gallery.
      ['/tokens.css', createNodeListener(async () => sendStyles(toPageTokens() + toFoldStyles()))],
      ['/sandbox/', createNodeListener((request) => sandbox.fetch(request))],
      ['/qa/', createNodeListener(createQaRoutes({ shop, proxySwitch, proxyLog, shortPayments }))],
    ];
    /** The gallery shows the card form in any case. */
    const isHidden = (path: string, incoming: IncomingMessage) =>
      path.startsWith(cardFile) &&
      !incoming.headers.referer?.includes('/gallery') &&
      !proxySwitch.stateOf(incoming).cardFile;
    server.on('request', (incoming, outgoing) => {
      const path = incoming.url ?? '/';
      const listener = routes.find(([prefix]) => path.startsWith(prefix))?.[1];
      if (listener) listener(incoming, outgoing);
      else if (/^\/(\?|$)/.test(path)) void sendPage('index.html', outgoing);
      else if (/^\/modal(\?|$)/.test(path)) void sendPage('modal.html', outgoing);
      else if (/^\/gallery(\?|$)/.test(path)) void sendPage('gallery/gallery.html', outgoing);
      else if (isHidden(path, incoming)) sendNothing(outgoing);
      else vite.middlewares(incoming, outgoing, () => sendNothing(outgoing));
    });
    return { url, sandboxUrl: sandboxServer.url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Logs warnings and errors, except the missing ledger. */
function writeWarning(entry: LogEntry): void {
  if (entry.level !== 'info' && entry.event !== 'ledger_missing') {
    console.error(JSON.stringify(entry));
  }
}

function withPolicy(handler: FetchHandler): FetchHandler {
  return async (request, info) => {
    const response = await handler(request, info);
    response.headers.set('Content-Security-Policy', contentSecurityPolicy);
    return response;
  };
}

function sendStyles(text: string): Response {
  return new Response(text, { headers: { 'Content-Type': 'text/css' } });
}

function sendNothing(outgoing: ServerResponse): void {
  outgoing.writeHead(404, { 'Content-Type': 'text/plain' }).end('Not found');
}

/** @returns the port that was taken */
function listen(server: Server, port: number, on: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = `Port ${port} is taken. Choose another one: PORT=${port + 1} npm start`;
      reject(error.code === 'EADDRINUSE' ? new Error(taken) : error);
    });
    server.listen(port, on, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function main(): Promise<void> {
  const port = Number(env['PORT'] ?? defaultPort);
  const address = findNetworkAddress(networkInterfaces());
  const isShared = argv.includes('--network');
  try {
    const shared = isShared && address !== null ? { address } : {};
    const { url, sandboxUrl } = await startDemo({ port, ...shared });
    console.log(`Café da Serra, the demo shop: ${url}\nThe sandbox behind it: ${sandboxUrl}`);
    if (address !== null && !isShared) {
      console.log(
        `On a phone in your network: http://${address}:${port}, after npm start -- --network`,
      );
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) await main();
