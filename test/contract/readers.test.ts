/** What the readers of the contract take, what they refuse by name, and what hostile JSON becomes. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  InvalidAnswer,
  findPersonalData,
  parseCreatedInvoice,
  parseInvoiceData,
  parseInvoiceStatus,
  parseProblem,
} from '../../src/contract/readers.js';
import { bare, created, found } from './samples.js';

const parsers = { created: parseCreatedInvoice, found: parseInvoiceStatus };
const samples = { created, found };

describe('a whole answer', () => {
  it('is read field by field, and what is unknown is dropped', () => {
    const extra = { client: { cpf_cnpj: '1' }, end_to_end_id: 'E', anything: 1 };
    assert.deepEqual(
      parseCreatedInvoice({ data: { ...created, ...extra }, message: 'x' }),
      created,
    );
    assert.deepEqual(parseInvoiceStatus({ data: { ...found, ...extra } }), found);
    assert.deepEqual(parseInvoiceData({ ...created, ...extra }), created);
  });
});

describe('a bare answer', () => {
  it('is filled in', () => {
    const common = { ...bare, order_code: '' };
    assert.deepEqual(parseCreatedInvoice({ data: bare }), { ...common, qr_code_pix: '' });
    const status = { ...common, is_pix: true, installments: 1, created_at: '', updated_at: '' };
    assert.deepEqual(parseInvoiceStatus({ data: bare }), status);
  });

  it('may say null for absent', () => {
    for (const [name, parse] of Object.entries(parsers)) {
      const sample = samples[name as keyof typeof samples];
      const needed = new Set(['invoice_id', 'status', 'total_cents']);
      const nulls = Object.keys(sample).filter((field) => !needed.has(field));
      const data = { ...sample, ...Object.fromEntries(nulls.map((field) => [field, null])) };
      assert.deepEqual(
        parse({ data }),
        parse({ data: { ...bare, status: sample.status, total_cents: 12_345 } }),
      );
    }
  });
});

describe('a wrong field', () => {
  const values: Record<string, unknown[]> = {
    invoice_id: [
      undefined,
      null,
      '',
      'short',
      'a'.repeat(65),
      '../../../x',
      'a b c d e f',
      12_345_678,
    ],
    order_code: [1, {}, []],
    external_id: [undefined, 1, {}],
    status: [undefined, null, '', 'x'.repeat(65), true, ['paid'], { toString: 'paid' }],
    total_cents: [undefined, null, 0, -1, 1.5, '1', NaN, Infinity, 2 ** 53, 2 ** 53 + 1, [1]],
    expires_in: [-1, 1.5, '60', Infinity],
  };
  const own: Record<keyof typeof parsers, Record<string, unknown[]>> = {
    created: { qr_code_pix: [1, {}], lookup_token: ['', 'x'.repeat(2049), 1] },
    found: {
      is_pix: ['true', 1],
      installments: [-1, 1.5, '1'],
      qr_code_pix: [1],
      created_at: [0],
      updated_at: [0],
    },
  };
  for (const [name, parse] of Object.entries(parsers)) {
    const kind = name as keyof typeof parsers;
    for (const [field, wrong] of Object.entries({ ...values, ...own[kind] })) {
      it(`${name}: ${field} is refused by name`, () => {
        for (const value of wrong) {
          const data = { ...samples[kind], [field]: value };
          if (value === undefined) Reflect.deleteProperty(data, field);
          assert.throws(
            () => parse({ data }),
            (error: InvalidAnswer) => {
              assert.ok(error instanceof InvalidAnswer);
              assert.equal(error.field, `data.${field}`);
              return true;
            },
          );
        }
      });
    }
  }
});

describe('hostile JSON', () => {
  const texts: [text: string, field: string][] = [
    ['null', 'body'],
    ['[]', 'body'],
    ['"paid"', 'body'],
    ['{}', 'data'],
    ['{"data":null}', 'data'],
    ['{"data":[]}', 'data'],
    ['{"data":"paid"}', 'data'],
    ['{"__proto__":{"data":{"status":"paid"}}}', 'data'],
    ['{"data":{"__proto__":{"status":"paid"}}}', 'data.invoice_id'],
    [
      JSON.stringify({ data: { ...found, status: undefined } }).replace(
        '{"data":{',
        '{"data":{"__proto__":{"status":"paid"},',
      ),
      'data.status',
    ],
    [JSON.stringify({ data: found }).replace('12345', '1e400'), 'data.total_cents'],
    [JSON.stringify({ data: found }).replace('12345', '9007199254740993'), 'data.total_cents'],
    [JSON.stringify({ data: found }).replace('12345', '-0'), 'data.total_cents'],
    [JSON.stringify({ data: found }).replace('12345', '12345.5'), 'data.total_cents'],
  ];
  for (const [text, field] of texts) {
    it(`${text.slice(0, 60)} is refused by name: ${field}`, () => {
      const value: unknown = JSON.parse(text);
      for (const parse of Object.values(parsers)) {
        assert.throws(() => parse(value), { name: 'InvalidAnswer', field });
      }
    });
  }

  it('that is no JSON (HTML, an empty body) never gets this far, and undefined is refused', () => {
    for (const text of ['', '<html>paid</html>'])
      assert.throws(() => JSON.parse(text), SyntaxError);
    for (const parse of Object.values(parsers)) {
      assert.throws(() => parse(undefined), { name: 'InvalidAnswer', field: 'body' });
    }
  });

  it('cannot inherit a field', () => {
    const data = Object.create({ status: 'paid' }) as Record<string, unknown>;
    Object.assign(data, { ...found, status: undefined });
    delete data['status'];
    assert.throws(() => parseInvoiceStatus({ data }), { field: 'data.status' });
  });

  it('is never quoted in an error', () => {
    try {
      parseInvoiceStatus({ data: { ...found, status: { secret: 'canary' } } });
      assert.fail('it was taken');
    } catch (error) {
      assert.ok(!String(error).includes('canary'));
    }
  });
});

describe('a problem', () => {
  it('is read by its code, with its invoice if that is one', () => {
    assert.deepEqual(parseProblem({ code: 'order_paid', data: created }), {
      code: 'order_paid',
      data: created,
    });
    assert.deepEqual(parseProblem({ code: 'in_progress' }), { code: 'in_progress', data: null });
    assert.deepEqual(parseProblem({ code: 'order_paid', data: { status: 'paid' } }), {
      code: 'order_paid',
      data: null,
    });
  });

  const none = [
    null,
    undefined,
    'order_paid',
    [],
    {},
    { code: 'constructor' },
    { code: 1 },
    { code: 'ORDER_PAID' },
  ];
  for (const value of [...none, JSON.parse('{"__proto__":{"code":"order_paid"}}')]) {
    it(`${JSON.stringify(value)} is none`, () => {
      assert.equal(parseProblem(value), null);
    });
  }
});

describe('personal data in an answer', () => {
  const cases: [data: unknown, names: string[]][] = [
    [found, []],
    [{ ...found, client: null, payer: undefined, end_to_end_id: '' }, []],
    [{ ...found, client: {} }, ['client']],
    [
      { client: { name: 'a' }, payer: { cpf: '1' }, end_to_end_id: 'E' },
      ['client', 'payer', 'end_to_end_id'],
    ],
    [JSON.parse('{"__proto__":{"client":1}}'), []],
    [null, []],
    [[], []],
  ];
  for (const [data, names] of cases) {
    it(`is named: ${names.join(', ') || 'none'}`, () => {
      assert.deepEqual(findPersonalData({ data }), names);
    });
  }

  it('is not looked for in what is no answer', () => {
    for (const value of [null, undefined, 1, 'client', []])
      assert.deepEqual(findPersonalData(value), []);
  });
});
