/** The first sentence of a text stands out, or is left out, also where a shop's own words have only one. */

import { expect } from '@open-wc/testing';
import { modelOf, scenes } from '../../../demo/gallery/models.js';
import { emptyForm } from '../../../src/checkout/machine/state.js';
import type { Model } from '../../../src/checkout/views/model.js';
import { fold, show } from './show.js';

/** Reads a screen in a shop's own words. */
async function readWorded(model: Model, own: object) {
  const { root } = await show({ ...model, texts: { ...model.texts, ...own } });
  return (selector: string) =>
    [...root.querySelectorAll(selector)].map((one) => fold(one.textContent));
}

const failed = modelOf({ ...emptyForm, error: { code: 'payment_refused', retryable: true } });

/** A text, its first sentence, and what is left. */
const texts: [text: string, first: string, rest: string[]][] = [
  ['Acabou. Peça outro. Ou fale conosco.', 'Acabou.', ['Peça outro. Ou fale conosco.']],
  ['Acabou.', 'Acabou.', []],
  ['Acabou. ', 'Acabou.', []],
  ['Custa R$ 1.234,50', 'Custa R$ 1.234,50', []],
];

describe('the first sentence', () => {
  for (const [text, first, rest] of texts) {
    it(`of "${text}" is a notice's heading, stands out in an error, and is all on a receipt`, async () => {
      const notice = await readWorded(scenes['expired']!(), { expired: text });
      expect(notice('h2')).to.deep.equal([first]);
      expect(notice('h2 ~ p')).to.deep.equal(rest);
      const error = await readWorded(failed, { errors: { payment_refused: text } });
      expect(error('.error b')).to.deep.equal([first]);
      expect(error('.error p:not(:has(b))')).to.deep.equal(rest);
      const receipt = await readWorded(scenes['paid']!(), { paid: () => text });
      expect(receipt('h2')).to.deep.equal([first]);
      expect(receipt('.notice').join()).to.not.include('Peça');
    });
  }

  it('of the status goes once the code is copied, unless there is no other', async () => {
    for (const [copied, waiting, status] of [
      ['Copiado. Abra o app.', 'Aguardando. Espere aqui.', 'Abra o app. Espere aqui.'],
      ['Copiado!', 'Aguardando. Espere aqui.', 'Copiado! Espere aqui.'],
      ['Copiado.', 'Aguardando.', 'Copiado. Aguardando.'],
    ]) {
      const read = await readWorded(scenes['awaiting-copied']!(), { copied, waiting });
      expect(read('.status')).to.deep.equal([status]);
    }
  });
});
