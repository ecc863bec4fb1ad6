/** `auto-start`: the invoice is created as soon as nothing has to be asked, once per order, and never behind a payer's back. */
import { expect } from '@open-wc/testing';
import { stub } from '../../../support/checkout/browser-stubs.js';
import { newOrder, openCheckout } from '../../../support/checkout/pix-checkout-harness.js';
import {
  choose,
  form,
  payer,
  play,
  proxied,
  set,
  tell,
  type,
} from '../../../support/checkout/stories.js';
import type { Sight, Step } from '../../../support/checkout/stories.js';

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
  tell`
    creates when payer-fields is empty
      ${open(empty)} = awaiting, 1 creation
    creates when the payer given leaves nothing to ask
      ${form(given)} = ${{ sent: { payer } }}
    creates nothing unasked where the page says "false" as an attribute
      ${open({ ...none, 'auto-start': 'false' })} = form, 0 requests
    creates nothing unasked where the page says "false" as a property
      ${form({ attributes: none, properties: { autoStart: 'false' } })} = form, 0 requests
    waits while something has to be asked, and creates once the payer is set later
      ${open()} = form > ${set({ payer: { name: 'Ana Souza' } })} = form > ${set({ payer })} = awaiting, 1 creation
    never after the payer has typed
      ${open()} > ${type('name', 'A')} > ${set({ payer })} = form, 0 requests
    once per external-id: not again after reset(), again for another order
      ${open(empty)} > reset = form, 1 creation > ${set({ externalId: newOrder() })} = awaiting, 2 creations
    does not repeat what failed but by two silent retries
      ${form(lost)} > 60_000 = form, 3 creations, button Tentar de novo
    a changed total takes the code away and waits for a press: the new price was not asked for
      ${open(empty)} = awaiting > ${cheaper} > ${set({ receiverName: 'rendered again' })} = form, 1 creation
      > submit = awaiting, 2 creations
    by a choice of Pix keeps the focus in the element: the choice takes nothing until there is a code
      ${form(twoMethods)} > ${({ get }) => get('.methods label:last-of-type input').focus()}
      > ${choose('Pix')} = 1 creation, focus Pix Trocar
    never while the document is prerendering
      ${prerendering} = form, 0 requests > ${prerendered} = awaiting
    not before the element is in the page, and then
      ${form({ attributes: empty, detached: true })} > ${inAndOut} = 0 requests > append = awaiting, 1 creation
    not for a method that is not offered
      ${open({ ...empty, methods: 'boleto' })} = failed
    shows the receipt at once of an order that was paid since the page was loaded, and asks for nothing
      ${open(empty)} > pay > 60_000 = paid > leave
      > ${later({}, (requests) => ({ requests, shows: 'Pagamento confirmado', told: ['pix-ready', 'pix-status'] }))}
    asks for the order where it costs something else than what was paid
      ${open(empty)} > pay > 60_000 = paid > leave > ${later({ 'total-price-cents': '15000' }, () => ({ creations: 2 }))}
  `;
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
