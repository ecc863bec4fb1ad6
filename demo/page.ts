/**
 * Serves the page and the sources it loads, through Vite, so that `src/` runs as it is on the disk.
 *
 * Owns the page's Content-Security-Policy. Knows nothing of proxy and sandbox.
 */

import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createServer as createViteServer } from 'vite';
import type { ViteDevServer } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));

/** All that a page with the element needs, and the page's own icon. Nothing inline, nothing from elsewhere, no eval. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
].join('; ');

/** Serves `src/` and `demo/` as they are on the disk: after a change the page only has to be loaded again. */
export function startVite(): Promise<ViteDevServer> {
  return createViteServer({
    root,
    configFile: false,
    appType: 'custom',
    publicDir: false,
    logLevel: 'warn',
    // A page that reloads by itself in the midst of a payment would be no help.
    server: {
      middlewareMode: true,
      hmr: false,
      ws: false,
      fs: { allow: ['src', 'demo', 'node_modules'].map((folder) => root + folder) },
    },
    // Lit as payers get it, without the notices for its developers.
    resolve: { conditions: ['module', 'browser'] },
    // The core of `qrcode` is CommonJS, which no browser loads as it is. All else goes without being bundled.
    optimizeDeps: { noDiscovery: true, include: ['qrcode/lib/core/qrcode.js'] },
  });
}

/** The page as it is written: without Vite's own client, which would need a web socket and looser rules. */
export async function sendPage(outgoing: ServerResponse): Promise<void> {
  const html = await readFile(`${root}demo/index.html`);
  outgoing.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': contentSecurityPolicy,
  });
  outgoing.end(html);
}
