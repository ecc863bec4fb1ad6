/** That the built card form comes when it is first shown, or before by a tag of its own, and what happens if it does not. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { beforeEach, describe, it, type TestContext } from 'vitest';
import type { HTTPRequest, Page } from 'puppeteer-core';
import { builtFile, integrity } from '../../tools/built-files.js';
import { root } from '../../tools/tools.js';
import { findAxeFaults } from '../../support/browser/axe.js';
import { openContext } from '../../support/browser/contexts.js';
import { chooseMethod, untilShown, type Prepare, untilDrawn } from '../../support/browser/payer.js';
import { createGate } from '../../support/browser/shop.js';
import { pageOf, strictPolicy, useServer } from '../../support/browser/server.js';

const cardFile = `/dist/${builtFile('card')}`;

const server = await useServer();
const file = await readFile(root + cardFile, 'utf8');
const hash = integrity[basename(cardFile)];
const tag = `<script type="module" src="${cardFile}" integrity="${hash}"></script>`;

describe('the built card form', () => {
  beforeEach(() => {
    server.contentSecurityPolicy = strictPolicy;
  });

  /** A page that offers both methods: the card files it asked for, and what went wrong on it. */
  async function open(t: TestContext, rest = '', prepare?: Prepare) {
    const page = await (await openContext(t)).newPage();
    const asked: string[] = [];
    const faults: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname === cardFile) asked.push(pathname + search);
    });
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      // A browser reports what it could not fetch by itself.
      if (/^(warn|error)$/.test(message.type()) && !/ERR_FAILED/.test(message.text())) {
        faults.push(message.text());
      }
    });
    await prepare?.(page);
    server.pages.set(
      '/page',
      pageOf(
        '<pix-checkout endpoint="/pix" external-id="1" methods="pix credit_card" accept-raw-card payer-fields="">' +
          `</pix-checkout>${rest}`,
      ),
    );
    await page.goto(`${server.origin}/page`);
    await untilShown(page, 'Gerar código Pix');
    const press = (words: string) =>
      page.locator(`pix-checkout >>> button ::-p-text(${words})`).click();
    return { page, asked, faults, press };
  }

  it('is not fetched while Pix is shown, and once when the card is, under the strict policy', async (t) => {
    const { page, asked, faults } = await open(t);
    assert.deepEqual(asked, []);
    await chooseMethod(page, 'Cartão');
    await untilDrawn(page, '#card_number');
    await page.type('pix-checkout >>> #card_number', '4111111111111111');
    assert.equal(await shownNumber(page), '4111 1111 1111 1111');
    await chooseMethod(page, 'Pix');
    await chooseMethod(page, 'Cartão');
    await untilDrawn(page, '#card_number');
    assert.equal(await shownNumber(page), '4111 1111 1111 1111', 'kept');
    assert.deepEqual(asked, [cardFile]);
    assert.deepEqual(faults, []);
  });

  const failures: [what: string, fail: (request: HTTPRequest) => Promise<void>][] = [
    ['did not come', (request) => request.abort()],
    // With nothing in it, it is one that did not come.
    ['came empty', (request) => request.respond({ contentType: 'text/javascript', body: '' })],
    [
      'was of another version',
      (request) =>
        request.respond({
          contentType: 'text/javascript',
          body: 'export const cardFormKey = Symbol.for("pix-checkout/card@0"), createCardForm = 1;',
        }),
    ],
    [
      'was a page',
      (request) => request.respond({ contentType: 'text/html', body: '<!doctype html><p>Loja' }),
    ],
  ];
  for (const [what, fail] of failures) {
    it(`is asked for by another URL after it ${what}, while Pix stays`, async (t) => {
      let isThere = false;
      const { page, asked, faults, press } = await open(t, '', async (opened) => {
        await opened.evaluateOnNewDocument(() => {
          window.heard = [];
          addEventListener('pix-error', ({ type, detail }) => {
            window.heard.push({ type, detail: { ...detail } });
          });
        });
        await opened.setRequestInterception(true);
        opened.on('request', (request) => {
          void (isCardFile(request) && !isThere ? fail(request) : request.continue());
        });
      });
      await chooseMethod(page, 'Cartão');
      await untilShown(page, 'O formulário do cartão não abriu.');
      await untilDrawn(page, '.methods');
      assert.deepEqual(asked, [cardFile], 'asked for once, until the payer asks again');
      assert.deepEqual(await findAxeFaults(page, 'pix-checkout'), []);
      const named = faults.filter((text) =>
        text.startsWith('<pix-checkout> The card form did not'),
      );
      assert.equal(named.length, 1, faults.join());
      assert.ok(named[0]?.includes(server.origin + cardFile), named[0]);
      const detail = { code: 'card_unavailable', retryable: true };
      assert.deepEqual(await page.evaluate(() => window.heard), [{ type: 'pix-error', detail }]);
      const shown = await page.$eval('pix-checkout >>> form', (form) => form.textContent);
      assert.doesNotMatch(shown ?? '', /internet|conexão/);
      await press('com Pix');
      await untilShown(page, 'Gerar código Pix');
      isThere = true;
      await chooseMethod(page, 'Cartão');
      await untilDrawn(page, '#card_number');
      assert.deepEqual(asked, [cardFile, `${cardFile}?again=1`]);
    });
  }

  /** A page whose card file has its tag and hash; what its server does with that file may change. */
  async function openWithHash(t: TestContext) {
    const line = { serves: null as string | null, pass: () => Promise.resolve() };
    const opened = await open(t, tag, async (page) => {
      await page.setRequestInterception(true);
      page.on('request', (request) => {
        const { serves: body } = line;
        if (!isCardFile(request)) void request.continue();
        else if (body === null) void request.abort();
        else {
          void line.pass().then(() => request.respond({ contentType: 'text/javascript', body }));
        }
      });
    });
    const isTampered = () => opened.page.evaluate(() => 'tampered' in globalThis);
    return { ...opened, line, tampered: `${file};globalThis.tampered=1`, isTampered };
  }

  for (const [kind, policy] of [
    ['a plain page', null],
    ['the strict policy', strictPolicy],
  ] as const) {
    it(`that is not what the hash of its tag says never runs, however often it is asked for: ${kind}`, async (t) => {
      server.contentSecurityPolicy = policy;
      const { page, asked, press, line, tampered, isTampered } = await openWithHash(t);
      line.serves = tampered;
      await page.reload();
      await chooseMethod(page, 'Cartão');
      for (let tries = 0; tries < 3; tries += 1) {
        await untilShown(page, 'O formulário do cartão não abriu.');
        await press('Tentar de novo');
      }
      await untilShown(page, 'O formulário do cartão não abriu.');
      await untilDrawn(page, '.methods');
      assert.ok(asked.length > 1);
      assert.equal(await isTampered(), false);
      assert.equal(await page.$('pix-checkout >>> #card_number'), null);
    });

    it(`that did not come for its tag is there after the next page load: ${kind}`, async (t) => {
      server.contentSecurityPolicy = policy;
      const { page, line } = await openWithHash(t);
      await chooseMethod(page, 'Cartão');
      await untilShown(page, 'O formulário do cartão não abriu.');
      line.serves = file;
      await page.reload();
      await chooseMethod(page, 'Cartão');
      await untilDrawn(page, '#card_number');
    });
  }

  it('by a tag that is still on its way it is waited for, under the strict policy', async (t) => {
    const { page, asked, line } = await openWithHash(t);
    const gate = createGate();
    [line.serves, line.pass] = [file, gate.pass];
    asked.length = 0;
    const reloaded = page.reload();
    await gate.reached;
    // The browser paints no frame of this page before its scripts have run: a selector would wait for one, and a mouse.
    await untilShown(page, 'Cartão');
    await page.$$eval('pix-checkout >>> .methods input', ([, card]) => {
      (card as HTMLInputElement).click();
    });
    await untilShown(page, 'Abrindo o formulário do cartão…');
    gate.open();
    await untilDrawn(page, '#card_number');
    await reloaded;
    assert.deepEqual(asked, [cardFile]);
  });

  it('by a tag of its own with its hash it is there before it is shown, and fetched once', async (t) => {
    const { page, asked, faults } = await open(t, tag);
    await chooseMethod(page, 'Cartão');
    await untilDrawn(page, '#card_number');
    assert.deepEqual(asked, [cardFile]);
    assert.deepEqual(faults, []);
  });
});

function isCardFile(request: HTTPRequest): boolean {
  return new URL(request.url()).pathname === cardFile;
}

function shownNumber(page: Page): Promise<string> {
  return page.$eval('pix-checkout >>> #card_number', (input) => (input as HTMLInputElement).value);
}
