/** The checkout in a dialog, from a button of the page: `/modal`. */

import { openCheckout } from '../src/index.js';
import { find } from './find.js';
import { call } from './qa/api.js';
import type { ShopOrder } from './shop-order.js';

find('buy').addEventListener('click', async () => {
  const order = await call<ShopOrder>('GET', '/orders/1042');
  const { externalId, orderToken, totalCents, pixTotalCents, items, lines } = order;
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
    ? `Pago: ${outcome.invoiceId}`
    : 'Ainda não foi pago. O pedido continua guardado.';
});
