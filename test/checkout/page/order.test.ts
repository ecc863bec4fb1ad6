/** What the page says, read into an exact order: every attribute, every way to get it wrong, and never an exception. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { identityOf, isSignedAnew, readOrder } from '../../../src/checkout/page/order.js';
import type { Order, PageWords } from '../../../src/checkout/page/order.js';
import { payerFields } from '../../../src/domain/payer.js';
import type { Payer } from '../../../src/domain/payer.js';
import { numRuns } from '../../support/runs.js';

const silent: PageWords = {
  endpoint: '/pix',
  externalId: 'order-1042',
  orderToken: null,
  totalPriceCents: null,
  pixTotalPriceCents: null,
  methods: 'pix',
  method: null,
  payerFields: null,
  payer: null,
  expiresIn: null,
  pollInterval: null,
  receiverName: null,
  allowUnverifiedCode: false,
  acceptRawCard: false,
  tokenizeCard: null,
  items: null,
  lines: null,
};

function read(changes: Partial<PageWords> = {}): { order: Order; warnings: string[] } {
  const warnings: string[] = [];
  const order = readOrder({ ...silent, ...changes }, 'https://shop.example/checkout/1', (text) =>
    warnings.push(text),
  );
  return { order, warnings };
}

const askedBy = (changes: Partial<PageWords>) =>
  read(changes).order.asked.map(({ field, required }) => (required ? field : `${field}?`));

describe('endpoint', () => {
  for (const [value, endpoint] of [
    ['/pix', 'https://shop.example/pix'],
    ['pix', 'https://shop.example/checkout/pix'],
    ['https://pay.example/pix/', 'https://pay.example/pix'],
    ['https://pay.example//', 'https://pay.example'],
    ['https://pay.example/pix?x=1#y', 'https://pay.example/pix'],
    [' http://localhost:5173/pix ', 'http://localhost:5173/pix'],
    ['', null],
    [null, null],
    [7, null],
    ['https://', null],
    ['javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['https://user:secret@pay.example/pix', null],
  ] as const) {
    it(`${JSON.stringify(value)}: ${endpoint}`, () => {
      const { order, warnings } = read({ endpoint: value });
      assert.equal(order.endpoint, endpoint);
      assert.deepEqual(order.faults, endpoint ? [] : ['endpoint']);
      assert.equal(warnings.length, endpoint ? 0 : 1);
      assert.ok(!warnings.join('').includes('secret'));
    });
  }
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

  for (const value of [0, -1, 12.5, NaN, Infinity, 2 ** 53, '12990', '', {}, true]) {
    for (const [property, name] of [
      ['totalPriceCents', 'total-price-cents'],
      ['pixTotalPriceCents', 'pix-total-price-cents'],
    ] as const) {
      it(`${name} ${JSON.stringify(value)}: a fault, for a wrong total must never pass unnoticed`, () => {
        const { order, warnings } = read({ [property]: value });
        assert.deepEqual(order.faults, [name]);
        assert.equal(warnings.length, 1);
        assert.equal(order.expectedCents, null);
      });
    }
  }

  it('the Pix total is what is owed by Pix', () => {
    const { order } = read({ totalPriceCents: 12_990, pixTotalPriceCents: 12_341 });
    assert.deepEqual([order.totalCents, order.expectedCents], [12_990, 12_341]);
    assert.deepEqual([order.terms.pixCents, order.terms.cardCents], [12_341, 12_990]);
  });
});

describe('methods', () => {
  for (const [methods, method, found, shown, warnings] of [
    ['pix', null, ['pix'], 'pix', 0],
    [null, null, ['pix'], 'pix', 0],
    [' ', null, ['pix'], 'pix', 0],
    ['pix pix', 'pix', ['pix'], 'pix', 0],
    ['credit_card pix', null, ['pix'], 'pix', 1],
    ['pix', 'boleto', ['pix'], 'pix', 1],
    ['boleto', 'boleto', [], null, 1],
    [7, null, [], null, 1],
    ['pix', 7, ['pix'], 'pix', 1],
  ] as const) {
    it(`${JSON.stringify(methods)} ${JSON.stringify(method)}: ${shown}`, () => {
      const read_ = read({ methods, method });
      assert.deepEqual(read_.order.methods, found);
      assert.equal(read_.order.method, shown);
      assert.equal(read_.warnings.length, warnings);
    });
  }

  const tokenizeCard = () => Promise.resolve({ token: 't' });
  for (const [name, ways, offered] of [
    ['with a tokenizer', { tokenizeCard }, true],
    ['where the card may travel', { acceptRawCard: true }, true],
    ['with neither', {}, false],
    ['with a tokenizer that is none', { tokenizeCard: 'https://provider.example' }, false],
  ] as const) {
    it(`credit_card ${name}: ${offered ? 'offered' : 'not offered, and what to do is said'}`, () => {
      const { order, warnings } = read({ methods: 'credit_card pix', ...ways });
      assert.deepEqual(order.methods, offered ? ['credit_card', 'pix'] : ['pix']);
      assert.equal(order.method, offered ? 'credit_card' : 'pix');
      assert.equal(warnings.length, offered ? 0 : 1);
      if (!offered) assert.match(warnings[0]!, /tokenizeCard.*accept-raw-card/);
    });
  }

  for (const [method, cardCents, owed] of [
    ['credit_card', null, 12_990],
    ['credit_card', 13_500, 13_500],
    ['pix', 13_500, 12_341],
  ] as const) {
    it(`what is owed by ${method}, ${cardCents ?? 'nothing'} chosen in instalments: ${owed}`, () => {
      const words = { totalPriceCents: 12_990, pixTotalPriceCents: 12_341, method, tokenizeCard };
      const all = { ...silent, ...words, methods: 'pix credit_card' };
      const order = readOrder(all, 'https://shop.example/', assert.fail, cardCents);
      const { expectedCents, terms } = order;
      assert.equal(expectedCents, owed);
      // Whichever is shown: a Pix code may be on its way meanwhile.
      assert.deepEqual([terms.pixCents, terms.cardCents], [12_341, cardCents ?? 12_990]);
    });
  }
});

describe('the payer', () => {
  for (const [fields, payer, asked] of [
    [null, null, ['name', 'cpf_cnpj', 'email']],
    ['', null, []],
    ['name phone?', null, ['name', 'phone?']],
    ['name email', { name: 'Ana' }, ['email']],
    ['name email', { name: ' ', email: null }, ['name', 'email']],
    [
      'address',
      { address_zip: '01310100' },
      ['address_line', 'address_number', 'address_complement?', 'address_city', 'address_state'],
    ],
  ] as const) {
    it(`${JSON.stringify(fields)} and ${JSON.stringify(payer)}: asks for ${asked.join(' ')}`, () => {
      assert.deepEqual(askedBy({ payerFields: fields, payer }), asked);
    });
  }

  it('words that are no fields are named; the others count', () => {
    const { order, warnings } = read({ payerFields: 'name mother' });
    assert.deepEqual(
      order.asked.map(({ field }) => field),
      ['name'],
    );
    assert.deepEqual(warnings, ['payer-fields does not know "mother"']);
  });

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

  it('asks for what the page knows wrong, and says which field without repeating it', () => {
    const payer = { name: 'Ana', email: 'ana@exem_plo.com', phone: '3000-0000' };
    const { order, warnings } = read({ payer, payerFields: 'name email' });
    assert.deepEqual(order.given, { name: 'Ana' });
    assert.deepEqual(
      order.asked.map(({ field }) => field),
      ['email'],
    );
    assert.deepEqual(warnings, [
      'payer.email is not valid; it is not used',
      'payer.phone is not valid; it is not used',
    ]);
  });

  for (const payer of ['Ana', 7, true]) {
    it(`${JSON.stringify(payer)} is none: asked as if nothing were known`, () => {
      const { order, warnings } = read({ payer });
      assert.deepEqual([order.given, warnings], [{}, ['payer must be an object']]);
    });
  }
});

describe('numbers', () => {
  for (const [property, name, good, fallback, bad] of [
    ['expiresIn', 'expiresInSeconds', [1, 600, 0.5 + 1], null, [0, -1, NaN, Infinity, '60']],
    ['pollInterval', 'pollIntervalMs', [250, 4_000], 4_000, [249, 0, NaN, '1000', {}]],
  ] as const) {
    it(`${property} ${good.join(', ')}: taken`, () => {
      for (const value of good) assert.equal(read({ [property]: value }).order.terms[name], value);
    });
    it(`${property} ${bad.map(String).join(', ')}: ignored, and said`, () => {
      for (const value of bad) {
        const { order, warnings } = read({ [property]: value });
        assert.equal(order.terms[name], fallback);
        assert.equal(warnings.length, 1);
        assert.deepEqual(order.faults, []);
      }
    });
  }
});

describe('items and lines', () => {
  const item = { name: 'Café', quantity: 2, unit_price: 4_500 };
  for (const [items, shown] of [
    [[item], true],
    [[{ ...item, description: 'moído' }], true],
    [[{ ...item, description: null }], true],
    [[], true],
    [[{ ...item, name: 7 }], false],
    [[{ ...item, quantity: '2' }], false],
    [[{ ...item, unit_price: 0.5 }], false],
    [[{ ...item, description: {} }], false],
    [[null], false],
    [item, false],
    ['[]', false],
  ] as const) {
    it(`items ${JSON.stringify(items)}: ${shown ? 'shown' : 'left out, and said'}`, () => {
      const { order, warnings } = read({ items });
      assert.deepEqual(order.items, shown ? items : []);
      assert.equal(warnings.length, shown ? 0 : 1);
    });
  }

  for (const [lines, shown] of [
    [
      [
        { label: 'Frete', cents: 0 },
        { label: 'Cupom', cents: -500 },
      ],
      true,
    ],
    [[{ label: 'Frete', cents: '0' }], false],
    [[{ cents: 0 }], false],
    [7, false],
  ] as const) {
    it(`lines ${JSON.stringify(lines)}: ${shown ? 'shown' : 'left out, and said'}`, () => {
      const { order, warnings } = read({ lines });
      assert.deepEqual(order.lines, shown ? lines : []);
      assert.equal(warnings.length, shown ? 0 : 1);
    });
  }
});

describe('which order it is', () => {
  const base = { totalPriceCents: 12_990, orderToken: 'a' };
  for (const [name, changes, same] of [
    ['nothing', {}, true],
    ['a locale, an item or a receiver', { items: [], receiverName: 'Loja' }, true],
    ['the poll interval', { pollInterval: 1_000 }, true],
    ['a blank around it', { externalId: ' order-1042 ' }, true],
    ['the reference', { externalId: 'order-1043' }, false],
    ['the endpoint', { endpoint: '/pay' }, false],
    ['the proof', { orderToken: 'b' }, false],
    ['the total', { totalPriceCents: 12_991 }, false],
    ['the Pix total', { pixTotalPriceCents: 12_000 }, false],
  ] as const) {
    it(`${name} changed: ${same ? 'the same' : 'another one'}`, () => {
      const before = identityOf(read(base).order);
      assert.equal(identityOf(read({ ...base, ...changes }).order) === before, same);
    });
  }

  for (const [name, before, after, anew] of [
    ['the same proof', 'a', 'a', false],
    ['another proof', 'a', 'b', true],
    ['its first proof', null, 'a', false],
    ['no proof any more', 'a', null, true],
  ] as const) {
    it(`${name}: ${anew ? 'what was made before is void' : 'nothing is void'}`, () => {
      const order = (orderToken: string | null) => read({ orderToken }).order;
      assert.equal(isSignedAnew(order(before), order(after)), anew);
    });
  }
});

it('whatever a page sets: an order, never an exception', () => {
  const anything = fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true });
  const words = fc.record(Object.fromEntries(Object.keys(silent).map((name) => [name, anything])), {
    requiredKeys: [],
  });
  fc.assert(
    fc.property(words, (changes) => {
      const { order } = read({ ...changes, allowUnverifiedCode: false });
      assert.ok(order.method === null || order.methods.includes(order.method));
      assert.ok(order.terms.pollIntervalMs >= 250);
    }),
    { numRuns: numRuns(1_000) },
  );
});
