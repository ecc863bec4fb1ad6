/** Each sum on the screen adds up, whatever the page gives and the payer chooses. */

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { toModel, untouched } from '../../../src/checkout/element/screen.js';
import { toText } from '../../../src/checkout/html/template-text.js';
import { chooseMessages } from '../../../src/checkout/locales/choose-messages.js';
import { emptyForm } from '../../../src/checkout/machine/state.js';
import { readOrder, silentPage } from '../../../src/checkout/page/order.js';
import { renderSummary } from '../../../src/checkout/views/parts/head.js';
import type { Method } from '../../../src/contract/types.js';
import { parseInstallments } from '../../../src/domain/card/installments.js';
import { forAny } from '../../support/tables.js';

const texts = chooseMessages('pt-BR');

/** What a shop sells and asks, and what the payer has chosen of it. */
interface Sale {
  readonly prices: readonly number[];
  readonly shipping: number;
  readonly discount: number;
  readonly interest: number;
  readonly method: Method;
  readonly methods: string;
  /** The table of instalments begins with one. */
  readonly atOnce: boolean;
}

function show({ prices, shipping, discount, interest, method, methods, atOnce }: Sale) {
  const total = prices.reduce((sum, price) => sum + price, shipping);
  const chosen = total + interest;
  const words = {
    ...silentPage,
    endpoint: '/pix',
    externalId: '1',
    totalPriceCents: total,
    pixTotalPriceCents: Math.max(1, total - discount),
    methods,
    method,
    acceptRawCard: true,
    items: prices.map((unit_price) => ({ name: 'Livro', quantity: 1, unit_price })),
    lines: [{ label: 'Frete', cents: shipping }],
  };
  const isCard = method === 'credit_card';
  const order = readOrder(words, 'https://shop.example', () => undefined, isCard ? chosen : null);
  const installments = [
    { installment: atOnce ? 1 : 2, total_cents: total, interest_free: true },
    { installment: 12, total_cents: chosen },
  ];
  const model = toModel({
    ...untouched,
    state: emptyForm,
    order,
    installments: parseInstallments(installments, total),
    card: isCard ? { content: null, failed: false, slotted: false } : null,
    texts,
    locale: 'pt-BR',
    wallClock: new Date(0),
  });
  const list = toText(renderSummary(model, true));
  const rows = [...list.matchAll(/(−?)R\$\u00a0([\d.]+),(\d\d)<\/span>\s*<\/li>/g)].map(
    ([, minus, reais = '', cents = '']) =>
      (minus ? -1 : 1) * Number(reais.replaceAll('.', '') + cents),
  );
  return { list, rows, model, total };
}

const cents = fc.integer({ min: 1, max: 9_999_999 });
const sales: fc.Arbitrary<Sale> = fc.record({
  prices: fc.array(cents, { minLength: 1, maxLength: 3 }),
  shipping: fc.integer({ min: 0, max: 5_000 }),
  discount: fc.integer({ min: 0, max: 5_000 }),
  interest: fc.integer({ min: 0, max: 500_000 }),
  method: fc.constantFrom('pix', 'credit_card'),
  methods: fc.constantFrom('pix credit_card', 'credit_card pix'),
  atOnce: fc.boolean(),
});

describe('what is shown as a sum', () => {
  it('adds up to what is asked, and always ends with it where the lines make the price', () => {
    forAny(200, sales, (sale) => {
      const { list, rows, model } = show(sale);
      const parts = rows.slice(0, -1);
      assert.ok(list.includes(`>${texts.total}<`), 'it has an end');
      assert.equal(rows.at(-1), model.totalCents);
      assert.equal(
        parts.reduce((sum, row) => sum + row, 0),
        model.totalCents,
      );
    });
  });

  it('Pix and what it saves are what the box beside it shows, whatever is chosen', () => {
    forAny(200, sales, (sale) => {
      const { model, total } = show(sale);
      const [pix, card] = ['pix', 'credit_card'].map((name) =>
        model.offers.find(({ method }) => method === name),
      );
      assert.equal(card?.cents, total);
      assert.equal((pix?.cents ?? 0) + (pix?.savedCents ?? 0), Math.max(total, pix?.cents ?? 0));
    });
  });

  it('names the interest of the instalments', () => {
    const { list } = show({
      prices: [14_670],
      shipping: 0,
      discount: 680,
      interest: 1_907,
      method: 'credit_card',
      methods: 'credit_card pix',
      atOnce: true,
    });
    assert.match(list, /Juros do parcelamento<\/span><span translate="no">R\$\u00a019,07/);
    assert.match(list, /Total<\/span><span translate="no">R\$\u00a0165,77/);
  });
});
