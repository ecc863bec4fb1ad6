/** What the page does to the element: its text styles stay outside, its width gives the sizes, its colours are forced. */

import { expect } from '@open-wc/testing';
import { scenes } from '../../../demo/gallery/models.js';
import { show } from './show.js';

/** All that a shop's style sheet may hand down. */
const handedDown = {
  textTransform: 'uppercase',
  letterSpacing: '4px',
  wordSpacing: '9px',
  textShadow: '1px 1px red',
  textIndent: '20px',
  userSelect: 'none',
  direction: 'rtl',
  whiteSpace: 'pre',
  textAlign: 'center',
  lineHeight: '3',
  font: 'italic 700 30px/3 serif',
  cursor: 'wait',
  hyphens: 'auto',
  wordBreak: 'break-all',
} satisfies Partial<CSSStyleDeclaration>;

/** Reads the place of every element, and how its text looks. */
function drawn(root: ShadowRoot) {
  const section = root.querySelector('section')!;
  const { left, top } = section.getBoundingClientRect();
  return [section, ...section.querySelectorAll('*')].map((one) => {
    const box = one.getBoundingClientRect();
    const { textTransform, textShadow, cursor, userSelect, fontFamily } = getComputedStyle(one);
    const places = [box.left - left, box.top - top, box.width, box.height].map(Math.round);
    return [one.localName, ...places, textTransform, textShadow, cursor, userSelect, fontFamily];
  });
}

describe('the styles of the shop', () => {
  for (const name of ['form-faults', 'awaiting-copied', 'confirming', 'paid']) {
    for (const width of [320, 900]) {
      it(`change nothing inside: ${name}, ${width}`, async () => {
        const { element, root } = await show(scenes[name]!(), width);
        const before = drawn(root);
        Object.assign(element.parentElement!.style, handedDown);
        expect(drawn(root)).to.deep.equal(before);
      });
    }
  }

  it('bring in the font and the colours that are meant to', async () => {
    const { element, root } = await show(scenes['awaiting']!());
    element.style.setProperty('--pix-font', 'fantasy');
    element.style.setProperty('--pix-color-text', 'rgb(1, 2, 3)');
    const { fontFamily, color } = getComputedStyle(root.querySelector('li')!);
    expect([fontFamily, color]).to.deep.equal(['fantasy', 'rgb(1, 2, 3)']);
  });

  it('may hide it', async () => {
    const { element, root } = await show(scenes['awaiting']!());
    element.parentElement!.style.visibility = 'hidden';
    expect(getComputedStyle(root.querySelector('button')!).visibility).to.equal('hidden');
  });

  it('may bar presses, as behind a dialogue', async () => {
    const { element, root } = await show(scenes['awaiting']!());
    element.parentElement!.style.pointerEvents = 'none';
    expect(getComputedStyle(root.querySelector('button')!).pointerEvents).to.equal('none');
  });

  for (const display of ['flex', 'grid', 'inline-block', 'table-cell'] as const) {
    it(`leave it a width of its own in a place that shrinks: ${display}`, async () => {
      const { element } = await show(scenes['awaiting']!(), 1_000);
      const place = element.parentElement!;
      place.style.display = display;
      if (display !== 'grid') place.style.inlineSize = 'auto';
      expect(element.getBoundingClientRect().width).to.be.at.least(320);
    });
  }
});

describe('amounts', () => {
  const amounts = [1, 14_670, 9_999_999_999];
  for (const width of [240, 280, 320, 390, 680, 768]) {
    it(`stand on one line in ${width} px`, async () => {
      for (const totalCents of amounts) {
        for (const name of ['form', 'awaiting', 'confirming', 'paid']) {
          const scene = scenes[name]!();
          const state =
            'invoice' in scene.state
              ? { ...scene.state, invoice: { ...scene.state.invoice, totalCents } }
              : scene.state;
          const { root } = await show({ ...scene, state, totalCents }, width);
          const section = root.querySelector('section')!;
          const right = section.getBoundingClientRect().right - 16;
          for (const amount of root.querySelectorAll('[part=amount], dd')) {
            if (!amount.textContent?.includes('R$')) continue;
            const range = new Range();
            range.selectNodeContents(amount);
            const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
            const what = `${name} ${totalCents}`;
            expect(lines.size, what).to.equal(1);
            expect(range.getBoundingClientRect().right, what).to.be.at.most(right);
          }
        }
      }
    });
  }

  it('stand under their labels in every row of a narrow receipt, at the same edge', async () => {
    for (const width of [240, 288, 320]) {
      const { root } = await show(scenes['paid']!(), width);
      for (const row of root.querySelectorAll('dl div')) {
        const [label, value] = [...row.children].map((cell) => {
          const range = new Range();
          range.selectNodeContents(cell);
          return range.getBoundingClientRect();
        });
        expect(value!.left, row.textContent).to.equal(label!.left);
        expect(value!.top, row.textContent).to.be.at.least(label!.bottom);
      }
    }
  });

  it('are as large as the element is wide, whatever the window', async () => {
    const sizeIn = async (width: number) => {
      const { part } = await show(scenes['awaiting']!(), width);
      return parseFloat(getComputedStyle(part('amount')).fontSize);
    };
    const [small, middle, large] = [await sizeIn(240), await sizeIn(320), await sizeIn(390)];
    expect(small < middle && middle < large && large === 40).to.equal(true);
  });

  it('have a space around them that follows the element, too', async () => {
    const spaces: string[] = [];
    for (const width of [240, 400, 900]) {
      const { root } = await show(scenes['awaiting']!(), width);
      spaces.push(getComputedStyle(root.querySelector('section')!).paddingLeft);
    }
    expect(spaces).to.deep.equal(['16px', '20px', '32px']);
  });
});

for (const scheme of ['light', 'dark']) {
  it(`muted text holds 7:1 on both grounds, ${scheme}`, async () => {
    const { element, root } = await show(scenes['awaiting']!());
    element.style.colorScheme = scheme;
    const colorOf = (selector: string, name: 'color' | 'backgroundColor') =>
      luminanceOf(getComputedStyle(root.querySelector(selector)!)[name]);
    const muted = colorOf('.muted', 'color');
    for (const ground of ['section', 'figure']) {
      const [bright, dim] = [muted, colorOf(ground, 'backgroundColor')].toSorted((a, b) => b - a);
      expect((bright! + 0.05) / (dim! + 0.05), ground).to.be.at.least(7);
    }
  });
}

/** WCAG 2, relative luminance of `rgb(…)`. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((text) => {
    const part = Number(text) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
