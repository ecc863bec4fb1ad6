/** What the readers of the contract take, what they refuse by name, and what hostile JSON becomes. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import {
  InvalidAnswer,
  findPersonalData,
  parseCreatedInvoice,
  parseInvoiceData,
  parseInvoiceStatus,
  parseProblem,
} from '../../src/contract/readers.js';
import { groups, maps } from '../support/tables.js';
import { bare, created, found } from './samples.js';

const answers = {
  created: [created, parseCreatedInvoice],
  found: [found, parseInvoiceStatus],
} as const;

/** The field that both readers, or those of some answers, refuse a value for. */
function fieldRefused(value: unknown, readers = [parseCreatedInvoice, parseInvoiceStatus]) {
  const fields = readers.map((read: (value: unknown) => unknown) => {
    try {
      return read(value);
    } catch (error) {
      assert.ok(error instanceof InvalidAnswer);
      const said = `The answer's "${error.field}" is missing or not as the contract says`;
      assert.equal(String(error), `InvalidAnswer: ${said}`, 'no value is quoted');
      return error.field;
    }
  });
  assert.equal(new Set(fields).size, 1);
  return fields[0];
}

describe('a right answer', () => {
  it('is read field by field, and what is unknown is dropped', () => {
    const extra = { client: { cpf_cnpj: '1' }, end_to_end_id: 'E', anything: 1 };
    const data = { ...created, ...extra };
    assert.deepEqual(parseCreatedInvoice({ data, message: 'x' }), created);
    assert.deepEqual(parseInvoiceStatus({ data: { ...found, ...extra } }), found);
    assert.deepEqual(parseInvoiceData(data), created);
  });

  it('is filled in where it is bare, or says null for absent', () => {
    const common = { ...bare, order_code: '' };
    const createdDefaults = { ...common, qr_code_pix: '' };
    const times = { created_at: '', updated_at: '' };
    const foundDefaults = { ...common, is_pix: true, installments: 1, ...times };
    for (const [[sample, read], defaults] of [
      [answers.created, createdDefaults],
      [answers.found, foundDefaults],
    ] as const) {
      assert.deepEqual(read({ data: bare }), defaults);
      const nulls = Object.fromEntries(Object.keys(sample).map((field) => [field, null]));
      assert.deepEqual(read({ data: { ...nulls, ...bare } }), defaults);
    }
  });
});

describe('a field at the edge of its rule is taken', () => {
  const edges: Record<keyof typeof answers, Record<string, unknown[]>> = {
    created: { lookup_token: ['x', 'x'.repeat(2_048)], expires_in: [0] },
    found: {
      invoice_id: ['a-b_c-d8', 'a'.repeat(64)],
      status: ['x', 'x'.repeat(64)],
      total_cents: [1, Number.MAX_SAFE_INTEGER],
      expires_in: [0],
      installments: [0],
      returned: [true],
      is_pix: [false],
    },
  };
  for (const kind of ['created', 'found'] as const) {
    const [sample, read] = answers[kind];
    for (const [field, values] of Object.entries(edges[kind])) {
      it(`${kind}: ${field}`, () => {
        for (const value of values) {
          const data = { ...sample, [field]: value };
          assert.deepEqual(read({ data }), data);
        }
      });
    }
  }
});

describe('a wrong field is refused by name', () => {
  const values: Record<string, unknown[]> = {
    invoice_id: [undefined, null, '', 'short', 'a'.repeat(65), '../../../x', 'a b c d', 12_345_678],
    order_code: [1, {}, []],
    external_id: [undefined, 1, {}],
    status: [undefined, null, '', 'x'.repeat(65), true, ['paid'], { toString: 'canary' }],
    total_cents: [undefined, null, 0, -1, 1.5, '1', NaN, Infinity, 2 ** 53, 2 ** 53 + 1, [1]],
    expires_in: [-1, 1.5, '60', Infinity],
  };
  const own: Record<keyof typeof answers, Record<string, unknown[]>> = {
    created: { qr_code_pix: [1, {}], lookup_token: ['', 'x'.repeat(2049), 1, ['x']] },
    found: {
      is_pix: ['true', 1],
      installments: [-1, 1.5, '1'],
      qr_code_pix: [1],
      created_at: [0],
      updated_at: [0],
      returned: [1, 'true'],
    },
  };
  for (const kind of ['created', 'found'] as const) {
    const [sample, read] = answers[kind];
    for (const [field, wrong] of Object.entries({ ...values, ...own[kind] })) {
      it(`${kind}: ${field}`, () => {
        for (const value of wrong) {
          const data = { ...sample, [field]: value };
          if (value === undefined) Reflect.deleteProperty(data, field);
          assert.equal(fieldRefused({ data }, [read]), `data.${field}`);
        }
      });
    }
  }
});

describe('hostile JSON is refused by name', () => {
  const text = JSON.stringify({ data: found });
  const inherited = text
    .replace('"status":"paid",', '')
    .replace('{"data":{', '{"data":{"__proto__":{"status":"paid"},');
  const refusedIn = (json: string) => fieldRefused(JSON.parse(json));
  groups(refusedIn, [
    ['body', 'null', '[]', '"paid"'],
    ['data', '{}', '{"data":null}', '{"data":[]}', '{"data":"paid"}'],
    ['data', '{"__proto__":{"data":{"status":"paid"}}}'],
    ['data.invoice_id', '{"data":{"__proto__":{"status":"paid"}}}'],
    ['data.status', inherited],
    ['data.total_cents', text.replace('12345', '1e400'), text.replace('12345', '9007199254740993')],
    ['data.total_cents', text.replace('12345', '-0'), text.replace('12345', '12345.5')],
  ]);
  // Text that is no JSON never gets this far.
  maps(fieldRefused, [[undefined, 'body'] as const]);

  it('is refused where the page hands it in, too', () => {
    for (const data of [null, [], 'paid']) {
      assert.equal(fieldRefused(data, [parseInvoiceData]), 'data');
    }
  });

  it('cannot inherit a field', () => {
    const { status, ...rest } = found;
    const data: unknown = Object.assign(Object.create({ status }) as object, rest);
    assert.equal(fieldRefused({ data }, [parseInvoiceStatus]), 'data.status');
  });
});

describe('a problem is read by its code, with its invoice if that is one', () => {
  maps(parseProblem, [
    [
      { code: 'order_paid', data: created },
      { code: 'order_paid', data: created, detail: '' },
    ],
    [{ code: 'in_progress' }, { code: 'in_progress', data: null, detail: '' }],
    [
      { code: 'order_paid', data: { status: 'paid' } },
      { code: 'order_paid', data: null, detail: '' },
    ],
  ]);
  groups(parseProblem, [
    [null, null, undefined, 'order_paid', [], {}, { code: 'constructor' }, { code: 1 }],
    [null, { code: 'ORDER_PAID' }, Object.create({ code: 'order_paid' })],
  ]);
});

describe('the detail of a problem is kept where it names a field, and what it should be', () => {
  const detailOf = (detail: unknown) => parseProblem({ code: 'invalid_request', detail })?.detail;
  const longest = 'total_cents: 123456789, not 987654321';
  maps(detailOf, [
    ['payer.address_line', ' payer.address_line'],
    ['idempotency-key is missing', ' idempotency-key is missing'],
    ['Idempotency-Key is missing', ' Idempotency-Key is missing'],
    ['total_cents: 1, not 2', ' total_cents: 1, not 2'],
    [longest, ` ${longest}`],
  ]);
  groups(detailOf, [
    ['', undefined, null, '', 1, ['name'], 'Maria Souza', 'name: Maria', 'name is missing, Maria'],
    ['', ' is missing', '12345678909', 'é', `${longest}0`, 'total_cents: 1234567890, not 1'],
    ['', 'Maria name is missing', 'a\nname is missing'],
  ]);
});

describe('personal data in an answer is named', () => {
  const personal = { client: { name: 'a' }, payer: { cpf: '1' }, end_to_end_id: 'E' };
  const blank = { ...found, client: null, payer: undefined, end_to_end_id: '' };
  groups(findPersonalData, [
    [[], { data: found }, { data: blank }, JSON.parse('{"data":{"__proto__":{"client":1}}}')],
    [['client'], { data: { ...found, client: {} } }],
    [['client', 'payer', 'end_to_end_id'], { data: personal }],
    [[], { data: null }, { data: [] }, null, undefined, 1, 'client', []],
  ]);
});
