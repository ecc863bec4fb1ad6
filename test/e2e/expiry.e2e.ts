/**
 * A code with a deadline: the time left, the end, a new code, and a payment of the old one that comes late. The clocks of
 * page and proxy run ten times as fast.
 */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import {
  askForCode,
  heardOf,
  press,
  scanScreen,
  shownCode,
  untilHeard,
  untilPhase,
  untilShown,
  visit,
} from './support/payer.js';
import { useShop } from './support/shop.js';

const shop = await useShop({ speed: 10, expiresInSeconds: 30 });

describe('a deadline', { concurrency: 3 }, () => {
  async function openCode(t: TestContext) {
    const { page, reference } = await visit(t, shop);
    return { page, reference, code: await askForCode(page) };
  }

  it('is counted down, and at its end the code is gone', async (t) => {
    const { page, reference, code } = await openCode(t);
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
  });

  it('is followed by a late payment of the expired code', async (t) => {
    const { page, reference } = await openCode(t);
    await untilPhase(page, 'expired');
    const [old] = shop.invoicesOf(reference);
    await shop.settle(old?.invoiceId ?? '');
    await untilPhase(page, 'paid');
    const { detail } = await untilHeard(page, 'pix-paid');
    assert.equal(detail['invoiceId'], old?.invoiceId);
    assert.equal(shop.invoicesOf(reference).length, 1);
  });

  for (const [which, index] of [
    ['the new code', 1],
    ['the old code', 0],
  ] as const) {
    it(`is followed by a new code, and ${which} is paid`, async (t) => {
      const { page, reference, code } = await openCode(t);
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
      const payments = await heardOf(page, 'pix-paid');
      assert.deepEqual(
        payments.map(({ invoiceId }) => invoiceId),
        [paid?.invoiceId],
      );
    });
  }

  it('that passed while the payer paid ends in the receipt, not in a new code', async (t) => {
    const { page, reference } = await openCode(t);
    await page.setOfflineMode(true);
    await shop.settle(shop.invoicesOf(reference)[0]?.invoiceId ?? '');
    await untilShown(page, 'restam 0:00');
    await page.setOfflineMode(false);
    await untilPhase(page, 'paid');
    assert.deepEqual(await heardOf(page, 'pix-expired'), []);
  });
});
