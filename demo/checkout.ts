/**
 * Puts the order of the shop into the element: every attribute and property that a page can set, in one place.
 */

import { html, nothing, render } from 'lit';
import type { PixCheckout } from '../src/index.js';
import { createTokenizer, providerField } from './provider.js';
import type { ProviderOptions } from './provider.js';
import { setFaults } from './qa/api.js';
import { requestInvoice } from './qa/direct-request.js';
import { optionGroups } from './qa/option-groups.js';
import type { OptionName, Options } from './qa/options.js';
import type { ShopOrder } from './shop-order.js';
import { toShopWords } from './shops.js';

/** Custom properties and slots, by the names of their options. */
const styleNames = Object.keys(optionGroups['Looks: custom properties']) as OptionName[];

/** The shop's own words inside the element. Without a slot they show only if the element's script never arrives. */
function renderWords(options: Options) {
  const words = toShopWords(options);
  const header = options['slot-header'];
  const footer = options['slot-footer'];
  return html`${header === '' ? nothing : html`<p slot="header">${header}</p>`}
    <p slot="paid">${options['slot-paid'] || words.thanks}</p>
    <p slot="support">
      ${options['slot-support'] || html`${words.help} <a href="#order">${words.contact}</a>`}
    </p>
    ${footer === '' ? nothing : html`<p slot="footer">${footer}</p>`}
    <p>${words.notLoaded}</p>`;
}

/** Makes the element for an order. It is not in the document yet. */
export async function createCheckout(order: ShopOrder, options: Options): Promise<PixCheckout> {
  const checkout = document.createElement('pix-checkout');
  applyOrder(checkout, order, options);
  await giveInvoice(checkout, order, options.invoice);
  return checkout;
}

/** Applies changes to a running element. */
export function applyOrder(checkout: PixCheckout, order: ShopOrder, options: Options): void {
  const claimed = options['page-total'];
  const attributes: Readonly<Record<string, string | null>> = {
    endpoint: '/pix',
    'external-id': order.externalId,
    'order-token': order.orderToken,
    'total-price-cents': claimed || String(order.totalCents),
    'pix-total-price-cents': claimed ? null : (order.pixTotalCents?.toString() ?? null),
    'payer-fields': options['payer-fields'],
    methods: options.methods,
    'auto-start': options['auto-start'] ? '' : null,
    'allow-unverified-code': options['allow-unverified-code'] ? '' : null,
    'expires-in': options['expires-in'] || null,
    'accepted-brands': options['accepted-brands'] || null,
    'accept-raw-card': options['card-data'] === 'raw' ? '' : null,
    'receiver-name': options['receiver-name'] || null,
    'poll-interval': options['poll-interval'] || null,
    locale: options.locale || null,
  };
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null) checkout.removeAttribute(name);
    else if (checkout.getAttribute(name) !== value) checkout.setAttribute(name, value);
  }
  for (const name of styleNames) checkout.style.setProperty(name, options[name]);
  checkout.texts = toTexts(options.texts);
  applyCard(checkout, order, options);
  checkout.items = order.items;
  checkout.lines = order.lines;
  checkout.lookUpAddress = async () => ({
    address_line: 'Rua das Araucárias',
    address_city: 'Campos do Jordão',
    address_state: 'SP',
  });
}

/** Reads texts, one a line: `copy: Copiar`. */
function toTexts(lines: string): PixCheckout['texts'] {
  const pairs = [...lines.matchAll(/^\s*(\w+)\s*:\s*(.+?)\s*$/gm)];
  return pairs.length === 0
    ? null
    : Object.fromEntries(pairs.map(([, name = '', words = '']) => [name, words]));
}

/** Sets where card data goes: a real page has one of these three ways. */
function applyCard(checkout: PixCheckout, order: ShopOrder, options: Options): void {
  const { 'card-data': way, tokenizer, installments } = options;
  render([renderWords(options), way === 'slot' ? providerField : nothing], checkout);
  const readField = () => checkout.querySelector<HTMLInputElement>('[slot="card"] input')?.value;
  const provider: ProviderOptions = {
    tokenizer: tokenizer as ProviderOptions['tokenizer'],
    threeDSecure: options['three-d-secure'] !== '',
  };
  const hasTokenizer = way === 'token' || way === 'slot';
  checkout.tokenizeCard = hasTokenizer ? createTokenizer(provider, () => readField() ?? '') : null;
  checkout.installments = installments === 'on' ? order.installments : null;
}

/** Gives the element an invoice that the page has already, in one of several ways. */
async function giveInvoice(checkout: PixCheckout, order: ShopOrder, kind: string): Promise<void> {
  const invoice = kind === '' ? null : requestInvoice(order);
  if (kind === 'promise') checkout.invoice = invoice;
  if (invoice && kind === 'broken') {
    // Look-ups have to answer the same code: a page's code is shown only if they confirm it.
    await setFaults([{ on: 'look_up', kind: 'bad_crc' }]);
    // The last character is part of the checksum.
    checkout.invoice = invoice.then((data) => ({
      ...data,
      qr_code_pix: data.qr_code_pix.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    }));
  }
  if (kind === 'id') {
    const data = await invoice;
    checkout.invoiceId = data?.invoice_id ?? null;
    checkout.lookupToken = data?.lookup_token ?? null;
  }
}
