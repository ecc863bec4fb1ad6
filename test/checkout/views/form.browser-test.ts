/** The form: keypads, autofill, and what is said of a failed attempt. What else it says is kept in test/gallery/screenshots. */

import { expect } from '@open-wc/testing';
import { emptyForm } from '../../../src/checkout/machine/state.js';
import { payerFields } from '../../../src/domain/payer.js';
import { asked, modelOf } from '../../../demo/gallery/models.js';
import { fold, show } from './show.js';

const everyField = modelOf(emptyForm, { fields: payerFields.map((field) => asked(field)) });

/** What keypad and autofill are told (facts of the HTML standard; no token exists for a tax id). */
const told = [
  ['name', 'name', 'text'],
  ['cpf_cnpj', 'off', 'numeric'],
  ['email', 'email', 'email'],
  ['phone', 'tel', 'tel'],
  ['address_zip', 'billing postal-code', 'numeric'],
  ['address_line', 'billing address-line1', 'text'],
  ['address_number', 'off', 'text'],
  ['address_complement', 'billing address-line2', 'text'],
  ['address_city', 'billing address-level2', 'text'],
  ['address_state', 'billing address-level1', null],
] as const;

describe('the form', () => {
  it('is one native form that leaves validation to us', async () => {
    const { root, part } = await show(everyField);
    expect(root.querySelectorAll('form')).to.have.length(1);
    expect((part('form') as HTMLFormElement).noValidate).to.equal(true);
    expect(root.querySelectorAll('[part=input]')).to.have.length(payerFields.length);
  });

  it('tells browsers what each field is, and phones which keypad to open', async () => {
    const { root } = await show(everyField);
    for (const [field, autocomplete, inputmode] of told) {
      const control = root.querySelector<HTMLInputElement>(`[name=${field}]`)!;
      const { fields, hints } = everyField.texts;
      const label = [fields[field], hints[field]].join(' ').trim();
      expect(fold(control.labels![0]!.textContent)).to.equal(label);
      const attributes = ['autocomplete', 'inputmode'].map((one) => control.getAttribute(one));
      expect(attributes, field).to.deep.equal([autocomplete, inputmode]);
      expect([control.required, control.hasAttribute('aria-invalid')]).to.deep.equal([true, false]);
    }
  });

  it('tells of a card file that did not come beside an error', async () => {
    const error = { code: 'service_unavailable', retryable: true } as const;
    const card = { content: null, failed: true, slotted: false };
    const model = modelOf({ ...emptyForm, error }, { card, method: 'credit_card' });
    const { root } = await show(model);
    const { errors, formMissing } = model.texts;
    const [first, second, ...more] = root.querySelectorAll('[part=error]');
    expect(fold(first!.textContent)).to.contain(errors.service_unavailable);
    expect(fold(second!.textContent)).to.equal(formMissing);
    expect(more).to.have.length(0);
  });

  for (const [code, method, saysFree] of [
    ['service_unavailable', 'pix', true],
    ['service_unavailable', 'credit_card', false],
    ['payment_refused', 'credit_card', false],
  ] as const) {
    it(`says that nothing was charged only where that is certain: ${code} by ${method}`, async () => {
      const error = { code, retryable: true };
      const { part } = await show(modelOf({ ...emptyForm, error }, { method }));
      const free = fold(part('error').textContent).includes('Nada foi cobrado nesta tentativa.');
      expect(free).to.equal(saysFree);
    });
  }
});
