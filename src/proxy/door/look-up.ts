/** Looks an invoice up for a page: checks the look-up token, asks for the status, and waits for a change if the page wants. */

import type { InvoiceStatus, Method, OrderSummary } from '../../contract/types.js';
import { readTrace } from '../../service/client.js';
import type { Settings } from '../set-up/options/read-options.js';
import { toDeadline } from '../outside/invoice-forms.js';
import { findInvoice, findPaidInvoice, type IssuedInvoice } from '../order/order.js';
import { isReturned } from '../order/told/outbox.js';
import type { Showings } from '../run/pix.js';
import { ProxyError, toLookUpTokenError, OrderPaid } from '../set-up/proxy-error.js';
import type { LongPolls } from './long-polls.js';
import { toPaidResult, type LookUpResult, type LookUps } from '../run/look-up.js';
import type { LazyRequest } from './request.js';
import type { LookUpTokens } from './tokens/tokens.js';
import { externalIdPattern } from '../../contract/types.js';
import type { OrderItem, PayableOrder } from '../set-up/options/options.js';
import { readOrder, type OrderStore } from '../store/order-store.js';
import { priceOrder } from '../outside/merchant.js';
import type { OrderRequest, OrderParts, PageQuestion } from './create.js';
import { requirePayable, addPaidInvoice } from './create.js';

interface LookUpQuestion {
  readonly invoiceId: string;
  /** The text of `?wait=`; null answers at once. */
  readonly wait: string | null;
  /** The signal is read only if the page waits, because making it costs more than the rest of a look-up. */
  readonly request: Pick<LazyRequest, 'headers' | 'signal'>;
}

interface LookUpOperationParts {
  readonly settings: Pick<Settings, 'now' | 'holdSeconds'>;
  readonly store: Pick<OrderStore, 'read'>;
  readonly tokens: LookUpTokens;
  readonly lookUp: LookUps['lookUp'];
  readonly showings: Pick<Showings, 'noteOpen'>;
  readonly waitForChange: LongPolls['waitForChange'];
}

/**
 * Looks an invoice up.
 * @throws ProxyError `unauthorized`, `invalid_request`, `payment_refused`, or why the service could not be asked
 */
export type LookUpInvoice = (question: LookUpQuestion) => Promise<InvoiceStatus>;

export function createLookUpInvoice(parts: LookUpOperationParts): LookUpInvoice {
  const { settings, store, tokens, lookUp, showings, waitForChange } = parts;

  return async ({ invoiceId, wait, request }) => {
    const token = readToken(request.headers, 'lookup-token');
    const issued = await tokens.read(token, invoiceId);
    if (!issued) throw toLookUpTokenError(token);
    const waitMs = Math.min(readWait(wait), settings.holdSeconds) * 1_000;
    const trace = readTrace(request.headers);
    const result = lookUp(issued, { begunAfter: 'whenever', trace });
    const first = await result.catch((thrown: unknown) => findPaidResult(issued, thrown));
    if (first.meaning === 'open') await showings.noteOpen(issued);
    const isFinal = first.meaning === 'paid' || first.meaning === 'refused';
    const isLongPoll = waitMs > 0 && !isFinal;
    const found = isLongPoll
      ? await waitForChange({ issued, first, token, waitMs, signal: request.signal })
      : first;
    if (found.meaning === 'refused') throw new ProxyError('payment_refused');
    const data = { ...found.data, ...toDeadline(issued, settings.now()) };
    return found.meaning === 'paid' && (await isPaymentReturned(issued))
      ? { ...data, returned: true }
      : data;
  };

  /** Reads the order, because the remembered result of the look-up may be older than a return. */
  async function isPaymentReturned({ externalId, invoiceId }: IssuedInvoice): Promise<boolean> {
    const order = await store.read(externalId).catch(() => null);
    return order !== null && isReturned(order, invoiceId);
  }

  /**
   * Answers from the order if the look-up failed, because a paid invoice stays paid even if the service is down or has
   * forgotten it.
   * @throws the failure of the look-up if the order does not know the invoice as paid
   */
  async function findPaidResult(issued: IssuedInvoice, thrown: unknown): Promise<LookUpResult> {
    const order = await store.read(issued.externalId).catch(() => null);
    const paid = order && findInvoice(order, issued.invoiceId);
    if (!paid?.isPaid) throw thrown;
    return toPaidResult(paid);
  }
}

/**
 * Reads `?wait=` in whole seconds; 0 if it is absent.
 * @throws ProxyError `invalid_request`
 */
function readWait(wait: string | null): number {
  if (wait === null) return 0;
  if (!/^\d{1,3}$/.test(wait)) throw new ProxyError('invalid_request', { field: 'wait' });
  return Number(wait);
}

/**
 * Reads a look-up token from its own header, because a web server with HTTP Basic needs `Authorization`, or as a bearer token
 * (RFC 6750 section 2.1, in any case).
 * @returns an empty text if there is none
 */
function readToken(headers: Pick<Headers, 'get'>, header: 'lookup-token' | 'order-token'): string {
  const bearer = () => /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  return headers.get(header) ?? bearer() ?? '';
}

// Answers `GET /order` for a payment page: the totals and items of the order, for a holder of its order token. It creates
// nothing and does not call the service.

/**
 * Finds the totals and items of an order.
 * @throws ProxyError `unauthorized`, `unknown_order`, `order_paid`, `order_closed`, `too_many_requests`
 */
export type SummarizeOrder = (question: PageQuestion) => Promise<OrderSummary>;

/** Creates the summary of orders. @returns null without `paymentPage`, because no page asks then */
export function createSummarizeOrder(parts: OrderParts): SummarizeOrder | null {
  const { settings, store, countRequest, orderTokens } = parts;
  const { paymentPage, requireOrderToken } = settings;
  if (paymentPage === null) return null;
  const { methods } = paymentPage;

  return (question) => addPaidInvoice(parts, summarizeForPage(question));

  /** Finds out which order the page may read, counts the request, and makes the summary. */
  async function summarizeForPage(question: PageQuestion): Promise<OrderSummary> {
    const { request, clientAddress } = question;
    const token = readToken(request.headers, 'order-token');
    const externalId = await findReference(token, question);
    countRequest({ externalId, clientAddress });
    const asking = { externalId, orderToken: token || null, request };
    return parts.refuseReused(asking, summarize(asking));
  }

  /** Prices the order once for each method. @throws OrderPaid if a look-up has found it paid */
  async function summarize(asking: OrderRequest): Promise<OrderSummary> {
    const { externalId } = asking;
    // The merchant's code may not know of the payment yet, or may have deleted the order.
    const paid = findPaidInvoice(await readOrder(store, externalId));
    if (paid) throw new OrderPaid(paid);
    const orders = await Promise.all(methods.map((method) => price(asking, method)));
    const totals = methods.map((method, at) => [method, orders[at]!.total_price_cents] as const);
    const items = orders[0]?.items?.filter(isCompleteItem) ?? [];
    return { external_id: externalId, totals: Object.fromEntries(totals), items };
  }

  /** Finds the reference of the order in its token, or in the address if orders are public. */
  async function findReference(token: string, { externalId }: PageQuestion): Promise<string> {
    const named = token === '' && !requireOrderToken ? externalId : await orderTokens.read(token);
    // Nothing is logged, because an expired link does not mean that the set-up is wrong.
    if (named === null || !externalIdPattern.test(named)) throw new ProxyError('unauthorized');
    return named;
  }

  async function price(asking: OrderRequest, method: Method): Promise<PayableOrder> {
    return requirePayable(await priceOrder(settings, { ...asking, method, installment: 1 }));
  }
}

/** Whether the item has all that the element shows. */
function isCompleteItem(item: OrderItem): item is OrderSummary['items'][number] {
  return item.name !== undefined && item.quantity !== undefined && item.unit_price !== undefined;
}
