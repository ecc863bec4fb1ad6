/** The payment page: who gets it, with which headers, and that a GET of it creates nothing. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { colors, sizes } from '../../../../src/checkout/element/design-tokens.js';
import type { PaymentPageOptions, ProxyOptions } from '../../../../src/proxy.js';
import { openShop, refusalOf, shopOrigin } from '../../../support/proxy/shop.js';

const paymentPage: PaymentPageOptions = { name: 'Padaria <da> "Ana" & Cia' };

function openPage(options: Partial<ProxyOptions> = {}) {
  const { upstream, questions, request: ask } = openShop({ paymentPage, ...options });
  return { upstream, questions, ask };
}

describe('the payment page', () => {
  it('is not there without its option', async () => {
    const { proxy, request: ask } = openShop();
    for (const path of ['/pay', '/pay/order-1', '/pay.css', '/order']) {
      assert.equal(await refusalOf(ask(path)), '404 not_found', path);
    }
    await assert.rejects(proxy.createPaymentLink({ externalId: 'a' }), {
      name: 'TypeError',
      message: 'createPaymentLink needs paymentPage',
    });
  });

  it('is never framed, indexed, kept or told of in a referrer, and runs no script but its files', async () => {
    const { ask } = openPage();
    const page = await ask('/pay');
    const { headers } = page;
    assert.equal(page.status, 200);
    const expected = {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-robots-tag': 'noindex, nofollow',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'set-cookie': null,
    };
    for (const [name, value] of Object.entries(expected)) assert.equal(headers.get(name), value);
    assert.equal(
      headers.get('content-security-policy'),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html",
    );
    const html = await page.text();
    assert.doesNotMatch(html, /<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=)/);
    assert.match(html, /<meta name="robots" content="noindex, nofollow">/);
  });

  it('says the merchant’s name and nothing else of anyone, escaped', async () => {
    const { ask } = openPage();
    const html = await (await ask('/pay')).text();
    const name = 'Padaria &#60;da&#62; &#34;Ana&#34; &#38; Cia';
    assert.match(html, new RegExp(`<meta property="og:title" content="${name}">`));
    assert.match(html, new RegExp(`<h1>${name}</h1>`));
    assert.match(html, new RegExp(`<title>${name}</title>`));
    assert.doesNotMatch(html, /<da>/);
  });

  it('leads a payer who is stuck to the shop, and back to it', async () => {
    for (const supportUrl of ['https://wa.me/5511', 'mailto:ana@shop.example', 'tel:+55-11-98']) {
      const { ask } = openPage({ paymentPage: { name: 'Ana', supportUrl, returnUrl: '/orders' } });
      const html = await (await ask('/pay')).text();
      const slots = /<pix-checkout[^>]*>(.*?)<\/pix-checkout>/s.exec(html)?.[1];
      assert.equal(
        slots,
        `<a class="way" slot="support" href="${supportUrl}">Falar com a loja</a>` +
          '<a class="way" slot="paid" href="/orders">Voltar para a loja</a>' +
          '<a class="way" slot="support" data-ended href="/orders">Voltar para a loja</a>',
      );
      assert.equal(html.split(`href="${supportUrl}"`).length - 1, 7, 'five screens, no scripts');
    }
    const { ask } = openPage();
    assert.doesNotMatch(await (await ask('/pay')).text(), /Falar com|Voltar/);
  });

  it('allows the origins that its options name, and no others', async () => {
    const { ask } = openPage({
      paymentPage: {
        name: 'Ana',
        logoUrl: 'https://cdn.example/logo.svg?a=1',
        stylesheetUrl: 'https://css.example/pay.css',
        assetsUrl: 'https://static.example/pix/',
        receiverName: 'ANA "ME"',
        payerFields: '',
        locale: 'es',
      },
    });
    const page = await ask('/pay');
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /script-src 'self' https:\/\/static\.example;/);
    assert.match(policy, /style-src 'self' https:\/\/static\.example https:\/\/css\.example;/);
    assert.match(policy, /img-src 'self' https:\/\/cdn\.example data:;/);
    const html = await page.text();
    assert.match(html, /src="https:\/\/static\.example\/pix\/pix-checkout-pay\.min\.js"/);
    assert.match(html, /<html lang="es">/);
    assert.match(html, /payer-fields="" locale="es"\s+receiver-name="ANA &#34;ME&#34;"/);
  });

  it('lets the element take card numbers only where the page takes cards', async () => {
    for (const [methods, isCard] of [
      [['pix'], false],
      [['pix', 'credit_card'], true],
    ] as const) {
      const { ask } = openPage({ rawCard: true, paymentPage: { ...paymentPage, methods } });
      const html = await (await ask('/pay')).text();
      assert.equal(/<pix-checkout[^>]* accept-raw-card/.test(html), isCard, methods.join(' '));
    }
  });

  it('is read from anywhere', async () => {
    const { ask } = openPage();
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://chat.example' };
    assert.equal((await ask('/pay', { headers })).status, 200);
  });

  it('has its own style sheet, with text that can be read on any accent', async () => {
    for (const [accent, text] of [
      ['#0b6b5b', '#fff'],
      ['#ffd400', '#000'],
      ['#FD0', '#000'],
      ['#00f', '#fff'],
    ] as const) {
      const { ask } = openPage({ paymentPage: { name: 'Ana', accent } });
      const css = await ask('/pay.css');
      assert.equal(css.headers.get('content-type'), 'text/css; charset=utf-8');
      const rules = await css.text();
      assert.ok(rules.includes(`:root{--accent:${accent};--on-accent:${text}}`), accent);
      assert.ok(rules.includes(`--pix-color-on-accent:${text}`), accent);
    }
  });

  it("has the element's colours and sizes around the element, light and dark", async () => {
    const rules = await (await openPage().ask('/pay.css')).text();
    const declared = sizes.match(/--pix-[^;]+;/g) ?? [];
    assert.ok(declared.length > 10);
    for (const declaration of declared) assert.ok(rules.includes(declaration), declaration);
    assert.doesNotMatch(
      rules,
      /(border-radius|box-shadow):[^;}]*\dpx/,
      'a size that is a token is copied',
    );
    for (const [name, [light, dark]] of Object.entries(colors)) {
      assert.ok(rules.includes(`--${name}:${light};`), name);
      assert.ok(rules.includes(`--${name}:light-dark(${light},${dark});`), name);
    }
  });

  it('names no order in its path unless orders are public', async () => {
    const { ask } = openPage();
    assert.equal(await refusalOf(ask('/pay/order-1')), '404 not_found');
    // A slash at the end names none.
    assert.equal((await ask('/pay/')).status, 200);
  });
});

describe('the page of a public order', () => {
  const open = (options: Partial<ProxyOptions> = {}) =>
    openPage({ requireOrderToken: false, ...options });

  it('creates nothing, and asks no one: previews of links do that', async () => {
    const { ask, upstream, questions } = open();
    assert.equal((await ask('/pay/order-1')).status, 200);
    assert.deepEqual([upstream.sent, questions], [[], []]);
  });

  it('says without scripts that it needs them, and which order to name to which shop', async () => {
    const { ask } = open();
    const readNoScripts = async (path: string) => {
      const html = await (await ask(path)).text();
      assert.doesNotMatch(html, /<form|<input/);
      const [outside, inside = ''] = html.split('<noscript>');
      assert.doesNotMatch(outside ?? '', /order-1/, 'a preview says nothing of the order');
      return inside;
    };
    const name = 'Padaria &#60;da&#62; &#34;Ana&#34; &#38; Cia';
    const byReference = await readNoScripts('/pay/order-1');
    assert.match(byReference, /só funciona com JavaScript/);
    assert.ok(byReference.includes(`fale com a loja ${name} e informe o pedido order-1.`));
    const byToken = await readNoScripts('/pay');
    assert.ok(byToken.includes(`fale com a loja ${name}.`));
  });

  it('counts the payer’s own origin among those allowed', async () => {
    const { ask } = open({ allowedOrigins: [] });
    const answer = await ask('/order?external_id=order-1', { headers: { origin: shopOrigin } });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('access-control-allow-origin'), shopOrigin);
  });
});
