/** The tag: two copies of the script, upgrading what the page wrote before, `:state()`, and the fallback children. */

import { expect } from '@open-wc/testing';
import { PixCheckout as FirstCopy } from '../../../src/index.js';
import type { Phase } from '../../../src/index.js';
import { stub } from '../../support/checkout/browser-stubs.js';
import {
  openAwaiting,
  settle,
  TestCheckout,
  form,
  ready,
  slow,
  pageOf,
} from '../../support/checkout/page.js';
import type { Step } from '../../support/checkout/page.js';

describe('<pix-checkout>: registration', () => {
  it('a second copy of the script does no harm: the first one stays', async () => {
    expect(customElements.get('pix-checkout')).to.equal(FirstCopy);
    const warnings: unknown[] = [];
    stub(console, 'warn', { value: (warning: unknown) => warnings.push(warning) });
    // As a page would get it by two script tags with different addresses.
    const copy = '../../../src/index.ts?second-copy';
    const second = (await import(copy)) as { PixCheckout: unknown };
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.match(/^Multiple versions of Lit loaded/);
    expect(second.PixCheckout).to.be.a('function');
    expect(customElements.get('pix-checkout')).to.equal(FirstCopy);
    const element = document.createElement('pix-checkout');
    element.setAttribute('endpoint', '/pix');
    element.setAttribute('external-id', 'order-of-two-scripts');
    document.body.append(element);
    await element.updateComplete;
    element.remove();
    expect(element.phase).to.equal('form');
  });

  it('a tag that is taken by someone else is left to them', async () => {
    const { define } = customElements;
    const defined: string[] = [];
    customElements.define = (name) => void defined.push(name);
    const copy = '../../../src/index.ts?third-copy';
    await import(copy).finally(() => (customElements.define = define));
    expect(defined).to.deep.equal([]);
  });

  it('fallback children are there until the script comes, and are not rendered after', async () => {
    class LateCheckout extends TestCheckout {}
    const place = document.body.appendChild(document.createElement('div'));
    place.innerHTML =
      '<late-checkout endpoint="/pix" external-id="late"><a href="#">Pagar</a></late-checkout>';
    const [element, link] = place.querySelectorAll<HTMLElement>('late-checkout, a');
    expect(link?.getClientRects()).to.have.length(1);
    Object.assign(element ?? {}, { payer: { name: 'Ana Souza' }, totalPriceCents: 12_990 });
    customElements.define('late-checkout', LateCheckout);
    const late = element as LateCheckout;
    await late.updateComplete;
    await settle();
    const shown = late.renderRoot.querySelector('section')?.innerText ?? '';
    const rects = link?.getClientRects().length;
    place.remove();
    expect(rects).to.equal(0);
    expect(late.renderRoot.querySelectorAll('slot:not([name])')).to.have.length(0);
    expect(shown, 'properties set before the script count').to.include('129,90');
    expect(late.renderRoot.querySelectorAll('[name="name"]')).to.have.length(0);
  });

  it('header and footer slots stand in every phase', async () => {
    const { element, set } = await openAwaiting({
      children: '<b slot="header">Loja</b><i slot="footer">Termos</i>',
    });
    const slotted = () =>
      [...element.renderRoot.querySelectorAll('slot')].flatMap((slot) => slot.assignedElements());
    expect(slotted()).to.have.length(2);
    element.reset();
    await set({ endpoint: null });
    expect(element.phase).to.equal('failed');
    expect(slotted()).to.have.length(2);
  });

  const isReadOnly: Step = ({ element }) => {
    expect(() => Object.assign(element, { phase: 'paid' })).to.throw(TypeError);
    element.setAttribute('phase', 'paid');
  };
  const matches: Step = ({ element }) => expectState(element);
  const hides: Step = ({ element }) => {
    expect(element.getClientRects()).to.have.length(1);
    element.hidden = true;
    expect(element.getClientRects()).to.have.length(0);
  };
  it('phase cannot be written', async () => {
    const page = await pageOf(form());
    await page.does(isReadOnly);
    page.shows({ phase: 'form' });
  });

  it(':state() follows phase, from the start, where the engine knows it', async () => {
    const page = await pageOf(ready(slow(100)));
    page.shows({ phase: 'form' });
    await page.does(matches);
    await page.does('submit');
    page.shows({ phase: 'creating' });
    await page.does(matches);
    await page.waits(200);
    page.shows({ phase: 'awaiting' });
    await page.does(matches);
    await page.does('pay');
    await page.presses('Já paguei');
    await page.waits(200);
    page.shows({ phase: 'paid' });
    await page.does(matches);
  });

  it('hidden hides it', async () => {
    const page = await pageOf(form());
    await page.does(hides);
  });
});

const phases: readonly Phase[] = [
  'form',
  'creating',
  'awaiting',
  'confirming',
  'paid',
  'expired',
  'failed',
];

function expectState(element: TestCheckout): void {
  let known = true;
  try {
    element.matches(':state(form)');
  } catch {
    known = false;
  }
  const matched = known
    ? phases.filter((one) => element.matches(`:state(${one})`))
    : [element.phase];
  expect(matched).to.deep.equal([element.phase]);
}
