/** The payer's fields: which are asked for, what is wrong with one, how each is carried and shown. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import {
  checkPayerField,
  formatPayerField,
  maxPayerFieldLength,
  normalizePayerField,
  parseAskedFields,
  payerFields,
  states,
  type FieldFault,
  type PayerField,
} from '../../src/domain/payer.js';
import { anyText, holds, maps } from '../support/tables.js';
import vectors from '../support/vectors/contacts.json' with { type: 'json' };
import { column } from '../support/rows.js';

describe('parseAskedFields', () => {
  const group =
    'address_zip address_line address_number address_complement? address_city address_state';
  const cases: readonly [attribute: string, asked: string, unknown?: string[]][] = [
    ['', ''],
    [' \n ', ''],
    ['name cpf_cnpj email', 'name cpf_cnpj email'],
    ['  email\n\tname? ', 'email name?'],
    ['address', group],
    ['address?', group.replaceAll(/\?? |$/g, '? ').trim()],
    ['address_complement', 'address_complement'],
    ['address address_number?', group.replace('number', 'number?')],
    [
      'address_complement address',
      `address_complement? ${group.replace(' address_complement?', '')}`,
    ],
    ['name? name', 'name'],
    ['name, Name cpf address_', '', ['name,', 'Name', 'cpf', 'address_']],
    ['name?? ? constructor __proto__', '', ['name??', '?', 'constructor', '__proto__']],
    ['phone fax email', 'phone email', ['fax']],
  ];
  for (const [attribute, asked, unknown = []] of cases) {
    it(JSON.stringify(attribute), () => {
      const read = parseAskedFields(attribute);
      const words = read.asked.map(({ field, required }) => (required ? field : `${field}?`));
      assert.equal(words.join(' '), asked);
      assert.deepEqual(read.unknown, unknown);
    });
  }

  it('takes every field by its name', () => {
    const { asked } = parseAskedFields(payerFields.join(' '));
    assert.deepEqual(column(asked, 'field'), payerFields);
  });
});

describe('checkPayerField', () => {
  const long = 'a'.repeat(maxPayerFieldLength + 1);
  const cases: readonly [PayerField, FieldFault | null, ...string[]][] = [
    ['name', null, 'Ana', 'Li', 'J. R.', '王芳', "  José D'Ávila  ", 'Loja 24h Ltda.'],
    ['cpf_cnpj', null, '123.456.789-09', '12abc34501de35'],
    ['email', null, 'ana@example.com', ' ana.maria+pix@loja.com.br ', 'ANA@EXAMPLE.COM', 'a@b.co'],
    ['email', null, "o'neil_{x}=1/2@a-b.com.br", 'ana@xn--exmplo-xta.com.br'],
    ['email', null, `a@${'b'.repeat(63)}.com`],
    ['phone', null, '(11) 98765-4321', '+55 11 3000-0000'],
    ['address_zip', null, '01310-100', '92.500-000', '01000000'],
    ['address_line', null, 'Av. Paulista', 'X'],
    ['address_number', null, '1578', 'S/N', 'km 3'],
    ['address_complement', null, 'ap. 12'],
    ['address_city', null, 'São Paulo', 'Itu'],
    ['address_state', null, 'SP', ' df ', 'São Paulo'],
    ['name', 'invalid', 'A', '7', '. .', 'R 2'],
    ['name', 'too_long', long],
    ['cpf_cnpj', 'missing', '.-/'],
    ['cpf_cnpj', 'invalid', '529.982.247-52', '529.982.247', '12.ABC.345/01DE-36'],
    ['cpf_cnpj', 'invalid', '11.222.333/0001-819', '12.ABC.345/01DE-35X'],
    ['cpf_cnpj', 'too_long', '11222333000181'.repeat(15)],
    ['email', 'invalid', 'ana', 'ana@', '@example.com', 'ana@example', 'ana@@example.com'],
    ['email', 'invalid', 'a na@example.com', 'ana@example..com', 'ana@.com', 'ana@example.c'],
    ['email', 'invalid', 'ana@example.com.', 'ana@a.com,bia@b.com', 'Ana <ana@example.com>'],
    ['email', 'invalid', `${'a'.repeat(65)}@example.com`],
    ['email', 'invalid', 'maria@exemplo.com/', '(maria@exemplo.com', 'mailto:maria@exemplo.com'],
    ['email', 'invalid', 'maria@[127.0.0.1]', 'maria@-exemplo.com', 'maria@exemplo-.com'],
    ['email', 'invalid', 'maria@exem_plo.com', 'maria@exemplo.com!', '"maria"@exemplo.com'],
    ['email', 'invalid', 'maria@exemplo.com)', 'maria@exemplo.com:25', 'maria\\@exemplo.com'],
    ['email', 'invalid', 'maria@exemplo.com?x', 'maria@exem*plo.com', 'maria@exemplo.-com'],
    ['email', 'invalid', 'joão@exemplo.com', 'maria@exâmplo.com.br', `a@${'b'.repeat(64)}.com`],
    ['email', 'too_long', `ana@${'a'.repeat(200)}.com`],
    ['phone', 'invalid', '98765-4321', '10987654321'],
    ['address_zip', 'invalid', '0131010', '013101000'],
    ['address_zip', 'invalid', ...vectors.ceps.invalid.map(({ input }) => input)],
    ['address_line', 'too_long', long],
    ['address_state', 'invalid', 'XX', 'Lisboa', 'S'],
  ];
  maps(
    (field: PayerField, text: string) => checkPayerField(field, text, true),
    cases.flatMap(([field, fault, ...texts]) => texts.map((text) => [field, text, fault] as const)),
  );

  it('misses only what is required, and checks what is optional once it is there', () => {
    for (const field of payerFields) {
      assert.equal(checkPayerField(field, ' \u200b', true), 'missing');
      assert.equal(checkPayerField(field, ' \u200b', false), null);
    }
    assert.equal(checkPayerField('email', 'ana', false), 'invalid');
  });

  it('Assumed: the service takes every field as long as this', () => {
    for (const field of payerFields) {
      const longest = 'a'.repeat(maxPayerFieldLength);
      assert.notEqual(checkPayerField(field, longest, true), 'too_long');
      assert.equal(checkPayerField(field, `${longest}a`, true), 'too_long');
    }
  });
});

describe('normalizePayerField', () => {
  maps(normalizePayerField, [
    ['name', '  Ana \u00a0Souza\n', 'Ana Souza'],
    ['cpf_cnpj', '12.abc.345/01de-35', '12ABC34501DE35'],
    ['email', ' Ana@Example.com\u200b ', 'Ana@Example.com'],
    ['phone', '+55 (11) 98765-4321', '11987654321'],
    ['address_number', ' s/n ', 's/n'],
    ['address_state', 'sp ', 'SP'],
    ['address_state', 'Rio Grande do Sul', 'RS'],
  ]);

  for (const { input, bare, masked } of vectors.ceps.valid) {
    it(`address_zip ${input}`, () => {
      assert.equal(normalizePayerField('address_zip', input), bare);
      assert.equal(formatPayerField('address_zip', input), masked);
      assert.equal(checkPayerField('address_zip', input, true), null);
    });
  }
});

describe('formatPayerField', () => {
  maps(formatPayerField, [
    ['cpf_cnpj', '12345678909', '123.456.789-09'],
    ['phone', '11987654321', '(11) 98765-4321'],
    ['address_zip', '01310', '01310'],
    ['address_zip', '013101', '01310-1'],
    ['name', 'Ana ', 'Ana '],
    ['email', ' Ana@', ' Ana@'],
    ['address_state', 'sp', 'sp'],
  ]);
});

it('states are the 27', () => {
  assert.deepEqual(states, vectors.states);
});

const typed = fc.oneof(anyText(), fc.stringMatching(/^[\dA-Za-z./ ()-]{0,14}$/));
const field = fc.constantFrom(...payerFields);
holds(
  'what is shown is what is carried, and twice changes nothing',
  3_000,
  field,
  typed,
  (field, text) => {
    const carried = normalizePayerField(field, text);
    const shown = formatPayerField(field, text);
    assert.equal(normalizePayerField(field, shown), carried);
    assert.equal(formatPayerField(field, shown), shown);
    assert.equal(normalizePayerField(field, carried), carried);
    assert.equal(checkPayerField(field, shown, true), checkPayerField(field, carried, true));
  },
);
