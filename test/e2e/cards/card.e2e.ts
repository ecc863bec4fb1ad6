/**
 * Each way in which a payment by card can go, with the built files: what the payer sees of it, what may be done next,
 * and how often the service charged in the end.
 *
 * The clocks of page and proxy run ten times as fast, so that pauses and back-off take their whole time.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import {
  assertCharged,
  buttonsOn,
  fillCard,
  payByCard,
  openCardPage,
  pressPay,
  openCardShop,
} from '../../support/browser/card.js';
import { openContext } from '../../support/browser/contexts.js';
import {
  chooseMethod,
  heardOn,
  press,
  untilHeard,
  untilPhase,
  untilShown,
} from '../../support/browser/payer.js';
import {
  createGate,
  givesUpSoon,
  totalCents,
  type Gate,
  type Shop,
} from '../../support/browser/shop.js';
import { until } from '../../support/until.js';

const calmText = 'Estamos confirmando seu pagamento. Não pague de novo.';

describe('a payment by card', { concurrent: true }, () => {
  it('that is approved ends in a receipt', async (t) => {
    const opened = await openCardShop(t);
    const { page, reference, sent } = opened;
    await payByCard(page, 'approve');
    await untilPhase(page, 'paid');
    for (const text of ['Recebemos R$ 129,90', 'Visa final 1111', reference]) {
      await untilShown(page, text);
    }
    const { detail } = await untilHeard(page, 'pix-paid');
    assert.deepEqual([detail['method'], detail['totalCents']], ['credit_card', totalCents]);
    assert.equal(sent.cards.length, 1);
    assertCharged(opened);
  });

  it('that is refused is followed by another one at once: it waits, and the payer sees no other error', async (t) => {
    // Nobody types that fast, but browsers fill forms in.
    const opened = await openCardShop(t, { speed: 1 });
    const { shop, page, sent } = opened;
    await payByCard(page, 'refuse');
    await untilHeard(page, 'pix-error');
    await payByCard(page, 'approve');
    await untilPhase(page, 'paid');
    const errors = (await heardOn(page)).filter(({ type }) => type === 'pix-error');
    assert.deepEqual(
      errors.map(({ detail }) => detail['code']),
      ['payment_refused'],
    );
    assert.deepEqual([sent.cards.length, (await shop.countRequests()).create], [2, 2]);
    assertCharged(opened);
  });

  it('that is pending is followed until it is paid', async (t) => {
    const opened = await openCardShop(t);
    const { shop, page, reference } = opened;
    const lookUps = holdLookUps(shop);
    await payByCard(page, 'pending_then_paid');
    await untilPhase(page, 'confirming');
    await untilShown(page, `${calmText} Pedido ${reference}.`);
    lookUps.open();
    await untilPhase(page, 'paid');
    assertCharged(opened);
  });

  it('whose outcome is unknown, and whose page is gone: another one confirms it, to the receipt', async (t) => {
    const opened = await openCardShop(t, { proxy: givesUpSoon });
    const { shop, page: first, reference } = opened;
    const url = first.url();
    await payByCard(first, 'hang_after_effect');
    await untilPhase(first, 'confirming');
    await until(() => shop.log.some(({ event }) => event === 'outcome_unknown'));
    await first.close();
    const { page: second } = await openCardPage(await openContext(t), shop, url);
    let asked = 0;
    second.on('request', (request) => {
      if (request.url().includes('?external_id=')) asked += 1;
    });
    await payByCard(second, 'approve');
    await until(() => asked > 3);
    await untilPhase(second, 'confirming');
    await untilShown(second, `Não pague de novo. Pedido ${reference}.`);
    const [charged] = shop.invoicesOf(reference);
    assert.equal(await shop.resolveOutcome(reference, charged!.invoiceId), true);
    await untilPhase(second, 'paid');
    assertCharged(opened);
  });

  for (const [scenario, charges] of [
    ['hang_after_effect', 1],
    ['reset_after_effect', 1],
    ['reset_before_effect', 0],
  ] as const) {
    it(`whose outcome is unknown is not made again, and longPolls Pix back: ${scenario}`, async (t) => {
      let isPaid = false;
      const total = { total_price_cents: totalCents };
      const resolveOrder = () => (isPaid ? ({ status: 'paid' } as const) : total);
      const { shop, page, reference, sent } = await openCardShop(t, {
        proxy: { resolveOrder, ...(scenario.startsWith('hang') && givesUpSoon) },
      });
      await payByCard(page, scenario);
      const { detail } = await untilHeard(page, 'pix-error');
      assert.deepEqual([detail['code'], detail['retryable']], ['outcome_unknown', false]);
      await untilPhase(page, 'confirming');
      await untilShown(page, `${calmText} Pedido ${reference}.`);
      assert.deepEqual(await buttonsOn(page), []);

      // Whatever the payer tries: load the page anew, or ask for Pix elsewhere.
      await page.reload();
      await untilPhase(page, 'confirming');
      assert.deepEqual(await buttonsOn(page), []);
      const elsewhere = await openContext(t);
      const { page: second } = await openCardPage(elsewhere, shop, page.url());
      await chooseMethod(second, 'Pix');
      await press(second, 'Gerar código Pix');
      await untilShown(second, 'Estamos confirmando seu pagamento.');

      assert.equal(sent.cards.length, 1);
      assert.equal((await shop.countRequests()).create, 1);
      assert.equal(shop.chargesOf(reference).count, charges);

      // Only the merchant knows.
      isPaid = true;
      await untilShown(page, 'Este pedido já está pago. Não pague de novo.');
      assert.equal(shop.invoicesOf(reference).length, charges);
    });
  }

  it('is not made where the Pix code of the order was paid meanwhile', async (t) => {
    const opened = await openCardShop(
      t, // Nothing is told by itself: what is seen was asked for before the card would have left.
      { proxy: { holdSeconds: 25, startTimer: () => () => undefined } },
    );
    const { shop, page, reference, sent } = opened;
    await chooseMethod(page, 'Pix');
    await press(page, 'Gerar código Pix');
    await untilPhase(page, 'awaiting');
    await chooseMethod(page, 'Cartão');
    // The page must not know of the payment before the press.
    const lookUps = holdLookUps(shop);
    await fillCard(page, 'approve');
    await shop.payNewest(reference);
    await pressPay(page);
    lookUps.open();
    await untilPhase(page, 'paid');
    await untilShown(page, 'Pagamento confirmado.');
    assert.deepEqual(sent.cards, []);
    assert.deepEqual(shop.receivedCards(), []);
    assertCharged(opened, 'pix');
    const paid = (await heardOn(page)).filter(({ type }) => type === 'pix-paid');
    assert.equal(paid.length, 1);
  });
});

/** Lets no look-up of the page through until the gate is opened. */
function holdLookUps(shop: Shop): Gate {
  const gate = createGate();
  shop.between = async (request, forward) => {
    if (request.method === 'GET') await gate.pass();
    return forward(request);
  };
  return gate;
}
