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
    expect(first?.url).to.equal(`${location.origin}/pix/invoices/${invoice_id}?wait=25`);
    expect(first?.headers).to.deep.equal({ authorization: `Bearer ${lookup_token}` });
    expect(first?.body).to.equal(null);
  });

  it('a proxy that holds its answers is asked again as each answer comes', async () => {
    const { element, proxy, advance } = await openHolding();
    await advance(60_000);
    expect(times(proxy)).to.deep.equal([0, 25, 50]);
    expect(waits(proxy)).to.deep.equal([25, 25, 25]);
    proxy.setStatus('paid');
    await advance(0);
    expect(element.phase).to.equal('paid');
    expect(proxy.of('look-up')).to.have.length(3);
    expect(proxy.mostLookUps).to.equal(1);
  });

  it('one that answers at once is asked on the schedule: 8 s, then every 4 s, then every 10 s', async () => {
    const { proxy, advance } = await openAwaiting();
    await advance(20_000);
    expect(times(proxy)).to.deep.equal([0, 8, 12, 16, 20]);
    expect(waits(proxy)).to.deep.equal([25, 0, 0, 0, 0]);
    await advance(160_000);
    await advance(40_000);
    expect(times(proxy).filter((seconds) => seconds >= 180)).to.deep.equal([
      180, 190, 200, 210, 220,
    ]);
    expect(proxy.mostLookUps).to.equal(1);
  });

  it('poll-interval is the base of the schedule', async () => {
    const { proxy, advance } = await openAwaiting({ attributes: { 'poll-interval': '250' } });
    await advance(1_000);
    expect(times(proxy)).to.deep.equal([0, 0.5, 0.75, 1]);
  });

  it('never asks two at once, however slow the answers are', async () => {
    const { proxy, advance, pressAlreadyPaid, element } = await openAwaiting();
    proxy.delayMs = 5_000;
    await advance(60_000);
    await pressAlreadyPaid();
    element.refresh();
    await advance(60_000);
    expect(proxy.mostLookUps).to.equal(1);
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

  it('failures back off, keep the code, and are told once there were two', async () => {
    const { proxy, advance, visibleText, announcedText, codeText, details } = await openHolding();
    const code = codeText();
    proxy.replyAlways('look-up', 'lost');
    await advance(25_000);
    expect(visibleText()).to.include('Aguardando seu pagamento.');
    await advance(300_000);
    const gaps = times(proxy).map((at, index, all) => at - (all[index - 1] ?? at));
    expect(Math.max(...gaps.slice(2))).to.be.at.most(30);
    expect(proxy.of('look-up').length).to.be.within(15, 40);
    expect(codeText()).to.equal(code);
    expect(visibleText()).to.include('A conexão está instável. Continuamos tentando.');
    expect(announcedText()).to.include('A conexão está instável.');
    expect(details('pix-error')).to.deep.equal([]);
    proxy.replyAlways('look-up', null);
    await advance(60_000);
    expect(visibleText()).to.include('Aguardando seu pagamento.');
  });

  it('a look-up that is refused brings the order again by its key, and a new token', async () => {
    const { element, proxy, advance, codeText } = await openAwaiting();
    const code = codeText();
    const [invoice] = proxy.invoices;
    if (invoice) invoice.lookup_token = 'made-anew';
    await advance(60_000);
    const [first, second, third] = proxy.of('create');
    expect(third).to.equal(undefined);
    expect(second?.headers['idempotency-key']).to.equal(first?.headers['idempotency-key']);
    expect(proxy.of('look-up').at(-1)?.headers['authorization']).to.equal('Bearer made-anew');
    expect(element.phase).to.equal('awaiting');
    expect(codeText()).to.equal(code);
  });
});

describe('<pix-checkout>: "Já paguei"', () => {
  it('looks up at once without wait, giving up what is held, then after 1, 2, 4 and 8 s', async () => {
    const { proxy, advance, pressAlreadyPaid } = await openHolding();
    await advance(5_000);
    await pressAlreadyPaid();
    expect(proxy.of('look-up')[0]?.outcome).to.equal('aborted');
    await advance(20_000);
    expect(times(proxy)).to.deep.equal([0, 5, 6, 8, 12, 20, 20]);
    expect(waits(proxy)).to.deep.equal([25, 0, 0, 0, 0, 0, 25]);
  });

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
    expect(announcedText()).to.include('conexão está instável');
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
