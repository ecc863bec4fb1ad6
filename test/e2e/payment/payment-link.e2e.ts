/**
 * A seller's link, opened on a phone: paid to the receipt, and what it says where nothing can be paid, such as with scripts
 * off. The strictest policy is the page's own.
 */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import type { Page } from 'puppeteer-core';
import { serveProxy } from '../../../src/node.js';
import { createProxy, type OrderAnswer } from '../../../src/proxy.js';
import { findAxeFaults } from '../../support/browser/axe.js';
import { openContext } from '../../support/browser/contexts.js';
import {
  askForCode,
  chooseMethod,
  fillForm,
  heardOf,
  openPage,
  press,
  untilPhase,
  untilShown,
  untilDrawn,
} from '../../support/browser/payer.js';
import { totalCents, useShop } from '../../support/browser/shop.js';
import { findPort } from '../../support/proxy/node-servers.js';

const name = 'Padaria da Ana';
// A test server stands in front, so the files are where it has them.
const paymentPage = {
  name,
  assetsUrl: '/dist',
  receiverName: 'ANA P SOUZA ME',
  supportUrl: 'https://wa.me/5511987654321',
  returnUrl: '/orders',
};
const phone = { width: 390, height: 844 };

const ends: Record<string, OrderAnswer> = {
  'paid-1': { status: 'paid' },
  'closed-1': { status: 'closed' },
  // A coupon of 100 % that the shop's code forgot.
  'free-1': { total_price_cents: 0 },
};
const resolveOrder = ({ externalId }: { readonly externalId: string }): OrderAnswer =>
  ends[externalId] ?? {
    total_price_cents: totalCents,
    items: [{ name: 'Bolo de cenoura', quantity: 1, unit_price: totalCents }],
    ...(externalId === 'brief-1' && { expires_in: 2 }),
  };

const shop = await useShop({ proxy: { paymentPage, resolveOrder } });

/** Everything that leaves the page: addresses, as far as they are sent, and what they say of the page that asked. */
function record(page: Page): string[] {
  const requests: string[] = [];
  page.on('request', (request) => {
    const [sent = ''] = request.url().split('#');
    requests.push(`${sent} ${request.headers()['referer'] ?? ''}`);
  });
  return requests;
}

/** What the page says of itself while it shows no checkout. */
async function untilScreen(page: Page, title: string): Promise<string> {
  const screen = await page.waitForSelector(`section:not([hidden]) h2 ::-p-text(${title})`);
  assert.equal(await page.$('pix-checkout'), null);
  return screen!.evaluate((heading) => heading.closest('section')!.innerText);
}

/** The links that are shown, and where they lead. */
function linksOn(page: Page): Promise<string[]> {
  return page.$$eval('main a', (links) =>
    links
      .filter((link) => link.checkVisibility())
      .map((link) => `${link.innerText} ${link.getAttribute('href')}`),
  );
}

describe('a payment link', () => {
  it('is paid on a phone, says so after a reload, and tells no one its token', async (t) => {
    const url = await shop.createPaymentLink('order-1');
    const [, token = ''] = url.split('#');
    let requests: string[] = [];
    const page = await openPage(await openContext(t), shop, url, async (opening) => {
      await opening.setViewport(phone);
      requests = record(opening);
    });
    assert.equal(await page.$eval('h1', ({ innerText }) => innerText), name);
    await untilShown(page, 'R$ 129,90');
    await untilShown(page, 'Bolo de cenoura');
    for (const scheme of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      assert.deepEqual(await findAxeFaults(page), [], scheme);
    }

    await askForCode(page);
    await untilShown(page, 'ANA P SOUZA ME');
    await shop.payNewest('order-1');
    await untilPhase(page, 'paid');
    assert.deepEqual(await heardOf(page, 'securitypolicyviolation'), []);

    await page.reload();
    await page.waitForSelector('pix-checkout:defined');
    await untilPhase(page, 'paid');
    await untilShown(page, 'Pagamento confirmado. Recebemos R$ 129,90.');
    assert.deepEqual(await linksOn(page), ['Voltar para a loja /orders']);
    assert.equal(shop.invoicesOf('order-1').length, 1);
    assert.equal(page.url(), url);

    const kept = await page.evaluate(() =>
      JSON.stringify([localStorage, sessionStorage, document.cookie]),
    );
    const told = [...requests, kept, JSON.stringify(shop.log)].filter((one) => one.includes(token));
    assert.deepEqual(told, []);
    const foreign = requests.filter((one) => !/^(data:|http:\/\/127\.0\.0\.1:)/.test(one));
    assert.deepEqual(foreign, []);
    assert.ok(requests.some((one) => one.startsWith(`${shop.origin}/pix/order `)));
    assert.deepEqual(await heardOf(page, 'securitypolicyviolation'), []);
  });

  for (const [width, height] of [
    [320, 568],
    [390, 664],
    [1280, 720],
  ] as const) {
    it(`shows the shop’s name, the mark of a test and the amount above a code, at ${width} px`, async (t) => {
      const page = await openPage(
        await openContext(t),
        shop,
        await shop.createPaymentLink(`top-${width}`),
        (opening) => opening.setViewport({ width, height }),
      );
      await fillForm(page);
      await page.$eval('pix-checkout >>> [part="submit-button"]', (one) => one.scrollIntoView());
      await press(page, 'Gerar código Pix');
      await untilPhase(page, 'awaiting');
      for (const part of ['.shop', 'pix-checkout >>> .test', 'pix-checkout >>> .total']) {
        const { top, bottom } = await page.$eval(part, (one) =>
          one.getBoundingClientRect().toJSON(),
        );
        assert.ok(top >= 0 && bottom <= height, `${part}: ${top}, ${bottom}`);
      }
      // The receipt fits into this window, under the shop's name.
      await page.setViewport({ width, height: 1_000 });
      await shop.payNewest(`top-${width}`);
      await untilPhase(page, 'paid');
      const [whole, seen] = await page.$eval('html', (one) => [one.scrollHeight, one.clientHeight]);
      assert.equal(whole, seen, 'the receipt scrolls for nothing');
    });
  }

  it('leads to the shop and back once the code has expired', async (t) => {
    const page = await openPage(
      await openContext(t),
      shop,
      await shop.createPaymentLink('brief-1'),
    );
    assert.deepEqual(await linksOn(page), []);
    await askForCode(page);
    await untilPhase(page, 'expired');
    assert.deepEqual(await linksOn(page), [
      'Falar com a loja https://wa.me/5511987654321',
      'Voltar para a loja /orders',
    ]);
  });

  it('says in one sentence why nothing can be paid, and tries again without a connection', async (t) => {
    const page = await (await openContext(t)).newPage();
    await page.setViewport({ ...phone, width: 320 });
    const link = await shop.createPaymentLink('order-2');
    const go = (url: string) => page.goto('about:blank').then(() => page.goto(url));
    const screens: [url: string, title: string, text: RegExp][] = [
      [link.slice(0, -3), 'Não foi possível abrir este link', /Peça outro link à loja/],
      [link.split('#')[0]!, 'Não foi possível abrir este link', /está incompleto/],
      [await shop.createPaymentLink('paid-1'), 'Este pedido já está pago', /Não pague de novo/],
      [await shop.createPaymentLink('closed-1'), 'Este pedido foi encerrado', /fale com a loja/],
      [await shop.createPaymentLink('free-1'), 'Há um erro neste pedido', /Fale com a loja/],
    ];
    for (const [url, title, text] of screens) {
      await go(url);
      assert.match(await untilScreen(page, title), text);
      assert.deepEqual(await linksOn(page), [
        'Falar com a loja https://wa.me/5511987654321',
        'Voltar para a loja /orders',
      ]);
    }
    assert.deepEqual(await findAxeFaults(page), []);
    const slow = await page.$eval('.slow', (one) => getComputedStyle(one).visibility);
    assert.equal(slow, 'hidden', 'a screen reader hears of a delay only when there is one');

    shop.between = async () => Promise.reject(new Error('no connection'));
    t.onTestFinished(() => void (shop.between = null));
    const cutOff = await page.goto(link).catch(() => null);
    assert.notEqual(cutOff?.status(), 200);
    shop.between = async (request, forward) =>
      request.url.endsWith('/order') ? new Response('<h1>Bad Gateway</h1>') : forward(request);
    await go(link);
    assert.match(
      await untilScreen(page, 'Não deu para abrir o pedido'),
      /Tente de novo\. Se você já pagou/,
    );
    assert.deepEqual(await findAxeFaults(page), []);
    shop.between = null;
    await page.click('section:not([hidden]) button');
    await page.waitForSelector('pix-checkout:defined');
    assert.equal(shop.invoicesOf('order-2').length, 0);
  });
});

/** Without a server in front, which would serve whatever is asked for. */
async function serve(t: TestContext) {
  const port = await findPort();
  const proxy = createProxy({
    serviceUrl: 'http://127.0.0.1:9',
    accessToken: 'token',
    secrets: ['a secret of this test, 32 bytes long!!'],
    publicUrl: `http://127.0.0.1:${port}/pix`,
    allowedOrigins: [],
    resolveOrder,
    rawCard: true,
    paymentPage: { name, methods: ['pix', 'credit_card'] },
  });
  const server = await serveProxy({ proxy, port });
  t.onTestFinished(() => server.close());
  return (await proxy.createPaymentLink({ externalId: 'order-1' })).url;
}

it('a payment page with the files that its own proxy serves opens the card form at the second try, after its file did not come', async (t) => {
  const url = await serve(t);
  const asked: string[] = [];
  const page = await openPage(await openContext(t), shop, url, async (opening) => {
    await opening.setRequestInterception(true);
    opening.on('request', (request) => {
      const isCard = request.url().includes('pix-checkout-card');
      if (isCard) asked.push(new URL(request.url()).search);
      void (isCard && asked.length === 1 ? request.abort() : request.continue());
    });
  });
  await chooseMethod(page, 'Cartão');
  await untilShown(page, 'O formulário do cartão não abriu.');
  await press(page, 'Tentar de novo');
  await untilDrawn(page, '#card_number');
  assert.deepEqual(asked, ['', '?again=1']);
});

describe('the link of a public order', async () => {
  const proxy = { paymentPage, resolveOrder, requireOrderToken: false };
  const open = await useShop({ proxy });

  async function openLink(t: TestContext, reference: string, scripts: boolean) {
    const page = await (await openContext(t)).newPage();
    await page.setViewport(phone);
    await page.setJavaScriptEnabled(scripts);
    await page.goto(await open.createPaymentLink(reference));
    return page;
  }

  it('says with scripts off how to reach the shop, and with which order', async (t) => {
    const page = await openLink(t, 'order-1', false);
    const text = await page.$eval('main', (main) => main.innerText);
    assert.match(text, /só funciona com JavaScript/);
    assert.match(text, /fale com a loja Padaria da Ana e informe o pedido order-1\./);
    assert.doesNotMatch(text, /Abrindo o pedido/);
    assert.equal(open.invoicesOf('order-1').length, 0);
  });
});
