/** Following an open invoice: held look-ups, the schedule, failures, and "Já paguei". */

import { expect } from '@open-wc/testing';
import type { FakeProxy } from '../../../support/checkout/fake-proxy.js';
import { openAwaiting } from '../../../support/checkout/pix-checkout-harness.js';

/** Seconds from the first look-up to each. */
function times(proxy: FakeProxy): number[] {
  const lookUps = proxy.of('look-up');
  return lookUps.map(({ atMs }) => (atMs - (lookUps[0]?.atMs ?? 0)) / 1_000);
}

const waits = (proxy: FakeProxy) => proxy.of('look-up').map(({ waitSeconds }) => waitSeconds);

describe('<pix-checkout>: following', () => {
  it('asks with wait=25 at once, by GET, with the token in a header and no body', async () => {
    const { proxy } = await openAwaiting();
    const [first] = proxy.of('look-up');
    const { invoice_id, lookup_token } = proxy.invoices[0] ?? {};
    const address = `${location.origin}/pix/invoices/${invoice_id}?n=&wait=25`;
    expect(first?.url.replace(/n=\d+/, 'n=')).to.equal(address);
    expect(first?.headers).to.deep.equal({ 'lookup-token': lookup_token });
    expect(first?.body).to.equal(null);
  });

  it('poll-interval is the base of the schedule', async () => {
    const { proxy, advance } = await openAwaiting({ attributes: { 'poll-interval': '250' } });
    await advance(1_000);
    expect(times(proxy)).to.deep.equal([0, 0.5, 0.75, 1]);
  });

  it('gives a held look-up 8 s beyond its wait, and after two that broke asks without wait', async () => {
    const { proxy, advance } = await openAwaiting(({ proxy }) =>
      proxy.replyAlways('look-up', 'hangs'),
    );
    await advance(32_999);
    expect(proxy.of('look-up')[0]?.outcome).to.equal('open');
    await advance(1);
    expect(proxy.of('look-up')[0]?.outcome).to.equal('aborted');
    proxy.replyAlways('look-up', null);
    proxy.holds = true;
    await advance(10_000);
    expect(waits(proxy).slice(0, 2), 'after a failure no answer is held').to.deep.equal([25, 0]);
  });
});

describe('<pix-checkout>: "Já paguei"', () => {
  it('says "Conferindo…" until the answer has come, and without one for six seconds', async () => {
    const { advance, pressAlreadyPaid, visibleText, announcedText, codeText, proxy } =
      await openHolding();
    proxy.reply('look-up', 'hangs');
    await pressAlreadyPaid();
    expect(announcedText()).to.include('Conferindo…');
    expect(codeText(), 'the code never leaves').not.to.equal(null);
    await advance(5_999);
    expect(visibleText()).to.include('Conferindo…');
    await advance(1);
    expect(visibleText()).not.to.include('Conferindo…');
    expect(announcedText()).to.include('demorando mais que o normal');
    await pressAlreadyPaid();
    await advance(599);
    expect(visibleText(), 'it can be read').to.include('Conferindo…');
    await advance(1);
    expect(announcedText()).to.include('Ainda não recebemos.');
  });

  it('shows the receipt when it is paid', async () => {
    const { element, proxy, pressAlreadyPaid } = await openHolding();
    proxy.reply('look-up', (usual) => usual);
    const [invoice] = proxy.invoices;
    if (invoice) invoice.status = 'paid';
    await pressAlreadyPaid();
    expect(element.phase).to.equal('paid');
  });

  it('refresh() does the same for the page', async () => {
    const { element, proxy, settle } = await openHolding();
    element.refresh();
    await settle();
    expect(waits(proxy)).to.deep.equal([25, 0]);
  });
});

const openHolding = () => openAwaiting(({ proxy }) => void (proxy.holds = true));
