/**
 * What the proxy does, without HTTP: create an order's invoice, find an attempt's, look one up.
 *
 * Owns the order of the checks. Each function throws a `ProxyError` and nothing a caller may see the inside of.
 */

import type { CreatedInvoice, CreateRequest, InvoiceStatus } from '../../contract/types.js';
import { toCreatedInvoice, toDeadline } from '../gateway/browser-data.js';
import {
  findAttempt,
  runAttempt,
  toAttempt,
  toAttemptInvoice,
} from '../idempotency/attempts-by-key.js';
import type { CardGuards } from '../cards/card-guards.js';
import type { Charge } from '../cards/charge-once.js';
import type { GetOrCreatePix } from '../pix/open-invoice.js';
import type { LongPolls } from '../status/long-polls.js';
import type { LookUps } from '../status/shared-look-ups.js';
import { priceOrder } from '../merchant/merchant.js';
import type { Settings } from '../config/read-options.js';
import type { UnresolvedCharges } from '../cards/unresolved-charges.js';
import type { Ledger, RememberedAttempt, RememberedInvoice } from '../ledger/ledger.js';
import { ProxyError } from '../runtime/proxy-error.js';
import { readWait } from './create-request.js';
import { createOrderCheck } from '../tokens/tokens.js';
import type { LookUpTokens } from '../tokens/tokens.js';
import type { OrderQuestion, PayableOrder } from '../config/options.js';

/** A creation, read and ready. */
export interface Creation {
  readonly request: CreateRequest;
  /** Null: the merchant's own server asks; it needs neither key nor order token. */
  readonly fromBrowser: { readonly key: string; readonly request: Request } | null;
  readonly clientAddress: string | null;
}

/** A look-up, its token not yet looked at. */
export interface LookUpQuestion {
  readonly invoiceId: string;
  readonly token: string;
  /** Text of `?wait=`; null: answer at once. */
  readonly wait: string | null;
  readonly signal: AbortSignal;
}

/** The three operations of the contract. */
export interface Checkout {
  create(creation: Creation): Promise<CreatedInvoice>;
  /** @param request the browser's, for the merchant's code */
  findAttempt(key: string, request: Request): Promise<CreatedInvoice>;
  lookUp(question: LookUpQuestion): Promise<InvoiceStatus>;
}

/** What the operations are made of. */
export interface CheckoutParts {
  readonly settings: Settings;
  readonly ledger: Ledger;
  readonly tokens: LookUpTokens;
  readonly settle: GetOrCreatePix;
  readonly charge: Charge;
  readonly unresolvedCharges: UnresolvedCharges;
  readonly hashAddress: CardGuards['hashAddress'];
  readonly toOrderPaid: (paid: RememberedInvoice | null) => Promise<ProxyError>;
  readonly lookUp: LookUps['lookUp'];
  readonly hold: LongPolls['hold'];
}

/** Makes the operations of one proxy. */
export function createCheckout(parts: CheckoutParts): Checkout {
  const { settings, ledger, tokens, settle, charge, unresolvedCharges, toOrderPaid, lookUp, hold } =
    parts;
  const { now, randomUuid } = settings;
  const isOrderToken = createOrderCheck(settings, now);

  return {
    async create(creation) {
      const { request, fromBrowser, clientAddress } = creation;
      const { external_id: externalId, payer: typedPayer = {}, card, replaces } = request;
      await checkOrderToken(creation);
      const order = await price(creation);
      const totalCents = order.total_price_cents;
      const key = fromBrowser?.key ?? randomUuid();
      const payment = { externalId, order, typedPayer, clientAddress, idempotencyKey: key };
      if (card) {
        const payerHash = await parts.hashAddress(clientAddress);
        const attempt = await toAttempt(key, request, totalCents, randomUuid());
        const browserRequest = fromBrowser?.request ?? null;
        const charged = { attempt, payment: { ...payment, card }, payerHash };
        return answer(await charge({ ...charged, request: browserRequest }));
      }
      if (!fromBrowser) return answer(await settle({ ...payment, replaces }));
      const attempt = await toAttempt(key, request, totalCents, randomUuid());
      const invoice = await runAttempt(ledger, attempt, (isNew) =>
        // A service that honours the key would answer a repeated one with the former code.
        settle({ ...payment, replaces, idempotencyKey: isNew ? key : randomUuid() }),
      );
      return answer(invoice);
    },

    async findAttempt(key, request) {
      const attempt = await unresolvedCharges.refresh(await findAttempt(ledger, key));
      if (attempt.progress.state === 'unknown') await heedMerchant(attempt, request);
      return answer(await toAttemptInvoice(ledger, attempt, toOrderPaid));
    },

    async lookUp({ invoiceId, token, wait, signal }) {
      const issued = await tokens.read(token, invoiceId);
      if (!issued) throw new ProxyError('unauthorized');
      const waitMs = Math.min(readWait(wait), settings.holdSeconds) * 1_000;
      const first = await lookUp(issued);
      const isFinal = first.classification === 'paid' || first.classification === 'refused';
      const isHeld = waitMs > 0 && !isFinal;
      const found = isHeld ? await hold({ issued, first, token, waitMs, signal }) : first;
      if (found.classification === 'refused') throw new ProxyError('payment_refused');
      // As it is, where nothing is added: `http.ts` writes the same data only once.
      if (issued.deadlineMs === null) return found.data;
      return { ...found.data, ...toDeadline(issued, now()) };
    },
  };

  /** @throws ProxyError where there is nothing to pay, or another sum than the page showed */
  async function price(creation: Creation): Promise<PayableOrder> {
    const { external_id: externalId, expected_total_cents: expected } = creation.request;
    const order = await priceOrder(settings, toQuestion(creation));
    if (order === 'closed') throw new ProxyError('order_closed');
    if (order === 'paid') throw await toOrderPaid((await ledger.find(externalId)).paid);
    if (expected !== undefined && expected !== order.total_price_cents) {
      throw new ProxyError('amount_mismatch');
    }
    return order;
  }

  /** The merchant may know how a card ended that nobody else knows of. Otherwise it stays unknown. */
  async function heedMerchant(attempt: RememberedAttempt, request: Request): Promise<void> {
    const { externalId, method, installment } = attempt;
    const question = { externalId, orderToken: null, method, installment, request };
    const order = await priceOrder(settings, question).catch(() => null);
    if (order === 'closed') throw new ProxyError('order_closed');
    if (order === 'paid') throw await toOrderPaid((await ledger.find(externalId)).paid);
  }

  async function answer(invoice: RememberedInvoice): Promise<CreatedInvoice> {
    return toCreatedInvoice(invoice, await tokens.issue(invoice), now());
  }

  async function checkOrderToken({ request, fromBrowser }: Creation): Promise<void> {
    if (!fromBrowser || !settings.requireOrderToken) return;
    const { external_id: externalId, order_token: orderToken = '' } = request;
    if (!(await isOrderToken(externalId, orderToken))) throw new ProxyError('unauthorized');
  }
}

function toQuestion({ request, fromBrowser }: Creation): OrderQuestion {
  return {
    externalId: request.external_id,
    orderToken: request.order_token ?? null,
    method: request.method,
    installment: request.card?.installment ?? 1,
    request: fromBrowser?.request ?? null,
  };
}
