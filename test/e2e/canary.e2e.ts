/**
 * Secrets are planted where a payment has them: the access token at the proxy, the payer's data in the form, the data of
 * whoever paid at the service. Then they are searched for in all that a payment leaves behind in browser and log.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { sandboxPayer } from '../../src/sandbox/invoice.js';
import { findCanaries, recordPage, type PageRecorder, type Trace } from './support/canary.js';
import { launchChromium } from './support/launch.js';
import {
  fillForm,
  heardOn,
  openPage,
  press,
  speedUp,
  typed,
  untilHeard,
  untilPhase,
  untilShown,
} from './support/payer.js';
import { openShop, type Shop } from './support/shop.js';
import { until } from './support/until.js';

const speed = 10;
const typedPayer = { ...typed, phone: '(21) 99876-1234' };
const payerFields = Object.keys(typedPayer).join(' ');

describe('a secret', () => {
  let browser: Browser;
  let shop: Shop;
  /** Planted values by name. */
  let canaries: Record<string, string>;
  before(async () => {
    browser = await launchChromium();
    shop = await openShop({ speed });
    const { name, cpf } = sandboxPayer;
    canaries = {
      'access token': shop.accessToken,
      ...typedPayer,
      'name of who paid': name,
      'CPF of who paid': cpf,
    };
  });
  after(async () => {
    await browser?.close();
    await shop?.close();
  });

  /** A page that is recorded from its first byte. */
  async function open() {
    const context = await browser.createBrowserContext();
    const { reference, url } = await shop.addPage({ attributes: { 'payer-fields': payerFields } });
    let recorder: PageRecorder | undefined;
    const page = await openPage(context, url, async (opening) => {
      await speedUp(opening, speed);
      recorder = recordPage(opening);
    });
    assert.ok(recorder);
    return { page, context, reference, recorder };
  }

  /** Where secrets were found, in all that page and proxy have left so far. */
  async function find(page: Page, recorder: PageRecorder): Promise<string[]> {
    const traces: Trace[] = [
      ...(await recorder.traces()),
      ...shop.log.map((entry) => ({ place: 'log', text: JSON.stringify(entry) })),
      ...(await heardOn(page)).map(({ type, detail }) => ({
        place: `event ${type}`,
        text: JSON.stringify(detail),
      })),
    ];
    for (const place of ['URL', 'event pix-ready', 'address']) {
      assert.ok(
        traces.some((trace) => trace.place === place),
        `${place} was searched`,
      );
    }
    return findCanaries(canaries, traces);
  }

  it('stays where it is in a whole payment', async () => {
    const { page, context, reference, recorder } = await open();
    await fillForm(page, typedPayer);
    assert.deepEqual(await find(page, recorder), [], 'typed, and nowhere but in the inputs');
    await press(page, 'Gerar código Pix');
    await untilPhase(page, 'awaiting');
    assert.deepEqual(await find(page, recorder), []);

    const [invoice] = shop.invoicesOf(reference);
    assert.equal(invoice?.request.payer?.phone, '21998761234', 'planted at the service');
    await page.reload();
    await untilPhase(page, 'awaiting');
    await shop.settle(invoice?.invoiceId ?? '');
    await untilPhase(page, 'paid');
    await untilShown(page, 'Pagamento confirmado.');
    assert.deepEqual(await find(page, recorder), []);
    await context.close();
  });

  for (const on of ['create', 'look_up'] as const) {
    it(`stays where it is when the service fails on ${on}`, async () => {
      const { page, context, reference, recorder } = await open();
      await fillForm(page, typedPayer);
      for (const kind of ['unauthorized', 'wrong_total', 'garbage']) {
        const logged = shop.log.length;
        await shop.setFaults([{ on, kind }]);
        if (await isForm(page)) await press(page, 'Gerar código Pix');
        await until(() => shop.log.length > logged);
        if (on === 'create') await untilPhase(page, 'form');
      }
      await shop.setFaults();
      if (await isForm(page)) await press(page, 'Gerar código Pix');
      await untilPhase(page, 'awaiting');
      await shop.settle(shop.invoicesOf(reference).at(-1)?.invoiceId ?? '');
      await untilHeard(page, 'pix-paid');
      assert.deepEqual(await find(page, recorder), []);
      await context.close();
    });
  }

  it('would be found, were an answer to hold it', async () => {
    const { page, context, reference, recorder } = await open();
    shop.between = async (request, forward) => {
      const answer = await forward(request);
      if (request.method === 'POST') return answer;
      const { data } = (await answer.json()) as { data: object };
      const { payer } = shop.invoicesOf(reference)[0]?.request ?? {};
      return Response.json({ data: { ...data, client: payer }, message: '' });
    };
    await fillForm(page, typedPayer);
    await press(page, 'Gerar código Pix');
    await untilPhase(page, 'awaiting');
    await shop.settle(shop.invoicesOf(reference)[0]?.invoiceId ?? '');
    await untilPhase(page, 'paid');
    shop.between = null;
    const found = await find(page, recorder);
    for (const name of Object.keys(typedPayer)) {
      assert.ok(
        found.some((place) => place.startsWith(`${name} in answer of GET /pix/invoices/`)),
        `${name} in ${found.join(', ')}`,
      );
    }
    // The leak is named to page and console, and never repeated there.
    assert.deepEqual(
      found.filter((place) => !place.includes('in answer of GET')),
      [],
    );
    await context.close();
  });
});

function isForm(page: Page): Promise<boolean> {
  return page.$eval('pix-checkout', ({ phase }) => phase === 'form');
}
