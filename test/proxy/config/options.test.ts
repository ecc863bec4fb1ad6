/** Options: wrong ones stop the start by name, and each assumption about the service has one of its own. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ProxyOptions } from '../../../src/proxy.js';
import { createProxy } from '../../../src/proxy.js';
import {
  accessToken,
  dataOf,
  openShop,
  publicUrl,
  secrets,
  serviceUrl,
  shopOrigin,
} from '../support/shop.js';

const good: ProxyOptions = {
  serviceUrl,
  accessToken,
  secrets,
  publicUrl,
  allowedOrigins: [shopOrigin],
  resolveOrder: () => null,
};

/** JavaScript's merchants write anything. */
const open = (options: object) => createProxy(options as ProxyOptions);

describe('an option', () => {
  const wrong: [name: string, ...values: unknown[]][] = [
    [
      'serviceUrl',
      undefined,
      '',
      'service.example',
      'http://service.example',
      'ftp://service.example',
      'https://user:pass@service.example',
      'https://service.example?a=1',
    ],
    ['accessToken', undefined, '', 'two words', 'line\nbreak', 42],
    [
      'secrets',
      undefined,
      [],
      'a string of more than thirty-two bytes',
      ['short'],
      [secrets[0], 'short'],
      [42],
    ],
    ['resolveOrder', undefined, null, {}],
    ['requireOrderToken', 'false', 0, null],
    [
      'publicUrl',
      undefined,
      '/pay',
      'http://shop.example/pay',
      'https://u@shop.example',
      'https://shop.example/?a',
      'https://shop.example/#a',
      'http://127.0.0.1.evil.example',
    ],
    [
      'allowedOrigins',
      undefined,
      'https://shop.example',
      ['*'],
      ['null'],
      ['https://shop.example/'],
      ['https://SHOP.example'],
      ['http://shop.example'],
      ['https://*.shop.example'],
      [/shop/],
    ],
    ['trustedHops', -1, 1.5, '1', 11, NaN],
    ['methodNames', null, 'pix', [], ['pix']],
    ['methodNames.pix', { pix: '' }, { pix: 1 }],
    ['methodNames.boleto', { boleto: 'x' }],
    ['formats.phone', { phone: 'pretty' }, { phone: true }],
    ['formats.month', { month: 'bare' }, { month: 'MMM' }],
    ['formats.year', { year: 'masked' }, { year: 2 }],
    ['formats.day', { day: 'DD' }],
    ['formats', null, []],
    ['lookUpBy', 'external_id', true, '', null],
    ['holdSeconds', -1, 26, '25'],
    ['serviceTimeoutMs', 0, 1e6, '10'],
    ['forwardIdempotencyKey', 'yes'],
    ['allowSandbox', 1],
    ['allowUnverifiedCodes', null],
    ['fetch', 'fetch', {}, null],
    ['now', 0, null],
    ['randomUuid', 'uuid', null],
    ['startTimer', 1, null],
    ['log', {}],
    ['onPaid', 'https://shop.example/paid', {}],
    ['onPixWaiting', null],
    ['onLapsed', 1],
    ['onOutcomeUnknown', []],
    ['onMismatch', true],
    ['onUndelivered', {}],
    ['ledger', {}, 'file:./pix.db', Promise.resolve({}), null],
    ['serviceCallsPerMinute', 0, 1.5, '60', -1, NaN],
    ['postbackInvoiceField', '', 1, null],
    ['rawCard', 'true', 1, null],
    ['verifyHuman', true, 'ask', null],
    ['statuses', null, ['refused'], [], 'refused', () => ['refused']],
    [
      'statuses.refused',
      { refused: 'refused' },
      { refused: ['refused', ''] },
      { refused: [1] },
      { refused: null },
    ],
    ['statuses.refused', { refused: ['paid'] }, { refused: ['pending'] }],
    ['statuses.paid', { paid: ['paid'] }],
    ['cardLookUpTotal', 'all', true, '', null],
    ['trustedHop', 1],
  ];
  for (const [path, ...values] of wrong) {
    it(`${path} that is wrong stops the start by name`, () => {
      const [name] = path.split('.') as [string];
      for (const value of values) {
        assert.throws(
          () => open({ ...good, [name]: value }),
          (error: Error) => {
            assert.equal(error.name, 'TypeError');
            assert.ok(
              error.message.startsWith(path),
              `${error.message} does not begin with ${path}`,
            );
            const text = typeof value === 'string' && value.length > 8 ? value : 'a value';
            return !error.message.includes(text) || assert.fail('the value is quoted');
          },
        );
      }
    });
  }

  const told: [options: Partial<ProxyOptions> | object, message: string][] = [
    [{ accessToken: undefined }, 'accessToken is missing'],
    [{ accessToken: '' }, 'accessToken is missing'],
    [{ accessToken: 'two words' }, 'accessToken is not a bearer token'],
    ...[['*'], ['https://*.shop.example'], '*', [shopOrigin, '*']].map(
      (allowedOrigins): [object, string] => [
        { allowedOrigins },
        'allowedOrigins must not hold a wildcard: list the exact origin of each page',
      ],
    ),
    [{ allowedOrigins: shopOrigin }, 'allowedOrigins must be a list'],
  ];
  for (const [options, message] of told) {
    it(`${JSON.stringify(options)} is told: ${message}`, () => {
      assert.throws(() => open({ ...good, ...options }), { name: 'TypeError', message });
    });
  }

  it('that is unknown is called so', () => {
    assert.throws(() => open({ ...good, onPayed: () => {} }), {
      message: 'onPayed is not an option',
    });
  });

  it('may be undefined where it has a default', () => {
    open({ ...good, trustedHops: undefined, formats: { phone: undefined }, log: undefined });
  });

  it('that is a URL may be http on loopback', () => {
    for (const host of ['localhost:1', '127.0.0.1:1', '[::1]:1']) {
      const url = `http://${host}`;
      open({
        ...good,
        serviceUrl: `${url}/service`,
        publicUrl: `${url}/pay/`,
        allowedOrigins: [url],
      });
    }
  });

  it('publicUrl: may stand at the root, or deep, with or without its last slash', async () => {
    for (const url of [
      'https://a.example',
      'https://a.example/',
      'https://a.example/x/y',
      'https://a.example/x/y/',
    ]) {
      const shop = openShop({ publicUrl: url, requireOrderToken: false });
      const request = new Request(`${url.replace(/\/$/, '')}/invoices`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
        body: JSON.stringify({ method: 'pix', external_id: 'order-1' }),
      });
      await dataOf(await shop.proxy.fetch(request));
    }
  });

  it('accessToken: may be a function, asked before each call', async () => {
    let calls = 0;
    const shop = openShop({ accessToken: async () => `token-${(calls += 1)}` });
    const made = await dataOf(await shop.create());
    await dataOf(await shop.lookUp(made));
    const bearers = shop.upstream.sent.map(({ headers }) => headers.get('authorization'));
    assert.deepEqual(bearers, ['Bearer token-1', 'Bearer token-2']);
  });

  it('allowUnverifiedCodes: hands placeholders on, but never an empty code', async () => {
    const shop = openShop({ allowUnverifiedCodes: true });
    for (const [code, status] of [
      ['PLACEHOLDER', 200],
      ['', 503],
    ] as const) {
      shop.upstream.behave = ({ body }) =>
        Response.json({
          data: {
            invoice_id: crypto.randomUUID(),
            external_id: body?.['external_id'],
            status: 'pending',
            total_cents: 12_345,
            qr_code_pix: code,
          },
        });
      assert.equal((await shop.create({ externalId: `order-${code}` })).status, status);
    }
  });
});

describe('Assumed', () => {
  it('methodNames: the service calls the methods so', async () => {
    const usual = openShop();
    await dataOf(await usual.create());
    assert.equal(usual.upstream.sent[0]?.body?.['method'], 'pix');
    const other = openShop({ methodNames: { pix: 'PIX' } });
    await dataOf(await other.create());
    assert.equal(other.upstream.sent[0]?.body?.['method'], 'PIX');
  });

  it('formats: the service takes digits and letters without a mask', async () => {
    const payer = {
      cpf_cnpj: '12.abc.345/01de-35',
      phone: '(11) 98765-4321',
      address_zip: '01310-100',
      address_state: 'sp',
    };
    const usual = openShop();
    await dataOf(await usual.create({ body: { payer } }));
    const bare = {
      cpf_cnpj: '12ABC34501DE35',
      phone: '11987654321',
      address_zip: '01310100',
      address_state: 'SP',
    };
    assert.deepEqual(usual.upstream.sent[0]?.body?.['payer'], bare);
    const masked = openShop({ formats: { cpf_cnpj: 'masked', address_zip: 'masked' } });
    await dataOf(await masked.create({ body: { payer } }));
    assert.deepEqual(masked.upstream.sent[0]?.body?.['payer'], {
      ...bare,
      cpf_cnpj: '12.ABC.345/01DE-35',
      address_zip: '01310-100',
    });
  });

  it('lookUpBy: the look-up path takes invoice_id', async () => {
    const shop = openShop();
    const made = await dataOf(await shop.create());
    await dataOf(await shop.lookUp(made));
    assert.ok(shop.upstream.sent[1]?.url.endsWith(`/api/v2/invoices/${made.invoice_id}`));
  });
});
