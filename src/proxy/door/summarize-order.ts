/**
 * Says what a payment link is about, before anything is created: who holds the order token may see the order's totals and
 * items. The service is not asked.
 */

import { externalIdPattern } from '../../contract/types.js';
import type { Method, OrderSummary } from '../../contract/types.js';
import type { OrderItem, PayableOrder } from '../set-up/options/options.js';
import { paidInvoiceOf } from '../order/questions.js';
import type { OrderStore } from '../store/order-store.js';
import { readOrder } from '../store/record.js';
import { priceOrder } from '../outside/merchant.js';
import { OrderPaid, ProxyError } from '../set-up/proxy-error.js';
import { createOrderTokenReader } from './tokens/tokens.js';
import type { RefuseReused } from './reused-references.js';
import type { CountRequest } from './address-limit.js';
import { requirePayable, withPaidInvoice } from './create.js';
import type { AnswerParts } from './create.js';
import type { LazyRequest } from './request.js';

/** Who asks for which order. */
interface OrderSummaryQuestion {
  /** The order token; empty: none was sent. */
  readonly token: string;
  /** Text of `?external_id=`: believed only where orders are public. */
  readonly externalId: string | null;
  readonly request: LazyRequest;
  readonly clientAddress: string | null;
}

/** @throws ProxyError `unauthorized`, `unknown_order`, `order_paid`, `order_closed`, `too_many_requests` */
export type SummarizeOrder = (question: OrderSummaryQuestion) => Promise<OrderSummary>;

/** Makes the operation `GET /order`. Null without `paymentPage`: then no page asks. */
export function createSummarizeOrder(
  parts: AnswerParts & {
    readonly store: OrderStore;
    readonly countRequest: CountRequest;
    readonly refuseReused: RefuseReused;
  },
): SummarizeOrder | null {
  const { settings, store, countRequest } = parts;
  const { paymentPage, requireOrderToken, now } = settings;
  if (paymentPage === null) return null;
  const { methods } = paymentPage;
  const openOrder = createOrderTokenReader(settings, now);

  return (question) => withPaidInvoice(parts, read(question));

  async function read(question: OrderSummaryQuestion): Promise<OrderSummary> {
    const { token, request, clientAddress } = question;
    const externalId = await findReference(question);
    countRequest({ externalId, clientAddress });
    const asking = { externalId, orderToken: token || null, request };
    return parts.refuseReused(asking, summarize(question, externalId));
  }

  async function summarize(
    question: OrderSummaryQuestion,
    externalId: string,
  ): Promise<OrderSummary> {
    // The merchant's code may not have heard of the payment yet, or no longer know the order.
    const paid = paidInvoiceOf(await readOrder(store, externalId));
    if (paid) throw new OrderPaid(paid);
    const orders = await Promise.all(methods.map((method) => price(question, externalId, method)));
    const totals = methods.map((method, at) => [method, orders[at]!.total_price_cents] as const);
    const items = orders[0]?.items?.filter(isWhole) ?? [];
    return { external_id: externalId, totals: Object.fromEntries(totals), items };
  }

  async function findReference({ token, externalId }: OrderSummaryQuestion): Promise<string> {
    const named = token === '' && !requireOrderToken ? externalId : await openOrder(token);
    // A link that has expired is no fault of the set-up: nothing is logged.
    if (named === null || !externalIdPattern.test(named)) throw new ProxyError('unauthorized');
    return named;
  }

  async function price(
    { token, request }: OrderSummaryQuestion,
    externalId: string,
    method: Method,
  ): Promise<PayableOrder> {
    const orderToken = token || null;
    const question = { externalId, orderToken, method, installment: 1, request };
    return requirePayable(await priceOrder(settings, question));
  }
}

/** Whether the element can show it. */
function isWhole(item: OrderItem): item is OrderSummary['items'][number] {
  return item.name !== undefined && item.quantity !== undefined && item.unit_price !== undefined;
}
