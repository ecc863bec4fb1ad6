/**
 * Three payments from first to last in a real browser, with the built files: what `npm test` runs of the end-to-end tests. The
 * folders beside hold what else may happen (`npm run test:all`).
 */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { likeExpress, makeShopFolder, shopCode, startShop } from '../support/front-door.js';
import { column, words } from '../support/rows.js';
import {
  assertCharged,
  buttonsOn,
  cardFields,
  holder,
  openCardShop,
  payButton,
  payByCard,
} from '../support/browser/card.js';
import { openContext } from '../support/browser/contexts.js';
import {
  askForCode,
  chooseMethod,
  heardOf,
  heardOn,
  openPage,
  untilHeard,
  untilPhase,
  untilShown,
  visit,
} from '../support/browser/payer.js';
import { totalCents, useShop } from '../support/browser/shop.js';

const shop = await useShop();

const refusedText =
  'Pagamento não aprovado. Confira os dados ou use outro cartão. Digite o CVV de novo.';
/** The form of a card that was sent: only the code is to be typed again. */
const typedBut = (number: string) => ({
  card_number: number,
  card_name: holder.card_name,
  card_expiry: holder.card_expiry,
  card_code: '',
});

describe('a payment', () => {
  it('goes from one script tag to pix-paid, and the service agrees', async (t) => {
    const { reference, page } = await visit(t, shop);
    await askForCode(page);

    const [invoice] = shop.invoicesOf(reference);
    assert.ok(invoice);
    assert.equal(shop.invoicesOf(reference).length, 1);
    const { total_price_cents, payer, ip_payer } = invoice.request;
    assert.deepEqual(
      { total_price_cents, payer, ip_payer },
      {
        total_price_cents: totalCents,
        payer: { name: 'Maria da Silva', cpf_cnpj: '52998224725', email: 'maria@example.com' },
        ip_payer: '127.0.0.1',
      },
    );
    assert.deepEqual(await heardOf(page, 'pix-paid'), []);

    await shop.settle(invoice.invoiceId);
    await untilPhase(page, 'paid');
    const { detail } = await untilHeard(page, 'pix-paid');
    const { invoiceId, orderCode } = invoice;
    const known = { invoiceId, orderCode, externalId: reference, method: 'pix', totalCents };
    assert.deepEqual(detail, known);
    for (const text of ['Recebemos R$ 129,90', reference, orderCode]) await untilShown(page, text);
    assert.equal(shop.invoicesOf(reference)[0]?.status, 'paid');
    assert.deepEqual(
      column(await heardOn(page), 'type'),
      words('pix-ready pix-submit pix-status pix-status pix-created pix-status pix-paid'),
    );
    assert.deepEqual(shop.log, []);
  });

  it('by a card that is refused keeps what was typed but the code, and another card pays', async (t) => {
    const opened = await openCardShop(t);
    const { shop, page, reference, sent } = opened;
    await payByCard(page, 'refuse');
    await untilShown(page, refusedText);
    assert.deepEqual(await cardFields(page), typedBut('4000 0000 0000 0002'));
    assert.deepEqual(await buttonsOn(page), ['Pagar com Pix', payButton]);
    await payByCard(page, 'approve');
    await untilPhase(page, 'paid');
    assert.equal(sent.cards.length, 2);
    assert.equal(shop.chargesOf(reference).attempts, 2);
    assertCharged(opened);
  });

  it("is made in README's shop, and the shop ships", async (t) => {
    const folder = makeShopFolder(t, likeExpress(t));
    const { order, bank, untilWritten } = await startShop(t, folder, shopCode);
    const page = await openPage(await openContext(t), { speed: 1, clock: null }, order);
    await chooseMethod(page, 'Pix');
    await askForCode(page);
    const { detail } = await untilHeard(page, 'pix-created');
    await fetch(`${bank}/invoices/${String(detail['invoiceId'])}/settle`, { method: 'POST' });
    await untilPhase(page, 'paid');
    await untilShown(page, 'Pagamento confirmado.');
    await untilWritten(new RegExp(`Ship ${order.split('/').at(-1)}`));
  });
});
