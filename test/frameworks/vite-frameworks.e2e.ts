/**
 * The element in the frameworks that are built with Vite: React 19 and 18, Vue, Svelte. Each page is rendered on a server,
 * hydrated in Chromium, and paid, or driven through what frameworks do to an element.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before } from 'node:test';
import { pathToFileURL } from 'node:url';
import { useShop } from '../e2e/support/shop.js';
import { runNode } from '../support/tools.js';
import { describeFramework, leftOut, type Given } from './support/framework-cases.js';
import { installFrameworks } from './support/install.js';

/** What a framework's own file for the server gives. */
interface ServerFile {
  /** The page's HTML. */
  readonly render: (given: Given) => string | Promise<string>;
}

const frameworks = { 'react-19': 'React 19', 'react-18': 'React 18', vue: 'Vue', svelte: 'Svelte' };
const shop = await useShop();
let folder = '';

before(async () => {
  if (leftOut !== false) return;
  folder = installFrameworks();
  const built = await runNode([join(folder, 'build-pages.mjs'), ...Object.keys(frameworks)]);
  assert.equal(built.code, 0, built.output);
});

shop.server.handlers.set('/client', async (request) => {
  const [, , name = '', file = ''] = new URL(request.url).pathname.split('/');
  const text = await readFile(join(folder, 'pages', name, 'dist/client', file), 'utf8');
  return new Response(text, { headers: { 'Content-Type': 'text/javascript' } });
});

for (const [name, title] of Object.entries(frameworks)) {
  describeFramework(title, shop, async (given) => {
    const file = pathToFileURL(join(folder, 'pages', name, 'dist/server/server.js'));
    const { render } = (await import(file.href)) as ServerFile;
    const path = `/${name}/${given.order.externalId}`;
    shop.server.pages.set(
      path,
      `<!doctype html><html lang="pt-BR"><head><meta charset="utf-8"><title>Loja</title>
      <link rel="icon" href="data:,"></head><body><main id="app">${await render(given)}</main>
      <script>given = ${JSON.stringify(given)}</script>
      <script type="module" src="/client/${name}/client.js"></script></body></html>`,
    );
    return path;
  });
}
