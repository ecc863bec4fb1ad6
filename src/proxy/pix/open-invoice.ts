/**
 * Gets or creates the one open Pix invoice of an order: two keys, tabs or devices that ask for one order and price get one
 * code. A new invoice is checked before anyone sees it.
 */

import { BrCodeError, parseBrCode } from '../../domain/br-code.js';
import type { UnresolvedCharges } from '../cards/unresolved-charges.js';
import {
  findWrongField,
  toCreationRequest,
  toRememberedInvoice,
  toSendingOptions,
} from '../gateway/invoice-forms.js';
import type { CreationParts, PricedPayment } from '../gateway/invoice-forms.js';
import { isPassableCode } from '../gateway/wire-texts.js';
import type { WithOrderLock } from '../idempotency/idempotency.js';
import { countRecorded, isHandedOut } from '../ledger/ledger-rules.js';
import type { Ledger, OrderRecord, RememberedInvoice } from '../ledger/ledger.js';
import type { Showings } from './showings.js';
import { createUnusualCodes } from './unusual-codes.js';
import { PageLeft, ProxyError, unavailable } from '../runtime/proxy-error.js';

/** Most new codes of one order in an hour. */
const codeLimit = { most: 3, withinMs: 3_600_000 };

/**
 * Most creations sent for one order in ten minutes, successful or not. More than codes, in less time: a page sends three by
 * itself for each press of the button, and a payer must not wait an hour because the service was down for a minute. An
 * invoice that no payer saw harms no one.
 */
const sendLimit = { most: 10, withinMs: 600_000 };

/** When to ask again for a code that another process has just recorded, seconds. */
const soonSeconds = 1;

/** A request for an order's open invoice. */
interface PixRequest extends PricedPayment {
  /** Compare-and-set: the invoice that the payer wants replaced. */
  readonly replaces: string | undefined;
}

/** What it needs. */
interface OpenInvoiceParts extends CreationParts {
  readonly ledger: Ledger;
  readonly unresolvedCharges: Pick<UnresolvedCharges, 'refuseUnlessPayable' | 'refuseIfPaid'>;
  readonly withOrderLock: WithOrderLock;
  readonly showings: Pick<Showings, 'note'>;
}

/**
 * @returns the order's one open invoice
 * @throws OrderPaid; ProxyError `in_progress`, `too_many_requests`, or why none could be made
 */
export type GetOrCreatePix = (request: PixRequest) => Promise<RememberedInvoice>;

/** Makes the function that answers with an order's open invoice. */
export function createOpenInvoices(parts: OpenInvoiceParts): GetOrCreatePix {
  const { settings, ledger, withOrderLock, showings } = parts;
  const { refuseUnlessPayable, refuseIfPaid } = parts.unresolvedCharges;
  const { now } = settings;
  const noteUnusual = createUnusualCodes(parts.log);

  return async (request) => {
    const invoice = await withOrderLock(
      request.externalId,
      () => getOrCreate(request),
      () => findMade(request),
    );
    await showings.note(invoice);
    return invoice;
  };

  /** Without the lock: it spares the service a second creation, and what is there was checked when it was made. */
  async function findMade(request: PixRequest): Promise<RememberedInvoice | null> {
    const known = await ledger.find(request.externalId);
    return findOpen(known, request) && (await readOrder(request, known)).open;
  }

  async function readOrder(request: PixRequest, known: OrderRecord) {
    const order = await refuseUnlessPayable(request.externalId, known, request);
    const open = findOpen(order, request);
    await refuseIfPaid(order, open, request);
    return { order, open };
  }

  async function getOrCreate(request: PixRequest): Promise<RememberedInvoice> {
    const { externalId } = request;
    const { order, open } = await readOrder(request, await ledger.find(externalId));
    if (open) return open;

    refuseIfTooMany(order);
    await ledger.recordSend(externalId, 'pix', now(), request.order.total_price_cents);
    const made = await createPix(parts, request);
    noteUnusual(made);
    const after = await ledger.recordCode(made, countRecorded(order.invoices));
    const own = after.invoices.find((one) => one.invoiceId === made.invoiceId && isHandedOut(one));
    // Another process may have recorded a code while ours was made. No payer saw ours: it harms no one.
    const invoice = own ?? findOpen(after, request);
    if (!invoice) throw unavailable(soonSeconds);
    // A card claimed from now on finds this invoice; one claimed before is found here, as is a payment of a former code.
    await refuseUnlessPayable(externalId, after, request);
    return invoice;
  }

  /** The newest invoice of this price that is not expired and that the payer does not want replaced. */
  function findOpen(
    { invoices }: Pick<OrderRecord, 'invoices'>,
    request: PixRequest,
  ): RememberedInvoice | null {
    const { total_price_cents: totalCents } = request.order;
    // Not the newest of all: a price may come back, and its code is still open.
    const newest = invoices
      .filter(isHandedOut)
      .findLast((invoice) => invoice.totalCents === totalCents);
    if (!newest) return null;
    const isExpired = newest.deadlineMs !== null && newest.deadlineMs <= now();
    return isExpired || newest.invoiceId === request.replaces ? null : newest;
  }

  function refuseIfTooMany({ invoices, sentAtMs }: OrderRecord): void {
    const nowMs = now();
    const limits = [
      { ...codeLimit, times: invoices.filter(isHandedOut).map(({ createdAtMs }) => createdAtMs) },
      { ...sendLimit, times: sentAtMs },
    ];
    for (const { most, withinMs, times } of limits) {
      const sinceMs = nowMs - withinMs;
      // The one that has to leave the span before another may enter it. Times ahead of a clock that was set back do not count.
      const blocking = times.filter((atMs) => atMs > sinceMs && atMs <= nowMs).at(-most);
      if (blocking === undefined) continue;
      const retryAfterSeconds = Math.ceil((blocking - sinceMs) / 1_000);
      throw new ProxyError('too_many_requests', { retryAfterSeconds });
    }
  }
}

/** Creates one invoice at the service. @throws ProxyError; then nothing was handed out, and a later try may create another */
async function createPix(parts: CreationParts, payment: PricedPayment): Promise<RememberedInvoice> {
  const { settings, service, sandbox, log, toPostbackUrl } = parts;
  const { externalId } = payment;
  const call = { operation: 'create', externalId } as const;
  try {
    const postbackUrl = await toPostbackUrl(externalId);
    const request = toCreationRequest(payment, 'pix', settings, postbackUrl);
    if (!payment.isAwaited()) throw new PageLeft();
    const wire = await service.createInvoice(request, toSendingOptions(payment, settings));
    const invoice = toRememberedInvoice(wire, payment, 'pix', settings);
    refuseIf('invalid_answer', findWrongField(invoice, wire, request, settings));
    refuseIf('invalid_code', findCodeFault(invoice, settings.allowUnverifiedCodes));
    sandbox.noteCreated(invoice.invoiceId, invoice.code, wire.isSandbox);
    return invoice;
  } catch (thrown) {
    const isPayerTyped = Object.keys(payment.typedPayer).length > 0;
    throw service.toProxyError(thrown, { ...call, isPayerTyped });
  }

  /** The service created an invoice, but none that may be shown for this order. */
  function refuseIf(event: 'invalid_answer' | 'invalid_code', field: string | null): void {
    if (field === null) return;
    log({ level: 'error', event, ...call, field });
    throw unavailable();
  }
}

/** Why a bank would not pay this code, or would pay another amount; null: it would pay it. */
function findCodeFault(
  { code, totalCents }: RememberedInvoice,
  isUnverified: boolean,
): string | null {
  if (code === '') return 'no-code';
  if (isUnverified) return isPassableCode(code, true) ? null : 'unreadable';
  try {
    const { kind, amountCents, recurrenceLocation } = parseBrCode(code);
    // Paying it, alone or with a charge, would authorise later debits.
    if (recurrenceLocation !== null) return 'recurrence';
    // A bank asks a location for the amount again; it pays a key's code as it is written.
    const differs = kind === 'static' && amountCents !== null && amountCents !== totalCents;
    return differs ? 'amount-differs' : null;
  } catch (thrown) {
    return thrown instanceof BrCodeError ? thrown.fault : 'unreadable';
  }
}
