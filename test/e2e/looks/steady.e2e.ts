/**
 * Nothing on the page jumps, from before the script to the receipt: no layout shift, with the package's style sheet, which
 * keeps the element's place.
 */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import type { Phase } from '../../../src/element.js';
import { openContext } from '../../support/browser/contexts.js';
import { noteShifts, shiftsOn } from '../../support/browser/shifts.js';
import { untilPhase } from '../../support/browser/payer.js';
import { totalCents, useShop } from '../../support/browser/shop.js';

/** Sets what makes the code's screen higher than the rule keeps. */
const withSummary = `<script>
  Object.assign(document.querySelector('pix-checkout'), {
    totalPriceCents: ${totalCents + 680},
    pixTotalPriceCents: ${totalCents},
    items: [{ name: 'Café torrado em grãos', quantity: 1, unit_price: ${totalCents} }],
  });
</script>`;

const shop = await useShop();

/** Their orders are numbered: a reference of a line more would be higher than what is kept. */
let pages = 0;

/** How a page is opened, and the phase that it comes to. */
interface Opening {
  readonly more: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly phase: Phase;
}

const begins: Readonly<Record<string, string>> = {
  'auto-start': '',
  'payer-fields': '',
  'allow-unverified-code': '',
};

/** A page before its script is there, and with it. The ribbon of a test environment stands from the start. */
async function open(
  t: TestContext,
  [width, height]: Size,
  { more = '', attributes = begins, phase = 'awaiting' }: Partial<Opening> = {},
) {
  const reference = `${(pages += 1)}`;
  const { url } = await shop.addPage({
    reference,
    attributes,
    head: '',
    rest: `<link rel="stylesheet" href="/dist/pix-checkout.css" /><footer>Fim da página</footer>${more}`,
  });
  const page = await (await openContext(t)).newPage();
  await page.setViewport({ width, height });
  await noteShifts(page);
  await page.goto(url);
  assert.deepEqual(await shiftsOn(page), []);
  await page.evaluate("import('/dist/pix-checkout.min.js')");
  await untilPhase(page, phase);
  const pay = async () => {
    await shop.payNewest(reference);
    await untilPhase(page, 'paid');
  };
  return { page, pay };
}

type Size = readonly [width: number, height: number];
const sizes: readonly Size[] = [
  [320, 568],
  [1280, 800],
];

const forms: readonly (readonly [name: string, attributes: Readonly<Record<string, string>>])[] = [
  ['a form', {}],
  ['a button alone', { 'payer-fields': '' }],
];

describe('a page with', () => {
  for (const size of sizes) {
    for (const [name, attributes] of forms) {
      it(`${name} does not jump, at ${size[0]} px`, async (t) => {
        const { page } = await open(t, size, { attributes, phase: 'form' });
        assert.deepEqual(await shiftsOn(page), []);
      });
    }
  }
});

describe('a page that begins by itself', () => {
  for (const size of sizes) {
    it(`does not jump, at ${size[0]} px`, async (t) => {
      const { page, pay } = await open(t, size);
      assert.deepEqual(await shiftsOn(page), []);
      await pay();
      assert.deepEqual(await shiftsOn(page), []);
    });

    it(`does not jump to the receipt, with all that an order can show, at ${size[0]} px`, async (t) => {
      const { page, pay } = await open(t, size, { more: withSummary });
      const before = await shiftsOn(page);
      await pay();
      assert.deepEqual(await shiftsOn(page), before);
    });
  }
});
