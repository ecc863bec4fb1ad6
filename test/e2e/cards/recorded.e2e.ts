/** A page that records its visitors with rrweb as it comes: what the payer types, and the code, are not in the recording. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'vitest';
import { root } from '../../tools/tools.js';
import {
  fillCard,
  holder,
  inParts,
  numberOf,
  openCardShop,
  pressPay,
} from '../../support/browser/card.js';
import {
  chooseMethod,
  fillForm,
  press,
  shownCode,
  typed,
  untilDrawn,
  untilPhase,
} from '../../support/browser/payer.js';

const recorder = readFileSync(`${root}/node_modules/rrweb/dist/rrweb.umd.min.cjs`, 'utf8');

/** What a shop's page does with it. */
const start = `
  window.recorded = [];
  window.rrweb.record({ emit: (event) => window.recorded.push(JSON.stringify(event)) });`;

function open(t: Parameters<typeof openCardShop>[0]) {
  return openCardShop(t, {
    page: {
      setUp: inParts,
      attributes: { 'payer-fields': 'name cpf_cnpj email address' },
      rest: '<script src="/recorder.js"></script>',
    },
    prepare: async (_, { server }) => void server.scripts.set('/recorder.js', recorder + start),
  });
}

type CardPage = Awaited<ReturnType<typeof open>>['page'];

/** All that was recorded, and once more the whole page as a recorder sees it that comes late. */
async function recording(page: CardPage): Promise<string> {
  return page.evaluate(() => {
    const { record } = Reflect.get(window, 'rrweb') as {
      record: { takeFullSnapshot(): void };
    };
    record.takeFullSnapshot();
    return (Reflect.get(window, 'recorded') as string[]).join('\n');
  });
}

function assertAbsent(text: string, ...secrets: readonly string[]): void {
  // The recorder saw the form, and that something is in it.
  assert.match(text, /Nome completo/);
  assert.match(text, /rr-block/);
  for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} is recorded`);
}

const address = {
  address_zip: '01310-100',
  address_line: 'Avenida Paulista',
  // No number alone: each recorded event has its time, with any four digits in it.
  address_number: '9876 fundos',
  address_city: 'Pindamonhangaba',
};

describe('a page that records with rrweb', () => {
  it('keeps no word of the payer or of the card', async (t) => {
    const { page } = await open(t);
    await untilDrawn(page, '#card_code');
    await fillForm(page, { ...typed, ...address });
    await page.select('pix-checkout >>> #address_state', 'SP');
    await fillCard(page, 'approve');
    const filled = await recording(page);
    const number = numberOf('approve');
    const spaced = number.replaceAll(/(\d{4})(?=\d)/g, '$1 ');
    const { card_code, ...others } = holder;
    // Three digits are part of many a time: as a text of its own.
    const ownCode = JSON.stringify(card_code);
    const secrets = [typed, address, others].flatMap((one) => Object.values(one)).concat(ownCode);
    assertAbsent(filled, ...secrets, '52998224725', number, spaced, '"text":"SP"');
    await pressPay(page);
    await untilPhase(page, 'paid');
    assertAbsent(await recording(page), ...secrets, '52998224725', number, spaced);
  });

  it('keeps no Pix code, as text or as a picture', async (t) => {
    const { page } = await open(t);
    await chooseMethod(page, 'Pix');
    await fillForm(page, { ...typed, ...address });
    await page.select('pix-checkout >>> #address_state', 'SP');
    await press(page, 'Gerar código Pix');
    await untilPhase(page, 'awaiting');
    const code = await shownCode(page);
    const picture = await page.$eval('pix-checkout >>> [part=qr] path:last-of-type', (path) =>
      path.getAttribute('d'),
    );
    assertAbsent(await recording(page), code, picture ?? code);
  });
});
