/** Pages that ask early: for the invoice beside the script, and for a file before its tag. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import type { Page } from 'puppeteer-core';
import { openContext } from '../support/contexts.js';
import { shownCode, untilHeard, untilPhase } from '../support/payer.js';
import { useShop } from '../support/shop.js';

const file = '/dist/pix-checkout.min.js';
const preload = `<link rel="modulepreload" href="${file}">`;

const shop = await useShop();

describe('a page that asks early', () => {
  /** @param place puts the element's script tag where the page has it */
  async function open(t: TestContext, place: (page: string, tag: string) => string) {
    const reference = `early-${(pages += 1)}`;
    const { url } = await shop.addPage({ reference, rest: giveInvoice });
    const { server } = shop;
    server.handlers.set(`/orders-api/${reference}`, async () =>
      Response.json({ data: await shop.createInvoice(reference) }),
    );
    const path = new URL(url).pathname;
    const tag = `<script type="module" src="${file}"></script>`;
    server.pages.set(path, place(server.pages.get(path)!.replace(tag, ''), tag));
    const page = await (await openContext(t)).newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.evaluateOnNewDocument(() => {
      window.heard = [];
      addEventListener('pix-created', ({ type }) => void window.heard.push({ type, detail: {} }));
      addEventListener('pix-paid', ({ type }) => void window.heard.push({ type, detail: {} }));
    });
    await page.goto(url);
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
    await shop.settle(made!.invoiceId);
    await untilHeard(page, 'pix-paid');
    assert.deepEqual(await page.evaluate(() => window.heard), [{ type: 'pix-paid', detail: {} }]);
  }

  it('for the invoice shows it without another creation', async (t) => {
    const { page, reference } = await open(t, (html, tag) =>
      html.replace('</body>', `${tag}</body>`),
    );
    await pay(page, reference);
  });

  it('for the file fetches it once', async (t) => {
    const { page, reference, asked } = await open(t, (html, tag) =>
      html.replace('<title>', `${preload}<title>`).replace('</body>', `${tag}</body>`),
    );
    await pay(page, reference);
    assert.deepEqual(
      asked.filter((path) => path === file),
      [file],
    );
  });
});
