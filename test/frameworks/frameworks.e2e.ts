/**
 * The element in each framework: a page is rendered on a server, hydrated in Chromium, and paid, or driven through what
 * frameworks do to an element. React, Vue, Solid, Svelte and Angular are built with Vite; the others build and serve
 * themselves. The examples of the demo are started as their README says, and paid.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { beforeAll, describe, it } from 'vitest';
import { openContext } from '../support/browser/contexts.js';
import { heardOf, openPage, shownCode, untilHeard, untilPhase } from '../support/browser/payer.js';
import { useShop } from '../support/browser/shop.js';
import { describeFramework, leftOut, newOrder } from './support/framework-cases.js';
import { describeExamples } from './support/examples.js';
import { installFrameworks } from './support/install.js';
import { createOwnServer, nodeIn, tooOld } from './support/own-server.js';
import { runProgram } from '../tools/tools.js';
import { createVitePages } from './support/vite-pages.js';
import { leftOutIf } from '../tools/runner/left-out.js';
import { words } from '../support/rows.js';

const shop = await useShop();
const vitePages = createVitePages(shop, words('react-19 react-18 vue solid svelte angular'));
const modules = '../../node_modules';
const next = createOwnServer(shop, {
  name: 'next',
  build: [`${modules}/next/dist/bin/next`, 'build'],
  start: [`${modules}/next/dist/bin/next`, 'start', '--hostname', '127.0.0.1'],
});
const svelteKit = createOwnServer(shop, {
  name: 'sveltekit',
  build: [`${modules}/vite/bin/vite.js`, 'build'],
  start: ['build/index.js'],
  newerNode: true,
});
const astro = createOwnServer(shop, {
  name: 'astro',
  build: [`${modules}/astro/bin/astro.mjs`, 'build'],
  start: ['dist/server/entry.mjs'],
  newerNode: true,
});

let folder = '';

beforeAll(async () => {
  if (leftOut !== false) return;
  folder = await installFrameworks();
  // They build while the others are driven.
  for (const server of [next, ...(tooOld === false ? [svelteKit, astro] : [])])
    server.begin(folder);
  await vitePages.build(folder);
});

describeFramework('React 19', shop, vitePages.layOut('react-19'));
describeFramework('React 18', shop, vitePages.layOut('react-18'));
describeFramework('Vue', shop, vitePages.layOut('vue'));
describeFramework('Solid', shop, vitePages.layOut('solid'));
describeFramework('Svelte', shop, vitePages.layOut('svelte'));
describeFramework('Angular', shop, vitePages.layOut('angular'));
describeFramework('Next', shop, next.layOut);
describeFramework('SvelteKit', shop, svelteKit.layOut, tooOld);
describeFramework('Astro', shop, astro.layOut, tooOld);

describe('examples', () => describeExamples(() => folder));

describe('Next, by a server component alone', leftOutIf(leftOut), () => {
  it('shows the code before any script, and follows it', async (t) => {
    const reference = 'next-drawn';
    const [order, invoice] = [await newOrder(shop, reference), await shop.createInvoice(reference)];
    const given = { view: 'checkout', order: { ...order, invoice } } as const;
    const url = shop.origin + (await next.layOutAs('drawn', given));
    const html = await (await fetch(url)).text();
    assert.match(html, /<pix-checkout[^>]*><.*part="qr"/s);

    const page = await openPage(await openContext(t), shop, url);
    await untilPhase(page, 'awaiting');
    assert.equal(await shownCode(page), invoice.qr_code_pix);
    await shop.settle(invoice.invoice_id);
    await untilHeard(page, 'pix-paid');
    assert.deepEqual(
      [await heardOf(page, 'pix-created'), await heardOf(page, 'pix-error')],
      [[], []],
    );
  });
});

describe('Angular, compiled ahead of time', leftOutIf(leftOut || tooOld), () => {
  it('takes the documented page, and refuses what does not exist', async () => {
    const cwd = join(folder, 'pages/angular');
    const compiler = join(modules, '@angular/compiler-cli/bundles/src/bin/ngc.js');
    const { output } = await runProgram(nodeIn(folder), [compiler, '-p', 'tsconfig.aot.json'], {
      cwd,
    });
    const mistakes = [...output.matchAll(/(\w+)\.ts:(\d+):\d+ - error/g)];
    assert.deepEqual(
      mistakes.map(([, file, line]) => `${file}:${line}`).toSorted(),
      ['mistakes:10', 'mistakes:11', 'mistakes:12', 'mistakes:9'],
      output,
    );
  });
});
