/**
 * Every scenario of the demo page in a real browser: it ends in the phase it names and shows the words of its state, and
 * the page's strict Content-Security-Policy is never violated.
 */
import assert from 'node:assert/strict';
import { afterAll, describe, it } from 'vitest';
import { startVite } from '../../demo/page.js';
import { scenarios } from '../../demo/qa/scenarios.js';
import { findAxeFaults } from '../support/browser/axe.js';
import { words } from './scenario-words.js';
import { useDemo } from './use-demo.js';

/** How often the order was charged then; without a word here: not at all. */
const charges: Readonly<Record<string, number>> = {
  late: 1,
  paid: 1,
  confirming: 1,
  'card-approve': 1,
  'card-raw': 1,
  'card-3ds': 1,
  'card-pending': 1,
  'card-pending-paid': 1,
  'card-hang': 1,
  'card-reset-after': 1,
  'card-merchant': 1,
};

/** Most scenarios wait: so many demos stand side by side, since faults and switches are a demo's. */
const demos = 4;

const vite = await startVite();
afterAll(() => vite.close());

describe('demo page', { concurrent: true }, () => {
  for (let number = 0; number < demos; number += 1) {
    const chosen = scenarios.filter((_, index) => index % demos === number);
    describe(`demo ${number}`, { concurrent: false }, () => showsAll(chosen));
  }
  describe('one more demo', { concurrent: false }, usesPanels);
});

async function showsAll(chosen: typeof scenarios): Promise<void> {
  const { demo, page, violations } = await useDemo({ vite });
  for (const { id, phase } of chosen) {
    it(`shows the scenario ${id}: ${phase}`, async () => {
      await page.goto(`${demo.url}/?scenario=${id}`);
      await page.waitForFunction(
        (expected, text) => {
          const checkout = document.querySelector('pix-checkout');
          return (
            'settled' in document.documentElement.dataset &&
            checkout?.phase === expected &&
            checkout.shadowRoot?.textContent?.includes(text)
          );
        },
        { polling: 50 },
        phase,
        words[id] ?? 'no words are known for this scenario',
      );
      assert.equal(new URL(page.url()).search, `?scenario=${id}`, 'the address opens it again');
      const marked = await page.$eval(
        '#scenarios [aria-current]',
        (link) => link.textContent ?? '',
      );
      assert.match(marked, /✓/);
      assert.deepEqual(violations, []);
      const order = await page.$eval('pix-checkout', ({ externalId }) => externalId);
      const counted = `${demo.url}/sandbox/charges?external_id=${order}`;
      const { count } = (await (await fetch(counted)).json()) as { count: number };
      assert.equal(count, charges[id] ?? 0);
    });
  }
}

async function usesPanels(): Promise<void> {
  const { demo, page } = await useDemo({ vite });

  it('is paid by the button of the bank', async () => {
    await page.goto(`${demo.url}/?scenario=awaiting`);
    await page.waitForSelector('html[data-settled]');
    await page.click('#tabs [href="#bank"]');
    await (await page.waitForSelector('#bank .own .pay'))?.click();
    await page.waitForFunction(() => document.querySelector('pix-checkout')?.phase === 'paid');
    const title = await page.$eval('h1', (heading) => heading.textContent);
    assert.equal(title, 'Pedido confirmado');
    const log = await page.$eval('#log', (events) => events.textContent ?? '');
    assert.match(log, /pix-paid[\s\S]*pix-created[\s\S]*pix-submit[\s\S]*pix-ready/);
  });

  for (const width of [1280, 390]) {
    it(`has no fault that axe finds at ${width} px`, async () => {
      await page.setViewport({ width, height: 800 });
      await page.goto(`${demo.url}/?scenario=awaiting`);
      await page.waitForSelector('html[data-settled]');
      assert.deepEqual(await findAxeFaults(page, 'html'), []);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide`);
    });
  }
}
