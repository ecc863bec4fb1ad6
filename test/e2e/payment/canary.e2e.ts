/**
 * Secrets are planted where a payment has them: the access token at the proxy, the payer's data in the form, the data of
 * that was paid at the service. Then they are searched for in all that a payment leaves behind in browser and log.
 */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import { sandboxPayer } from '../../../src/sandbox/invoice.js';
import { findCanaries, recordPage, type PageRecorder } from '../../support/browser/canary.js';
import {
  fillForm,
  press,
  typed,
  untilPhase,
  untilShown,
  visit,
} from '../../support/browser/payer.js';
import { useShop } from '../../support/browser/shop.js';

const shop = await useShop({ speed: 10 });
const typedPayer = { ...typed, phone: '(21) 99876-1234' };
const payerFields = Object.keys(typedPayer).join(' ');

describe('a secret', () => {
  /** Planted values by name. */
  const canaries = {
    'access token': shop.accessToken,
    ...typedPayer,
    'name of who paid': sandboxPayer.name,
    'CPF of who paid': sandboxPayer.cpf,
  };

  /** A page that is recorded from its first byte. */
  async function open(t: TestContext) {
    let recorder: PageRecorder | undefined;
    const { page, reference } = await visit(t, shop, {
      attributes: { 'payer-fields': payerFields },
      async prepare(opening) {
        recorder = recordPage(opening);
      },
    });
    assert.ok(recorder);
    return { page, reference, recorder };
  }

  /** Where secrets were found, in all that page and proxy have left so far. */
  async function find(recorder: PageRecorder): Promise<string[]> {
    const traces = await recorder.traces(shop.log);
    for (const place of ['URL', 'event pix-ready', 'address']) {
      assert.ok(
        traces.some((trace) => trace.place === place),
        `${place} was searched`,
      );
    }
    return findCanaries(canaries, traces);
  }

  it('stays where it is in a whole payment', async (t) => {
    const { page, reference, recorder } = await open(t);
    await fillForm(page, typedPayer);
    assert.deepEqual(await find(recorder), [], 'typed, and nowhere but in the inputs');
    await press(page, 'Gerar código Pix');
    await untilPhase(page, 'awaiting');
    assert.deepEqual(await find(recorder), []);

    const [invoice] = shop.invoicesOf(reference);
    assert.equal(invoice?.request.payer?.phone, '21998761234', 'planted at the service');
    await page.reload();
    await untilPhase(page, 'awaiting');
    await shop.settle(invoice?.invoiceId ?? '');
    await untilPhase(page, 'paid');
    await untilShown(page, 'Pagamento confirmado.');
    assert.deepEqual(await find(recorder), []);
  });

  it('would be found, were an answer to hold it', async (t) => {
    const { page, reference, recorder } = await open(t);
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
    await shop.payNewest(reference);
    await untilPhase(page, 'paid');
    shop.between = null;
    const found = await find(recorder);
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
  });
});
