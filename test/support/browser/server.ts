/**
 * A web server on loopback for one end-to-end file: pages given as text, the built files under /dist/, and mounted
 * fetch handlers (a proxy, a sandbox).
 *
 * Owns routing and the security policy of pages; knows nothing of payments.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { afterAll } from 'vitest';
import { createNodeListener, type FetchHandler } from '../../../src/node.js';
import { root } from '../../tools/tools.js';

/** The policy a merchant with the strictest page sends; Lit needs its one Trusted Types policy. */
export const strictPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
  "require-trusted-types-for 'script'; trusted-types lit-html";

/** Loads the element, as a merchant's page does. */
export const elementScript = '<script type="module" src="/dist/pix-checkout.min.js"></script>';

/** A running server. */
export type TestServer = Awaited<ReturnType<typeof startServer>>;

/** A server for the tests of a whole file. */
export async function useServer(): Promise<TestServer> {
  const server = await startServer();
  afterAll(() => server.close());
  return server;
}

/** Listens on a free port of 127.0.0.1. A path without an answer is 404. */
export async function startServer() {
  const pages = new Map<string, string>();
  const scripts = new Map<string, string | Buffer<ArrayBuffer>>();
  const handlers = new Map<string, FetchHandler>();
  const server = createServer(
    createNodeListener(async (request, info) => {
      const { pathname } = new URL(request.url);
      const page = pages.get(pathname);
      if (page !== undefined) return servePage(page, running.contentSecurityPolicy);
      const script = scripts.get(pathname);
      if (script !== undefined) return serveScript(script);
      if (pathname.startsWith('/dist/')) return serveBuiltFile(pathname);
      const mounted = [...handlers].find(([prefix]) => `${pathname}/`.startsWith(`${prefix}/`));
      return mounted === undefined
        ? new Response(null, { status: 404 })
        : mounted[1](request, info);
    }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const running = {
    /** Such as `http://127.0.0.1:41234`: no trailing slash. */
    origin: `http://127.0.0.1:${port}`,
    /** What paths answer, by exact path: HTML text. May be changed while the server runs. */
    pages,
    /** The same: JavaScript. */
    scripts,
    /** Handlers by path prefix, such as `/pay`. May be changed while the server runs. */
    handlers,
    /** Sent as Content-Security-Policy with each page, if set. */
    contentSecurityPolicy: null as string | null,
    /** Cuts what is open and stops listening. */
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return running;
}

/** An HTML page that holds `body`. @param options `head`: default: loads the script-tag file */
export function pageOf(
  body: string,
  { lang = 'pt-BR', head = elementScript }: { readonly lang?: string; readonly head?: string } = {},
): string {
  return (
    `<!doctype html><html lang="${lang}"><head><meta charset="utf-8">` +
    '<meta name="viewport" content="width=device-width"><title>Loja</title>' +
    `${head}</head><body>${body}</body></html>`
  );
}

/** What answers with a script of a test. */
export function serveScript(text: string | Buffer<ArrayBuffer>): Response {
  return new Response(text, { headers: { 'Content-Type': 'text/javascript' } });
}

function servePage(html: string, contentSecurityPolicy: string | null): Response {
  const headers = new Headers({ 'Content-Type': 'text/html; charset=utf-8' });
  if (contentSecurityPolicy !== null) {
    headers.set('Content-Security-Policy', contentSecurityPolicy);
  }
  return new Response(html, { headers });
}

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.map': 'application/json',
  '.css': 'text/css',
};

async function serveBuiltFile(pathname: string): Promise<Response> {
  const type = contentTypes[extname(pathname)];
  if (type === undefined || pathname.includes('..')) return new Response(null, { status: 404 });
  try {
    const headers = { 'Content-Type': type };
    return new Response(await readFile(`${root}${pathname}`), { headers });
  } catch {
    return new Response(null, { status: 404 });
  }
}
