/** The shop around the checkout: greeting and order. */

import { html, nothing, render, svg } from 'lit';
import type { ShopOrder } from './checkout.js';
import { find } from './find.js';

const money = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });

/** Shows the order and its greeting. @param isPaid the element says that it is paid */
export function showStorefront(order: ShopOrder, isPaid: boolean): void {
  render(renderWelcome(order, isPaid), find('welcome'));
  render(renderOrder(order), find('order'));
}

function renderWelcome({ externalId }: ShopOrder, isPaid: boolean) {
  return isPaid
    ? html`<h1>Pedido confirmado</h1>
        <p>O pedido ${externalId} já está na fila da torra.</p>`
    : html`<h1>Falta só o pagamento</h1>
        <p>Torramos seu café assim que o pagamento chegar.</p>`;
}

function renderOrder({ externalId, items, lines, totalCents, pixTotalCents }: ShopOrder) {
  return html`<h2 id="order-title">Seu pedido <span>nº ${externalId}</span></h2>
    <ul>
      ${items.map(
        ({ name, description, quantity, unit_price }, index) =>
          html`<li>
            ${renderBag(index)}
            <p><b>${name}</b><small>${description}</small><small>Quantidade: ${quantity}</small></p>
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
      <dt class="sum">Total</dt>
      <dd class="sum">${toMoney(totalCents)}</dd>
      ${
        pixTotalCents === null
          ? nothing
          : html`<dt class="pix">Pagando com Pix</dt>
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
