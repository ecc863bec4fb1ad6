/** What the page says, read into an exact order: every attribute, every way to get it wrong, and never an exception. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import {
  readOrder,
  toIdentity,
  toSetUpIdentity,
  silentPage,
} from '../../../src/checkout/page/order.js';
import type { Order, PageValues } from '../../../src/checkout/page/order.js';
import { payerFields } from '../../../src/domain/payer.js';
import type { Payer } from '../../../src/domain/payer.js';
import { groups, holds, maps } from '../../support/tables.js';

const silent: PageValues = {
  ...silentPage,
  endpoint: '/pix',
  externalId: 'order-1042',
  methods: 'pix',
};

function read(changes: Partial<PageValues> = {}, chosenCents?: number | null) {
  const warnings: string[] = [];
  const words = { ...silent, ...changes };
  const warn = (text: string) => warnings.push(text);
  const order = readOrder(words, 'https://shop.example/checkout/1', warn, chosenCents);
  return { order, warnings };
}

const askedOf = ({ asked }: Order) =>
  asked.map(({ field, required }) => (required ? field : `${field}?`)).join(' ');

describe('endpoint', () => {
  const endpointOf = (endpoint: unknown) => {
    const { order, warnings } = read({ endpoint });
    assert.deepEqual(order.faults, order.endpoint === null ? ['endpoint'] : []);
    assert.equal(warnings.length, order.faults.length);
    assert.ok(!warnings.join('').includes('secret'));
    return order.endpoint;
  };
  groups(endpointOf, [
    ['https://shop.example/pix', '/pix'],
    ['https://shop.example/checkout/pix', 'pix'],
    ['https://pay.example/pix', 'https://pay.example/pix/', 'https://pay.example/pix?x=1#y'],
    ['https://pay.example', 'https://pay.example//'],
    ['http://localhost:5173/pix', ' http://localhost:5173/pix '],
    [null, '', null, 7, 'https://', 'javascript:alert(1)', 'data:text/html,x'],
    [null, 'https://user:secret@pay.example/pix'],
  ]);
});

describe('totals', () => {
  for (const [value, cents] of [
    [12_990, 12_990],
    [1, 1],
    [null, null],
    [undefined, null],
  ] as const) {
    it(`${value}: ${cents}`, () => {
      const { order, warnings } = read({ totalPriceCents: value });
      assert.deepEqual([order.totalCents, order.expectedCents], [cents, cents]);
      assert.deepEqual([order.faults, warnings], [[], []]);
    });
  }

  const wrong = [0, -1, 12.5, NaN, Infinity, 2 ** 53, '12990', '', {}, true];
  for (const [property, name] of [
    ['totalPriceCents', 'total-price-cents'],
    ['pixTotalPriceCents', 'pix-total-price-cents'],
  ] as const) {
    // A wrong total must never pass unnoticed.
    const readAs = (value: unknown): unknown => {
      const { order, warnings } = read({ [property]: value });
      return [order.faults, order.expectedCents, warnings.length];
    };
    groups(readAs, [[[[name], null, 1], ...wrong]]);
  }

  const tokenizeCard = () => Promise.resolve({ token: 't' });
  const words = { totalPriceCents: 12_990, pixTotalPriceCents: 12_341, tokenizeCard };
  for (const [method, chosenCents, owed] of [
    ['credit_card', null, 12_990],
    ['credit_card', 13_500, 13_500],
    ['pix', 13_500, 12_341],
    ['pix', null, 12_341],
  ] as const) {
    it(`what is owed by ${method}, ${chosenCents ?? 'nothing'} chosen in instalments: ${owed}`, () => {
      const { order } = read({ ...words, method, methods: 'pix credit_card' }, chosenCents);
      const { totalCents, expectedCents, terms } = order;
      assert.deepEqual([totalCents, expectedCents], [12_990, owed]);
      // Whichever is shown: a Pix code may be on its way meanwhile.
      assert.deepEqual([terms.pixCents, terms.cardCents], [12_341, chosenCents ?? 12_990]);
    });
  }
});

describe('methods', () => {
  const methodsBy = (changes: Partial<PageValues>) => {
    const { order, warnings } = read(changes);
    return [order.methods.join(' '), order.method, warnings.length];
  };
  const tokenizeCard = () => Promise.resolve({ token: 't' });
  const both = { methods: 'credit_card pix' };
  maps(methodsBy, [
    [{ methods: 'pix', method: null }, ['pix', 'pix', 0]],
    [{ methods: null }, ['pix', 'pix', 0]],
    [{ methods: ' ' }, ['pix', 'pix', 0]],
    [{ methods: 'pix pix', method: 'pix' }, ['pix', 'pix', 0]],
    [{ methods: 'pix', method: 'boleto' }, ['pix', 'pix', 1]],
    [{ methods: 'boleto', method: 'boleto' }, ['', null, 1]],
    [{ methods: 7 }, ['', null, 1]],
    [{ methods: 'pix', method: 7 }, ['pix', 'pix', 1]],
    // A card needs a way to travel.
    [{ ...both, tokenizeCard }, ['credit_card pix', 'credit_card', 0]],
    [{ ...both, acceptRawCard: true }, ['credit_card pix', 'credit_card', 0]],
    [both, ['pix', 'pix', 1]],
    [{ ...both, tokenizeCard: 'https://provider.example' }, ['pix', 'pix', 1]],
  ]);

  it('what to do for cards is said where they have no way to travel', () => {
    assert.match(read(both).warnings[0]!, /tokenizeCard.*accept-raw-card/);
  });
});

describe('the payer', () => {
  const address = 'address_line address_number address_complement? address_city address_state';
  const askedBy = (payerFields: unknown, payer: unknown) =>
    askedOf(read({ payerFields, payer }).order);
  maps(askedBy, [
    [null, null, 'name cpf_cnpj email'],
    ['', null, ''],
    ['name phone?', null, 'name phone?'],
    ['name email', { name: 'Ana' }, 'email'],
    ['name email', { name: ' ', email: null }, 'name email'],
    ['address', { address_zip: '01310100' }, address],
  ]);

  it('takes the ten fields, trimmed, and nothing else', () => {
    const known = {
      name: 'Ana Souza',
      cpf_cnpj: '529.982.247-25',
      email: 'ana@example.com',
      phone: '(11) 98765-4321',
      address_zip: '01310-100',
      address_line: 'Av. Paulista',
      address_number: '1578',
      address_complement: 'ap. 12',
      address_city: 'São Paulo',
      address_state: 'SP',
    } satisfies Payer;
    const given = Object.fromEntries(payerFields.map((field) => [field, ` ${known[field]} `]));
    const { order } = read({ payer: { ...given, password: 'x', toString: 'x' } });
    assert.deepEqual(order.given, known);
  });

  const payer = { name: 'Ana', email: 'ana@exem_plo.com', phone: '3000-0000' };
  for (const [what, changes, given, asked, warned] of [
    [
      'a word that is no field is named',
      { payerFields: 'name mother' },
      {},
      'name',
      [`payer-fields does not know "mother", but ${payerFields.join(', ')}, address`],
    ],
    [
      'what the page knows wrong is asked for, and named without repeating it',
      { payer, payerFields: 'name email' },
      { name: 'Ana' },
      'email',
      ['payer.email is not valid; it is left out', 'payer.phone is not valid; it is left out'],
    ],
    ...['Ana', 7, true].map((payer) => {
      const warned = ['payer must be an object'];
      return [`${payer} is none`, { payer }, {}, 'name cpf_cnpj email', warned] as const;
    }),
  ] as const) {
    it(what, () => {
      const { order, warnings } = read(changes);
      assert.deepEqual([order.given, askedOf(order), warnings], [given, asked, warned]);
    });
  }
});

describe('numbers', () => {
  for (const [property, name, good, fallback, bad] of [
    ['expiresIn', 'expiresInSeconds', [1, 600, 0.5 + 1], null, [0, -1, NaN, Infinity, '60']],
    ['pollInterval', 'pollIntervalMs', [250, 4_000], 4_000, [249, 0, NaN, '1000', {}]],
  ] as const) {
    const numberOf = (value: unknown): unknown => {
      const { order, warnings } = read({ [property]: value });
      return [order.terms[name], warnings.length, order.faults.length];
    };
    for (const value of good) maps(numberOf, [[value, [value, 0, 0]]]);
    groups(numberOf, [[[fallback, 1, 0], ...bad]]);
  }
});

describe('items and lines are shown, or left out and the page is told', () => {
  const item = { name: 'Café', quantity: 2, unit_price: 4_500 };
  const freight = { label: 'Frete', cents: 0 };
  const good = {
    items: [[item], [{ ...item, description: 'moído' }], [{ ...item, description: null }], []],
    lines: [[freight, { label: 'Cupom', cents: -500 }]],
  };
  const wrong = [{ name: 7 }, { quantity: '2' }, { unit_price: 0.5 }, { description: {} }];
  const wrongItems = wrong.map((one) => [{ ...item, ...one }]);
  const bad = {
    items: [[null], item, '[]', ...wrongItems],
    lines: [[{ ...freight, cents: '0' }], [{ cents: 0 }], 7],
  };
  for (const name of ['items', 'lines'] as const) {
    const shown = (value: unknown): unknown => {
      const { order, warnings } = read({ [name]: value });
      return [order[name], warnings.length];
    };
    for (const value of good[name]) maps(shown, [[value, [value, 0]]]);
    groups(shown, [[[[], 1], ...bad[name]]]);
  }
});

describe('which order it is', () => {
  const base = { totalPriceCents: 12_990, orderToken: 'a' };
  const comparedBy = (nameOf: (order: Order) => string) => (changes: Partial<PageValues>) =>
    nameOf(read({ ...base, ...changes }).order) === nameOf(read(base).order);
  for (const nameOf of [toIdentity, toSetUpIdentity]) {
    groups(comparedBy(nameOf), [
      [true, {}, { items: [], receiverName: 'Loja' }, { pollInterval: 1_000 }],
      [true, { externalId: ' order-1042 ' }, { orderToken: 'b' }, { orderToken: null }],
      [false, { externalId: 'order-1043' }, { endpoint: '/pay' }],
    ]);
  }
  const dearer = [{ totalPriceCents: 12_991 }, { pixTotalPriceCents: 12_000 }];
  groups(comparedBy(toIdentity), [[true, ...dearer]]);
  groups(comparedBy(toSetUpIdentity), [[false, ...dearer, { methods: 'boleto' }]]);
});

const anything = fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true });
const words = fc.record(Object.fromEntries(Object.keys(silent).map((name) => [name, anything])), {
  requiredKeys: [],
});
holds('whatever a page sets: an order, never an exception', 1_000, words, (changes) => {
  const { order } = read({ ...changes, allowUnverifiedCode: false });
  assert.ok(order.method === null || order.methods.includes(order.method));
  assert.ok(order.terms.pollIntervalMs >= 250);
});
