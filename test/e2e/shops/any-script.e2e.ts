/**
 * The element's file under other hands: without `type="module"`, joined with other scripts, from a `blob:` address. It runs, and
 * finds the card form and the languages where the proxy serves them.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'vitest';
import { root } from '../../tools/tools.js';
import { openContext } from '../../support/browser/contexts.js';
import { elementScript } from '../../support/browser/server.js';
import { useShop } from '../../support/browser/shop.js';
import { untilDrawn, untilShown } from '../../support/browser/payer.js';

const file = readFileSync(`${root}/dist/pix-checkout.min.js`, 'utf8');
/** Its last line has no semicolon. */
const theme = 'var e = 1, t = 2; function n() { return e + t; }\nvar f = n\n';

const shop = await useShop();
shop.server.scripts.set('/joined.js', `${theme}${file};var later = n();`);

const ways: Readonly<Record<string, string>> = {
  'as a module': elementScript,
  'as a classic script': '<script src="/pix/assets/pix-checkout.min.js?ver=6.5"></script>',
  'as a classic script, deferred': '<script defer src="/pix/assets/pix-checkout.min.js"></script>',
  'joined with others': '<script src="/joined.js"></script>',
  'joined with others, as a module': '<script type="module" src="/joined.js"></script>',
  'from a blob': `<script>
    fetch('/pix/assets/pix-checkout.min.js').then((file) => file.blob()).then((blob) => {
      const type = 'text/javascript';
      const src = URL.createObjectURL(new Blob([blob], { type }));
      document.head.append(Object.assign(document.createElement('script'), { src }));
    });
  </script>`,
};

for (const [name, script] of Object.entries(ways)) {
  it(`the script tag’s file ${name}: the form, its card and its language are there`, async (t) => {
    const { url } = await shop.addPage({
      attributes: { methods: 'credit_card pix', 'accept-raw-card': '', locale: 'en' },
      head: script,
    });
    const page = await (await openContext(t)).newPage();
    const thrown: unknown[] = [];
    page.on('pageerror', (error) => thrown.push(error));
    await page.goto(url);
    await untilDrawn(page, '#card_number');
    await untilShown(page, 'Card number');
    assert.deepEqual(thrown, []);
  });
}
