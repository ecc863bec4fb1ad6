/**
 * The payer leaves for the bank app and comes back, by every way a browser knows: the page was hidden, frozen, put into
 * the back-forward cache, or without a line. The proxy of this shop tells nothing by itself, so that whatever is seen
 * was asked for on return.
 */
import assert from 'node:assert/strict';
import { beforeEach, describe, it, type TestContext } from 'vitest';
import type { Page } from 'puppeteer-core';
import {
  askForCode,
  heardOf,
  shownCode,
  untilPhase,
  untilShown,
  visit,
} from '../../support/browser/payer.js';
import { useShop } from '../../support/browser/shop.js';
import { until } from '../../support/until.js';

// Held answers stay held for ever.
const shop = await useShop({ proxy: { startTimer: () => () => undefined } });
shop.server.pages.set('/elsewhere', '<!doctype html><title>Banco</title>');

const waitOf = (url: string) => new URL(url).searchParams.get('wait');

describe('on return to the page', () => {
  /** Each look-up that reached the shop: how long it may be held, seconds. */
  let lookUps: (string | null)[];
  /** How many requests the browser has left before they were answered. */
  let left: number;
  beforeEach(() => {
    lookUps = [];
    left = 0;
  });
  shop.between = (request, forward) => {
    if (request.method === 'GET') lookUps.push(waitOf(request.url));
    request.signal.addEventListener('abort', () => (left += 1));
    return forward(request);
  };

  /** A page whose code is on the screen and whose look-up is held. */
  async function openCode(t: TestContext) {
    const { page, reference } = await visit(t, shop);
    /** Look-ups that the page gave up. */
    const givenUp: (string | null)[] = [];
    page.on('requestfailed', (request) => givenUp.push(waitOf(request.url())));
    const code = await askForCode(page);
    await until(() => lookUps.length === 1);
    assert.deepEqual(lookUps, ['25']);
    const [invoice] = shop.invoicesOf(reference);
    assert.ok(invoice);
    return { page, givenUp, code, settle: () => shop.settle(invoice.invoiceId) };
  }

  /** Hides the page behind another one, for so long that the payer may have paid. */
  async function hide(page: Page): Promise<void> {
    const other = await page.browserContext().newPage();
    await other.goto(`${shop.origin}/elsewhere`);
    await page.waitForFunction(() => document.hidden, { polling: 50 });
    const hiddenAt = await page.evaluate(() => performance.now());
    await page.waitForFunction(
      (since) => performance.now() > since + 2_000,
      { polling: 50 },
      hiddenAt,
    );
  }

  it('a payment made meanwhile is seen at once: hidden tab', async (t) => {
    const { page, givenUp, settle } = await openCode(t);
    await hide(page);
    await settle();
    assert.deepEqual([lookUps, givenUp], [['25'], []]);
    await page.bringToFront();
    await untilPhase(page, 'paid');
    assert.deepEqual([lookUps, givenUp], [['25', null], ['25']]);
  });

  it('a payment made meanwhile is seen at once: back-forward cache', async (t) => {
    const { page, code, settle } = await openCode(t);
    await page.evaluate(() => {
      addEventListener('pageshow', ({ type, persisted }) => {
        window.heard.push({ type, detail: { persisted } });
      });
    });
    await page.goto(`${shop.origin}/elsewhere`);
    await until(() => left === 1);
    await page.goBack();
    // First without a payment: the page goes on where it was, and asks at once.
    await page.waitForFunction(() => window.heard.some(({ type }) => type === 'pageshow'));
    assert.deepEqual(await heardOf(page, 'pageshow'), [{ persisted: true }]);
    assert.equal(await shownCode(page), code);
    await until(() => lookUps.length >= 2);
    assert.deepEqual(lookUps.slice(0, 2), ['25', null]);

    await page.goto(`${shop.origin}/elsewhere`);
    const before = lookUps.length;
    await settle();
    await page.goBack();
    await untilPhase(page, 'paid');
    assert.deepEqual(new Set(lookUps.slice(before)), new Set([null]));
    assert.equal((await heardOf(page, 'pix-paid')).length, 1);
  });

  it('what cannot be asked while there is no line is asked at once when there is', async (t) => {
    const { page, givenUp, code, settle } = await openCode(t);
    await page.setOfflineMode(true);
    await untilShown(page, 'Sem internet. Quando ela voltar, continuamos daqui.');
    await until(() => givenUp.length === 1);
    await settle();
    const now = await page.evaluate(() => performance.now());
    // Four times the interval of this page's look-ups.
    await page.waitForFunction((since) => performance.now() > since + 1_000, { polling: 50 }, now);
    // The browser may be wrong: it is tried, and nothing of it shows.
    assert.equal(await shownCode(page), code);
    assert.deepEqual(lookUps, ['25']);
    await page.setOfflineMode(false);
    await untilPhase(page, 'paid');
    assert.deepEqual(lookUps.slice(0, 2), ['25', null]);
    assert.deepEqual(await heardOf(page, 'pix-error'), []);
  });
});
