/** That the tools of the end-to-end tests find what they are made to find: a blind one would pass everything. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import type { Page } from 'puppeteer-core';
import { create } from 'qrcode';
import { findAxeFaults } from './axe.js';
import { findCanaries, recordPage } from './canary.js';
import { openContext } from './contexts.js';
import { decodeQr } from './qr.js';
import { pageOf, strictPolicy, useServer } from './server.js';

const server = await useServer();

describe('the tools of end-to-end tests', () => {
  async function open(t: TestContext, html: string, prepare?: (page: Page) => void): Promise<Page> {
    const page = await (await openContext(t)).newPage();
    prepare?.(page);
    server.pages.set('/page', html);
    await page.goto(`${server.origin}/page`);
    return page;
  }

  it('read a QR code off a screenshot, and none off an empty page', async (t) => {
    const page = await open(t, drawQr('00020126BR.GOV.BCB.PIX'));
    assert.equal(decodeQr(await page.screenshot()), '00020126BR.GOV.BCB.PIX');
    await page.setContent('<p>nothing</p>');
    assert.equal(decodeQr(await page.screenshot()), null);
  });

  it('find a fault inside a shadow root under the strict policy, without breaking it', async (t) => {
    server.contentSecurityPolicy = strictPolicy;
    const page = await open(
      t,
      pageOf(
        '<main><h1>Loja</h1><div><template shadowrootmode="open"><input></template></div></main>',
      ),
    );
    server.contentSecurityPolicy = null;
    const reports = page.evaluate(
      () =>
        new Promise((resolve) => {
          const found: string[] = [];
          document.addEventListener('securitypolicyviolation', ({ violatedDirective }) => {
            found.push(violatedDirective);
          });
          addEventListener('message', () => resolve(found));
        }),
    );
    const faults = await findAxeFaults(page);
    assert.equal(faults.length, 1);
    assert.match(faults[0] ?? '', /^label: .*input/);
    await page.evaluate(() => postMessage('done'));
    assert.deepEqual(await reports, []);
  });

  it('find a canary wherever a page can leak it, and name the place without it', async (t) => {
    const secret = 'maria+teste@example.com';
    const encoded = encodeURIComponent(secret);
    const base64 = Buffer.from(`x${secret}y`).toString('base64');
    server.handlers.set('/api', async () => new Response(`{"email":"${secret}"}`));
    const script =
      `fetch('/api/a?e=${encoded}').then((answer) => answer.text());` +
      `console.log('${base64}');localStorage.setItem('k','${secret}');` +
      `document.querySelector('#host').attachShadow({mode:'open'}).innerHTML='<b title="${secret}">${secret}</b>';`;
    let recorder: ReturnType<typeof recordPage> | undefined;
    const page = await open(t, `<p id="host"></p><script>${script}</script>`, (opening) => {
      recorder = recordPage(opening);
    });
    await page.waitForNetworkIdle({ idleTime: 50 });
    const traces = (await recorder?.traces()) ?? [];
    const places = findCanaries({ email: secret }, traces);
    for (const place of [
      'URL',
      'console',
      'localStorage',
      'answer of GET /api/a',
      'attribute title of <b>',
      'text of <b>',
    ]) {
      assert.ok(places.includes(`email in ${place}`), place);
    }
    assert.deepEqual(findCanaries({ other: 'joao@example.com' }, traces), []);
  });
});

/** A QR code as one SVG, four modules of white around it. */
function drawQr(text: string): string {
  const { data, size } = create(text, { errorCorrectionLevel: 'M' }).modules;
  const dark = [...data.keys()].filter((index) => data[index] === 1);
  const path = dark.map((i) => `M${(i % size) + 4} ${Math.floor(i / size) + 4}h1v1h-1z`).join('');
  const side = size + 8;
  return `<svg width="300" viewBox="0 0 ${side} ${side}" style="background:#fff"><path d="${path}"/></svg>`;
}
