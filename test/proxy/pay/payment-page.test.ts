/** The payment page: who gets it, with which headers, and that a GET of it creates nothing. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PaymentPageOptions, ProxyOptions } from '../../../src/proxy.js';
import { createMemoryLedger } from '../../../src/proxy/ledger/memory/memory-ledger.js';
import { createTestClock, openShop, publicUrl, refusalOf, shopOrigin } from '../support/shop.js';

const paymentPage: PaymentPageOptions = { name: 'Padaria <da> "Ana" & Cia' };
const formType = 'application/x-www-form-urlencoded';
const typed = 'name=Maria+Silva&cpf_cnpj=529.982.247-25&email=maria%40example.com';

function openPage(options: Partial<ProxyOptions> = {}) {
  const shop = openShop({ paymentPage, ...options });
  const ask = (path: string, init?: RequestInit) =>
    shop.proxy.fetch(new Request(publicUrl + path, init));
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    ask(path, { method: 'POST', body, headers: { 'content-type': formType, ...headers } });
  return { ...shop, ask, post };
}

describe('the payment page', () => {
  it('is not there without its option', async () => {
    const { proxy } = openShop();
    const ask = (path: string) => proxy.fetch(new Request(publicUrl + path));
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
    assert.deepEqual(
      [
        'content-type',
        'cache-control',
        'x-frame-options',
        'x-robots-tag',
        'referrer-policy',
        'x-content-type-options',
        'set-cookie',
      ].map((name) => headers.get(name)),
      [
        'text/html; charset=utf-8',
        'no-store',
        'DENY',
        'noindex, nofollow',
        'no-referrer',
        'nosniff',
        null,
      ],
    );
    assert.equal(
      headers.get('content-security-policy'),
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html",
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

  it('takes GET and HEAD, from anywhere', async () => {
    const { ask } = openPage();
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://chat.example' };
    const head = await ask('/pay', { method: 'HEAD', headers });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    assert.equal((await ask('/pay', { headers })).status, 200);
    for (const method of ['POST', 'PUT', 'OPTIONS']) {
      const refused = await ask('/pay', { method });
      assert.equal(refused.headers.get('allow'), 'GET, HEAD');
      assert.equal(await refusalOf(refused), '405 invalid_request method');
    }
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

  it('names no order in its path unless orders are public', async () => {
    const { ask } = openPage();
    assert.equal(await refusalOf(ask('/pay/order-1')), '404 not_found');
    assert.equal(await refusalOf(ask('/pay/')), '404 not_found');
  });
});

describe('the page of a public order, without scripts', () => {
  const open = (options: Partial<ProxyOptions> = {}) =>
    openPage({ requireOrderToken: false, ...options });

  it('creates nothing by GET, and asks nobody: previews of links do that', async () => {
    const asked: string[] = [];
    const { ask, upstream } = open({
      resolveOrder: ({ externalId }) => void asked.push(externalId),
    });
    const page = await ask('/pay/order-1');
    assert.equal(page.status, 200);
    const html = await page.text();
    assert.match(html, /<noscript>.*<form method="post">/s);
    assert.doesNotMatch(html, /order-1/);
    assert.deepEqual([upstream.sent.length, asked], [0, []]);
  });

  it('draws the code that the form asked for, one for each order', async () => {
    const { post, upstream } = open();
    const own = { 'sec-fetch-site': 'same-origin', origin: 'null' };
    const first = await post('/pay/order-1', typed, own);
    const again = await post('/pay/order-1', typed);
    assert.equal(first.status, 200);
    assert.equal(first.headers.get('x-frame-options'), 'DENY');
    assert.equal(first.headers.get('cache-control'), 'no-store');
    const html = await first.text();
    const [code] = [...upstream.invoices.values()].map((invoice) => invoice['qr_code_pix']);
    assert.ok(html.includes(`>${String(code)}</textarea>`));
    assert.match(html, /<svg[^>]*role="img"/);
    assert.doesNotMatch(html, /Maria|52998224725|529\.982|maria@|<script/);
    assert.equal(again.status, 200);
    assert.equal(upstream.creates(), 1);
    const payer = { name: 'Maria Silva', cpf_cnpj: '52998224725', email: 'maria@example.com' };
    assert.deepEqual(upstream.sent[0]?.body?.['payer'], payer);
  });

  it('looks the code up again for who holds its look-up token, and for no one else', async () => {
    const { post, upstream, clock } = open();
    const html = await (await post('/pay/order-1', typed)).text();
    const hidden = [...html.matchAll(/type="hidden" name="(\w+)" value="([^"]+)"/g)];
    const form = new URLSearchParams(hidden.map(([, name = '', value = '']) => [name, value]));
    const [invoice] = upstream.invoices.values();
    const again = (fields: Record<string, string> = {}) =>
      post('/pay/order-1', String(new URLSearchParams({ ...Object.fromEntries(form), ...fields })));

    const waiting = await again();
    assert.equal(waiting.status, 200);
    const redrawn = await waiting.text();
    assert.match(redrawn, /Ainda não recebemos a confirmação/);
    assert.ok(redrawn.includes(String(invoice?.['qr_code_pix'])));
    assert.doesNotMatch(redrawn, /Canary|canary@/);

    const lookUps = upstream.lookUps();
    for (const fields of [{ lookup_token: 'x' }, { invoice_id: 'another-invoice' }]) {
      const refused = await again(fields);
      assert.equal(refused.status, 401);
      assert.doesNotMatch(await refused.text(), /<textarea/);
    }
    assert.deepEqual([upstream.lookUps(), upstream.creates()], [lookUps, 1]);

    invoice!.status = 'paid';
    // Look-ups of a moment are one.
    await clock.advance(10_000);
    const { behave } = upstream;
    upstream.behave = () => new Response('', { status: 503 });
    const failed = await again();
    assert.equal(failed.status, 503);
    const asked = await failed.text();
    assert.match(asked, /Se você já pagou, não pague de novo/);
    assert.match(asked, /name="lookup_token" value="[^"]+"/, 'the payer can ask again');
    assert.doesNotMatch(asked, /cpf_cnpj|Gerar código/);

    upstream.behave = behave;
    await clock.advance(60_000);
    const paid = await (await again()).text();
    assert.match(paid, /Este pedido já está pago/);
    assert.doesNotMatch(paid, /<textarea|<form/);
  });

  it('says what to correct, and repeats nothing that was typed', async () => {
    const { post, upstream } = open();
    const answer = await post('/pay/order-1', typed.replace('-25', '-24'));
    const html = await answer.text();
    assert.equal(answer.status, 400);
    assert.match(html, /role="alert">Confira os números do CPF ou CNPJ/);
    assert.doesNotMatch(html, /Maria|529|maria/);
    const empty = await post('/pay/order-1', '');
    assert.match(await empty.text(), /role="alert">Informe seu nome completo/);
    assert.equal(upstream.sent.length, 0);
  });

  it('takes no field but those it asks for', async () => {
    const { post, upstream } = open({ paymentPage: { name: 'Ana', payerFields: '' } });
    const more = 'external_id=other&expected_total_cents=1&card=1&phone=11987654321';
    assert.equal((await post('/pay/order-1', more)).status, 200);
    const sent = JSON.stringify(upstream.sent[0]?.body);
    assert.match(sent, /"external_id":"order-1"/);
    assert.doesNotMatch(sent, /11987654321|other/);
  });

  const ends: [answer: () => object | null, status: number, said: RegExp][] = [
    [() => ({ status: 'paid' }), 409, /Este pedido já está pago/],
    [() => ({ status: 'closed' }), 409, /Este pedido foi encerrado/],
    [() => null, 404, /Este link não vale mais/],
    [
      () => {
        throw new Error('canary');
      },
      503,
      /Tente de novo em instantes/,
    ],
  ];
  for (const [answer, status, said] of ends) {
    it(`has a screen for ${said.source}`, async () => {
      const { post } = open({ resolveOrder: answer as ProxyOptions['resolveOrder'] });
      const page = await post('/pay/order-1', typed);
      assert.equal(page.status, status);
      const html = await page.text();
      assert.match(html, said);
      assert.doesNotMatch(html, /canary/);
    });
  }

  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: 'https://shop.example.evil.example', 'sec-fetch-site': 'same-origin' },
  ];
  for (const headers of foreign) {
    it(`takes no form of another site: ${JSON.stringify(headers)}`, async () => {
      const { post, upstream } = open();
      const answer = post('/pay/order-1', typed, headers);
      assert.equal(await refusalOf(answer), '403 invalid_request Origin');
      assert.equal(upstream.sent.length, 0);
    });
  }

  it('takes its own form only, up to a size', async () => {
    const { post } = open();
    const json = post('/pay/order-1', '{}', { 'content-type': 'application/json' });
    assert.equal(await refusalOf(json), '415 invalid_request Content-Type');
    const large = post('/pay/order-1', `name=${'x'.repeat(20_000)}`);
    assert.equal(await refusalOf(large), '413 invalid_request body');
  });

  it('takes nothing once the proxy closes, and says so on a screen', async () => {
    const { post, proxy, upstream } = open();
    await proxy.close();
    const page = await post('/pay/order-1', typed);
    assert.equal(page.status, 503);
    assert.match(await page.text(), /Tente de novo em instantes/);
    assert.equal(upstream.sent.length, 0);
  });

  it('takes no form whose end comes after the proxy closes', async () => {
    const { ask, proxy, upstream } = open();
    let end = () => {};
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        end = () => {
          controller.enqueue(new TextEncoder().encode(typed));
          controller.close();
        };
      },
    });
    const init = { method: 'POST', body, duplex: 'half', headers: { 'content-type': formType } };
    const answer = ask('/pay/order-1', init);
    const closed = proxy.close();
    end();
    assert.equal((await answer).status, 503);
    await closed;
    assert.equal(upstream.sent.length, 0);
  });

  it('has a screen for a fault of the proxy’s own, which is logged', async () => {
    const { now } = createTestClock();
    const claimAttempt = () => Promise.reject(new Error('canary'));
    const { post, log } = open({ ledger: { ...createMemoryLedger(now), claimAttempt } });
    const page = await post('/pay/order-1', typed);
    assert.ok(page.status >= 500);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    assert.doesNotMatch(await page.text(), /canary/);
    assert.ok(log.some(({ level }) => level === 'error'));
  });

  it('has no form where the page takes no Pix', async () => {
    const cards: PaymentPageOptions = { ...paymentPage, methods: ['credit_card'] };
    const { ask, post, upstream } = open({ rawCard: true, paymentPage: cards });
    const html = await (await ask('/pay/order-1')).text();
    assert.doesNotMatch(html, /<form/);
    assert.match(html, /Ative o JavaScript/);
    assert.equal(await refusalOf(post('/pay/order-1', typed)), '405 invalid_request method');
    assert.equal(upstream.sent.length, 0);
  });

  it('counts the payer’s own origin among those allowed', async () => {
    const { ask } = open({ allowedOrigins: [] });
    const answer = await ask('/order?external_id=order-1', { headers: { origin: shopOrigin } });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('access-control-allow-origin'), shopOrigin);
  });
});
