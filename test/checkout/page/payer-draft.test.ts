/** What the payer types: checked when it matters, and asked of no one who has none. How it is masked and filled in, the element's tests tell. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { PayerDraft } from '../../../src/checkout/page/payer-draft.js';
import type { AskedField, PayerField } from '../../../src/domain/payer.js';

const asked: readonly AskedField[] = [
  { field: 'name', required: true },
  { field: 'cpf_cnpj', required: true },
  { field: 'phone', required: false },
];
const cpf = '52998224725';
const cpfField = asked[1]!;

/** An input as far as the draft touches it. */
function inputWith(value: string, caret = value.length): HTMLInputElement {
  return { value, selectionStart: caret } as HTMLInputElement;
}

/** A draft, with texts typed into it. */
function open(typed: Partial<Record<PayerField, string>> = {}) {
  const draft = new PayerDraft();
  const type = (field: PayerField, text: string) => draft.input(field, inputWith(text), false);
  const shown = (field: PayerField) => draft.fields([{ field, required: true }])[0]!;
  for (const [field, text] of Object.entries(typed)) type(field as PayerField, text);
  return { draft, type, shown };
}

it('an input that needs no change is not written to: its caret would jump', () => {
  const input = Object.freeze(inputWith('Ana'));
  assert.doesNotThrow(() => open().draft.input('name', input, false));
});

it('a text with its caret in the middle is left alone until the field is left', () => {
  const { draft, shown } = open({ cpf_cnpj: '529982247' });
  draft.input('cpf_cnpj', inputWith('529.9982.247', 5), false);
  assert.equal(shown('cpf_cnpj').value, '529.9982.247');
  draft.leave(cpfField);
  assert.notEqual(shown('cpf_cnpj').value, '529.9982.247');
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

  it('what was typed outlives being asked for no longer, and being asked for again', () => {
    const { draft } = open({ name: 'Ana' });
    assert.deepEqual([draft.payer([]), draft.payer(asked)], [{}, { name: 'Ana' }]);
  });
});

it('of an address that was looked up nothing is taken that the form would not take', () => {
  const { draft, shown } = open();
  draft.fill('address_state', 'XX');
  draft.fill('address_line', '');
  assert.deepEqual([shown('address_state').value, shown('address_line').value], ['', '']);
  assert.equal(draft.touched, false);
});
