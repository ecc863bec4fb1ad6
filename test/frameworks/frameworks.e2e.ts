/**
 * The element in each framework: a page is rendered on a server, hydrated in Chromium, and paid, or driven through what
 * frameworks do to an element. React, Vue, Svelte and Angular are built with Vite; the others build and serve themselves.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { openContext } from '../e2e/support/contexts.js';
import { heardOf, openPage, shownCode, untilHeard, untilPhase } from '../e2e/support/payer.js';
import { useShop } from '../e2e/support/shop.js';
import { describeFramework, leftOut, newOrder } from './support/framework-cases.js';
import { installFrameworks } from './support/install.js';
import { createOwnServer, tooOld } from './support/own-server.js';
import { createVitePages } from './support/vite-pages.js';

const shop = await useShop();
const vitePages = createVitePages(shop, ['react-19', 'react-18', 'vue', 'svelte', 'angular']);
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

before(async () => {
  if (leftOut !== false) return;
  const folder = await installFrameworks();
  // They build while the others are driven.
  for (const server of [next, ...(tooOld === false ? [svelteKit, astro] : [])])
    server.begin(folder);
  await vitePages.build(folder);
});

describeFramework('React 19', shop, vitePages.layOut('react-19'));
describeFramework('React 18', shop, vitePages.layOut('react-18'));
describeFramework('Vue', shop, vitePages.layOut('vue'));
describeFramework('Svelte', shop, vitePages.layOut('svelte'));
describeFramework('Angular', shop, vitePages.layOut('angular'));
describeFramework('Next', shop, next.layOut);
describeFramework('SvelteKit', shop, svelteKit.layOut, tooOld);
describeFramework('Astro', shop, astro.layOut, tooOld);

describe('Next, by a server component alone', { skip: leftOut }, () => {
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
