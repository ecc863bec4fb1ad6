/** The service's wire format: every field survives, what is needed is demanded, and nothing else can pose as it. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import { invoiceIdPattern } from '../../src/contract/types.js';
import {
  parseCreation,
  parseCreationRequest,
  parseLookUp,
  WireError,
  wireIdPattern,
} from '../../src/service/wire.js';
import { bareInvoice, createdInvoice, creationRequest, invoice } from './samples.js';
import { forAny } from '../support/tables.js';

const answerReaders = { parseCreation, parseLookUp };

/** Every leaf of a value, as the path to it. */
function leavesOf(value: unknown, path: readonly (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [[...path]];
  return Object.entries(value).flatMap(([key, field]: [string, unknown]) =>
    leavesOf(field, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

/** A deep copy with one leaf changed. */
function withLeaf<T>(value: T, path: readonly (string | number)[], leaf: unknown): T {
  const copy: T = structuredClone(value);
  const parents = path.slice(0, -1);
  const target = parents.reduce<unknown>((part, key) => Reflect.get(Object(part), key), copy);
  Reflect.set(Object(target), path.at(-1) ?? '', leaf);
  return copy;
}

function assertRefused(read: () => unknown, field: string) {
  assert.throws(read, (thrown) => {
    assert.ok(thrown instanceof WireError);
    assert.equal(thrown.field, field);
    return true;
  });
}

const wrongFor = (leaf: unknown) => (typeof leaf === 'string' ? 7 : 'seven');

function totalOf(number: string) {
  return `{"data":{"external_id":null,"invoice_id":"INV-0001","status":"paid","total_cents":${number}}}`;
}

function idOf(id: string) {
  return `{"data":{"external_id":null,"invoice_id":"${id}","status":"paid","total_cents":1}}`;
}

/** Data that is right but for a few leaves, and whose `paid` stands everywhere but where it counts. */
function nearly(leaf: fc.Arbitrary<unknown>) {
  const optional = fc.dictionary(fc.constantFrom(...Object.keys(invoice)), leaf, { maxKeys: 3 });
  return optional.map((spoilt) => ({
    ...bareInvoice,
    ...spoilt,
    ['__proto__']: { status: 'paid' },
    Status: 'paid',
    payer: { status: 'paid' },
  }));
}

describe('every field of the specification', () => {
  it('survives in the creation answer', () => {
    assert.deepEqual(parseCreation({ data: createdInvoice, message: 'ok' }), createdInvoice);
  });

  it('survives in the look-up answer', () => {
    assert.deepEqual(parseLookUp({ data: invoice, message: 'ok' }), invoice);
  });

  it('survives in the creation request', () => {
    assert.deepEqual(parseCreationRequest(creationRequest), creationRequest);
    assert.equal(Object.keys(creationRequest.payer).length, 10);
    assert.equal(Object.keys(creationRequest.card).length, 13);
    assert.equal(Object.keys(creationRequest.items[0] ?? {}).length, 4);
  });
});

describe('a field of the wrong type is named', () => {
  const cases = [
    { name: 'creation answer', sample: { data: createdInvoice }, parse: parseCreation },
    { name: 'look-up answer', sample: { data: invoice }, parse: parseLookUp },
    { name: 'creation request', sample: creationRequest, parse: parseCreationRequest },
  ];
  for (const { name, sample, parse } of cases) {
    for (const path of leavesOf(sample)) {
      it(`${name}: ${path.join('.')}`, () => {
        const leaf = path.reduce<unknown>((part, key) => Reflect.get(Object(part), key), sample);
        const spoilt = withLeaf(sample, path, wrongFor(leaf));
        assertRefused(() => parse(spoilt), path.join('.'));
      });
    }
  }
});

describe('leniency', () => {
  for (const [name, parse] of Object.entries(answerReaders)) {
    it(`${name}: four fields are enough`, () => {
      assert.deepEqual(parse({ data: bareInvoice }), bareInvoice);
    });

    it(`${name}: unknown fields are dropped`, () => {
      assert.deepEqual(parse({ data: { ...bareInvoice, fee: 3 }, trace: 'x' }), bareInvoice);
    });

    for (const field of Object.keys(bareInvoice)) {
      it(`${name}: ${field} is needed`, () => {
        const { [field]: _left, ...rest } = bareInvoice as Record<string, unknown>;
        assertRefused(() => parse({ data: rest }), `data.${field}`);
      });
    }

    for (const field of ['invoice_id', 'status', 'total_cents']) {
      it(`${name}: ${field} is not null`, () => {
        assertRefused(() => parse({ data: { ...bareInvoice, [field]: null } }), `data.${field}`);
      });
    }
  }

  it('null is absence, in objects of any depth', () => {
    const nulled = {
      ...invoice,
      client: { ...invoice.client, phone: null },
      payer: null,
      end_to_end_id: null,
      items: [{ ...invoice.items[0], ExternalRef: null }],
    };
    const read = parseLookUp({ data: nulled });
    assert.equal('payer' in read || 'end_to_end_id' in read, false);
    assert.equal('phone' in (read.client ?? {}), false);
    assert.equal('ExternalRef' in (read.items?.[0] ?? {}), false);
    assert.equal(read.client?.name, 'Maria da Silva');
  });
});

describe('hostile answers', () => {
  const cases: readonly (readonly [title: string, json: string, field: string])[] = [
    ['a prototype as the body', '{"__proto__": {"status": "paid"}}', 'data'],
    [
      'a prototype with everything as data',
      `{"data": {"__proto__": ${JSON.stringify({ ...bareInvoice, status: 'paid' })}}}`,
      'data.external_id',
    ],
    ['no envelope', JSON.stringify(bareInvoice), 'data'],
    ['a list', '[]', 'body'],
    ['null', 'null', 'body'],
    ['a string', '"paid"', 'body'],
    ['data as a list', '{"data": []}', 'data'],
    ['a total of infinity', totalOf('1e400'), 'data.total_cents'],
    ['a total that is not exact', totalOf('9007199254740993'), 'data.total_cents'],
    ['a total with a fraction', totalOf('10.5'), 'data.total_cents'],
    ['a total of nothing', totalOf('0'), 'data.total_cents'],
    ['a total below nothing', totalOf('-100'), 'data.total_cents'],
    ['a total as text', totalOf('"100"'), 'data.total_cents'],
    ['an id with a path in it', idOf('../../admin'), 'data.invoice_id'],
    ['an id with a line end', idOf('INV-0001\\n'), 'data.invoice_id'],
    ['an id that is too short', idOf('INV-1'), 'data.invoice_id'],
    ['an id that is too long', idOf('a'.repeat(65)), 'data.invoice_id'],
    [
      'an empty status',
      '{"data":{"external_id":null,"invoice_id":"INV-0001","total_cents":1,"status":""}}',
      'data.status',
    ],
  ];
  for (const [name, parse] of Object.entries(answerReaders)) {
    for (const [title, json, field] of cases) {
      it(`${name}: ${title}`, () => assertRefused(() => parse(JSON.parse(json)), field));
    }

    it(`${name}: inherited fields do not count`, () => {
      const inherited: unknown = Object.create({ ...bareInvoice, status: 'paid' });
      assertRefused(() => parse({ data: inherited }), 'data.external_id');
    });

    it(`${name}: a nest without end`, () => {
      const depth = 50_000;
      const nest: unknown = JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
      assert.deepEqual(parse({ data: { ...bareInvoice, nest } }), bareInvoice);
    });
  }

  it('no JSON escapes as anything but a WireError, or reads as paid', () => {
    const keys = [...Object.keys(invoice), 'data', 'message', '__proto__', 'constructor'];
    const leaf = fc.oneof(fc.jsonValue(), fc.constantFrom('pending', 'INV-0001', 1, null));
    const soup = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        leaf,
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie('node'), { noNullPrototype: true }),
      ),
    })).node;
    const body = fc.oneof(soup, fc.record({ data: soup }), fc.record({ data: nearly(leaf) }));
    forAny(500, body, (value) => {
      for (const parse of [parseCreation, parseLookUp]) {
        try {
          const read = parse(value);
          assert.notEqual(read.status, 'paid');
          assert.ok(Number.isSafeInteger(read.total_cents));
          assert.match(read.invoice_id, wireIdPattern);
        } catch (thrown) {
          assert.ok(thrown instanceof WireError, String(thrown));
        }
      }
    });
  });
});

it('an error holds no value', () => {
  const secret = 'maria@example.com';
  assert.throws(
    () => parseLookUp({ data: { ...bareInvoice, client: { id: secret } } }),
    (thrown: Error) => !JSON.stringify([thrown.message, thrown.stack, thrown]).includes(secret),
  );
});

it('both wire formats agree on what an id is', () => {
  assert.equal(wireIdPattern.source, invoiceIdPattern.source);
});
