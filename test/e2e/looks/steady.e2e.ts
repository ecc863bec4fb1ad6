/**
 * Nothing on the page jumps, from before the script to the receipt: no layout shift, with the package's style sheet, which
 * keeps the element's place.
 */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import type { Page } from 'puppeteer-core';
import type { Phase } from '../../../src/element.js';
import { openContext } from '../../support/browser/contexts.js';
import { askForCode, untilPhase } from '../../support/browser/payer.js';
import { noteShifts, shiftsOn } from '../../support/browser/shifts.js';
import { createGate, totalCents, useShop } from '../../support/browser/shop.js';
import { likeExpress, makeShopFolder, shopCode, startShop } from '../../support/front-door.js';

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
  ['the card form first', { methods: 'credit_card pix', 'accept-raw-card': '' }],
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

describe('the shop of README.md, whose script is late', () => {
  /** Opens its order. @returns the page, where the script still waits, and the element's box as it is drawn there */
  async function openOrder(t: TestContext, [width, height]: Size, code = shopCode) {
    const { url, order, bank } = await startShop(t, makeShopFolder(t, likeExpress(t)), code);
    const page = await (await openContext(t)).newPage();
    await page.setViewport({ width, height });
    // A dark phone, whatever the page is.
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await noteShifts(page);
    const line = createGate();
    await page.setRequestInterception(true);
    page.on('request', async (request) => {
      if (request.url().endsWith('.js')) await line.pass();
      await request.continue();
    });
    const loaded = page.goto(url + new URL(order).pathname);
    await line.reached;
    await page.waitForFunction(() => performance.getEntriesByType('paint').length > 0);
    return { page, bank, letScriptCome: async () => (line.open(), await loaded) };
  }

  for (const size of [...sizes, [390, 664] as const]) {
    it(`does not move from its first picture to the receipt, at ${size[0]} px`, async (t) => {
      const { page, bank, letScriptCome } = await openOrder(t, size);
      const before = await boxOn(page);
      assert.equal(await textOn(page), 'R$\u00a0129,90');
      await letScriptCome();
      await untilPhase(page, 'form');
      assert.deepEqual(await boxOn(page), before);
      await askForCode(page);
      const { invoices } = (await (await fetch(`${bank}/invoices`)).json()) as Bank;
      await fetch(`${bank}/invoices/${invoices[0]?.invoice_id}/settle`, { method: 'POST' });
      await untilPhase(page, 'paid');
      const unasked = (await shiftsOn(page)).filter(({ hadRecentInput }) => !hadRecentInput);
      assert.deepEqual(unasked, []);
      // On the smallest phone the receipt itself is higher.
      const { scrollHeight, clientHeight } = await sizeOf(page);
      if (size[0] > 320) assert.equal(scrollHeight, clientHeight, 'it scrolls for margins alone');
    });
  }

  const schemes = [
    ['is white as its page, on a dark phone', '', 'rgb(255, 255, 255)'],
    ['is dark where its page follows the phone', 'light dark', 'rgb(18, 27, 25)'],
  ] as const;
  for (const [name, scheme, surface] of schemes) {
    it(`${name}, from its first picture on`, async (t) => {
      const meta = `<meta name="color-scheme" content="${scheme}">`;
      const code = shopCode.replace('<meta', `${scheme && meta}<meta`);
      const { page, letScriptCome } = await openOrder(t, [390, 664], code);
      const before = await boxOn(page);
      assert.equal(before.backgroundColor, surface);
      await letScriptCome();
      await untilPhase(page, 'form');
      assert.deepEqual(await boxOn(page), before);
    });
  }
});

interface Bank {
  readonly invoices: readonly { readonly invoice_id: string }[];
}

/** The box around the checkout, drawn by the style sheet or by the element: its place, and its colours. */
function boxOn(page: Page) {
  return page.$eval('pix-checkout', (host) => {
    const drawn = host.shadowRoot?.querySelector('.checkout');
    const { width, color, backgroundColor, borderTopColor, borderTopLeftRadius } = drawn
      ? getComputedStyle(drawn)
      : getComputedStyle(host, '::before');
    const { top, height } = host.getBoundingClientRect();
    const box = { width, color, backgroundColor, borderTopColor, borderTopLeftRadius };
    return { ...box, top, height: Math.round(height) };
  });
}

function sizeOf(page: Page) {
  return page.$eval('html', ({ scrollHeight, clientHeight }) => ({ scrollHeight, clientHeight }));
}

/** What stands on the page, its style sheets' words included: as a screen reader finds it. */
async function textOn(page: Page): Promise<string> {
  const { nodes } = await (await page.createCDPSession()).send('Accessibility.getFullAXTree');
  const texts = nodes.filter(({ role }) => role?.value === 'StaticText');
  return texts.map(({ name }) => String(name?.value)).join('');
}
