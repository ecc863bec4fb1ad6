/** One attempt, one key: through double clicks, retries, reloads and second elements; and the record that keeps it. */

import { expect } from '@open-wc/testing';
import type { World } from '../../../support/checkout/checkout-world.js';
import { problem } from '../../../support/checkout/fake-proxy.js';
import {
  newOrder,
  openAwaiting,
  openCheckout,
  openReady,
  openSubmitted,
} from '../../../support/checkout/pix-checkout-harness.js';
import { words } from '../../../world/rows.js';

const keysOf = ({ proxy }: Pick<World, 'proxy'>) =>
  proxy.of('create').map(({ headers }) => headers['idempotency-key']);

describe('<pix-checkout>: one attempt key', () => {
  it('through silent retries, and a press of the button after them', async () => {
    const { proxy, submit, advance, element } = await openSubmitted(({ proxy }) =>
      proxy.reply('create', 'lost', problem('service_unavailable'), 'hangs'),
    );
    await advance(60_000);
    expect(element.phase).to.equal('form');
    await submit();
    expect(element.phase).to.equal('awaiting');
    expect(keysOf({ proxy })).to.have.length(4);
    expect(new Set(keysOf({ proxy }))).to.have.length(1);
  });

  it('through a machine that dies: the code comes without a press, when the next one says so', async () => {
    const checkout = await openReady(({ proxy }) =>
      proxy.reply('create', 'lost', problem('service_unavailable', {}, '4')),
    );
    const { element, proxy, submit, advance, visibleText, part } = checkout;
    await submit();
    await advance(1_500);
    const [, refusedAtMs] = proxy.of('create').map(({ atMs }) => atMs);
    await advance((refusedAtMs ?? 0) + 3_999 - checkout.clock.now());
    expect(element.phase).to.equal('creating');
    expect(visibleText()).to.include('Continuamos tentando.');
    expect(part('error')).to.equal(null);
    await advance(1);
    expect(element.phase).to.equal('awaiting');
    expect(new Set(keysOf({ proxy }))).to.have.length(1);
    expect(checkout.details('pix-error')).to.deep.equal([]);
  });

  it('and another one after a reload, where the proxy never got the first', async () => {
    const externalId = newOrder();
    const attributes = { 'external-id': externalId, 'payer-fields': '' };
    const first = await openCheckout(({ proxy }) => {
      proxy.reply('create', 'hangs');
      return { attributes };
    });
    await first.submit();
    first.element.remove();
    const second = await openCheckout({ attributes }, first.world);
    expect(second.proxy.of('recover')[0]?.headers['idempotency-key']).to.equal(keysOf(first)[0]);
    await second.submit();
    expect(second.element.phase).to.equal('awaiting');
    // The first one will never be taken: the proxy said that it does not know it.
    expect(new Set(keysOf(first))).to.have.length(2);
  });

  it('of a second element that is pressed too', async () => {
    const attributes = { 'external-id': newOrder(), 'payer-fields': '' };
    const first = await openCheckout({ attributes });
    const second = await openCheckout({ attributes }, first.world);
    first.proxy.delayMs = 100;
    await first.submit();
    await second.submit();
    await first.advance(1_000);
    expect(keysOf(first)).to.have.length(2);
    expect(new Set(keysOf(first))).to.have.length(1);
    expect(first.proxy.invoices).to.have.length(1);
    expect(second.codeText()).to.equal(first.codeText());
  });

  it('a new one after key_reused', async () => {
    const { proxy, submit } = await openSubmitted(({ proxy }) =>
      proxy.reply('create', problem('key_reused')),
    );
    await submit();
    expect(new Set(keysOf({ proxy }))).to.have.length(2);
  });
});

describe('<pix-checkout>: one record', () => {
  it('holds the key before the answer, then ids and token, and nothing else', async () => {
    const { proxy, advance, record, clock, environment } = await openSubmitted(({ proxy }) => {
      proxy.delayMs = 100;
    });
    const [attemptKey] = keysOf({ proxy });
    const common = { attemptKey, method: 'pix', totalCents: 12_990 };
    const createdAt = environment.wallClock().getTime();
    expect(record()).to.deep.equal([{ ...common, invoiceId: null, lookupToken: null, createdAt }]);
    await advance(100);
    const { invoice_id: invoiceId, lookup_token: lookupToken } = proxy.invoices[0] ?? {};
    const [kept] = record() as [{ createdAt: number }];
    expect(kept).to.deep.equal({ ...common, invoiceId, lookupToken, createdAt: kept.createdAt });
    expect(kept.createdAt).to.be.within(createdAt, createdAt + clock.now());
    expect(Object.keys(kept)).to.deep.equal(
      words('attemptKey invoiceId lookupToken method totalCents createdAt'),
    );
  });

  it('brings the same invoice back after a reload, without a second one', async () => {
    const first = await openAwaiting();
    const { externalId } = first.element;
    first.element.remove();
    const attributes = { 'external-id': externalId };
    const { element, proxy, codeText, eventNames } = await openCheckout(
      { attributes },
      first.world,
    );
    expect(element.phase).to.equal('awaiting');
    expect(codeText()).to.equal(proxy.invoices[0]?.qr_code_pix);
    expect(proxy.of('create')).to.have.length(1);
    expect(eventNames()).not.to.include('pix-created');
  });

  it('goes when the invoice is paid', async () => {
    const { proxy, stored, pressAlreadyPaid } = await openAwaiting();
    expect(stored.size).to.equal(1);
    proxy.setStatus('paid');
    await pressAlreadyPaid();
    expect(stored.size).to.equal(0);
  });

  it('goes on reset()', async () => {
    const { element, stored, settle } = await openAwaiting();
    element.reset();
    await settle();
    expect(stored.size).to.equal(0);
  });

  it('goes with a final refusal', async () => {
    const { stored } = await openSubmitted(({ proxy }) =>
      proxy.reply('create', problem('order_closed')),
    );
    expect(stored.size).to.equal(0);
  });

  for (const barred of ['missing', 'throws'] as const) {
    it(`storage that ${barred === 'throws' ? 'throws' : 'is missing'} is stood in for by memory`, async () => {
      const first = await openAwaiting((world) => void (world.barred = barred));
      first.element.remove();
      const attributes = { 'external-id': first.element.externalId };
      const { element, proxy, codeText } = await openCheckout({ attributes }, first.world);
      expect(element.phase).to.equal('awaiting');
      expect(codeText()).to.equal(proxy.invoices[0]?.qr_code_pix);
      expect(proxy.of('create')).to.have.length(1);
      expect(first.stored.size).to.equal(0);
      expect(first.warnings).to.deep.equal([]);
    });
  }
});
