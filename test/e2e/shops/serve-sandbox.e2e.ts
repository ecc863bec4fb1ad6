/** `pix-checkout serve --sandbox` beside the demo's shop in PHP: paid in a browser by the bank's page, as its developer does it. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { startShop } from '../../cli/serve/shops.js';
import { runCommand } from '../../support/cli/terminal.js';
import { whyNoProgram } from '../../tools/machine/programs.js';
import { findAxeFaults } from '../../support/browser/axe.js';
import { openContext } from '../../support/browser/contexts.js';
import { askForCode, untilPhase } from '../../support/browser/payer.js';
import { leftOutIf } from '../../tools/runner/left-out.js';
import { makeFolder } from '../../support/folder.js';
import { findPort } from '../../support/proxy/node-servers.js';

describe('serve --sandbox', leftOutIf(whyNoProgram('php')), () => {
  it('has the order of a shop in PHP paid from its page to its books', async (t) => {
    const state = makeFolder(t);
    const port = String(await findPort());
    const secrets = {
      PIX_SECRETS: 'a-secret-of-the-test-of-dev-in-a-browser',
      PIX_WEBHOOK_SECRETS: `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
    };
    const shop = await startShop('php', {
      ...secrets,
      PIX_PUBLIC_URL: `http://localhost:${port}/pix`,
      SHOP_STATE: state,
    });
    t.onTestFinished(() => shop.close());
    const args = ['serve', '--sandbox', '--shop', shop.url, '--port', port, '--bank-port', '0'];
    const run = runCommand(args, secrets);
    t.onTestFinished(async () => void (await run.end()));
    const [, bankUrl = ''] = await run.untilWritten(/^Bank +(\S+)$/m);
    const said = run.output();
    for (const secret of Object.values(secrets)) assert.equal(said.includes(secret), false);

    const context = await openContext(t);
    const page = await context.newPage();
    await page.goto(`${shop.url}/orders/1042`);
    await askForCode(page);
    const bank = await context.newPage();
    await bank.goto(bankUrl);
    assert.deepEqual(await findAxeFaults(bank, 'main'), []);
    await bank.locator('button[value=Pay]').click();
    // Drawn anew by the form, and by the page's own script after the proxy has looked.
    await bank.waitForSelector('.status.paid');
    await page.bringToFront();
    await untilPhase(page, 'paid');
    await run.untilWritten(/→ POST \/events +204 .*invoice\.paid 1042/);
    await page.goto(`${shop.url}/orders/1042`);
    await page.waitForSelector('p ::-p-text(O pedido está pago)');
  });
});
