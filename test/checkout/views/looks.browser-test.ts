/** Looks without limits: any accent can be read, any block stands anywhere, and an input may be a line alone. */

import { expect, fixture, html } from '@open-wc/testing';
import { scenes } from '../../../demo/gallery/models.js';
import { show } from './show.js';

const context = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;

/** Red, green and blue, 0 to 255, as the screen has them. */
function onScreen(color: string): readonly number[] {
  context.clearRect(0, 0, 1, 1);
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  return Array.from(context.getImageData(0, 0, 1, 1).data.slice(0, 3));
}

/** WCAG 2.2, relative luminance. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = onScreen(color).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** The same in each run, all over the cube of colours, with black and white. */
function accents(count: number): string[] {
  const colors = ['#000000', '#ffffff'];
  for (let at = 1; colors.length < count; at++) {
    const hex = Math.floor(((at * 0.6180339887) % 1) * 0xffffff).toString(16);
    colors.push(`#${hex.padStart(6, '0')}`);
  }
  return colors;
}

describe('any accent', () => {
  for (const scheme of ['light', 'dark']) {
    it(`can be read on a ${scheme} surface, and what is on it`, async () => {
      const isComputed = 'light-dark(color(from light-dark(red, red) xyz x y z), red)';
      expect(CSS.supports('color', isComputed), 'else there is nothing to see').to.equal(true);
      const { element, root, part } = await show(scenes['awaiting']!());
      element.style.colorScheme = scheme;
      const surface = getComputedStyle(part('card')).backgroundColor;
      const saved = root.querySelector('.discount strong')!;
      for (const accent of accents(200)) {
        element.style.setProperty('--pix-color-accent', accent);
        const { color, backgroundColor } = getComputedStyle(part('copy-button'));
        expect(onScreen(backgroundColor)).to.deep.equal(onScreen(accent));
        expect(contrast(color, backgroundColor), `on ${accent}`).to.be.at.least(4.5);
        const mark = getComputedStyle(saved).color;
        expect(contrast(mark, surface), `${accent} on ${surface}`).to.be.at.least(4.4);
      }
    });
  }

  it('is left as it is where it can be read', async () => {
    const { element, root } = await show(scenes['awaiting']!());
    element.style.colorScheme = 'light';
    element.style.setProperty('--pix-color-accent', '#1d3f8f');
    const { color } = getComputedStyle(root.querySelector('.discount strong')!);
    expect(onScreen(color)).to.deep.equal(onScreen('#1d3f8f'));
  });

  // Chrome 127, for one, reads `color(from red …)` and `light-dark(…)`, but not one from the other: every colour would go.
  it('is computed only where the usual one, of light-dark(), can be computed from', async () => {
    const { root } = await show(scenes['awaiting']!());
    const rules = root.adoptedStyleSheets.flatMap(({ cssRules }) => [...cssRules]);
    const computing = rules.filter((rule) => /color\(\s*from var\(/.test(rule.cssText));
    expect(computing.map((rule) => (rule as CSSSupportsRule).conditionText).join()).to.match(
      /^[^,]*color\(from light-dark\(/,
    );
    expect(computing).to.have.length(1);
  });
});

describe('the page', () => {
  const style = (css: string) =>
    fixture(
      html`<style>
        ${css}
      </style>`,
    );

  it('puts summary, copying and status of a code into any order', async () => {
    const blocks = 'summary copy-button status'.split(' ');
    const { part } = await show(scenes['awaiting']!());
    const order = blocks.toReversed();
    await style(order.map((name, at) => `pix-gallery::part(${name}) { order: ${at} }`).join('\n'));
    const tops = order.map((name) => part(name).getBoundingClientRect().top);
    expect(tops).to.deep.equal(tops.toSorted((a, b) => a - b));
  });

  it('puts the choice of method below everything', async () => {
    const { part } = await show(scenes['form']!());
    await style('pix-gallery::part(form) { order: -1 }');
    const { top } = part('amount').getBoundingClientRect();
    expect(part('form').getBoundingClientRect().bottom).to.be.at.most(top);
  });

  for (const [way, css] of [
    ['the token', 'pix-gallery { --pix-border-width: 0 0 2px }'],
    ['the part', 'pix-gallery::part(input) { border-width: 0 0 2px }'],
  ] as const) {
    it(`makes an input a line alone by ${way}, with a fault too`, async () => {
      const { root } = await show(scenes['form-faults']!());
      await style(css);
      const inputs = [...root.querySelectorAll('input[part]')];
      const widths = inputs.map((input) => {
        const { borderTopWidth, borderLeftWidth, borderBottomWidth } = getComputedStyle(input);
        return [borderTopWidth, borderLeftWidth, borderBottomWidth].join(' ');
      });
      expect(new Set(widths)).to.deep.equal(new Set(['0px 0px 2px']));
      const color = (input: Element) => getComputedStyle(input).borderBottomColor;
      const faulty = root.querySelector('[aria-invalid]')!;
      const good = root.querySelector('input[part]:not([aria-invalid])')!;
      expect(color(faulty)).not.to.equal(color(good));
    });
  }

  it('cannot make an input so small that a phone zooms into it', async () => {
    const { element, root } = await show(scenes['form']!());
    element.style.setProperty('--pix-font-size', '11px');
    expect(getComputedStyle(root.querySelector('input')!).fontSize).to.equal('16px');
    element.style.setProperty('--pix-font-size', '20px');
    expect(getComputedStyle(root.querySelector('input')!).fontSize).to.equal('20px');
  });
});
