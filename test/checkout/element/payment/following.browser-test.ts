/** Following an open invoice: held look-ups, the schedule, failures, and "Já paguei". */
import { expect } from '@open-wc/testing';
import type { FakeProxy } from '../../../support/checkout/fake-proxy.js';
import { awaiting, repliesAlways, replies, pageOf } from '../../../support/checkout/page.js';
import type { Step } from '../../../support/checkout/page.js';

/** Seconds from the first look-up to each. */
function times(proxy: FakeProxy): number[] {
  const lookUps = proxy.of('look-up');
  return lookUps.map(({ atMs }) => (atMs - (lookUps[0]?.atMs ?? 0)) / 1_000);
}
const waits = (proxy: FakeProxy) => proxy.of('look-up').map(({ waitSeconds }) => waitSeconds);
const waited: Step = ({ proxy }) => expect(waits(proxy)).to.deep.equal([25, 0]);
const beganByWaiting: Step = ({ proxy }) => expect(waits(proxy).slice(0, 2)).to.deep.equal([25, 0]);
const holding = awaiting(({ proxy }) => void (proxy.holds = true));

describe('<pix-checkout>: following', () => {
  const asksByGet: Step = ({ proxy }) => {
    const [first] = proxy.of('look-up');
    const { invoice_id, lookup_token } = proxy.invoices[0] ?? {};
    const address = `${location.origin}/pix/invoices/${invoice_id}?n=&wait=25`;
    expect(first?.url.replace(/n=\d+/, 'n=')).to.equal(address);
    expect(first?.headers).to.deep.equal({ 'lookup-token': lookup_token });
    expect(first?.body).to.equal(null);
  };
  const hanging = awaiting(({ proxy }) => proxy.replyAlways('look-up', 'hangs'));
  const isFirst =
    (outcome: string): Step =>
    ({ proxy }) =>
      expect(proxy.of('look-up')[0]?.outcome).to.equal(outcome);
  const holds: Step = ({ proxy }) => (proxy.holds = true);
  it('asks with wait=25 at once, by GET, with the token in a header and no body', async () => {
    const page = await pageOf(awaiting());
    await page.does(asksByGet);
  });

  it('poll-interval is the base of the schedule', async () => {
    const page = await pageOf(awaiting({ attributes: { 'poll-interval': '250' } }));
    await page.waits(1_000);
    await page.does(({ proxy }) => expect(times(proxy)).to.deep.equal([0, 0.5, 0.75, 1]));
  });

  it('gives a held look-up 8 s beyond its wait, and after one that broke asks without wait', async () => {
    const page = await pageOf(hanging);
    await page.waits(32_999);
    await page.does(isFirst('open'));
    await page.waits(1);
    await page.does(isFirst('aborted'));
    await page.does(repliesAlways('look-up', null));
    await page.does(holds);
    await page.waits(10_000);
    await page.does(beganByWaiting);
  });
});

describe('<pix-checkout>: "Já paguei"', () => {
  const isPaid: Step = ({ proxy }) => Object.assign(proxy.invoices[0]!, { status: 'paid' });
  it('says "Conferindo…" until the answer has come, and without one for six seconds', async () => {
    const page = await pageOf(holding);
    await page.does(replies('look-up', 'hangs'));
    await page.presses('Já paguei');
    page.shows({ announces: ['Conferindo…'], code: 0 });
    await page.waits(5_999);
    page.shows({ shows: ['Conferindo…'] });
    await page.waits(1);
    page.shows({ hides: ['Conferindo…'], announces: ['demorando mais que o normal'] });
    await page.presses('Já paguei');
    await page.waits(599);
    page.shows({ shows: ['Conferindo…'] });
    await page.waits(1);
    page.shows({ announces: ['Ainda não recebemos.'] });
  });

  it('shows the receipt when it is paid', async () => {
    const page = await pageOf(holding);
    await page.does(isPaid);
    await page.presses('Já paguei');
    page.shows({ phase: 'paid' });
  });

  it('refresh() does the same for the page', async () => {
    const page = await pageOf(holding);
    await page.does(({ element }) => element.refresh());
    await page.does(waited);
  });
});
