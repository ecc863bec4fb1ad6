/**
 * Impatience, reloads, two tabs and broken lines while a card is charged: one charge each time, and a card that left the
 * browser once does not leave it again by itself.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { Page } from 'puppeteer-core';
import {
  assertCharged,
  fillCard,
  openCardPage,
  openCardShop,
  payByCard,
  pressPay,
} from '../../support/browser/card.js';
import { openContext } from '../../support/browser/contexts.js';
import { untilPhase, untilShown } from '../../support/browser/payer.js';
import { createGate, holdAnswers, type Between, type Shop } from '../../support/browser/shop.js';
import { until } from '../../support/until.js';

describe('a card is charged once', { concurrent: true }, () => {
  const impatience: Readonly<Record<string, (page: Page, x: number, y: number) => Promise<void>>> =
    {
      'a double click': (page, x, y) => page.mouse.click(x, y, { count: 2 }),
      'Enter held down': async (page) => {
        await page.focus('pix-checkout >>> #card_code');
        for (let times = 0; times < 5; times += 1) await page.keyboard.down('Enter');
        await page.keyboard.up('Enter');
      },
    };
  for (const [name, pay] of Object.entries(impatience)) {
    it(`after ${name}`, async (t) => {
      const opened = await openCardShop(t);
      const { shop, page, sent } = opened;
      await shop.setFaults([{ on: 'create', kind: 'delay', ms: 200 }]);
      await fillCard(page, 'approve');
      const button = await page.$('pix-checkout >>> [part="submit-button"]');
      await button?.scrollIntoView();
      const { x, y } = (await button?.clickablePoint()) ?? { x: 0, y: 0 };
      await pay(page, x, y);
      await untilPhase(page, 'paid');
      assert.equal(sent.cards.length, 1);
      assertCharged(opened);
    });
  }

  it('where the page is loaded anew before the answer came', async (t) => {
    const opened = await openCardShop(t);
    const { shop, page, sent } = opened;
    const gate = holdAnswers(shop);
    await payByCard(page, 'approve');
    await gate.reached;
    await page.reload();
    await untilPhase(page, 'paid');
    gate.open();
    assert.equal(sent.cards.length, 1);
    assertCharged(opened);
  });

  it('where the request of before the reload arrives after that of the next try', async (t) => {
    const opened = await openCardShop(t);
    const { shop, page } = opened;
    const gate = createGate();
    const late = createGate();
    let isFirst = true;
    const arrived = new Set<string | null>();
    interceptCreations(shop, async (request, forward) => {
      arrived.add(request.headers.get('idempotency-key'));
      if (!isFirst) return forward(request);
      isFirst = false;
      const { method, headers, url } = request;
      const kept = new Request(url, { method, headers, body: await request.text() });
      await gate.pass();
      const answer = await forward(kept);
      void late.pass();
      return answer;
    });
    await payByCard(page, 'approve');
    await gate.reached;
    await page.reload();
    await untilPhase(page, 'form');
    await untilShown(page, 'O serviço de pagamento não respondeu.');
    await payByCard(page, 'approve');
    await untilPhase(page, 'paid');
    gate.open();
    await late.reached;
    assert.equal(arrived.size, 2, 'the first key is barred');
    assertCharged(opened);
  });

  it('where the line breaks after the card was sent', async (t) => {
    const opened = await openCardShop(t);
    const { shop, page, sent } = opened;
    const gate = holdAnswers(shop);
    await payByCard(page, 'approve');
    await gate.reached;
    await page.setOfflineMode(true);
    await untilShown(page, 'Não pague de novo.');
    gate.open();
    await page.setOfflineMode(false);
    await untilPhase(page, 'paid');
    assert.equal(sent.cards.length, 1);
    assertCharged(opened);
  });

  for (const [where, isOneDevice] of [
    ['two tabs', true],
    ['two devices', false],
  ] as const) {
    it(`where ${where} pay at once, and both see that it is paid`, async (t) => {
      const opened = await openCardShop(t);
      const { shop, page: first, context, reference } = opened;
      const elsewhere = isOneDevice ? context : await openContext(t);
      const { page: second } = await openCardPage(elsewhere, shop, first.url());
      const gates = [createGate(), createGate()];
      const waiting = [...gates];
      interceptCreations(shop, async (request, forward) => {
        await waiting.shift()?.pass();
        return forward(request);
      });
      // Typing takes long on a busy machine, and a page waits for its answer only so long.
      for (const page of [first, second]) {
        await page.bringToFront();
        await fillCard(page, 'approve');
      }
      for (const [index, page] of [first, second].entries()) {
        await page.bringToFront();
        await pressPay(page);
        await gates[index]?.reached;
      }
      // The second card comes while the service has the first.
      await shop.setFaults([{ on: 'create', kind: 'delay', ms: 300 }]);
      gates[0]?.open();
      await until(() => shop.receivedCards().length === 1);
      gates[1]?.open();
      await untilPhase(first, 'paid');
      // It was not let through, which its page learns, and that the order is paid.
      await untilPhase(second, 'paid');
      assert.equal(shop.chargesOf(reference).attempts, 1);
      assertCharged(opened);
    });
  }
});

/** Stands in the way of each request that carries a card. */
function interceptCreations(shop: Shop, between: Between): void {
  shop.between = (request, forward) =>
    request.method === 'POST' ? between(request, forward) : forward(request);
}
