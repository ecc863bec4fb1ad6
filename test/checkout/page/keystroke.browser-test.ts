/** What a keystroke costs: nothing that the page said is read again. */

import { expect } from '@open-wc/testing';
import { PixCheckout } from '../../../src/checkout/element/pix-checkout.js';
import { openCheckout, untilFetched } from '../../support/checkout/page.js';

/** Properties that make the order. `locale`, `texts` and `autoStart` are looked at, and not read anew. */
const ofOrder =
  'endpoint externalId orderToken totalPriceCents pixTotalPriceCents methods method payerFields payer expiresIn ' +
  'pollInterval receiverName items lines';

describe('<pix-checkout>: a keystroke', () => {
  it('reads no property of the order, and one that is set is read at once', async () => {
    const { element, type, set } = await openCheckout();
    const read = new Set<string>();
    for (const name of ofOrder.split(' ')) {
      const accessor = Object.getOwnPropertyDescriptor(PixCheckout.prototype, name)!;
      const get = () => {
        read.add(name);
        return accessor.get?.call(element) as unknown;
      };
      Object.defineProperty(element, name, { ...accessor, get });
    }
    await type('name', 'Ana');
    expect([...read]).to.deep.equal([]);
    await set({ totalPriceCents: 990 });
    expect([...read]).to.have.members(ofOrder.split(' '));
  });

  it('in the choice of instalments changes the total, which no property names', async () => {
    const { part, get, settle } = await openCheckout({
      attributes: { methods: 'credit_card', 'payer-fields': '', 'accept-raw-card': '' },
      properties: {
        installments: [
          { installment: 1, total_cents: 12_990 },
          { installment: 2, total_cents: 14_000 },
        ],
      },
    });
    await untilFetched(
      () => part('form')?.querySelector('select'),
      'the card form is a file of its own',
    );
    const select = get('form select') as HTMLSelectElement;
    select.selectedIndex = 1;
    select.dispatchEvent(new Event('change', { bubbles: true }));
    await settle();
    expect(part('amount')?.innerText).to.match(/140,00/);
    expect(part('submit-button')?.innerText).to.match(/140,00/);
  });
});
