/** That a page needs no copied file: the proxy serves the script, and the script knows its proxy. In the real browser, under the strict policy. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'vitest';
import type { HTTPResponse } from 'puppeteer-core';
import { integrity } from '../../tools/built-files.js';
import { explainedUnder } from '../../tools/docs/explained-messages.js';
import { root } from '../../tools/tools.js';
import { useContext } from '../../support/browser/contexts.js';
import { fillForm, openPage, press, untilPhase, untilDrawn } from '../../support/browser/payer.js';
import { strictPolicy, useServer } from '../../support/browser/server.js';
import { useShop, type Shop } from '../../support/browser/shop.js';

const entry = 'pix-checkout.min.js';
const document = readFileSync(join(root, 'src/IT-DOES-NOT-WORK.md'), 'utf8');
const sameOrigin = { 'cross-origin-resource-policy': 'same-origin' };
const other = await useServer();
const own = await useShop({ proxy: { rawCard: true } });
const foreign = await useShop({ proxy: { allowedOrigins: [other.origin], rawCard: true } });

/** A page whose element has no `endpoint`, and whose script comes from the proxy. */
async function addPage(shop: Shop, server: typeof other, src: string): Promise<string> {
  const { reference } = await shop.addPage({
    attributes: { endpoint: null, methods: 'pix credit_card', 'accept-raw-card': '', lang: 'es' },
    head: `<script type="module" src="${src}" integrity="${integrity[entry]}"></script>`,
  });
  server.pages.set(`/orders/${reference}`, shop.server.pages.get(`/orders/${reference}`) ?? '');
  server.contentSecurityPolicy = strictPolicy.replaceAll("'self'", `'self' ${shop.origin}`);
  return `${server.origin}/orders/${reference}`;
}

for (const [where, shop, server, src] of [
  ['on its own origin', own, own.server, `/pix/assets/${entry}`],
  ['on another, allowed origin', foreign, other, `${foreign.origin}/pix/assets/${entry}`],
] as const) {
  it(`the script from the proxy makes a code with no endpoint named, and brings what fits: ${where}`, async (t) => {
    const context = await useContext();
    t.onTestFinished(() => context.close());
    const files = new Map<string, HTTPResponse>();
    const url = await addPage(shop, server, src);
    const page = await openPage(context, shop, url, async (opening) => {
      opening.on('response', (answer) => {
        const { pathname } = new URL(answer.url());
        if (pathname.startsWith('/pix/assets/')) files.set(pathname.split('/')[3]!, answer);
      });
    });
    await untilDrawn(page, '::-p-text(Generar código Pix)');
    await page.locator('pix-checkout >>> .methods b ::-p-text(Tarjeta)').click();
    await untilDrawn(page, '#card_number');
    await page.locator('pix-checkout >>> .methods b ::-p-text(Pix)').click();
    await fillForm(page);
    await press(page, 'Generar código Pix');
    await untilPhase(page, 'awaiting');

    const kept = [...files].map(([name, answer]) => [
      name.replace(/\.[0-9a-f]{8}\./, '.<hash>.'),
      answer.status(),
      answer.headers()['cache-control'],
    ]);
    const forEver = 'public, max-age=31536000, immutable';
    assert.deepEqual(
      new Set(kept),
      new Set([
        ['pix-checkout-card.<hash>.min.js', 200, forEver],
        ['pix-checkout-es.<hash>.min.js', 200, forEver],
        [entry, 200, 'no-cache'],
      ]),
    );
    const heard = await page.evaluate(() => window.heard.map(({ type }) => type));
    assert.ok(!heard.includes('securitypolicyviolation') && !heard.includes('pix-error'));
  });
}

describe('a plain script tag of another origin, on a page that isolates itself', () => {
  /** The proxy behind a server that sets its headers `before` the proxy answers, as helmet does, or after. */
  async function addIsolatedPage(t: TestContext, before: object, after: object = {}) {
    foreign.between = async (request, forward) => {
      const { status, headers, body } = await forward(request);
      const all = { ...before, ...Object.fromEntries(headers), ...after };
      return new Response(body, { status, headers: all });
    };
    t.onTestFinished(() => void (foreign.between = null));
    const { reference } = await foreign.addPage({
      attributes: { endpoint: null },
      head: `<script src="${foreign.origin}/pix/assets/${entry}"></script>`,
    });
    const path = `/orders/${reference}`;
    const html = foreign.server.pages.get(path);
    const headers = { 'content-type': 'text/html', 'cross-origin-embedder-policy': 'require-corp' };
    other.handlers.set(path, async () => new Response(html, { headers }));
    const context = await useContext();
    t.onTestFinished(() => context.close());
    return { context, url: other.origin + path };
  }

  it('makes a code behind helmet', async (t) => {
    const { context, url } = await addIsolatedPage(t, sameOrigin);
    const page = await openPage(context, foreign, url);
    await fillForm(page);
    await press(page, 'Gerar código Pix');
    await untilPhase(page, 'awaiting');
  });

  it('is blocked where a server in front replaces the header, with the message that is explained', async (t) => {
    const { context, url } = await addIsolatedPage(t, {}, sameOrigin);
    const page = await context.newPage();
    const failed: (string | undefined)[] = [];
    page.on('requestfailed', (request) => failed.push(request.failure()?.errorText));
    await page.goto(url);
    const explained = explainedUnder(document, 'The element stays empty');
    assert.equal(failed.length, 1);
    assert.ok(
      explained.some((message) => failed[0]?.includes(message)),
      failed[0],
    );
  });
});
