/** That the built file speaks Portuguese at once, and fetches any other language from beside itself. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import type { HTTPRequest } from 'puppeteer-core';
import { openContext } from '../../support/browser/contexts.js';
import type { Prepare } from '../../support/browser/payer.js';
import { pageOf, strictPolicy, useServer } from '../../support/browser/server.js';
import { until } from '../../support/until.js';
import { builtFile } from '../../tools/built-files.js';
import { untilDrawn } from '../../support/browser/payer.js';

const spanishFile = builtFile('es');

const server = await useServer();
server.contentSecurityPolicy = strictPolicy;

describe('the languages of the built file', () => {
  /** A page in a language: what it asks the network for, and the words on the button. */
  async function open(t: TestContext, lang: string, prepare?: Prepare) {
    const page = await (await openContext(t)).newPage();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await prepare?.(page);
    server.pages.set(
      '/page',
      pageOf('<pix-checkout endpoint="/pix" external-id="1"></pix-checkout>', { lang }),
    );
    await page.goto(`${server.origin}/page`);
    const says = (text: string) => untilDrawn(page, `::-p-text(${text})`);
    return { page, requests, says };
  }

  for (const [lang, text, ...files] of [
    ['pt-BR', 'Gerar código Pix'],
    ['en', 'Generate Pix code', `/dist/${builtFile('en')}`],
    ['es', 'Generar código Pix', `/dist/${spanishFile}`],
  ] as const) {
    it(`for ${lang} fetch ${files.length} files beside it, once, under the strict policy`, async (t) => {
      const { requests, says } = await open(t, lang);
      await says(text);
      assert.deepEqual(requests, ['/page', '/dist/pix-checkout.min.js', ...files]);
    });
  }

  for (const [what, answer] of [
    ['does not come', (request: HTTPRequest) => request.abort()],
    [
      'has nothing in it',
      (request: HTTPRequest) => request.respond({ contentType: 'text/javascript', body: '' }),
    ],
  ] as const) {
    it(`stay Portuguese, and say so to the developer, where that file ${what}`, async (t) => {
      const told: string[] = [];
      const { page, says } = await open(t, 'es', async (opened) => {
        opened.on('pageerror', (error) => told.push(String(error)));
        opened.on('console', (message) => {
          if (message.type() === 'warn') told.push(message.text());
        });
        await opened.setRequestInterception(true);
        opened.on('request', (request) => {
          void (request.url().endsWith(spanishFile) ? answer(request) : request.continue());
        });
      });
      await says('Gerar código Pix');
      await until(() => told.length > 0);
      const lang = await page.$eval('pix-checkout >>> section', (section) => section.lang);
      assert.equal(lang, 'pt-BR');
      // With the browser's, or the file's, own reason.
      assert.match(
        told.join('\n'),
        /^<pix-checkout> es could not be loaded; pt-BR is shown: \w*Error: .+$/,
      );
    });
  }
});
