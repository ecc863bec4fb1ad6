/**
 * A code with a deadline: the time left, the end, a new code, and a payment of the old one that comes late. The clocks of
 * page and proxy run ten times as fast.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'puppeteer-core';
import { launchChromium } from './support/launch.js';
import {
  askForCode,
  heardOn,
  openPage,
  press,
  scanScreen,
  shownCode,
  speedUp,
  untilHeard,
  untilPhase,
  untilShown,
} from './support/payer.js';
import { openShop, type Shop } from './support/shop.js';

const speed = 10;
const expiresInSeconds = 30;

describe('a deadline', () => {
  let browser: Browser;
  let shop: Shop;
  before(async () => {
    browser = await launchChromium();
    shop = await openShop({ speed, expiresInSeconds });
  });
  after(async () => {
    await browser?.close();
    await shop?.close();
  });

  async function openCode() {
    const context = await browser.createBrowserContext();
    const { reference, url } = await shop.addPage();
    const page = await openPage(context, url, (opening) => speedUp(opening, speed));
    const code = await askForCode(page);
    return { page, context, reference, code };
  }

  it('is counted down, and at its end the code is gone', async () => {
    const { page, context, reference, code } = await openCode();
    assert.equal(await scanScreen(page), code);
    const timer = await page.$eval('pix-checkout >>> [role="timer"]', ({ textContent }) =>
      textContent?.replaceAll(/\s+/g, ' ').trim(),
    );
    assert.match(timer ?? '', /^Pague até \d\d:\d\d restam 0:(30|2\d|1\d)$/);
    await untilShown(page, 'restam 0:0');
    await untilPhase(page, 'expired');
    await untilShown(page, 'O prazo deste código acabou. Se já pagou, não pague de novo');
    assert.equal(await scanScreen(page), null);
    assert.equal(await page.$('pix-checkout >>> textarea'), null);
    const { detail } = await untilHeard(page, 'pix-expired');
    assert.deepEqual(detail, { invoiceId: shop.invoicesOf(reference)[0]?.invoiceId });
    await context.close();
  });

  it('is followed by a late payment of the expired code', async () => {
    const { page, context, reference } = await openCode();
    await untilPhase(page, 'expired');
    const [old] = shop.invoicesOf(reference);
    await shop.settle(old?.invoiceId ?? '');
    await untilPhase(page, 'paid');
    const { detail } = await untilHeard(page, 'pix-paid');
    assert.equal(detail['invoiceId'], old?.invoiceId);
    assert.equal(shop.invoicesOf(reference).length, 1);
    await context.close();
  });

  for (const [which, index] of [
    ['the new code', 1],
    ['the old code', 0],
  ] as const) {
    it(`is followed by a new code, and ${which} is paid`, async () => {
      const { page, context, reference, code } = await openCode();
      await untilPhase(page, 'expired');
      await press(page, 'Gerar novo código Pix');
      await untilPhase(page, 'awaiting');
      const [old, renewed, ...more] = shop.invoicesOf(reference);
      assert.deepEqual(
        [old?.qrCodePix, renewed?.qrCodePix, more],
        [code, await shownCode(page), []],
      );
      await untilShown(page, 'restam 0:');
      const paid = shop.invoicesOf(reference)[index];
      await shop.settle(paid?.invoiceId ?? '');
      await untilPhase(page, 'paid');
      const payments = (await heardOn(page)).filter(({ type }) => type === 'pix-paid');
      assert.deepEqual(
        payments.map(({ detail }) => detail['invoiceId']),
        [paid?.invoiceId],
      );
      await context.close();
    });
  }

  it('that passed while the payer paid ends in the receipt, not in a new code', async () => {
    const { page, context, reference } = await openCode();
    await page.setOfflineMode(true);
    await shop.settle(shop.invoicesOf(reference)[0]?.invoiceId ?? '');
    await untilShown(page, 'restam 0:00');
    await page.setOfflineMode(false);
    await untilPhase(page, 'paid');
    assert.ok(!(await heardOn(page)).some(({ type }) => type === 'pix-expired'));
    await context.close();
  });
});
