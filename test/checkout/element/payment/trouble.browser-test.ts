/** "O código não funcionou?": after three minutes, a look-up first, then a new code beside the old one. */

import { expect } from '@open-wc/testing';
import { problem } from '../../../support/checkout/fake-proxy.js';
import { openAwaiting } from '../../../support/checkout/pix-checkout-harness.js';

const trouble = 'O código não funcionou?';
const newCode = 'Gerar novo código Pix';

/** A code that has been shown for three minutes. */
async function openLong() {
  const checkout = await openAwaiting({ children: '<p slot="support">0800</p>' });
  await checkout.advance(180_000);
  return checkout;
}

describe('<pix-checkout>: trouble with a code', () => {
  it('looks up first, then offers a new code, with the old one still there', async () => {
    const { proxy, press, buttons, codeText, visibleText, announcedText } = await openLong();
    const asked = proxy.of('look-up').length;
    await press(trouble);
    expect(proxy.of('look-up').length).to.equal(asked + 1);
    expect(buttons()).to.include(newCode).and.not.to.include(trouble);
    expect(codeText()).to.equal(proxy.invoices[0]?.qr_code_pix);
    expect(visibleText()).to.include('gere outro e pague só um deles');
    expect(announcedText()).to.include('gere outro e pague só um deles');
  });

  it('offers none when the look-up fails, and may be pressed again', async () => {
    const { proxy, press, buttons, advance } = await openLong();
    proxy.replyAlways('look-up', 'lost');
    await press(trouble);
    await advance(10_000);
    expect(buttons()).not.to.include(newCode);
    proxy.replyAlways('look-up', null);
    await advance(60_000);
    if (buttons().includes(trouble)) await press(trouble);
    expect(buttons()).to.include(newCode);
  });

  it('a new code takes its place on the screen, and the old one is watched in turn', async () => {
    const { element, proxy, press, codeText, advance, details } = await openLong();
    await press(trouble);
    await press(newCode);
    const [old, fresh] = proxy.invoices;
    expect(proxy.of('create')[1]?.body?.replaces).to.equal(old?.invoice_id);
    expect(codeText()).to.equal(fresh?.qr_code_pix);
    const before = proxy.of('look-up').length;
    await advance(60_000);
    const asked = proxy.of('look-up').slice(before);
    const ofOld = asked.filter(({ url }) => url.includes(old?.invoice_id ?? '')).length;
    expect(ofOld).to.be.within(Math.floor(asked.length / 2) - 1, Math.ceil(asked.length / 2) + 1);
    expect(proxy.mostLookUps).to.equal(1);
    proxy.setStatus('paid', old);
    await advance(20_000);
    expect(element.phase).to.equal('paid');
    expect(details('pix-paid')[0]).to.include({ invoiceId: old?.invoice_id });
  });

  it('a refused new code leaves the old one on the screen, says why, and shows the support slot', async () => {
    const { element, proxy, press, codeText, visibleText, details } = await openLong();
    proxy.replyAlways('create', problem('too_many_requests'));
    await press(trouble);
    await press(newCode);
    expect(element.phase).to.equal('awaiting');
    expect(codeText()).to.equal(proxy.invoices[0]?.qr_code_pix);
    expect(visibleText()).to.include('Foram muitas tentativas.');
    expect(visibleText(), 'money may have moved by the old code').not.to.include(
      'Nada foi cobrado',
    );
    expect(details('pix-error')[0]).to.include({ code: 'too_many_requests' });
    const slot = element.renderRoot.querySelector<HTMLSlotElement>('slot[name="support"]');
    expect(slot?.assignedElements()).to.have.length(1);
  });
});
