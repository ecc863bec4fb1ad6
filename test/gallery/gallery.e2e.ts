/** The gallery page: its frames say what the running scenarios say, and address and controls choose them. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { card as cardPtBr } from '../../src/checkout/locales/outside-element/pt-br.js';
import { ptBr } from '../../src/checkout/locales/pt-br.js';
import { words } from '../demo/scenario-words.js';
import { useDemo } from '../demo/use-demo.js';
import { findAxeFaults } from '../support/browser/axe.js';

describe('gallery page', { concurrent: false }, async () => {
  const { demo, page, violations } = await useDemo();

  async function open(query: string): Promise<void> {
    await page.goto(`${demo.url}/gallery?${query}`);
    await page.waitForSelector('html[data-settled]');
  }

  /** Text by the frame's name. */
  function textsOf(): Promise<Record<string, string>> {
    return page.$$eval('.frame', (frames) =>
      Object.fromEntries(
        frames.map((frame) => [
          (frame as HTMLElement).dataset['name'],
          frame.querySelector('gallery-frame')?.shadowRoot?.textContent ?? '',
        ]),
      ),
    );
  }

  it('says in each frame what the running scenario says', async () => {
    await open('');
    const texts = await textsOf();
    const missing = Object.keys(words).filter((id) => !texts[id]?.includes(words[id]!));
    assert.deepEqual(missing, []);
    assert.deepEqual(violations, []);
  });

  it('shows every string that a payer may read', async () => {
    // The steps of a scan stand only where there is room for them.
    await open('width=390,1280');
    const shown = await page.$$eval('gallery-frame', (frames) =>
      frames.flatMap(({ shadowRoot }) => [
        shadowRoot?.textContent?.replaceAll(/\s+/g, ' ') ?? '',
        ...['aria-label', 'placeholder'].flatMap((name) =>
          [...(shadowRoot?.querySelectorAll(`[${name}]`) ?? [])].map(
            (element) => element.getAttribute(name) ?? '',
          ),
        ),
      ]),
    );
    const missing = [...partsOf(ptBr), ...partsOf(cardPtBr, 'card.')]
      .filter(([, parts]) => !shown.some((text) => holds(text, parts)))
      .map(([name]) => name);
    assert.deepEqual(missing, []);
  });

  it('says of each frame whether axe is content with it', async () => {
    await open('find=deadline&theme=light,dark');
    await page.click('#controls button');
    await page.waitForFunction(() => document.querySelectorAll('[data-axe]').length === 2);
    const found = await page.$$eval('.frame', (all) =>
      all.map((frame) => (frame as HTMLElement).dataset['axe']),
    );
    assert.deepEqual(found, ['clean', 'clean']);
  });

  it("has controls of the element's type and shape, whose filters fold on a phone and choose frames", async () => {
    await page.setViewport({ width: 320, height: 800 });
    await open('phase=expired');
    const looks = await page.$eval('#controls button', (button) => {
      const { fontSize, borderRadius, height } = getComputedStyle(button);
      return { fontSize, borderRadius, height };
    });
    assert.deepEqual(looks, { fontSize: '14px', borderRadius: '12px', height: '48px' });
    assert.equal(await page.$eval('.frame', (frame) => frame.clientWidth), 320);
    const isChipShown = () =>
      page.$eval('[name="phase"][value="paid"]', (chip) => chip.checkVisibility());
    assert.equal(await isChipShown(), false);
    await page.click('#controls summary');
    assert.equal(await isChipShown(), true);
    const before = await page.$$eval('.frame', (frames) => frames.length);
    await page.click('[name="phase"][value="paid"]');
    const after = await page.$$eval('.frame', (frames) => frames.length);
    assert.ok(after > before, `${before}, ${after}`);
    await page.setViewport({ width: 1280, height: 900 });
    await open('phase=expired');
    assert.equal(await isChipShown(), true);
  });

  for (const width of [1280, 390]) {
    it(`has no fault that axe finds at ${width} px`, async () => {
      await page.setViewport({ width, height: 800 });
      await open('phase=expired');
      assert.deepEqual(await findAxeFaults(page, '#controls, figcaption'), []);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide`);
    });
  }
});

/** The fixed parts of each text of a language, by its name: what stands between them depends on its arguments. */
function partsOf(texts: object, path = ''): [name: string, parts: string[]][] {
  return Object.entries(texts).flatMap(([name, text]: [string, unknown]) => {
    if (typeof text === 'object' && text !== null) return partsOf(text, `${path}${name}.`);
    const given = String(typeof text === 'function' ? text('¹', '²', '³', '⁴') : text);
    return [[path + name, given.split(/[¹²³⁴]/)]];
  });
}

function holds(text: string, parts: readonly string[]): boolean {
  let at = 0;
  return parts.every((part) => {
    const found = text.indexOf(part, at);
    at = found + part.length;
    return found >= 0;
  });
}
