/** A whole payment by keyboard alone, and axe in every phase. */

import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import { stubClipboard, stubExecCommand } from '../../../support/checkout/browser-stubs.js';
import { changed, problem } from '../../../support/checkout/fake-proxy.js';
import {
  openAwaiting,
  openCheckout,
  openReady,
} from '../../../support/checkout/pix-checkout-harness.js';
import type { Checkout } from '../../../support/checkout/pix-checkout-harness.js';

describe('<pix-checkout>: a whole payment by keyboard alone', () => {
  it('type, create, copy, pay, see the receipt', async () => {
    const taken = stubClipboard('takes');
    const { element, focused, proxy, settle, codeText, visibleText } = await openCheckout();
    const start = document.createElement('button');
    element.before(start);
    start.focus();

    const tabTo = async (name: string) => {
      for (let presses = 0; presses < 12; presses++) {
        await sendKeys({ press: 'Tab' });
        await settle();
        if (focused() === name) return;
      }
      throw new Error(`Tab does not come to ${name}`);
    };
    const press = async (key: string) => {
      await sendKeys({ press: key });
      await settle();
    };
    const type = async (text: string) => {
      await sendKeys({ type: text });
      await settle();
    };

    await tabTo('name');
    await type('Ana Souza');
    await tabTo('cpf_cnpj');
    await type('28001238938');
    await tabTo('email');
    await type('ana@example.com');
    await press('Enter');
    expect(element.phase).to.equal('awaiting');
    expect(proxy.of('create')[0]?.body?.payer).to.deep.equal({
      name: 'Ana Souza',
      cpf_cnpj: '28001238938',
      email: 'ana@example.com',
    });

    await tabTo('copy-button');
    await press('Enter');
    expect(taken).to.deep.equal([codeText()]);

    proxy.setStatus('paid');
    await tabTo('secondary-button');
    await press('Enter');
    start.remove();
    expect(element.phase).to.equal('paid');
    expect(visibleText()).to.include('Pagamento confirmado.');
    expect(focused(), 'the heading of the receipt').to.equal('title');
  });
});

describe('<pix-checkout>: axe finds nothing', () => {
  const screens: readonly [name: string, phase: string, open: () => Promise<Checkout>][] = [
    [
      'form',
      'form',
      () => openCheckout({ attributes: { 'payer-fields': 'name cpf_cnpj email phone address' } }),
    ],
    [
      'form with faults',
      'form',
      async () => {
        const checkout = await openCheckout();
        await checkout.submit();
        return checkout;
      },
    ],
    [
      'form with an error',
      'form',
      async () => {
        const checkout = await openRefused('too_many_requests');
        await checkout.submit();
        return checkout;
      },
    ],
    [
      'creating',
      'creating',
      async () => {
        const checkout = await openReady(({ proxy }) => proxy.reply('create', 'hangs'));
        await checkout.submit();
        return checkout;
      },
    ],
    ['awaiting', 'awaiting', () => openAwaiting({ attributes: { 'expires-in': '300' } })],
    [
      'awaiting, copied',
      'awaiting',
      async () => {
        stubClipboard('takes');
        const checkout = await openAwaiting();
        await checkout.copyCode();
        return checkout;
      },
    ],
    [
      'awaiting, to be copied by hand',
      'awaiting',
      async () => {
        stubClipboard('missing');
        stubExecCommand(() => false);
        const checkout = await openAwaiting();
        await checkout.copyCode();
        return checkout;
      },
    ],
    [
      'awaiting, trouble',
      'awaiting',
      async () => {
        const checkout = await openAwaiting();
        await checkout.advance(180_000);
        await checkout.press('O código não funcionou?');
        return checkout;
      },
    ],
    [
      'confirming',
      'confirming',
      async () => {
        const checkout = await openAwaiting();
        checkout.proxy.setStatus('paid');
        checkout.proxy.replyAlways('look-up', changed({ total_cents: 1 }));
        await checkout.pressAlreadyPaid();
        return checkout;
      },
    ],
    [
      'expired',
      'expired',
      async () => {
        const checkout = await openAwaiting({ attributes: { 'expires-in': '60' } });
        await checkout.advance(60_000);
        return checkout;
      },
    ],
    [
      'paid',
      'paid',
      async () => {
        const checkout = await openAwaiting();
        checkout.proxy.setStatus('paid');
        await checkout.pressAlreadyPaid();
        return checkout;
      },
    ],
    [
      'failed',
      'failed',
      async () => {
        const checkout = await openRefused('order_closed');
        await checkout.submit();
        return checkout;
      },
    ],
  ];
  for (const [name, phase, open] of screens) {
    it(`in ${name}`, async () => {
      const { element } = await open();
      expect(element.phase).to.equal(phase);
      await expect(element).to.be.accessible();
    }).timeout(10_000);
  }
});

const openRefused = (code: 'too_many_requests' | 'order_closed') =>
  openReady(({ proxy }) => proxy.reply('create', problem(code)));
