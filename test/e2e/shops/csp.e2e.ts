/** The strictest page a merchant can have: a whole payment, with all that it shows, breaks no rule of its policy. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import type { Page } from 'puppeteer-core';
import {
  askForCode,
  heardOf,
  passTime,
  press,
  untilPhase,
  untilShown,
  visit,
} from '../../support/browser/payer.js';
import { strictPolicy } from '../../support/browser/server.js';
import { useShop, type PageOptions } from '../../support/browser/shop.js';

const expiresInSeconds = 600;
const shop = await useShop({ jumps: true, expiresInSeconds });
shop.server.contentSecurityPolicy = strictPolicy;

describe('the strictest policy', () => {
  /** A page, and whatever its console has to say. */
  async function open(t: TestContext, options?: PageOptions) {
    const logged: string[] = [];
    const prepare = async (page: Page) => {
      page.on('console', (message) => logged.push(message.text()));
      page.on('pageerror', (error) => logged.push(String(error)));
    };
    return { ...(await visit(t, shop, { ...options, prepare })), logged };
  }

  const violationsOn = (page: Page) => heardOf(page, 'securitypolicyviolation');

  it('is kept through form, code, copy, countdown, expiry, a new code and the receipt', async (t) => {
    const { page, context, reference, logged } = await open(t);
    await context.overridePermissions(shop.origin, ['clipboard-sanitized-write']);
    await askForCode(page);
    await untilShown(page, 'faltam 9:');
    await press(page, 'Copiar código Pix');
    await untilShown(page, 'Código copiado.');
    await passTime(page, shop, expiresInSeconds * 1_000);
    await untilPhase(page, 'expired');
    await press(page, 'Gerar novo código Pix');
    await untilPhase(page, 'awaiting');
    await shop.payNewest(reference);
    await passTime(page, shop, 10_000);
    await untilPhase(page, 'paid');
    await untilShown(page, 'Pagamento confirmado.');
    assert.deepEqual([await violationsOn(page), logged], [[], []]);
  });

  it('lets no script of the page write markup: the policy is the one that Lit needs', async (t) => {
    const { page } = await open(t);
    const thrown = await page.evaluate(() => {
      try {
        document.body.innerHTML = '<b>x</b>';
        return '';
      } catch (error) {
        return (error as Error).name;
      }
    });
    assert.equal(thrown, 'TypeError');
  });
});
