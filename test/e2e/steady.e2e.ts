/**
 * Nothing on the page jumps, from before the script to the receipt: no layout shift, with the rule of LOOKS.md that keeps
 * the element's place.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Page } from 'puppeteer-core';
import { openContext } from './support/contexts.js';
import { untilPhase } from './support/payer.js';
import { useShop } from './support/shop.js';

const looks = readFileSync(new URL('../../src/checkout/LOOKS.md', import.meta.url), 'utf8');
const [rule] = /pix-checkout:not\(:defined\) \{[^}]*\}/.exec(looks) ?? [];
const script = '<script type="module" src="/dist/pix-checkout.min.js"></script>';

const shop = await useShop();

describe('a page that begins by itself', () => {
  for (const [width, height] of [
    [320, 568],
    [390, 664],
    [768, 1024],
    [1280, 800],
  ] as const) {
    it(`does not jump, at ${width} px`, async (t) => {
      assert.ok(rule, 'LOOKS.md has the rule');
      const reference = `steady-${width}`;
      const { url } = await shop.addPage({
        reference,
        // The ribbon of a test environment stands from the start.
        attributes: { 'auto-start': '', 'payer-fields': '', 'allow-unverified-code': '' },
        rest: `<style>${rule}</style><footer>Fim da página</footer>`,
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
      for (const phase of ['awaiting', 'paid'] as const) {
        await untilPhase(page, phase);
        assert.deepEqual(await shiftsOn(page), [], phase);
        await shop.settle(shop.invoicesOf(reference)[0]?.invoiceId ?? '');
      }
    });
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
