/**
 * Says what a payment link is about, before anything is created: who holds the order token may see the order's totals and
 * items. The service is not asked.
 */

import { externalIdPattern } from '../../contract/types.js';
import type { Method, OrderSummary } from '../../contract/types.js';
import type { OrderItem, PayableOrder } from '../set-up/options/options.js';
import { paidInvoiceOf } from '../order/questions.js';
import { readOrder } from '../store/record.js';
import { priceOrder } from '../outside/merchant.js';
import { OrderPaid, ProxyError } from '../set-up/proxy-error.js';
import type { Asking } from './reused-references.js';
import { requirePayable, withPaidInvoice } from './create.js';
import type { OrderParts, PageQuestion } from './create.js';
import { readToken } from './look-up.js';

/** @throws ProxyError `unauthorized`, `unknown_order`, `order_paid`, `order_closed`, `too_many_requests` */
export type SummarizeOrder = (question: PageQuestion) => Promise<OrderSummary>;

/** Makes the operation `GET /order`. Null without `paymentPage`: then no page asks. */
export function createSummarizeOrder(parts: OrderParts): SummarizeOrder | null {
  const { settings, store, countRequest, orderTokens } = parts;
  const { paymentPage, requireOrderToken } = settings;
  if (paymentPage === null) return null;
  const { methods } = paymentPage;

  return (question) => withPaidInvoice(parts, read(question));

  async function read(question: PageQuestion): Promise<OrderSummary> {
    const { request, clientAddress } = question;
    const token = readToken(request.headers, 'order-token');
    const externalId = await findReference(token, question);
    countRequest({ externalId, clientAddress });
    const asking = { externalId, orderToken: token || null, request };
    return parts.refuseReused(asking, summarize(asking));
  }

  async function summarize(asking: Asking): Promise<OrderSummary> {
    const { externalId } = asking;
    // The merchant's code may not have heard of the payment yet, or no longer know the order.
    const paid = paidInvoiceOf(await readOrder(store, externalId));
    if (paid) throw new OrderPaid(paid);
    const orders = await Promise.all(methods.map((method) => price(asking, method)));
    const totals = methods.map((method, at) => [method, orders[at]!.total_price_cents] as const);
    const items = orders[0]?.items?.filter(isWhole) ?? [];
    return { external_id: externalId, totals: Object.fromEntries(totals), items };
  }

  /** A name is believed only where orders are public. */
  async function findReference(token: string, { externalId }: PageQuestion): Promise<string> {
    const named = token === '' && !requireOrderToken ? externalId : await orderTokens.read(token);
    // A link that has expired is no fault of the set-up: nothing is logged.
    if (named === null || !externalIdPattern.test(named)) throw new ProxyError('unauthorized');
    return named;
  }

  async function price(asking: Asking, method: Method): Promise<PayableOrder> {
    return requirePayable(await priceOrder(settings, { ...asking, method, installment: 1 }));
  }
}

/** Whether the element can show it. */
function isWhole(item: OrderItem): item is OrderSummary['items'][number] {
  return item.name !== undefined && item.quantity !== undefined && item.unit_price !== undefined;
}
