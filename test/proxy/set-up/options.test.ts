/** Options: wrong ones stop the start by name, and each assumption about the service has one of its own. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { ProxyOptions } from '../../../src/proxy.js';
import { createProxy } from '../../../src/proxy.js';
import { openInvoice } from '../../support/proxy/open-invoice.js';
import { dataOf, leastOptions, openShop, secrets, shopOrigin } from '../../support/proxy/shop.js';
import { toCreation } from '../../support/payer.js';

/** JavaScript's merchants write anything. */
const open = (options: object) => createProxy(options as ProxyOptions);

describe('an option', () => {
  const [texts, badHooks] = [
    ['', 1, null],
    ['https://shop.example/hook', null, 1, [], true, {}],
  ];
  const badUrls = [
    '',
    7,
    '/a b',
    'a.png',
    '//cdn.example/a',
    '/a;b',
    'http://cdn.example/a',
    'data:,',
    // They would be patterns of the page's policy, or end a directive of it.
    'https://*/x',
    'https://*.cdn.example/a',
    'https://a;b/x',
    "https://'none'/x",
  ];
  const pageOptions: [name: string, ...values: unknown[]][] = [
    ['supportUrl', '', '/help', 'javascript:alert(1)', 'mailto:ana', 'tel:ana', 'http://a.example'],
    ['logoUrl', ...badUrls],
    ['stylesheetUrl', ...badUrls],
    ['assetsUrl', ...badUrls, '/a?b=1', 'https://cdn.example/a#b'],
    ['returnUrl', ...badUrls],
    ['methods', [], 'pix', ['credit_card'], ['pix', 'pix'], [undefined]],
    ['payerFields', 'nome'],
    ['locale', 'pt'],
    ['receiverName', ''],
    ['accent', 'red', '#0b6b5', '#000;}*{display:none'],
    ['title', 'x'],
  ];
  const wrong: [name: string, values: unknown[]][] = [
    ['serviceUrl', [undefined, '', 'service.example', 'http://service.example']],
    ['serviceUrl', ['ftp://service.example', 'https://user:pass@service.example']],
    ['serviceUrl', ['https://service.example?a=1']],
    ['serviceUrl', ['https://service.example/api/v2', 'https://service.example/x/api/v2/']],
    ['serviceUrl', ['https://service.example/api/v2/invoices', 'https://a.example/Invoices']],
    ['accessToken', [undefined, '', 'two words', 'line\nbreak', 42]],
    ['secrets', [undefined, [], 'a string of more than thirty-two bytes', ['short'], [42]]],
    ['secrets', [[secrets[0], 'short']]],
    ['resolveOrder', [undefined, null, {}]],
    ['requireOrderToken', ['false', 0, null]],
    ['publicUrl', [undefined, '/pay', 'http://shop.example/pay', 'https://u@shop.example']],
    ['publicUrl', ['https://shop.example/?a', 'https://shop.example/#a']],
    ['publicUrl', ['http://127.0.0.1.evil.example']],
    ['allowedOrigins', [undefined, 'https://shop.example', ['*'], ['null'], [/shop/]]],
    ['allowedOrigins', [['https://shop.example/'], ['https://SHOP.example']]],
    ['allowedOrigins', [['http://shop.example'], ['https://*.shop.example']]],
    ['allowedOrigins', [['file://'], ['capacitor://localhost/'], ['capacitor://evil.example']]],
    ['allowedOrigins', [['tauri://'], ['app://localhost'], ['CAPACITOR://localhost']]],
    ['paymentPage', [null, 'Ana', []]],
    ['paymentPage.name', [{}, { name: '' }, { name: 1 }]],
    ...pageOptions.map(([name, ...values]): [string, unknown[]] => [
      `paymentPage.${name}`,
      values.map((value) => ({ name: 'Ana', [name]: value })),
    ]),
    ['trustedHops', [-1, 1.5, '1', 11, NaN]],
    ['addressRequestsPerMinute', [0, -1, 1.5, '60', NaN]],
    ['methodNames', [null, 'pix', [], ['pix']]],
    ['methodNames.pix', [{ pix: '' }, { pix: 1 }]],
    ['methodNames.boleto', [{ boleto: 'x' }]],
    ['formats.phone', [{ phone: 'pretty' }, { phone: true }]],
    ['formats.month', [{ month: 'bare' }, { month: 'MMM' }]],
    ['formats.year', [{ year: 'masked' }, { year: 2 }]],
    ['formats.day', [{ day: 'DD' }]],
    ['formats', [null, []]],
    ['lookUpBy', ['external_id', true, '', null]],
    ['holdSeconds', [-1, 26, '25']],
    ['serviceTimeoutMs', [0, 1e6, '10']],
    ['forwardIdempotencyKey', ['yes']],
    ['allowSandbox', [1]],
    ['allowUnverifiedCodes', [null]],
    ['fetch', ['fetch', {}, null]],
    ['now', [0, null]],
    ['randomUuid', ['uuid', null]],
    ['startTimer', [1, null]],
    ['log', [{}]],
    ...[
      'onPaid',
      'onPixWaiting',
      'onLapsed',
      'onOutcomeUnknown',
      'onMismatch',
      'onUndelivered',
    ].map((hook): [string, unknown[]] => [hook, badHooks]),
    ['ledger', [{}, 'file:./pix.db', Promise.resolve({}), null]],
    ['serviceCallsPerMinute', [0, 1.5, '60', -1, NaN]],
    ['postbackInvoiceField', texts],
    ['rawCard', ['true', 1, null]],
    ['verifyHuman', [true, 'ask', null]],
    ['statuses', [null, ['refused'], [], 'refused', () => ['refused']]],
    ['statuses.refused', [{ refused: 'refused' }, { refused: ['refused', ''] }]],
    ['statuses.refused', [{ refused: [1] }, { refused: null }]],
    ['statuses.refused', [{ refused: ['paid'] }, { refused: ['pending'] }]],
    ['statuses.paid', [{ paid: 'paid' }, { paid: [''] }]],
    ['statuses.payed', [{ payed: ['paid'] }]],
    ['cardLookUpTotal', ['all', true, '', null]],
    ['trustedHop', [1]],
  ];
  for (const [path, values] of wrong) {
    it(`${path} that is wrong stops the start by name: ${values.map(String).join()}`, () => {
      const [name] = path.split('.') as [string];
      for (const value of values) {
        const start = () => open({ ...leastOptions, [name]: value });
        assert.throws(start, ({ name: kind, message }: Error) => {
          assert.equal(kind, 'TypeError');
          assert.ok(message.startsWith(path), `${message} does not begin with ${path}`);
          const text = typeof value === 'string' && value.length > 8 ? value : 'a value';
          return !message.includes(text) || assert.fail('the value is quoted');
        });
      }
    });
  }

  const told: [options: Partial<ProxyOptions> | object, message: string][] = [
    ...['serviceUrl', 'accessToken', 'publicUrl'].flatMap((name): [object, string][] => [
      [{ [name]: undefined }, `${name} is undefined: is the variable set?`],
      [{ [name]: '' }, `${name} is empty: is the variable set?`],
      // As `${process.env.NAME}` writes it.
      [{ [name]: 'undefined' }, `${name} is undefined: is the variable set?`],
    ]),
    [{ secrets: undefined }, 'secrets is undefined: is the variable set?'],
    [{ secrets: [undefined] }, 'secrets[0] is undefined: is the variable set?'],
    [{ secrets: [...secrets, ''] }, 'secrets[1] is empty: is the variable set?'],
    [{ accessToken: 'two words' }, 'accessToken is not a bearer token: give the token alone'],
    ...[['*'], ['https://*.shop.example'], '*', [shopOrigin, '*']].map(
      (allowedOrigins): [object, string] => [
        { allowedOrigins },
        'allowedOrigins must not hold a wildcard: list the exact origin of each page',
      ],
    ),
    [{ allowedOrigins: shopOrigin }, 'allowedOrigins must be a list'],
    [{ movedFrom: shopOrigin }, 'movedFrom must be an object with serviceUrl, publicUrl'],
    [{ paymentPage: 'Ana' }, 'paymentPage must be an object, with name'],
    [{ methodNames: 'pix' }, 'methodNames must be an object with pix, credit_card'],
    [
      { publicUrl: 'http://shop.example/pay' },
      'publicUrl must be https, except on loopback: as browsers write it, also where TLS ends in front of this process',
    ],
    ...[{ publicUrl: 'http://192.168.0.7/pix' }, { allowedOrigins: ['http://[fd00::7]'] }].map(
      (options): [object, string] => [
        options,
        `${Object.keys(options)[0]} must be https, except on loopback, and with allowSandbox in a private network`,
      ],
    ),
  ];
  for (const [options, message] of told) {
    it(`${JSON.stringify(options)} is told: ${message}`, () => {
      assert.throws(() => open({ ...leastOptions, ...options }), { name: 'TypeError', message });
    });
  }

  it('that is wrong is told with all others, each in a line', () => {
    const wrong = {
      ...leastOptions,
      serviceUrl: '',
      accessToken: 'two words',
      secrets: [...secrets, ''],
      holdSeconds: 26,
      formats: { phone: 'pretty', day: 'DD' },
      paymentPage: { name: 'Ana', methods: ['pix', 'credit_card'] },
      onPayed: () => {},
      'two\nlines': 1,
    };
    const lines = [
      'serviceUrl is empty: is the variable set?',
      'accessToken is not a bearer token: give the token alone',
      'secrets[1] is empty: is the variable set?',
      'holdSeconds must be a whole number from 0 to 25',
      'formats.phone must be bare or masked',
      'formats.day is not an option',
      'paymentPage.methods may hold credit_card only with rawCard',
      'onPayed is not an option',
      'two\\nlines is not an option',
    ];
    assert.throws(
      () => open(wrong),
      ({ name, message }: Error) => {
        assert.equal(name, 'TypeError');
        assert.deepEqual(message.split('\n').toSorted(), lines.toSorted());
        return true;
      },
    );
  });

  it('that is unknown is called so', () => {
    assert.throws(() => open({ ...leastOptions, onPayed: () => {} }), {
      message: 'onPayed is not an option',
    });
    assert.throws(() => open({ ...leastOptions, publicURL: 'https://shop.example' }), {
      message: 'publicURL is not an option: is publicUrl meant?',
    });
  });

  it('may be undefined where it has a default', () => {
    open({
      ...leastOptions,
      trustedHops: undefined,
      formats: { phone: undefined },
      log: undefined,
    });
  });

  it('that is a URL may be http on loopback', () => {
    for (const host of ['localhost:1', '127.0.0.1:1', '[::1]:1']) {
      const url = `http://${host}`;
      const urls = { serviceUrl: `${url}/service`, publicUrl: `${url}/pay/` };
      open({ ...leastOptions, ...urls, allowedOrigins: [url] });
    }
  });

  it('that is a URL may be http in a private network, with the sandbox alone', () => {
    for (const host of ['192.168.0.7:5173', '10.0.0.7', '172.16.0.7', '[fd00::7]:8080']) {
      const url = `http://${host}`;
      const urls = { publicUrl: `${url}/pix`, allowedOrigins: [url] };
      open({ ...leastOptions, ...urls, allowSandbox: true });
      assert.throws(
        () => open({ ...leastOptions, ...urls }),
        /^TypeError: publicUrl .*\nallowedOrigins /,
      );
    }
    for (const host of ['192.169.0.7', '8.8.8.8', '192.168.0.7.evil.example', 'shop.example']) {
      const urls = { publicUrl: `http://${host}/pix`, allowSandbox: true };
      assert.throws(
        () => open({ ...leastOptions, ...urls }),
        /^TypeError: publicUrl must be https/,
      );
    }
    const service = { serviceUrl: 'http://192.168.0.7', allowSandbox: true };
    assert.throws(
      () => open({ ...leastOptions, ...service }),
      /^TypeError: serviceUrl must be https/,
    );
  });

  it('publicUrl: may stand at the root, or deep, with or without its last slash', async () => {
    for (const path of ['', '/', '/x/y', '/x/y/']) {
      const url = `https://a.example${path}`;
      const shop = openShop({ publicUrl: url, requireOrderToken: false });
      const init = toCreation(shopOrigin, { external_id: 'order-1' });
      const request = new Request(`${url.replace(/\/$/, '')}/invoices`, init);
      await dataOf(shop.proxy.fetch(request));
    }
  });

  it('accessToken: may be a function, asked before each call', async () => {
    let calls = 0;
    const [shop, made] = await openInvoice({ accessToken: async () => `token-${(calls += 1)}` });
    await dataOf(await shop.lookUp(made));
    const bearers = shop.upstream.sent.map(({ headers }) => headers.get('authorization'));
    assert.deepEqual(bearers, ['Bearer token-1', 'Bearer token-2']);
  });
});

describe('Assumed', () => {
  /** What a creation with these options sends, of one field. */
  async function sentAs(options: Partial<ProxyOptions>, field: string, payer: object = {}) {
    const shop = openShop(options);
    await dataOf(await shop.create({ body: { payer } }));
    return shop.upstream.sent[0]?.body?.[field];
  }

  it('methodNames: the service calls the methods so', async () => {
    assert.equal(await sentAs({}, 'method'), 'pix');
    assert.equal(await sentAs({ methodNames: { pix: 'PIX' } }, 'method'), 'PIX');
  });

  it('formats: the service takes digits and letters without a mask', async () => {
    const address = { address_zip: '01310-100', address_state: 'sp' };
    const payer = { cpf_cnpj: '12.abc.345/01de-35', phone: '(11) 98765-4321', ...address };
    const bareAddress = { address_zip: '01310100', address_state: 'SP' };
    const bare = { cpf_cnpj: '12ABC34501DE35', phone: '11987654321', ...bareAddress };
    assert.deepEqual(await sentAs({}, 'payer', payer), bare);
    const masked = { ...bare, cpf_cnpj: '12.ABC.345/01DE-35', address_zip: '01310-100' };
    const formats = { cpf_cnpj: 'masked', address_zip: 'masked' } as const;
    assert.deepEqual(await sentAs({ formats }, 'payer', payer), masked);
  });

  it('lookUpBy: the look-up path takes invoice_id', async () => {
    const [shop, made] = await openInvoice();
    await dataOf(await shop.lookUp(made));
    assert.ok(shop.upstream.sent[1]?.url.endsWith(`/api/v2/invoices/${made.invoice_id}`));
  });
});
