/**
 * Says what a payment link is about, before anything is created: who holds the order token may see the order's totals and
 * items. The service is not asked.
 */

import { externalIdPattern } from '../../contract/types.js';
import type { Method, OrderSummary } from '../../contract/types.js';
import type { OrderItem, PayableOrder } from '../config/options.js';
import type { Ledger } from '../ledger/ledger.js';
import { priceOrder } from '../merchant/merchant.js';
import { OrderPaid, ProxyError } from '../runtime/proxy-error.js';
import { createOrderReader } from '../tokens/tokens.js';
import { refuseIfOver, withPaidInvoice } from './create.js';
import type { AnswerParts } from './create.js';

/** Most questions from one address about one order in a minute: each one costs the merchant's code a call. */
const questionsPerMinute = 30;

/** Most of them counted; then counting begins anew. */
const maxCounted = 10_000;

/** Who asks for which order. */
interface OrderSummaryQuestion {
  /** The order token; empty: none was sent. */
  readonly token: string;
  /** Text of `?external_id=`: believed only where orders are public. */
  readonly externalId: string | null;
  readonly request: Request;
  readonly clientAddress: string | null;
}

/** @throws ProxyError `unauthorized`, `unknown_order`, `order_paid`, `order_closed`, `too_many_requests` */
export type ReadOrder = (question: OrderSummaryQuestion) => Promise<OrderSummary>;

/** Makes the operation `GET /order`. Null without `paymentPage`: then no page asks. */
export function createReadOrder(
  parts: AnswerParts & { readonly ledger: Ledger },
): ReadOrder | null {
  const { settings, ledger } = parts;
  const { paymentPage, requireOrderToken, now } = settings;
  if (paymentPage === null) return null;
  const { methods } = paymentPage;
  const openOrder = createOrderReader(settings, now);
  const countQuestion = createQuestionCount(now);

  return (question) => withPaidInvoice(parts, read(question));

  async function read(question: OrderSummaryQuestion): Promise<OrderSummary> {
    const externalId = await findReference(question);
    // By address: a stranger must not use up what the payer of a public order may ask.
    countQuestion(`${externalId} ${question.clientAddress}`);
    const orders = await Promise.all(methods.map((method) => price(question, externalId, method)));
    // The merchant's code may not have heard of the payment yet.
    const { paid } = await ledger.find(externalId);
    if (paid) throw new OrderPaid(paid);
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
    return refuseIfOver(ledger, externalId, await priceOrder(settings, question));
  }
}

/** Whether the element can show it. */
function isWhole(item: OrderItem): item is OrderSummary['items'][number] {
  return item.name !== undefined && item.quantity !== undefined && item.unit_price !== undefined;
}

/** @returns counts one question. @throws ProxyError `too_many_requests` with the next minute */
export function createQuestionCount(now: () => number): (name: string) => void {
  const counts = new Map<string, number>();
  let countedMinute = 0;
  return (name) => {
    const minute = Math.floor(now() / 60_000);
    if (minute !== countedMinute || counts.size >= maxCounted) counts.clear();
    countedMinute = minute;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    if (count <= questionsPerMinute) return;
    const retryAfterSeconds = 60 - (Math.floor(now() / 1_000) % 60);
    throw new ProxyError('too_many_requests', { retryAfterSeconds });
  };
}
