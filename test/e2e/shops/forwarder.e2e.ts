/** The element survives the proxy of twenty lines, in `support/forwarder.ts`, and names what it leaks. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'puppeteer-core';
import { createForwarder } from '../../support/forwarder.js';
import { askForCode, heardOf, scanScreen, untilPhase, visit } from '../support/payer.js';
import { totalCents, useShop } from '../support/shop.js';

const shop = await useShop();

describe('a forwarding proxy', () => {
  it('serves a whole payment, and is told once what it leaks', async (t) => {
    shop.server.handlers.set('/pix', createForwarder({ ...shop, totalCents }));
    const warnings: string[] = [];
    const prepare = async (opening: Page) => {
      opening.on('console', (message) => {
        if (message.type() === 'warn') warnings.push(message.text());
      });
    };
    const { page, reference } = await visit(t, shop, { prepare });
    const code = await askForCode(page);
    assert.equal(await scanScreen(page), code);
    const [invoice] = shop.invoicesOf(reference);
    await page.reload();
    await untilPhase(page, 'awaiting');
    await shop.settle(invoice?.invoiceId ?? '');
    await untilPhase(page, 'paid');

    assert.deepEqual(await heardOf(page, 'pix-error'), [
      { code: 'personal_data_leak', retryable: false, invoiceId: invoice?.invoiceId },
    ]);
    const [paid] = await heardOf(page, 'pix-paid');
    assert.deepEqual([paid?.['totalCents'], paid?.['externalId']], [totalCents, reference]);
    assert.equal(shop.invoicesOf(reference).length, 1);
    const [tokens, leaks] = [/lookup_token/, /personal data/].map((word) =>
      warnings.filter((warning) => word.test(warning)),
    );
    assert.equal(tokens?.length, 1, 'the creation gave none');
    assert.equal(leaks?.length, 2, 'once before the reload and once after it');
    assert.equal(warnings.length, 3);
    for (const warning of leaks ?? []) {
      assert.match(warning, /^<pix-checkout> .*personal data \(client/);
      assert.doesNotMatch(warning, /Maria|529/);
    }
  });
});
