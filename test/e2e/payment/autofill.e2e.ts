/** Password managers and Chrome on iOS fill fields without a key: some tell of it by `change` alone, some not at all. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { Page } from 'puppeteer-core';
import {
  assertCharged,
  expiryYear,
  holder,
  numberOf,
  openCardShop,
  pressPay,
  type SetUp,
} from '../../support/browser/card.js';
import { untilDrawn, untilPhase } from '../../support/browser/payer.js';

/** What is filled in, as the payer has saved it. */
const saved = {
  name: 'Maria da Silva',
  cpf_cnpj: '52998224725',
  email: 'maria@example.com',
  address_zip: '01310100',
  address_line: 'Avenida Paulista',
  address_number: '1000',
  address_city: 'São Paulo',
  address_state: 'SP',
  card_number: numberOf('approve'),
  ...holder,
  card_installments: '3',
};

/** Sees the card that the fields gave. Runs inside the page. */
const keepCard: SetUp = (checkout) => {
  checkout.tokenizeCard = async (card) => {
    Object.assign(window, { tokenized: card });
    return { token: 'tok_approve' };
  };
  checkout.installments = [
    { installment: 1, total_cents: 12_990 },
    { installment: 3, total_cents: 12_990, interest_free: true },
  ];
};

async function fill(page: Page, event: string | null): Promise<void> {
  await untilDrawn(page, '#card_code');
  await page.$eval(
    'pix-checkout',
    ({ shadowRoot }, values, name) => {
      for (const [id, value] of Object.entries(values)) {
        const control = shadowRoot!.querySelector<HTMLInputElement | HTMLSelectElement>(`#${id}`)!;
        if (id === 'card_installments') (control as HTMLSelectElement).selectedIndex = 1;
        else control.value = value;
        if (name) control.dispatchEvent(new Event(name, { bubbles: true }));
      }
    },
    saved,
    event,
  );
}

const presses: readonly [way: string, press: (page: Page) => Promise<void>][] = [
  ['the button', pressPay],
  ['start()', (page) => page.$eval('pix-checkout', (checkout) => checkout.start())],
];

describe('a form that was filled in by no key', { concurrent: true }, () => {
  for (const event of ['change', 'input', null]) {
    for (const [way, press] of presses) {
      it(`that told ${event ?? 'nothing'} is sent whole by ${way}`, async (t) => {
        const attributes = { 'payer-fields': 'name cpf_cnpj email address' };
        const opened = await openCardShop(t, { page: { attributes, setUp: keepCard } });
        const { page, sent } = opened;
        await fill(page, event);
        await press(page);
        await untilPhase(page, 'paid');
        const { name, cpf_cnpj, email } = saved;
        const { address_zip, address_line, address_number, address_city, address_state } = saved;
        assert.deepEqual(sent.cards[0]?.['payer'], {
          name,
          cpf_cnpj,
          email,
          address_zip,
          address_line,
          address_number,
          address_city,
          address_state,
        });
        assert.equal(sent.cards[0]?.card?.['installment'], 3);
        assert.deepEqual(await page.evaluate(() => Reflect.get(window, 'tokenized')), {
          number: saved.card_number,
          first_name: 'MARIA',
          last_name: 'DA SILVA',
          month: '12',
          year: expiryYear,
          security_code: holder.card_code,
        });
        assertCharged(opened);
      });
    }
  }
});
