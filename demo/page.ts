/**
 * Serves the page and the sources it loads, through Vite, so that `src/` runs as it is on the disk. The page's
 * Content-Security-Policy stands here.
 */

import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createServer as createViteServer } from 'vite';
import type { ViteDevServer } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What a page with the element needs, the icon, and the font of the gallery: nothing inline, no other origin, no eval. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
].join('; ');

/** Serves `src/` and `demo/` from the disk: after a change, reload the page. */
export function startVite(): Promise<ViteDevServer> {
  return createViteServer({
    root,
    configFile: false,
    appType: 'custom',
    publicDir: false,
    logLevel: 'warn',
    // The page must not reload by itself during a payment.
    server: {
      middlewareMode: true,
      hmr: false,
      ws: false,
      fs: {
        allow: ['src', 'demo', 'node_modules'].map((path) => root + path),
      },
    },
    // The production build of Lit, as payers get it.
    resolve: { conditions: ['module', 'browser'] },
    // `qrcode` and `axe-core` are CommonJS, so they have to be bundled.
    optimizeDeps: { noDiscovery: true, include: ['qrcode/lib/core/qrcode.js', 'axe-core'] },
  });
}

/** Sends a page of this folder without Vite's client, which would need a web socket and a looser policy. */
export async function sendPage(file: string, outgoing: ServerResponse): Promise<void> {
  const html = await readFile(`${root}demo/${file}`);
  outgoing.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': contentSecurityPolicy,
  });
  outgoing.end(html);
}
