/** What holds of the card form in every state and language: accessible, no inline style, nothing wider than the phone. */

import { expect } from '@open-wc/testing';
import { openCard } from './open-card.js';

const locales = ['pt-BR', 'en', 'es'] as const;

type Opened = Awaited<ReturnType<typeof openCard>>;

const states: Readonly<Record<string, (opened: Opened) => Promise<unknown>>> = {
  empty: async () => undefined,
  filled: ({ fill }) => fill(),
  'all missing': ({ submit }) => submit(),
  'all wrong': async ({ fill, submit }) => {
    await fill({
      card_number: '3782822463100051',
      card_name: '1',
      card_expiry: '1',
      card_code: '1',
    });
    await submit();
  },
  'not accepted': async ({ type, set, leave }) => {
    await set({ acceptedBrands: 'visa elo hipercard' });
    await type('card_number', '5555555555554444');
    await leave('card_number');
  },
  'provider’s own fields': ({ set }) => set({ slotted: true }),
};

for (const [name, enter] of Object.entries(states)) {
  describe(`card form, ${name}`, () => {
    for (const scheme of ['light', 'dark']) {
      it(`is accessible, ${scheme}, without an inline style, and loads nothing`, async () => {
        const opened = await openCard();
        opened.element.style.colorScheme = scheme;
        await enter(opened);
        await expect(opened.element).to.be.accessible();
        const foreign = opened.root.querySelectorAll('[style], style, img, link, script, [src]');
        expect(foreign).to.have.length(0);
      });
    }

    for (const locale of locales) {
      it(`fits a narrow phone in ${locale}, with targets of 44 pixels and inputs of 16`, async () => {
        const opened = await openCard({ locale });
        await enter(opened);
        const { right } = opened.element.getBoundingClientRect();
        for (const one of opened.root.querySelectorAll('form *')) {
          expect(one.getBoundingClientRect().right, one.outerHTML).to.be.at.most(right);
        }
        for (const control of opened.root.querySelectorAll('input, select, button')) {
          expect(control.getBoundingClientRect().height).to.be.at.least(44);
          expect(parseFloat(getComputedStyle(control).fontSize)).to.be.at.least(16);
        }
      });
    }
  });
}

for (const locale of locales) {
  for (const widthPx of [288, 304, 320, 344, 390]) {
    it(`controls in one row of a card form stand on one line, no label breaks, ${widthPx} wide, ${locale}`, async () => {
      const { field, root } = await openCard({ locale }, widthPx);
      const names = ['card_expiry', 'card_code'] as const;
      const [expiry, code] = names.map((name) => field(name).getBoundingClientRect());
      const sharesRow = expiry!.top === code!.top && expiry!.right < code!.left;
      expect(sharesRow || (widthPx < 390 && expiry!.bottom < code!.top)).to.equal(true);
      for (const name of names) {
        const label = root.querySelector(`label[for=${name}]`)!;
        expect(label.getClientRects(), label.textContent).to.have.length(1);
      }
    });
  }
}

it('the brand stands at the height of the label beside it on a narrow phone, and of the number elsewhere', async () => {
  for (const [widthPx, beside] of [
    [320, '[for=card_number]'],
    [390, '#card_number'],
  ] as const) {
    const { type, get } = await openCard({}, widthPx);
    await type('card_number', '5555');
    const [brand, other] = ['.mark b', beside].map((one) => get(one).getBoundingClientRect());
    const middles = [brand!, other!].map(({ top, height }) => top + height / 2);
    expect(middles[0]).to.be.closeTo(middles[1]!, 1);
    expect(brand!.bottom).to.be.below(get('#card_number').getBoundingClientRect().bottom);
  }
});

it('every control of the form is as high as the others, on a narrow phone too', async () => {
  const { root } = await openCard();
  const heights = [...root.querySelectorAll('[part=input]')].map((one) => one.clientHeight);
  expect(new Set(heights).size, heights.join()).to.equal(1);
});
