/** The fake in the page itself, as browser tests and Cypress use it, around the real element. */
import { expect, fixture, html, waitUntil } from '@open-wc/testing';
import type { PixCheckout } from '../../src/index.js';
import '../../src/index.js';
import { addCypressCommand, fakeCheckout } from '../../src/testing.js';
import type { FakeCheckout, FakeCheckoutOptions, FakedWindow } from '../../src/testing.js';

describe('fakeCheckout in a window', () => {
  const usual = window.fetch;
  let orders = 0;
  afterEach(() => {
    window.fetch = usual;
    localStorage.clear();
  });

  /** The page of an order whose payer the server knows. */
  async function openPage(): Promise<PixCheckout> {
    orders += 1;
    return fixture<PixCheckout>(html`
      <pix-checkout
        endpoint="/pay"
        external-id="fake-${orders}"
        payer-fields=""
        total-price-cents="12990"
        auto-start
      ></pix-checkout>
    `);
  }
  const untilPhase = (element: PixCheckout, phase: string) =>
    waitUntil(() => element.phase === phase, `phase ${phase}`, { timeout: 30_000 });

  it('pays', async () => {
    const checkout = await fakeCheckout(window);
    const element = await openPage();
    await checkout.pay();
    await untilPhase(element, 'paid');
    expect(checkout.invoices).to.deep.equal([
      {
        invoiceId: 'fake-00000001',
        externalId: element.externalId,
        method: 'pix',
        totalCents: 12_990,
        status: 'paid',
      },
    ]);
  });

  it('leaves every other address to the usual fetch', async () => {
    const asked: string[] = [];
    window.fetch = async (input) => {
      if (typeof input === 'string') asked.push(input);
      return new Response();
    };
    await fakeCheckout(window, { endpoint: 'https://shop.example/pay' });
    await fetch('/pay/invoices');
    await fetch('https://shop.example/pay/invoices/not/one');
    await fetch('https://shop.example/pay/invoices');
    expect(asked).to.deep.equal(['/pay/invoices', 'https://shop.example/pay/invoices/not/one']);
  });

  it('leaves a request of the page whole', async () => {
    let told = '';
    window.fetch = async (input, init) => {
      told = await new Request(input, init).text();
      return new Response();
    };
    await fakeCheckout(window);
    await fetch(new Request('/cart', { method: 'POST', body: 'two shirts' }));
    expect(told).to.equal('two shirts');
  });

  it('is a command of Cypress, before each load of a page', async () => {
    const commands: Record<string, (options?: FakeCheckoutOptions) => FakeCheckout> = {};
    const loads: ((window: FakedWindow) => void)[] = [];
    addCypressCommand({
      Cypress: { Commands: { add: (name, command) => void (commands[name] = command) } },
      cy: { on: (_, load) => loads.push(load) },
    });
    const checkout = commands['fakeCheckout']?.({ totalCents: 12_990 });
    loads.forEach((load) => load(window));
    const element = await openPage();
    await checkout?.pay();
    await untilPhase(element, 'paid');
  });
});
