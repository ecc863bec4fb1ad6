/** The checkout in a dialog, from the cart of a shop: `/modal`. */

import { html, render } from 'lit';
import { openCheckout } from '../src/index.js';
import { find } from './find.js';
import { call } from './qa/api.js';
import type { ShopOrder } from './shop-order.js';

const order = await call<ShopOrder>('GET', '/orders/1042');
const { externalId, orderToken, totalCents, pixTotalCents, items, lines } = order;

const money = (cents: number) =>
  (cents / 100).toLocaleString('pt-BR', { style: 'currency', currency: 'BRL' });
const rows = [
  ...items.map(({ name, quantity, unit_price }) => [name, quantity * unit_price] as const),
  ...lines.map(({ label, cents }) => [label, cents] as const),
];
render(
  rows.map(
    ([name, cents]) =>
      html`<li>
        <p>${name}</p>
        <span>${money(cents)}</span>
      </li>`,
  ),
  find('goods'),
);
find('total').textContent = money(totalCents);
find('pix-total').textContent = money(pixTotalCents ?? totalCents);

find('buy').addEventListener('click', async () => {
  const outcome = await openCheckout({
    endpoint: '/pix',
    externalId,
    orderToken,
    totalPriceCents: totalCents,
    pixTotalPriceCents: pixTotalCents,
    items,
    lines,
  });
  // Only a hint: the shop's server ships goods when the proxy calls `onPaid`.
  find('outcome').textContent = outcome.paid
    ? 'Pago. Obrigado!'
    : 'Ainda não foi pago. O pedido continua guardado.';
});
