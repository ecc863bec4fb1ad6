/** Instalments: the merchant's table as a native choice, each line with its total, and the total on the button. */

import { expect } from '@open-wc/testing';
import { table } from '../../../../demo/gallery/card-gallery.js';
import { openCard, plain } from './open-card.js';

describe('card form: instalments', () => {
  for (const locale of ['pt-BR', 'en', 'es'] as const) {
    it(`what each costs, and all of them, can be read on the closed list of a narrow phone, in ${locale}`, async () => {
      const { element, select, choose, root, find } = await openCard({ locale }, 304);
      element.style.setProperty('--pix-padding', '16px');
      // Firefox keeps a closed list on one line, whatever a page says: what is cut there stands in the hint below.
      const wraps = !CSS.supports('-moz-orient', 'inline');
      expect(getComputedStyle(select()).whiteSpace).to.equal(wraps ? 'normal' : 'nowrap');
      for (const [index, option] of [...select().options].entries()) {
        await choose(index);
        const ruler = root.querySelector('fieldset')!.appendChild(document.createElement('span'));
        ruler.textContent = wraps ? option.text : option.text.replace(/ \(.*/, '');
        const { width } = ruler.getBoundingClientRect();
        ruler.remove();
        const { paddingLeft, paddingRight } = getComputedStyle(select());
        const roomPx = select().clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
        expect(width, `${option.text}, on two lines at most`).to.be.at.most(
          (wraps ? 1.5 : 1) * roomPx,
        );
        expect(option.text.includes('('), 'interest').to.equal(
          find('#card_installments-hint')?.innerText !== '',
        );
      }
      expect(plain(find('#card_installments-hint')?.innerText)).to.include('R$ 167,88');
      expect(select().getAttribute('aria-describedby')).to.equal('card_installments-hint');
    });
  }

  it('the first is chosen until another one is, and the button follows', async () => {
    const { choose, select, element, submitLabel } = await openCard();
    expect(select().selectedIndex).to.equal(0);
    expect(element.form.choice?.installment).to.equal(1);
    expect(submitLabel()).to.equal('Pagar R$ 139,90');
    await choose(4);
    const total = { totalCents: 16_788, eachCents: 1_399, interestFree: false };
    expect(element.form.choice).to.deep.equal({ installment: 12, ...total });
    expect(submitLabel()).to.equal('Pagar R$ 167,88');
  });

  it('the button has the total of a table that comes late, or changes', async () => {
    const { set, submitLabel, element, find } = await openCard({ installments: null });
    expect(submitLabel()).to.equal('Pagar R$ 139,90');
    for (const installments of [null, undefined, [], 'rubbish', [{}]]) {
      await set({ installments });
      expect([find('#card_installments'), element.form.choice]).to.deep.equal([null, null]);
    }
    await set({ installments: [{ installment: 2, total_cents: 20_000 }] });
    expect(submitLabel()).to.equal('Pagar R$ 200,00');
    expect(element.form.choice?.installment).to.equal(2);
  });

  it('the number chosen stays chosen in another table, or else the first is', async () => {
    const { choose, set, select, element } = await openCard();
    await choose(2);
    for (const [left, installment, index] of [
      [1, 3, 1],
      [3, 6, 0],
    ] as const) {
      await set({ installments: table.slice(left) });
      expect(element.form.choice?.installment).to.equal(installment);
      expect(select().selectedIndex).to.equal(index);
    }
  });

  it('where there is one way only, it is said and not asked', async () => {
    const { find, root } = await openCard({ installments: table.slice(2, 3) });
    expect(find('select')).to.equal(null);
    expect(plain(root.querySelector('form')!.innerText)).to.include('3x de R$ 46,63 sem juros');
  });
});
