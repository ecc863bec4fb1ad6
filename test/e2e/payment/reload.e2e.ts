/**
 * One order stays one invoice: through reloads in every phase, a second tab, a second device, an in-app browser that was
 * killed, and storage that is barred.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { Page } from 'puppeteer-core';
import { openContext } from '../../support/browser/contexts.js';
import {
  askForCode,
  fillForm,
  heardOf,
  openPage,
  press,
  shownCode,
  untilPhase,
  visitShop,
} from '../../support/browser/payer.js';
import { createGate, type Shop } from '../../support/browser/shop.js';

describe('an order', { concurrent: true }, () => {
  /** The one invoice that there is for an order, and that it was asked for once. */
  function theOneInvoice(shop: Shop, reference: string) {
    const invoices = shop.invoicesOf(reference);
    assert.equal(invoices.length, 1);
    return invoices[0]!;
  }

  async function untilPaid(shop: Shop, page: Page, reference: string): Promise<void> {
    await shop.settle(theOneInvoice(shop, reference).invoiceId);
    await untilPhase(page, 'paid');
    theOneInvoice(shop, reference);
  }

  it('has the same code after a reload, without being asked for again', async (t) => {
    const { shop, reference, page } = await visitShop(t);
    const code = await askForCode(page);
    const { create } = await shop.countRequests();
    for (let reloads = 0; reloads < 3; reloads += 1) {
      await page.reload();
      await untilPhase(page, 'awaiting');
      assert.equal(await shownCode(page), code);
    }
    assert.equal((await shop.countRequests()).create, create);
    assert.deepEqual(await heardOf(page, 'pix-created'), []);
    await untilPaid(shop, page, reference);
  });

  it('has the same code in a second tab, and where the first was killed', async (t) => {
    const { shop, reference, url, context, page: first } = await visitShop(t);
    const code = await askForCode(first);
    const second = await openPage(context, shop, url);
    await untilPhase(second, 'awaiting');
    assert.equal(await shownCode(second), code);
    await first.close();
    await second.close();
    const third = await openPage(context, shop, url);
    await untilPhase(third, 'awaiting');
    assert.equal(await shownCode(third), code);
    await untilPaid(shop, third, reference);
  });

  for (const [where, isOneDevice] of [
    ['two tabs', true],
    ['two devices', false],
  ] as const) {
    it(`has one invoice where ${where} ask for it at once, and both see it paid`, async (t) => {
      const { shop, reference, url, context, page } = await visitShop(t);
      const elsewhere = isOneDevice ? context : await openContext(t);
      const pages = [page, await openPage(elsewhere, shop, url)] as const;
      for (const page of pages) await fillForm(page);
      const gates = [createGate(), createGate()] as const;
      const waiting = [...gates];
      shop.between = async (request, forward) => {
        if (request.method === 'POST') await waiting.shift()?.pass();
        return forward(request);
      };
      for (const [index, page] of pages.entries()) {
        await page.bringToFront();
        await press(page, 'Gerar código Pix');
        await gates[index]?.reached;
      }
      for (const gate of gates) gate.open();
      for (const page of pages) {
        await untilPhase(page, 'awaiting');
        assert.equal(await shownCode(page), theOneInvoice(shop, reference).qrCodePix);
      }
      await untilPaid(shop, pages[0], reference);
      await untilPhase(pages[1], 'paid');
    });
  }
});
