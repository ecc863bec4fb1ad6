/** `auto-start`: the invoice is created as soon as nothing has to be asked, once per order, and never behind a payer's back. */
import { expect } from '@open-wc/testing';
import { stub } from '../../../support/checkout/browser-stubs.js';
import {
  newOrder,
  openCheckout,
  choose,
  form,
  payer,
  play,
  proxied,
  set,
  pageOf,
  type,
} from '../../../support/checkout/page.js';
import type { Sight, Step } from '../../../support/checkout/page.js';

const empty = { 'auto-start': '', 'payer-fields': '' };
const open = (attributes: Record<string, string> = {}) =>
  form({ attributes: { 'auto-start': '', ...attributes } });

describe('<pix-checkout>: auto-start', () => {
  const none = { 'payer-fields': '' };
  const given = { attributes: { 'auto-start': '' }, properties: { payer } };
  const lost = proxied((proxy) => proxy.replyAlways('create', 'lost'), { attributes: empty });
  const cheaper: Step = ({ proxy, set }) => {
    proxy.totalCents = 9_990;
    return set({ totalPriceCents: 9_990 });
  };
  const inAndOut: Step = ({ element }) => {
    document.body.append(element);
    element.remove();
  };
  const prerendered: Step = () => {
    stub(document, 'prerendering', { value: false });
    document.dispatchEvent(new Event('prerenderingchange'));
  };
  const prerendering = form(() => {
    stub(document, 'prerendering', { value: true });
    return { attributes: empty };
  });
  const twoMethods = proxied((proxy) => (proxy.delayMs = 500), {
    attributes: { ...empty, methods: 'credit_card pix' },
    properties: { tokenizeCard: () => Promise.resolve({ token: 'token-of-a-card' }) },
  });
  it('creates when payer-fields is empty', async () => {
    const page = await pageOf(open(empty));
    page.shows({ phase: 'awaiting', creations: 1 });
  });

  it('creates when the payer given leaves nothing to ask', async () => {
    const page = await pageOf(form(given));
    page.shows({ sent: { payer } });
  });

  it('creates nothing unasked where the page says "false" as an attribute', async () => {
    const page = await pageOf(open({ ...none, 'auto-start': 'false' }));
    page.shows({ phase: 'form', requests: 0 });
  });

  it('creates nothing unasked where the page says "false" as a property', async () => {
    const page = await pageOf(form({ attributes: none, properties: { autoStart: 'false' } }));
    page.shows({ phase: 'form', requests: 0 });
  });

  it('waits while something has to be asked, and creates once the payer is set later', async () => {
    const page = await pageOf(open());
    page.shows({ phase: 'form' });
    await page.does(set({ payer: { name: 'Ana Souza' } }));
    page.shows({ phase: 'form' });
    await page.does(set({ payer }));
    page.shows({ phase: 'awaiting', creations: 1 });
  });

  it('never after the payer has typed', async () => {
    const page = await pageOf(open());
    await page.does(type('name', 'A'));
    await page.does(set({ payer }));
    page.shows({ phase: 'form', requests: 0 });
  });

  it('once per external-id: not again after reset(), again for another order', async () => {
    const page = await pageOf(open(empty));
    await page.does('reset');
    page.shows({ phase: 'form', creations: 1 });
    await page.does(set({ externalId: newOrder() }));
    page.shows({ phase: 'awaiting', creations: 2 });
  });

  it('does not repeat what failed but by two silent retries', async () => {
    const page = await pageOf(form(lost));
    await page.waits(60_000);
    page.shows({ phase: 'form', creations: 3, buttons: ['Tentar de novo'] });
  });

  it('a changed total takes the code away and waits for a press: the new price was not asked for', async () => {
    const page = await pageOf(open(empty));
    page.shows({ phase: 'awaiting' });
    await page.does(cheaper);
    await page.does(set({ receiverName: 'rendered again' }));
    page.shows({ phase: 'form', creations: 1 });
    await page.does('submit');
    page.shows({ phase: 'awaiting', creations: 2 });
  });

  it('by a choice of Pix keeps the focus in the element: the choice takes nothing until there is a code', async () => {
    const page = await pageOf(form(twoMethods));
    await page.does(({ get }) => get('.methods label:last-of-type input').focus());
    await page.does(choose('Pix'));
    page.shows({ creations: 1, focus: 'title' });
  });

  it('never while the document is prerendering', async () => {
    const page = await pageOf(prerendering);
    page.shows({ phase: 'form', requests: 0 });
    await page.does(prerendered);
    page.shows({ phase: 'awaiting' });
  });

  it('not before the element is in the page, and then', async () => {
    const page = await pageOf(form({ attributes: empty, detached: true }));
    await page.does(inAndOut);
    page.shows({ requests: 0 });
    await page.does('append');
    page.shows({ phase: 'awaiting', creations: 1 });
  });

  it('not for a method that is not offered', async () => {
    const page = await pageOf(open({ ...empty, methods: 'boleto' }));
    page.shows({ phase: 'failed' });
  });

  it('shows the receipt at once of an order that was paid since the page was loaded, and asks for nothing', async () => {
    const page = await pageOf(open(empty));
    await page.does('pay');
    await page.waits(60_000);
    page.shows({ phase: 'paid' });
    await page.does('leave');
    await page.does(
      later({}, (requests) => ({
        requests,
        shows: 'Pagamento confirmado',
        told: ['pix-ready', 'pix-status'],
      })),
    );
  });

  it('asks for the order where it costs something else than what was paid', async () => {
    const page = await pageOf(open(empty));
    await page.does('pay');
    await page.waits(60_000);
    page.shows({ phase: 'paid' });
    await page.does('leave');
    await page.does(later({ 'total-price-cents': '15000' }, () => ({ creations: 2 })));
  });
  it('a cancelled pix-submit leaves the form, and auto-start does not repeat it', async () => {
    let asked = 0;
    const cancel = (event: Event) => {
      asked++;
      event.preventDefault();
    };
    document.addEventListener('pix-submit', cancel);
    const { element, proxy, set } = await open(empty)();
    await set({ receiverName: 'rendered again' });
    document.removeEventListener('pix-submit', cancel);
    await set({ receiverName: 'and again' });
    expect([element.phase, asked, proxy.requests.length]).to.deep.equal(['form', 1, 0]);
  });
});

/** Another element of the same page, for the same order; what is so then, by how much was asked for before. */
function later(more: object, sightOf: (requests: number) => Sight): Step {
  return async ({ element, world, proxy }) => {
    const sight = sightOf(proxy.requests.length);
    const attributes = { ...empty, 'external-id': element.externalId, ...more };
    await play(await openCheckout({ attributes }, world), sight);
  };
}
