/**
 * A code with a deadline: the time left, the end, a new code, and a payment of the old one that comes late. The time of
 * page and proxy passes as in the world, and by jumps.
 */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import type { Page } from 'puppeteer-core';
import {
  askForCode,
  passTime,
  scanScreen,
  untilHeard,
  untilPhase,
  untilShown,
  visit,
} from '../../support/browser/payer.js';
import { useShop } from '../../support/browser/shop.js';

/** So long that no machine is too slow to see the code. */
const expiresInSeconds = 600;
const shop = await useShop({ jumps: true, expiresInSeconds });

async function untilExpired(page: Page): Promise<void> {
  await passTime(page, shop, expiresInSeconds * 1_000);
  await untilPhase(page, 'expired');
}

/** What is paid is found at the next look-up. */
async function untilPaid(page: Page): Promise<void> {
  await passTime(page, shop, 60_000);
  await untilPhase(page, 'paid');
}

describe('a deadline', () => {
  async function openCode(t: TestContext) {
    const { page, reference } = await visit(t, shop);
    return { page, reference, code: await askForCode(page) };
  }

  it('is counted down, and at its end the code is gone', async (t) => {
    const { page, reference, code } = await openCode(t);
    assert.equal(await scanScreen(page), code);
    const timer = await page.$eval('pix-checkout >>> [role="timer"]', (element) =>
      (element as HTMLElement).innerText.replaceAll(/\s+/g, ' ').trim(),
    );
    assert.match(timer, /^Pague até \d\d:\d\d faltam (10:00|9:\d\d)$/);
    const [minutes, seconds] = timer.split(' ').at(-1)!.split(':').map(Number);
    await passTime(page, shop, (minutes! * 60 + seconds! - 9) * 1_000);
    await page.waitForFunction(() =>
      / [1-9]\ss$/.test(
        document
          .querySelector('pix-checkout')
          ?.shadowRoot?.querySelector('[role=timer]')
          ?.textContent.trim() ?? '',
      ),
    );
    await untilExpired(page);
    await untilShown(page, 'O código Pix expirou. Se já pagou, não pague de novo');
    assert.equal(await scanScreen(page), null);
    assert.equal(await page.$('pix-checkout >>> textarea'), null);
    const { detail } = await untilHeard(page, 'pix-expired');
    assert.deepEqual(detail, { invoiceId: shop.invoicesOf(reference)[0]?.invoiceId });
  });

  it('is followed by a late payment of the expired code', async (t) => {
    const { page, reference } = await openCode(t);
    await untilExpired(page);
    const [old] = shop.invoicesOf(reference);
    await shop.settle(old?.invoiceId ?? '');
    await untilPaid(page);
    const { detail } = await untilHeard(page, 'pix-paid');
    assert.equal(detail['invoiceId'], old?.invoiceId);
    assert.equal(shop.invoicesOf(reference).length, 1);
  });
});
