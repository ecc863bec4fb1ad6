/** The shop around the checkout: its name, greeting and order, in its language. */

import { html, nothing, render, svg } from 'lit';
import type { ShopOrder } from './shop-order.js';
import { find } from './find.js';
import type { ShopWords } from './shops.js';

const money = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });

/** What stands before each shop's name. */
const signs: Readonly<Record<string, unknown>> = {
  '': svg`<circle cx="34" cy="9" r="5" class="sun" /><path d="M1 31 17 5l11 18 6-9 13 17z" class="range" />
    <path d="m17 5-5.6 9.1 4 2.4 2.6-2 4 3.2 1-1.9z" class="snow" />`,
  bank: svg`<circle cx="24" cy="16" r="15" class="range" /><path d="M9 20a15 15 0 0 1 30 0z" class="snow" />`,
  street: svg`<path d="M2 16h8l4-13 6 26 6-22 5 16 4-7h11" class="line" />`,
  pharmacy: svg`<path d="M18 1h12v9h9v12h-9v9H18v-9H9V10h9z" class="range" />`,
};

/** Shows the shop. @param isPaid the element says that the order is paid */
export function showStorefront(
  order: ShopOrder,
  words: ShopWords,
  { shop, isPaid }: { readonly shop: string; readonly isPaid: boolean },
): void {
  document.documentElement.lang = words.language;
  document.title = `${words.name} · ${words.steps[2]}`;
  render(renderMasthead(words, shop), find('masthead'));
  render(renderWelcome(order, words, isPaid), find('welcome'));
  render(renderOrder(order, words, shop), find('order'));
  render(words.small, find('small'));
}

function renderMasthead({ name, steps, stepsLabel }: ShopWords, shop: string) {
  return html`<p class="brand">
      <svg viewBox="0 0 48 32" width="48" height="32" aria-hidden="true">${signs[shop]}</svg>
      ${name}
    </p>
    <ol class="steps" aria-label=${stepsLabel}>
      ${steps.map((step, index) => html`<li aria-current=${index === 2 ? 'step' : nothing}>${step}</li>`)}
    </ol>`;
}

function renderWelcome({ externalId }: ShopOrder, words: ShopWords, isPaid: boolean) {
  return isPaid
    ? html`<h1>${words.paidTitle}</h1>
        <p>${words.order} ${words.number} ${externalId}</p>`
    : html`<h1>${words.title}</h1>
        <p>${words.promise}</p>`;
}

function renderOrder(order: ShopOrder, words: ShopWords, shop: string) {
  const { externalId, items, lines, totalCents, pixTotalCents } = order;
  return html`<h2 id="order-title">${words.order} <span>${words.number} ${externalId}</span></h2>
    <ul>
      ${items.map(
        ({ name, description, quantity, unit_price }, index) =>
          html`<li>
            ${shop === '' ? renderBag(index) : html`<span class="tile" aria-hidden="true">${name[0]}</span>`}
            <p>
              <b>${name}</b><small>${description}</small
              ><small>${words.quantity}: ${quantity}</small>
            </p>
            <span>${toMoney(quantity * unit_price)}</span>
          </li>`,
      )}
    </ul>
    <dl>
      ${lines.map(
        ({ label, cents }) =>
          html`<dt>${label}</dt>
            <dd>${toMoney(cents)}</dd>`,
      )}
      <dt class="sum">${words.total}</dt>
      <dd class="sum">${toMoney(totalCents)}</dd>
      ${
        pixTotalCents === null
          ? nothing
          : html`<dt class="pix">${words.withPix}</dt>
              <dd class="pix">${toMoney(pixTotalCents)}</dd>`
      }
    </dl>`;
}

/** A bag of coffee, in another colour for each line of the order. */
function renderBag(index: number) {
  const label = svg`<path class="label" d="M12 27h24v17H12z" /><path class="bean"
    d="M24 30c4 0 6 2.500 6 5.500S28 41 24 41s-6-2.500-6-5.500S20 30 24 30Zm0 0c-2 4 2 7 0 11" />`;
  return html`<svg class="bag bag-${index % 2}" viewBox="0 0 48 56" aria-hidden="true">
    <path class="body" d="M11 9h26l4 10v31a4 4 0 0 1-4 4H11a4 4 0 0 1-4-4V19z" />
    <path class="fold" d="M13 2h22v7H13z" />
    ${label}
  </svg>`;
}

function toMoney(cents: number): string {
  return money.format(cents / 100);
}
