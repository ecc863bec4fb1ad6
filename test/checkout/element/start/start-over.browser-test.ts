/** A page that is out of date: the payer begins anew, with a new total that they have seen, or with the page as it is now. */

import { expect } from '@open-wc/testing';
import { changed, problem } from '../../../support/checkout/fake-proxy.js';
import { openReady, openSubmitted } from '../../../support/checkout/pix-checkout-harness.js';

describe('<pix-checkout>: beginning anew', () => {
  for (const code of ['amount_mismatch', 'unauthorized'] as const) {
    it(`${code} offers to load the page again, and forgets the order before`, async () => {
      const { element, world, press, stored } = await openSubmitted(({ proxy }) =>
        proxy.reply('create', problem(code)),
      );
      await press('Recarregar a página');
      expect([element.phase, world.reloads, stored.size]).to.deep.equal(['form', 1, 0]);
    });
  }

  it('nothing is begun by itself while the page goes', async () => {
    const { element, world, press, proxy } = await openReady(() => ({
      attributes: { 'auto-start': '' },
      properties: { invoice: Promise.reject(new Error('no answer')) },
    }));
    expect(element.phase).to.equal('failed');
    await press('Recarregar a página');
    expect([world.reloads, proxy.requests.length]).to.deep.equal([1, 0]);
  });

  for (const name of ['totalPriceCents', 'pixTotalPriceCents'] as const) {
    it(`a new total is shown, and taken by the payer in place of ${name}`, async () => {
      const { element, proxy, press, submit, visibleText, announcedText } = await openReady(
        ({ proxy }) => {
          proxy.reply('create', changed({ total_cents: 15_000 }));
          return { properties: name === 'totalPriceCents' ? {} : { [name]: 11_990 } };
        },
      );
      await submit();
      expect(element.phase).to.equal('failed');
      for (const said of [visibleText(), announcedText()]) {
        expect(said).to.include('O valor do pedido mudou. Agora é R$ 150,00.');
      }
      await press('Pagar R$ 150,00');
      expect([element.phase, element[name]]).to.deep.equal(['form', 15_000]);
      expect(visibleText()).to.include('R$ 150,00');
      await submit();
      expect(proxy.of('create')[1]?.body?.expected_total_cents).to.equal(15_000);
    });
  }

  it('a new total is no discount where a framework says undefined of the total by Pix', async () => {
    const { element, submit, press, has } = await openReady(({ proxy }) => {
      proxy.reply('create', changed({ total_cents: 9_000 }));
      return { properties: { pixTotalPriceCents: undefined } };
    });
    await submit();
    await press('Pagar R$ 90,00');
    expect([element.totalPriceCents, has('.discount')]).to.deep.equal([9_000, false]);
  });

  it('a new total is not offered where the answer speaks of a payment', async () => {
    const { buttons, element } = await openSubmitted(({ proxy }) =>
      proxy.reply('create', changed({ total_cents: 15_000, status: 'paid' })),
    );
    expect([element.phase, ...buttons()]).to.deep.equal(['failed', 'Recarregar a página']);
  });
});
