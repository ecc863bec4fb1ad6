/**
 * Nothing on the page jumps, from before the script to the receipt: no layout shift, with the rule of LOOKS.md that keeps
 * the element's place.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, type TestContext } from 'node:test';
import type { Page } from 'puppeteer-core';
import { openContext } from '../support/contexts.js';
import { untilPhase } from '../support/payer.js';
import { totalCents, useShop } from '../support/shop.js';
import { itFew } from '../../support/runner/long.js';

const itSome = itFew(1);
const itSomeOther = itFew(1);

const looks = readFileSync(new URL('../../../src/checkout/LOOKS.md', import.meta.url), 'utf8');
const [rule] = /pix-checkout:not\(:defined\) \{[^}]*\}/.exec(looks) ?? [];
const script = '<script type="module" src="/dist/pix-checkout.min.js"></script>';

/** Sets what makes the code's screen higher than the rule keeps. */
const withSummary = `<script>
  Object.assign(document.querySelector('pix-checkout'), {
    totalPriceCents: ${totalCents + 680},
    pixTotalPriceCents: ${totalCents},
    items: [{ name: 'Café torrado em grãos', quantity: 1, unit_price: ${totalCents} }],
  });
</script>`;

const shop = await useShop();

/** A page that begins by itself, before its script is there. The ribbon of a test environment stands from the start. */
async function open(t: TestContext, [width, height]: Size, more = '') {
  const reference = `steady-${width}${more && '-more'}`;
  const { url } = await shop.addPage({
    reference,
    attributes: { 'auto-start': '', 'payer-fields': '', 'allow-unverified-code': '' },
    rest: `<style>${rule}</style><footer>Fim da página</footer>${more}`,
  });
  const { pages } = shop.server;
  const path = new URL(url).pathname;
  pages.set(path, pages.get(path)!.replace(script, ''));
  const page = await (await openContext(t)).newPage();
  await page.setViewport({ width, height });
  await page.evaluateOnNewDocument(noteShifts);
  await page.goto(url);
  assert.deepEqual(await shiftsOn(page), []);
  await page.evaluate("import('/dist/pix-checkout.min.js')");
  await untilPhase(page, 'awaiting');
  const pay = async () => {
    await shop.settle(shop.invoicesOf(reference)[0]?.invoiceId ?? '');
    await untilPhase(page, 'paid');
  };
  return { page, pay };
}

type Size = readonly [width: number, height: number];
const sizes: readonly Size[] = [
  [320, 568],
  [1280, 800],
];

describe('a page that begins by itself', () => {
  for (const size of sizes) {
    itSome(`does not jump, at ${size[0]} px`, async (t) => {
      assert.ok(rule, 'LOOKS.md has the rule');
      const { page, pay } = await open(t, size);
      assert.deepEqual(await shiftsOn(page), []);
      await pay();
      assert.deepEqual(await shiftsOn(page), []);
    });

    itSomeOther(
      `does not jump to the receipt, with all that an order can show, at ${size[0]} px`,
      async (t) => {
        const { page, pay } = await open(t, size, withSummary);
        const before = await shiftsOn(page);
        await pay();
        assert.deepEqual(await shiftsOn(page), before);
      },
    );
  }
});

/** Runs inside the page, before anything else. */
function noteShifts(): void {
  const shifts: unknown[] = [];
  Object.assign(window, { shifts });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) shifts.push(entry.toJSON());
  }).observe({ type: 'layout-shift', buffered: true });
}

/** What has shifted, once all that was drawn is known. */
function shiftsOn(page: Page): Promise<unknown[]> {
  return page.evaluate(async () => {
    for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
    return Reflect.get(window, 'shifts') as unknown[];
  });
}
