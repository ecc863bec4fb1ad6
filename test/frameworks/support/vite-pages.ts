/** Pages that Vite builds, rendered here by what it built for the server. Knows nothing of what they show. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serveScript } from '../../support/browser/server.js';
import type { Shop } from '../../support/browser/shop.js';
import { runNode } from '../../tools/tools.js';
import type { Given, LayOut } from './framework-cases.js';

/** What a framework's own file for the server gives. */
interface ServerFile {
  readonly render: (given: Given) => string | Promise<string>;
}

/** The pages of some frameworks, by the names of their folders. */
export function createVitePages(shop: Shop, names: readonly string[]) {
  let folder = '';
  shop.server.handlers.set('/client', async (request) => {
    const [, , name = '', file = ''] = new URL(request.url).pathname.split('/');
    return serveScript(await readFile(join(folder, 'pages', name, 'dist/client', file)));
  });

  return {
    /** @param installed where the frameworks are */
    async build(installed: string): Promise<void> {
      folder = installed;
      const { code, output } = await runNode([join(folder, 'build-pages.mjs'), ...names]);
      assert.equal(code, 0, output);
    },
    layOut:
      (name: string): LayOut =>
      async (given) => {
        const file = pathToFileURL(join(folder, 'pages', name, 'dist/server/server.js'));
        const { render } = (await import(file.href)) as ServerFile;
        const path = `/${name}/${given.order.externalId}`;
        shop.server.pages.set(path, toPage(name, given, await render(given)));
        return path;
      },
  };
}

/** Angular renders the whole document, the others what stands in it. */
function toPage(name: string, given: Given, rendered: string): string {
  const document = rendered.includes('</body>')
    ? rendered
    : `<!doctype html><html lang="pt-BR"><head><meta charset="utf-8"><title>Loja</title>
      <link rel="icon" href="data:,"></head><body><main id="app">${rendered}</main></body></html>`;
  const scripts = `<script>given = ${JSON.stringify(given)}</script>
    <script type="module" src="/client/${name}/client.js"></script>`;
  return document.replace('</body>', () => `${scripts}</body>`);
}
