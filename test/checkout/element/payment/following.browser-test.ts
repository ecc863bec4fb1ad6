/** Following an open invoice: held look-ups, the schedule, failures, and "Já paguei". */
import { expect } from '@open-wc/testing';
import type { FakeProxy } from '../../../support/checkout/fake-proxy.js';
import { awaiting, repliesAlways, replies, tell } from '../../../support/checkout/stories.js';
import type { Step } from '../../../support/checkout/stories.js';

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
  tell`
    asks with wait=25 at once, by GET, with the token in a header and no body
      ${awaiting()} > ${asksByGet}
    poll-interval is the base of the schedule
      ${awaiting({ attributes: { 'poll-interval': '250' } })} > 1_000
      > ${({ proxy }) => expect(times(proxy)).to.deep.equal([0, 0.5, 0.75, 1])}
    gives a held look-up 8 s beyond its wait, and after one that broke asks without wait
      ${hanging} > 32_999 > ${isFirst('open')} > 1 > ${isFirst('aborted')}
      > ${repliesAlways('look-up', null)} > ${holds} > 10_000 > ${beganByWaiting}
  `;
});

describe('<pix-checkout>: "Já paguei"', () => {
  const isPaid: Step = ({ proxy }) => Object.assign(proxy.invoices[0]!, { status: 'paid' });
  tell`
    says "Conferindo…" until the answer has come, and without one for six seconds
      ${holding} > ${replies('look-up', 'hangs')} > Já paguei = says "Conferindo…", code 0
      > 5_999 = "Conferindo…" > 1 = no "Conferindo…", says "demorando mais que o normal"
      > Já paguei > 599 = "Conferindo…" > 1 = says "Ainda não recebemos."
    shows the receipt when it is paid
      ${holding} > ${isPaid} > Já paguei = paid
    refresh() does the same for the page
      ${holding} > ${({ element }) => element.refresh()} > ${waited}
  `;
});
