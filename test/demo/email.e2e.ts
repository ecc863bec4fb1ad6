/** The e-mail with an open Pix code: it fits a phone and a wide screen, and a camera reads its code off it. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startDemo } from '../../demo/server.js';
import type { Demo } from '../../demo/server.js';
import { openContext } from '../support/browser/contexts.js';
import { decodeQr } from '../support/browser/qr.js';

describe('the e-mail', () => {
  let demo: Demo;
  beforeAll(async () => (demo = await startDemo({ port: 0 })));
  afterAll(() => demo.close());

  it('shows the code as a picture, as text and as a link', async (t) => {
    const page = await (await openContext(t)).newPage();
    await page.goto(`${demo.url}/pages/1042`);
    const isSent = async () => (await fetch('/emails/1042')).ok;
    await page.waitForFunction(isSent, { polling: 100 });
    for (const width of [320, 640]) {
      await page.setViewport({ width, height: 800 });
      await page.goto(`${demo.url}/emails/1042`, { waitUntil: 'load' });
      const { overflow, code, links } = await page.evaluate(() => ({
        overflow: document.documentElement.scrollWidth - innerWidth,
        code: /000201.+/.exec(document.body.innerText)?.[0],
        links: [...document.links].map(({ pathname }) => pathname),
      }));
      assert.equal(overflow, 0, `at ${width} px`);
      assert.equal(decodeQr(await page.screenshot({ fullPage: true })), code);
      assert.deepEqual(links, ['/pages/1042']);
    }
  });
});
