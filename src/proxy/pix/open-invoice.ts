/**
 * One order is one debt: decides whether an order's open invoice is answered again, or a new one made.
 *
 * Owns the rules of DESIGN "One external_id is one debt" for Pix. Knows no HTTP and no idempotency key: two keys of one
 * order are still one debt.
 */

import type { Ledger, OrderRecord, RememberedInvoice } from '../ledger/ledger.js';
import type { PricedPayment } from '../gateway/invoice-request.js';
import type { RefuseIfPaid } from '../status/refuse-if-paid.js';
import type { CreatePix } from './create-pix.js';
import { ProxyError, unavailable } from '../runtime/proxy-error.js';
import type { Metrics } from '../config/metrics.js';
import type { WithOrderLock } from '../idempotency/order-lock.js';

/** Most new codes of one order in an hour. */
const codeLimit = { most: 3, withinMs: 3_600_000 };

/**
 * Most creations sent for one order in ten minutes, whatever became of them. More, and in less time, than codes: a page
 * sends three by itself for each press of the button, and a payer must not wait an hour because the service was down for
 * a minute. An invoice that nobody saw harms nobody.
 */
const sendLimit = { most: 10, withinMs: 600_000 };

/** When to ask again for a code that another process has just recorded, seconds. */
const soonSeconds = 1;

/** A debt to be settled, as it is asked for now. */
export interface PixRequest extends PricedPayment {
  /** Compare-and-set: the invoice a new code is wanted for. */
  readonly replaces: string | undefined;
}

/** What debts need. */
export interface OpenInvoiceParts {
  readonly ledger: Ledger;
  readonly refuseIfPaid: RefuseIfPaid;
  /** Reads the order. @throws ProxyError while a card of it may be charged */
  readonly refuseIfChargeIsUnresolved: (externalId: string) => Promise<OrderRecord>;
  readonly createPix: CreatePix;
  readonly withOrderLock: WithOrderLock;
  readonly metrics: Pick<Metrics, 'count'>;
  readonly now: () => number;
  /** Makes the refusal that carries the invoice which paid. */
  readonly toOrderPaid: (paid: RememberedInvoice) => Promise<ProxyError>;
}

/**
 * @returns the order's one open invoice
 * @throws ProxyError `order_paid`, `in_progress`, `too_many_requests`, or why none could be made
 */
export type GetOrCreatePix = (request: PixRequest) => Promise<RememberedInvoice>;

/** Makes the function that answers for orders. */
export function createOpenInvoices(parts: OpenInvoiceParts): GetOrCreatePix {
  const {
    ledger,
    refuseIfPaid,
    refuseIfChargeIsUnresolved,
    createPix,
    withOrderLock,
    metrics,
    now,
    toOrderPaid,
  } = parts;

  return async function settle(request) {
    const { externalId } = request;
    return withOrderLock(externalId, async () => {
      const record = await refuseIfChargeIsUnresolved(externalId);
      if (record.paid) throw await toOrderPaid(record.paid);
      const open = findOpen(record, request);
      await refuseIfPaid(record, open);
      if (open) return open;

      refuseIfTooMany(record);
      await ledger.recordSend(externalId, 'pix', now());
      const made = await createPix(request);
      // A turn may run out unnoticed, and another process make a code too. Nobody saw this one: it harms nobody.
      const { invoices } = await ledger.find(externalId);
      const first = findOpen({ invoices }, request);
      const isRecorded = first !== null || (await ledger.recordCode(made, invoices.length));
      if (!isRecorded) throw unavailable(soonSeconds);
      if (!first) metrics.count('codes');
      const invoice = first ?? made;
      // Whoever pays by card from now on finds this invoice; a card that was claimed before is found here.
      const { paid } = await refuseIfChargeIsUnresolved(externalId);
      // A former code may have been paid while the new one was made: then nobody should see the new one.
      if (paid) throw await toOrderPaid(paid);
      return invoice;
    });
  };

  /** The newest invoice of this price, if it can be paid as it is and nobody asks for another in its place. */
  function findOpen(
    { invoices }: Pick<OrderRecord, 'invoices'>,
    request: PixRequest,
  ): RememberedInvoice | null {
    const { total_price_cents: totalCents } = request.order;
    // Not the newest of all: a price may come back, and its code is open still.
    const newest = invoices.filter(isPix).findLast((invoice) => invoice.totalCents === totalCents);
    if (!newest) return null;
    const isOver = newest.deadlineMs !== null && newest.deadlineMs <= now();
    return isOver || newest.invoiceId === request.replaces ? null : newest;
  }

  function refuseIfTooMany({ invoices, sentAtMs }: OrderRecord): void {
    const nowMs = now();
    const limits = [
      { ...codeLimit, times: invoices.filter(isPix).map(({ createdAtMs }) => createdAtMs) },
      { ...sendLimit, times: sentAtMs },
    ];
    for (const { most, withinMs, times } of limits) {
      const sinceMs = nowMs - withinMs;
      // The one that has to leave the span before another may enter it. After a clock was set back, none is ahead of it.
      const blocking = times.filter((atMs) => atMs > sinceMs && atMs <= nowMs).at(-most);
      if (blocking === undefined) continue;
      const retryAfterSeconds = Math.ceil((blocking - sinceMs) / 1_000);
      throw new ProxyError('too_many_requests', { retryAfterSeconds });
    }
  }
}

function isPix({ method }: RememberedInvoice): boolean {
  return method === 'pix';
}
