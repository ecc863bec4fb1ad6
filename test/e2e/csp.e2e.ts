/** The strictest page a merchant can have: a whole payment, with all that it shows, breaks no rule of its policy. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { launchChromium } from './support/launch.js';
import { askForCode, openPage, press, speedUp, untilPhase, untilShown } from './support/payer.js';
import { strictPolicy } from './support/server.js';
import { openShop, type PageOptions, type Shop } from './support/shop.js';

const speed = 10;

describe('the strictest policy', () => {
  let browser: Browser;
  let shop: Shop;
  before(async () => {
    browser = await launchChromium();
    shop = await openShop({ speed, expiresInSeconds: 40 });
    shop.server.contentSecurityPolicy = strictPolicy;
  });
  after(async () => {
    await browser?.close();
    await shop?.close();
  });

  /** A page, and what its browser reports: violations as events, and whatever the console has to say. */
  async function open(options?: PageOptions) {
    const context = await browser.createBrowserContext();
    const { reference, url } = await shop.addPage(options);
    const logged: string[] = [];
    const page = await openPage(context, url, async (opening) => {
      await speedUp(opening, speed);
      opening.on('console', (message) => logged.push(message.text()));
      opening.on('pageerror', (error) => logged.push(String(error)));
      await opening.evaluateOnNewDocument(() => {
        addEventListener('securitypolicyviolation', ({ type, violatedDirective, sourceFile }) => {
          window.heard.push({ type, detail: { violatedDirective, sourceFile } });
        });
      });
    });
    return { page, context, reference, logged };
  }

  function violationsOn(page: Page) {
    return page.evaluate(() =>
      window.heard.filter(({ type }) => type === 'securitypolicyviolation'),
    );
  }

  it('is kept through form, code, copy, countdown, expiry, a new code and the receipt', async () => {
    const { page, context, reference, logged } = await open();
    await context.overridePermissions(shop.origin, ['clipboard-sanitized-write']);
    await askForCode(page);
    await untilShown(page, 'restam 0:');
    await press(page, 'Copiar código Pix');
    await untilShown(page, 'Código copiado.');
    await untilPhase(page, 'expired');
    await press(page, 'Gerar novo código Pix');
    await untilPhase(page, 'awaiting');
    await shop.settle(shop.invoicesOf(reference)[1]?.invoiceId ?? '');
    await untilPhase(page, 'paid');
    await untilShown(page, 'Pagamento confirmado.');
    assert.deepEqual([await violationsOn(page), logged], [[], []]);
    await context.close();
  });

  it('reports what breaks it: an inline style and an inline script', async () => {
    const { page, context, logged } = await open({
      rest: '<p style="color: red">Vermelho</p><script>document.title = "x"</script>',
    });
    const violations = await violationsOn(page);
    assert.deepEqual(
      violations.map(({ detail }) => detail['violatedDirective']),
      ['style-src-attr', 'script-src-elem'],
    );
    assert.equal(logged.length, 2);
    await context.close();
  });

  it('lets no script of the page write markup: the policy is the one that Lit needs', async () => {
    const { page, context } = await open();
    const thrown = await page.evaluate(() => {
      try {
        document.body.innerHTML = '<b>x</b>';
        return '';
      } catch (error) {
        return (error as Error).name;
      }
    });
    assert.equal(thrown, 'TypeError');
    await context.close();
  });
});
