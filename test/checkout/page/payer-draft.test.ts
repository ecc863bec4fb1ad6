/** What the payer types: masked as it grows, kept as it is, checked when it matters. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { PayerDraft } from '../../../src/checkout/page/payer-draft.js';
import type { AskedField, PayerField } from '../../../src/domain/payer.js';
import { maps } from '../../support/tables.js';

const asked: readonly AskedField[] = [
  { field: 'name', required: true },
  { field: 'cpf_cnpj', required: true },
  { field: 'phone', required: false },
];
const cpf = '52998224725';
const cpfField = asked[1]!;

/** An input as far as the draft touches it, its caret where the payer left it. */
function inputWith(value: string, caret = value.length): HTMLInputElement {
  return { value, selectionStart: caret } as HTMLInputElement;
}

/** A draft, with texts typed into it key by key. */
function open(typed: Partial<Record<PayerField, string>> = {}) {
  const draft = new PayerDraft();
  /** Tells what the field shows last. */
  const type = (field: PayerField, text: string) => {
    let shown = '';
    for (const key of text) shown = enter(field, inputWith(shown + key));
    return shown;
  };
  const enter = (field: PayerField, input: HTMLInputElement, composing = false) => {
    draft.input(field, input, composing);
    return input.value;
  };
  const shown = (field: PayerField) => draft.fields([{ field, required: true }])[0]!;
  for (const [field, text] of Object.entries(typed)) type(field as PayerField, text);
  return { draft, type, enter, shown };
}

describe('typing', () => {
  const typeInto = (field: PayerField, text: string) => open().type(field, text);
  maps(typeInto, [
    ['cpf_cnpj', cpf, '529.982.247-25'],
    ['cpf_cnpj', '529.982.247-25', '529.982.247-25'],
    ['cpf_cnpj', '12abc34501de35', '12.ABC.345/01DE-35'],
    ['address_zip', '01310100', '01310-100'],
    ['name', 'Ana  Luísa', 'Ana  Luísa'],
    ['email', 'ana@example.com', 'ana@example.com'],
  ]);

  for (const [what, typed, text, caret, composing, shown] of [
    ['a paste is masked as well', '', ` ${cpf}`, 12, false, '529.982.247-25'],
    ['deleting does not fight with the mask', '5299', '529.', 4, false, '529.'],
    ['a caret in the middle is left alone', '529982247', '529.9982.247', 5, false, '529.9982.247'],
    ['what is being composed is left alone', '', cpf, 11, true, cpf],
  ] as const) {
    it(what, () => {
      const { enter } = open({ cpf_cnpj: typed });
      assert.equal(enter('cpf_cnpj', inputWith(text, caret), composing), shown);
    });
  }

  it('a text with its caret in the middle is masked when the field is left', () => {
    const { draft, enter, shown } = open({ cpf_cnpj: '529982247' });
    enter('cpf_cnpj', inputWith('529.9982.247', 5));
    draft.leave(cpfField);
    assert.notEqual(shown('cpf_cnpj').value, '529.9982.247');
  });

  it('an input that needs no change is not written to: its caret would jump', () => {
    assert.doesNotThrow(() => open().enter('name', Object.freeze(inputWith('Ana'))));
  });

  it('a select has no caret', () => {
    const { enter, shown } = open();
    enter('address_state', { value: 'SP' } as HTMLInputElement);
    assert.equal(shown('address_state').value, 'SP');
  });

  it('is what keeps auto-start from starting', () => {
    assert.deepEqual([open().draft.touched, open({ name: 'A' }).draft.touched], [false, true]);
  });
});

describe('a payer without a tax id', () => {
  const terms = [{ field: 'cpf_cnpj', required: false }] as const;

  it('says so, and is not asked; until then it is asked of everybody', () => {
    const { draft } = open();
    assert.equal(draft.fields(terms)[0]?.waived, false);
    assert.equal(draft.check(terms), 'cpf_cnpj');
    draft.waive(true);
    assert.equal(draft.check(terms), null);
    assert.equal(draft.fields(terms)[0]?.waived, true);
  });

  it('sends none that was typed before, and has it back', () => {
    const { draft } = open({ cpf_cnpj: cpf });
    draft.waive(true);
    assert.deepEqual(draft.payer(terms), {});
    draft.waive(false);
    assert.deepEqual(draft.payer(terms), { cpf_cnpj: cpf });
  });

  it('is nobody where the shop needs one', () => {
    const { draft } = open();
    draft.waive(true);
    const needed = [{ field: 'cpf_cnpj', required: true }] as const;
    assert.equal(draft.check(needed), 'cpf_cnpj');
    assert.equal(draft.fields(needed)[0]?.waived, undefined);
  });
});

describe('a name with digits', () => {
  const terms = [{ field: 'name', required: true }] as const;

  it('is asked about once, and then is what the payer says', () => {
    const { draft, shown } = open({ name: 'Loja 21' });
    assert.equal(draft.check(terms), 'name');
    assert.equal(shown('name').fault, 'doubtful');
    assert.equal(draft.check(terms), null);
    assert.deepEqual(draft.payer(terms), { name: 'Loja 21' });
  });
});

describe('checking', () => {
  it('names the first field that is wrong, and what is wrong with each', () => {
    const { draft } = open({ cpf_cnpj: '52998224726', phone: '1' });
    assert.equal(draft.check(asked), 'name');
    const faults = draft.fields(asked).map(({ fault }) => fault);
    assert.deepEqual(faults, ['missing', 'invalid', 'invalid']);
  });

  it('an optional field may be empty; of nothing asked nothing is wrong', () => {
    const { draft } = open({ name: 'Ana', cpf_cnpj: cpf });
    assert.equal(draft.check(asked), null);
    assert.deepEqual(draft.payer(asked), { name: 'Ana', cpf_cnpj: cpf });
    assert.equal(open().draft.check([]), null);
  });

  it('an empty field that is left is not yet wrong, but if it was said to be missing', () => {
    const { draft, shown } = open();
    draft.leave(cpfField);
    assert.equal(shown('cpf_cnpj').fault, null);
    assert.equal(draft.touched, false, 'and passing through is not typing');
    draft.check(asked);
    draft.leave(cpfField);
    assert.equal(shown('cpf_cnpj').fault, 'missing');
  });

  it('a wrong one is told when it is left, and no more while it is mended', () => {
    const { draft, type, shown } = open({ cpf_cnpj: '529' });
    draft.leave(cpfField);
    assert.equal(shown('cpf_cnpj').fault, 'invalid');
    type('cpf_cnpj', '5299');
    assert.equal(shown('cpf_cnpj').fault, null);
  });

  it('a key too many after a right document is kept, told and mended', () => {
    const { draft, type, enter, shown } = open();
    assert.equal(type('cpf_cnpj', '112223330001819'), '11.222.333/0001-819');
    assert.equal(draft.check([cpfField]), 'cpf_cnpj');
    assert.equal(shown('cpf_cnpj').fault, 'invalid');
    enter('cpf_cnpj', inputWith('11.222.333/0001-81'));
    assert.equal(draft.check([cpfField]), null);
  });

  it('what was typed outlives being asked for no longer, and being asked for again', () => {
    const { draft } = open({ name: 'Ana' });
    assert.deepEqual([draft.payer([]), draft.payer(asked)], [{}, { name: 'Ana' }]);
  });
});

it('an address that was looked up fills what is empty, or was filled before, and nothing typed', () => {
  const { draft, type, shown } = open();
  draft.fill('address_state', 'XX');
  draft.fill('address_line', '');
  assert.deepEqual([shown('address_state').value, shown('address_line').value], ['', '']);
  assert.equal(draft.touched, false);
  for (const city of ['São Paulo', 'Campinas']) draft.fill('address_city', city);
  assert.equal(shown('address_city').value, 'Campinas');
  draft.fill('address_line', 'Rua A');
  type('address_line', 'Rua A, fundos');
  type('address_complement', 'ap. 1');
  for (const field of ['address_line', 'address_complement'] as const) draft.fill(field, 'Rua B');
  assert.equal(shown('address_line').value, 'Rua A, fundos');
  assert.equal(shown('address_complement').value, 'ap. 1');
});
