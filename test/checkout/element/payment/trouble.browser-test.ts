/** "O código não funcionou?": after three minutes, a look-up first, then a new code beside the old one. */
import { expect } from '@open-wc/testing';
import { problem } from '../../../support/checkout/fake-proxy.js';
import { awaiting, repliesAlways, pageOf } from '../../../support/checkout/page.js';
import type { Step } from '../../../support/checkout/page.js';

const trouble = 'O código não funcionou?';
const newCode = 'Gerar novo código Pix';
const open = awaiting({ children: '<p slot="support">0800</p>' });
const offers =
  (label: string, does = true): Step =>
  ({ buttons }) =>
    expect(buttons().includes(label), label).to.equal(does);

describe('<pix-checkout>: trouble with a code', () => {
  const looks: Step = async ({ proxy, press }) => {
    const asked = proxy.of('look-up').length;
    await press(trouble);
    expect(proxy.of('look-up').length).to.equal(asked + 1);
  };
  const asksAgain: Step = async ({ buttons, press }) => {
    if (buttons().includes(trouble)) await press(trouble);
  };
  const watchesInTurn: Step = async ({ proxy, advance }) => {
    const [old] = proxy.invoices;
    expect(proxy.of('create')[1]?.body?.replaces).to.equal(old?.invoice_id);
    const before = proxy.of('look-up').length;
    await advance(60_000);
    const asked = proxy.of('look-up').slice(before);
    const ofOld = asked.filter(({ url }) => url.includes(old?.invoice_id ?? '')).length;
    expect(ofOld).to.be.within(Math.floor(asked.length / 2) - 1, Math.ceil(asked.length / 2) + 1);
    expect(proxy.mostLookUps).to.equal(1);
    proxy.setStatus('paid', old);
  };
  const ofOld: Step = ({ proxy, details }) =>
    expect(details('pix-paid')[0]).to.include({ invoiceId: proxy.invoices[0]?.invoice_id });
  const offer = 'gere outro e pague só um deles';
  const hasSupport: Step = ({ element }) => {
    const slot = element.renderRoot.querySelector<HTMLSlotElement>('slot[name="support"]');
    expect(slot?.assignedElements()).to.have.length(1);
  };
  const answersAtItsButton: Step = ({ element }) => {
    const answer = element.renderRoot.querySelector('.trouble p')?.textContent;
    expect(answer).to.contain('Está demorando');
  };
  it('looks up first, then offers a new code, with the old one still there', async () => {
    const page = await pageOf(open);
    await page.waits(180_000);
    await page.does(looks);
    page.shows({ code: 0, shows: [offer], announces: [offer] });
    await page.does(offers(newCode));
    await page.does(offers(trouble, false));
  });

  it('offers none when the look-up fails, and may be pressed again', async () => {
    const page = await pageOf(open);
    await page.waits(180_000);
    await page.does(repliesAlways('look-up', 'lost'));
    await page.presses(trouble);
    await page.waits(10_000);
    await page.does(offers(newCode, false));
    await page.does(answersAtItsButton);
    await page.does(repliesAlways('look-up', null));
    await page.waits(60_000);
    await page.does(asksAgain);
    await page.does(offers(newCode));
  });

  it('a new code takes its place on the screen, and the old one is watched in turn', async () => {
    const page = await pageOf(open);
    await page.waits(180_000);
    await page.presses(trouble);
    await page.presses(newCode);
    page.shows({ code: 1 });
    await page.does(watchesInTurn);
    await page.waits(20_000);
    page.shows({ phase: 'paid' });
    await page.does(ofOld);
  });

  it('a refused new code leaves the old one, by which money may have moved, says why, and shows the support slot', async () => {
    const page = await pageOf(open);
    await page.waits(180_000);
    await page.does(repliesAlways('create', problem('too_many_requests')));
    await page.presses(trouble);
    await page.presses(newCode);
    page.shows({
      phase: 'awaiting',
      code: 0,
      shows: ['Foram muitas tentativas.'],
      hides: ['Nada foi cobrado'],
      codes: ['too_many_requests'],
    });
    await page.does(hasSupport);
  });
});
