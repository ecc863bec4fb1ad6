/** Pages whose library replaces methods of the language, as themes of old shops do: the order is paid by Pix and by card. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { installDebianPackages } from '../../tools/machine/debian-packages.js';
import { leftOutIf } from '../../tools/runner/left-out.js';
import { isThorough } from '../../tools/runs.js';
import { root } from '../../tools/tools.js';
import {
  assertCharged,
  fillCard,
  inParts,
  openCardShop,
  pressPay,
} from '../../support/browser/card.js';
import {
  fillForm,
  heardOf,
  press,
  shownCode,
  typed,
  untilPhase,
  untilShown,
  untilDrawn,
} from '../../support/browser/payer.js';

/** Debian's: there is none on npm. */
const prototype = '/usr/share/javascript/prototype/prototype.js';

/** Each as a shop has it. MooTools is the half that changes the language; the other half is the page's. */
const libraries: Readonly<Record<string, string>> = {
  'Prototype 1.7.3': prototype,
  'MooTools 1.5.2': `${root}/node_modules/mootools/lib/mootools-core-1.5.2-server.js`,
};

/** Why a library is left out; undefined: it is not. With `CI` set it must be there. */
function whyNot(path: string): string | undefined {
  if (path === prototype && isThorough && !existsSync(path)) {
    installDebianPackages(['libjs-prototype']);
    return undefined;
  }
  return existsSync(path) ? undefined : 'Prototype is missing: install libjs-prototype';
}

for (const [name, path] of Object.entries(libraries)) {
  describe(`a page with ${name}`, leftOutIf(whyNot(path)), () => {
    const thrown: string[] = [];
    const open = (t: Parameters<typeof openCardShop>[0], methods: string) =>
      openCardShop(t, {
        page: {
          setUp: inParts,
          attributes: { methods, 'payer-fields': 'name cpf_cnpj email' },
          rest: '<script src="/library.js"></script>',
        },
        prepare: async (page, { server }) => {
          page.on('pageerror', (error) => thrown.push(String(error)));
          server.scripts.set('/library.js', readFileSync(path));
        },
      });

    it('is paid by Pix, with masks in the form', async (t) => {
      const { shop, page, reference } = await open(t, 'pix credit_card');
      await fillForm(page, { ...typed, cpf_cnpj: '' });
      await page.focus('pix-checkout >>> #cpf_cnpj');
      await page.keyboard.type('52998224725');
      const document = await page.$eval(
        'pix-checkout >>> #cpf_cnpj',
        (input) => (input as HTMLInputElement).value,
      );
      assert.equal(document, '529.982.247-25');
      await press(page, 'Gerar código Pix');
      await untilPhase(page, 'awaiting');
      assert.equal(await shownCode(page), shop.invoicesOf(reference)[0]?.qrCodePix);
      await untilDrawn(page, 'svg[role="img"]');
      await shop.payNewest(reference);
      await untilPhase(page, 'paid');
      assert.deepEqual([await heardOf(page, 'pix-error'), thrown], [[], []]);
    });

    it('is paid by card, in parts', async (t) => {
      const opened = await open(t, 'credit_card pix');
      const { page, sent } = opened;
      await untilDrawn(page, '#card_code');
      await fillForm(page);
      await fillCard(page, 'approve');
      await page.focus('pix-checkout >>> #card_installments');
      await page.keyboard.press('ArrowDown');
      await untilShown(page, '3x de');
      await pressPay(page);
      await untilPhase(page, 'paid');
      assert.equal(sent.cards[0]?.card?.['installment'], 3);
      assertCharged(opened);
    });
  });
}
