/** Pages that ask early: for the invoice beside the script, and for a file before its tag. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import type { Page } from 'puppeteer-core';
import { openContext } from '../../support/browser/contexts.js';
import {
  heardOf,
  openPage,
  shownCode,
  untilHeard,
  untilPhase,
} from '../../support/browser/payer.js';
import { elementScript } from '../../support/browser/server.js';
import { useShop } from '../../support/browser/shop.js';

const file = '/dist/pix-checkout.min.js';
const preload = `<link rel="modulepreload" href="${file}">`;

const shop = await useShop();

describe('a page that asks early', () => {
  /** The element's script tag stands at the end. */
  async function open(t: TestContext, head: string) {
    const reference = `early-${(pages += 1)}`;
    const { url } = await shop.addPage({ reference, head, rest: giveInvoice + elementScript });
    shop.server.handlers.set(`/orders-api/${reference}`, async () =>
      Response.json({ data: await shop.createInvoice(reference) }),
    );
    const asked: string[] = [];
    const page = await openPage(await openContext(t), shop, url, async (opening) => {
      opening.on('request', (request) => asked.push(new URL(request.url()).pathname));
    });
    return { page, reference, asked };
  }
  let pages = 0;

  /** As in the documents: a property set before the element is defined. */
  const giveInvoice = `<script>
    const shown = document.querySelector('pix-checkout');
    const reference = shown.getAttribute('external-id');
    shown.invoice = fetch('/orders-api/' + reference).then((r) => r.json()).then(({ data }) => data);
  </script>`;

  async function pay(page: Page, reference: string): Promise<void> {
    await untilPhase(page, 'awaiting');
    const [made, ...others] = shop.invoicesOf(reference);
    assert.equal(others.length, 0, 'one creation');
    assert.equal(await shownCode(page), made?.qrCodePix);
    await shop.payNewest(reference);
    await untilHeard(page, 'pix-paid');
    assert.deepEqual(await heardOf(page, 'pix-created'), []);
  }

  it('for the invoice shows it without another creation', async (t) => {
    const { page, reference } = await open(t, '');
    await pay(page, reference);
  });

  it('for the file fetches it once', async (t) => {
    const { page, reference, asked } = await open(t, preload);
    await pay(page, reference);
    assert.deepEqual(
      asked.filter((path) => path === file),
      [file],
    );
  });
});
