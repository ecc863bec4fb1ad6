/** The merchant's deadline: the countdown, the last look-up, and what may still happen after it. */

import { expect } from '@open-wc/testing';
import { changed } from '../../../support/checkout/fake-proxy.js';
import {
  newOrder,
  openAwaiting,
  openCheckout,
} from '../../../support/checkout/pix-checkout-harness.js';
import type { OpenOptions } from '../../../support/checkout/pix-checkout-harness.js';

/** A code that the page offers for so many seconds. */
const openFor = (seconds: number, options: OpenOptions = {}) =>
  openAwaiting({
    ...options,
    attributes: { 'expires-in': String(seconds), ...options.attributes },
  });

describe('<pix-checkout>: deadline', () => {
  it('runs on a monotonic clock: a payer’s clock that jumps changes nothing', async () => {
    const { world, element, get, advance } = await openFor(300);
    await advance(60_000);
    world.clockSkewMs = 86_400_000;
    await advance(60_000);
    expect(get('[role="timer"]').innerText).to.include('faltam 3:00');
    await advance(179_000);
    expect(element.phase).to.equal('awaiting');
    await advance(1_000);
    expect(element.phase).to.equal('expired');
  });

  it('of the answer wins over the page’s', async () => {
    const { get } = await openAwaiting(({ proxy }) => {
      proxy.expiresIn = 120;
      return { attributes: { 'expires-in': '600' } };
    });
    expect(get('[role="timer"]').innerText).to.include('faltam 2:00');
  });

  it('counts on after a reload', async () => {
    const first = await openFor(300);
    await first.advance(100_000);
    first.element.remove();
    const { element, get, advance } = await openCheckout(
      { attributes: { 'external-id': first.element.externalId, 'expires-in': '300' } },
      first.world,
    );
    expect(get('[role="timer"]').innerText).to.include('faltam 3:20');
    await advance(200_000);
    expect(element.phase).to.equal('expired');
  });
});

describe('<pix-checkout>: expired', () => {
  it('only after a last look-up said not paid: state, pix-status, pix-expired', async () => {
    const { element, proxy, advance, events, codeText, visibleText, buttons } = await openFor(60);
    await advance(59_999);
    const asked = proxy.of('look-up').length;
    expect(codeText()).not.to.equal(null);
    await advance(1);
    expect(proxy.of('look-up').length).to.be.above(asked);
    expect(element.phase).to.equal('expired');
    const { invoice_id: invoiceId } = proxy.invoices[0] ?? {};
    expect(events().slice(-2)).to.deep.equal([
      ['pix-status', { phase: 'expired', status: 'pending', invoiceId }],
      ['pix-expired', { invoiceId }],
    ]);
    expect(codeText()).to.equal(null);
    expect(visibleText()).to.include('Se já pagou, não pague de novo: continuamos conferindo.');
    expect(buttons()).to.deep.equal(['Gerar novo código Pix']);
  });

  it('if the last look-up fails, it stays awaiting and says "Conferindo…" until one succeeds', async () => {
    const { element, proxy, advance, visibleText, eventNames, codeText } = await openFor(60);
    await advance(50_000);
    proxy.replyAlways('look-up', 'lost');
    await advance(60_000);
    expect(element.phase).to.equal('awaiting');
    expect(visibleText()).to.include('Conferindo…');
    expect(eventNames()).not.to.include('pix-expired');
    expect(codeText()).not.to.equal(null);
    proxy.replyAlways('look-up', null);
    await advance(60_000);
    expect(element.phase).to.equal('expired');
  });

  it('a late payment still turns paid, and pix-paid follows pix-expired', async () => {
    const { element, proxy, advance, eventNames } = await openFor(60);
    await advance(120_000);
    expect(element.phase).to.equal('expired');
    proxy.setStatus('paid');
    await advance(30_000);
    expect(element.phase).to.equal('paid');
    expect(eventNames().filter((name) => name === 'pix-paid' || name === 'pix-expired'))
      .to //
      .deep.equal(['pix-expired', 'pix-paid']);
  });

  it('"new code" asks for another in its place with a new key, and shows it', async () => {
    const { element, proxy, advance, press, codeText } = await openFor(60);
    const old = codeText();
    await advance(60_000);
    await press('Gerar novo código Pix');
    const [first, second] = proxy.of('create');
    expect(second?.body?.replaces).to.equal(proxy.invoices[0]?.invoice_id);
    expect(second?.headers['idempotency-key']).not.to.equal(first?.headers['idempotency-key']);
    expect(element.phase).to.equal('awaiting');
    expect(codeText()).to.equal(proxy.invoices[1]?.qr_code_pix);
    expect(codeText()).not.to.equal(old);
  });

  it('an invoice that was resumed after its deadline is looked up and expires', async () => {
    const externalId = newOrder();
    const { element, advance } = await openCheckout(({ proxy }) => {
      proxy.reply('look-up', changed({ expires_in: 0 }));
      const { invoice_id, lookup_token = '' } = proxy.makeInvoice(externalId);
      const named = { 'invoice-id': invoice_id, 'lookup-token': lookup_token };
      return { attributes: { 'external-id': externalId, ...named } };
    });
    await advance(10_000);
    expect(element.phase).to.equal('expired');
  });
});
