/**
 * Each fault that the service can have, while a code is asked for and while it is followed: the payer sees where things
 * stand and what to do next, and once the fault is over the payment goes through.
 *
 * The clocks of page and proxy run ten times as fast: back-off and Retry-After take their whole time.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { Page } from 'puppeteer-core';
import { faultKinds } from '../../../src/sandbox/faults.js';
import {
  askForCode,
  fillForm,
  heardOf,
  press,
  shownCode,
  untilHeard,
  untilPhase,
  untilShown,
  visitShop,
} from '../../support/browser/payer.js';
import { givesUpSoon, type Shop } from '../../support/browser/shop.js';

type Kind = (typeof faultKinds)[number];

const speed = 10;

/** A shop whose service may hang. */
const hurried = { speed, proxy: givesUpSoon };

/** A fault that lasts until it is taken away; pauses are real milliseconds. */
/** `test/proxy/run/upstream-faults.test.ts` has them all: here one of each thing that a payer can see. */
const faults: readonly Kind[] = [
  'client_error',
  'server_error_after_effect',
  'hang',
  'unknown_status',
  'wrong_total',
];

/** What the service refuses may be what the payer typed (`invalid_request`, an assumption of the proxy). */
const refused = {
  detail: { code: 'invalid_request', retryable: false },
  text: 'Algum dado não foi aceito. Confira o que você preencheu e tente de novo.',
};
const unavailable = {
  detail: { code: 'service_unavailable', retryable: true },
  text: 'O serviço de pagamento não respondeu. Espere um pouco e tente de novo.',
};

/** What the page hears, where a look-up is about something else than was created. */
const disagreements: Partial<Record<Kind, string>> = {
  wrong_total: 'amount_mismatch',
  foreign_reference: 'reference_mismatch',
};

describe('a fault of the service', { concurrent: true }, () => {
  async function pay(shop: Shop, page: Page, reference: string): Promise<void> {
    const code = await shownCode(page);
    const invoice = shop.invoicesOf(reference).find(({ qrCodePix }) => qrCodePix === code);
    assert.ok(invoice);
    await shop.settle(invoice.invoiceId);
    await untilPhase(page, 'paid');
    const { detail } = await untilHeard(page, 'pix-paid');
    assert.equal(detail['invoiceId'], invoice.invoiceId);
  }

  for (const kind of faults) {
    it(`while a code is asked for: ${kind}`, async (t) => {
      const { shop, page, reference } = await visitShop(t, hurried);
      await shop.setFaults([{ on: 'create', kind }]);
      await fillForm(page);
      await press(page, 'Gerar código Pix');
      if (kind !== 'unknown_status') {
        const { detail } = await untilHeard(page, 'pix-error');
        const said = kind === 'client_error' ? refused : unavailable;
        assert.deepEqual(detail, said.detail);
        await untilPhase(page, 'form');
        await untilShown(page, said.text);
        await untilShown(page, 'Nada foi cobrado nesta tentativa.');
        await shop.setFaults();
        await press(page, said === refused ? 'Gerar código Pix' : 'Tentar de novo');
      }
      await untilPhase(page, 'awaiting');
      await pay(shop, page, reference);
    });

    it(`while a code is followed: ${kind}`, async (t) => {
      const { shop, page, reference } = await visitShop(t, hurried);
      await shop.setFaults([{ on: 'look_up', kind }]);
      const code = await askForCode(page);
      if (kind === 'unknown_status') {
        await page.waitForFunction(() =>
          window.heard.some(({ detail }) => detail['status'] === 'em_analise'),
        );
        await untilShown(page, 'Aguardando seu pagamento.');
      } else {
        await untilShown(page, 'Está demorando mais que o normal. Continuamos tentando.');
        assert.deepEqual(await errorsOn(page), disagreements[kind] ? [disagreements[kind]] : []);
      }
      assert.equal(await shownCode(page), code);
      await shop.setFaults();
      await pay(shop, page, reference);
    });
  }

  for (const [kind, code] of Object.entries(disagreements)) {
    it(`in what was paid: ${kind} is no payment, and nothing is left to be paid`, async (t) => {
      const { shop, page, reference } = await visitShop(t, hurried);
      await askForCode(page);
      await shop.setFaults([{ on: 'look_up', kind }]);
      await shop.payNewest(reference);
      await untilPhase(page, 'confirming');
      await untilShown(page, 'O pagamento não bate com este pedido.');
      await untilShown(page, 'Não pague de novo: fale com a loja.');
      assert.deepEqual(await errorsOn(page), [code]);
      assert.equal(await page.$('pix-checkout >>> textarea, pix-checkout >>> svg[role]'), null);
      assert.deepEqual(await heardOf(page, 'pix-paid'), []);
      await shop.setFaults();
      await untilPhase(page, 'paid');
    });
  }

  it('that takes a payment back is not believed', async (t) => {
    const { shop, page, reference } = await visitShop(t, hurried);
    await askForCode(page);
    await pay(shop, page, reference);
    await shop.setStatus(shop.invoicesOf(reference)[0]?.invoiceId ?? '', 'pending');
    await page.$eval('pix-checkout', (checkout) => checkout.refresh());
    await page.reload();
    await untilPhase(page, 'form');
    await fillForm(page);
    await press(page, 'Gerar código Pix');
    await untilPhase(page, 'paid');
    assert.equal(shop.invoicesOf(reference).length, 1);
  });
});

/** Codes of the errors that the page has heard. */
async function errorsOn(page: Page): Promise<unknown[]> {
  return (await heardOf(page, 'pix-error')).map(({ code }) => code);
}
