/** What the payer types: masked as it grows, kept as it is, checked when it matters. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PayerDraft } from '../../../src/checkout/page/payer-draft.js';
import type { AskedField, PayerField } from '../../../src/domain/payer.js';

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

/** Types a text key by key, and tells what the field showed last. */
function type(draft: PayerDraft, field: PayerField, text: string): string {
  let shown = '';
  for (const key of text) {
    const input = inputWith(shown + key);
    draft.input(field, input, false);
    shown = input.value;
  }
  return shown;
}

const shownIn = (draft: PayerDraft, field: PayerField) =>
  draft.fields([{ field, required: true }])[0]!;

describe('typing', () => {
  for (const [field, typed, shown] of [
    ['cpf_cnpj', cpf, '529.982.247-25'],
    ['cpf_cnpj', '529.982.247-25', '529.982.247-25'],
    ['cpf_cnpj', '12abc34501de35', '12.ABC.345/01DE-35'],
    ['address_zip', '01310100', '01310-100'],
    ['name', 'Ana  Luísa', 'Ana  Luísa'],
    ['email', 'ana@example.com', 'ana@example.com'],
  ] as const) {
    it(`${field} "${typed}": "${shown}"`, () => {
      assert.equal(type(new PayerDraft(), field, typed), shown);
    });
  }

  it('a paste is masked as well', () => {
    const input = inputWith(` ${cpf}`);
    new PayerDraft().input('cpf_cnpj', input, false);
    assert.equal(input.value, '529.982.247-25');
  });

  it('deleting does not fight with the mask', () => {
    const draft = new PayerDraft();
    type(draft, 'cpf_cnpj', '5299');
    const input = inputWith('529.');
    draft.input('cpf_cnpj', input, false);
    assert.equal(input.value, '529.');
  });

  it('a caret in the middle is left alone: the text is masked when the field is left', () => {
    const draft = new PayerDraft();
    type(draft, 'cpf_cnpj', '529982247');
    const input = inputWith('529.9982.247', 5);
    draft.input('cpf_cnpj', input, false);
    assert.equal(input.value, '529.9982.247');
    draft.leave(cpfField);
    assert.notEqual(shownIn(draft, 'cpf_cnpj').value, '529.9982.247');
  });

  it('what is being composed is left alone', () => {
    const input = inputWith(cpf);
    new PayerDraft().input('cpf_cnpj', input, true);
    assert.equal(input.value, cpf);
  });

  it('an input that needs no change is not written to: its caret would jump', () => {
    const input = Object.freeze(inputWith('Ana'));
    assert.doesNotThrow(() => new PayerDraft().input('name', input, false));
  });

  it('a select has no caret', () => {
    const draft = new PayerDraft();
    draft.input('address_state', { value: 'SP' } as HTMLSelectElement, false);
    assert.equal(shownIn(draft, 'address_state').value, 'SP');
  });

  it('is what keeps auto-start from starting', () => {
    const draft = new PayerDraft();
    assert.equal(draft.touched, false);
    type(draft, 'name', 'A');
    assert.equal(draft.touched, true);
  });
});

describe('checking', () => {
  it('names the first field that is wrong, and what is wrong with each', () => {
    const draft = new PayerDraft();
    type(draft, 'cpf_cnpj', '52998224726');
    type(draft, 'phone', '1');
    assert.equal(draft.check(asked), 'name');
    assert.deepEqual(
      draft.fields(asked).map(({ fault }) => fault),
      ['missing', 'invalid', 'invalid'],
    );
  });

  it('an optional field may be empty', () => {
    const draft = new PayerDraft();
    type(draft, 'name', 'Ana');
    type(draft, 'cpf_cnpj', cpf);
    assert.equal(draft.check(asked), null);
    assert.deepEqual(draft.payer(asked), { name: 'Ana', cpf_cnpj: cpf });
  });

  it('nothing asked: nothing wrong', () => {
    assert.equal(new PayerDraft().check([]), null);
  });

  it('an empty field that is left is not yet wrong', () => {
    const draft = new PayerDraft();
    draft.leave(cpfField);
    assert.equal(shownIn(draft, 'cpf_cnpj').fault, null);
    assert.equal(draft.touched, false, 'and passing through is not typing');
  });

  it('an empty field that was said to be missing still is when it is left', () => {
    const draft = new PayerDraft();
    draft.check(asked);
    draft.leave(cpfField);
    assert.equal(shownIn(draft, 'cpf_cnpj').fault, 'missing');
  });

  it('a wrong one is told when it is left, and no more while it is mended', () => {
    const draft = new PayerDraft();
    type(draft, 'cpf_cnpj', '529');
    draft.leave(cpfField);
    assert.equal(shownIn(draft, 'cpf_cnpj').fault, 'invalid');
    type(draft, 'cpf_cnpj', '5299');
    assert.equal(shownIn(draft, 'cpf_cnpj').fault, null);
  });

  it('a key too many after a right document is kept, told and mended', () => {
    const draft = new PayerDraft();
    assert.equal(type(draft, 'cpf_cnpj', '112223330001819'), '11.222.333/0001-819');
    assert.equal(draft.check([cpfField]), 'cpf_cnpj');
    assert.equal(shownIn(draft, 'cpf_cnpj').fault, 'invalid');
    draft.input('cpf_cnpj', inputWith('11.222.333/0001-81'), false);
    assert.equal(draft.check([cpfField]), null);
  });

  it('what was typed outlives being asked for no longer, and being asked for again', () => {
    const draft = new PayerDraft();
    type(draft, 'name', 'Ana');
    assert.deepEqual(draft.payer([]), {});
    assert.deepEqual(draft.payer(asked), { name: 'Ana' });
  });
});

describe('an address that was looked up', () => {
  it('fills what is empty, and what was filled before', () => {
    const draft = new PayerDraft();
    draft.fill('address_city', 'São Paulo');
    draft.fill('address_city', 'Campinas');
    assert.equal(shownIn(draft, 'address_city').value, 'Campinas');
  });

  it('never replaces what the payer typed', () => {
    const draft = new PayerDraft();
    type(draft, 'address_city', 'Santos');
    draft.fill('address_city', 'Campinas');
    assert.equal(shownIn(draft, 'address_city').value, 'Santos');
    draft.fill('address_line', 'Rua A');
    type(draft, 'address_line', 'Rua A, fundos');
    draft.fill('address_line', 'Rua B');
    assert.equal(shownIn(draft, 'address_line').value, 'Rua A, fundos');
  });

  it('that is none fills nothing', () => {
    const draft = new PayerDraft();
    draft.fill('address_state', 'XX');
    draft.fill('address_city', '');
    assert.equal(shownIn(draft, 'address_state').value, '');
    assert.equal(draft.touched, false);
  });
});
