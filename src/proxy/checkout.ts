/**
 * What the proxy does, without HTTP: create an order's invoice, find an attempt's, look one up.
 *
 * Owns the order of the checks. Each function throws a `Refusal` and nothing a caller may see the inside of.
 */

import type { CreatedInvoice, CreateRequest, InvoiceStatus } from '../contract/types.js';
import { toCreatedInvoice, toDeadline } from './answers.js';
import { findAttemptInvoice, runAttempt, toAttempt } from './attempts.js';
import type { SettleDebt } from './debts.js';
import type { Holds } from './holds.js';
import type { LookUps } from './look-ups.js';
import { priceOrder } from './merchant.js';
import type { Settings } from './options.js';
import type { OrderMemory, RememberedInvoice } from './orders/orders.js';
import { Refusal } from './refusal.js';
import { readWait } from './requests.js';
import { verifyOrder } from './tokens.js';
import type { LookUpTokens } from './tokens.js';
import type { OrderQuestion } from './types.js';

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
  findAttempt(key: string): Promise<CreatedInvoice>;
  lookUp(question: LookUpQuestion): Promise<InvoiceStatus>;
}

/** What the operations are made of. */
export interface CheckoutParts {
  readonly settings: Settings;
  readonly orders: OrderMemory;
  readonly tokens: LookUpTokens;
  readonly settle: SettleDebt;
  readonly toOrderPaid: (paid: RememberedInvoice | null) => Promise<Refusal>;
  readonly lookUp: LookUps['lookUp'];
  readonly hold: Holds['hold'];
}

/** Makes the operations of one proxy. */
export function createCheckout(parts: CheckoutParts): Checkout {
  const { settings, orders, tokens, settle, toOrderPaid, lookUp, hold } = parts;
  const { now, randomUuid } = settings;

  return {
    async create(creation) {
      const { request, fromBrowser, clientAddress } = creation;
      const { external_id: externalId, expected_total_cents: expected, replaces } = request;
      await checkOrderToken(creation);
      const order = await priceOrder(settings, toQuestion(creation));
      if (order === 'closed') throw new Refusal('order_closed');
      if (order === 'paid') throw await toOrderPaid((await orders.find(externalId)).paid);
      const totalCents = order.total_price_cents;
      if (expected !== undefined && expected !== totalCents) throw new Refusal('amount_mismatch');

      const settleWith = (idempotencyKey: string) => {
        const typedPayer = request.payer ?? {};
        return settle({ externalId, order, typedPayer, clientAddress, replaces, idempotencyKey });
      };
      if (!fromBrowser) return answer(await settleWith(randomUuid()));
      const { key } = fromBrowser;
      const attempt = await toAttempt(key, request, totalCents);
      const invoice = await runAttempt(orders, attempt, (isNew) =>
        // A service that honours the key would answer a repeated one with the former code.
        settleWith(isNew ? key : randomUuid()),
      );
      return answer(invoice);
    },

    async findAttempt(key) {
      const { invoice, paid } = await findAttemptInvoice(orders, key);
      if (paid && paid.invoiceId !== invoice.invoiceId) throw await toOrderPaid(paid);
      return answer(invoice);
    },

    async lookUp({ invoiceId, token, wait, signal }) {
      const issued = await tokens.read(token, invoiceId);
      if (!issued) throw new Refusal('unauthorized');
      const waitMs = Math.min(readWait(wait), settings.holdSeconds) * 1_000;
      const first = await lookUp(issued);
      const isFinal = first.data.status === 'paid';
      const { data } = isFinal ? first : await hold({ issued, first, token, waitMs, signal });
      return { ...data, ...toDeadline(issued, now()) };
    },
  };

  async function answer(invoice: RememberedInvoice): Promise<CreatedInvoice> {
    return toCreatedInvoice(invoice, await tokens.issue(invoice), now());
  }

  async function checkOrderToken({ request, fromBrowser }: Creation): Promise<void> {
    if (!fromBrowser || !settings.requireOrderToken) return;
    const { external_id: externalId, order_token: orderToken = '' } = request;
    const { secrets, publicUrl } = settings;
    const isGood = await verifyOrder({ secrets, publicUrl, externalId, orderToken, now });
    if (!isGood) throw new Refusal('unauthorized');
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
