/**
 * Creates the invoice from the page itself, as a page does that starts the request before the script has loaded. The
 * proxy keeps one open code per order, so the element gets the same invoice.
 */

import type { CreatedInvoice } from '../../src/index.js';
import type { ShopOrder } from '../shop-order.js';

/** The invoice of an order. @throws Error with the proxy's status if there is none */
export function requestInvoice(order: ShopOrder): Promise<CreatedInvoice> {
  return createFromPage(order, {});
}

/** @param more what the body holds beside the order. @throws Error with the proxy's status if there is no invoice */
export async function createFromPage(order: ShopOrder, more: object): Promise<CreatedInvoice> {
  const response = await fetch('/pix/invoices', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
    body: JSON.stringify({
      method: 'pix',
      external_id: order.externalId,
      order_token: order.orderToken,
      ...more,
    }),
  });
  if (!response.ok) throw new Error(`The proxy answered ${response.status}`);
  const { data } = (await response.json()) as { data: CreatedInvoice };
  return data;
}
