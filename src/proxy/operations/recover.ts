/**
 * Finds the invoice of an attempt by its `Idempotency-Key`, for a page that lost the answer to its creation.
 *
 * `not_found` is a promise: the payer pays in another way then. So the key is barred before it is said, and no process that
 * still holds a request with it can claim or send any more.
 */

import { externalIdPattern } from '../../contract/types.js';
import type { CreatedInvoice } from '../../contract/types.js';
import type { UnresolvedCharges } from '../cards/unresolved-charges.js';
import { toAttemptInvoice } from '../cards/attempt-answer.js';
import { priceOrder } from '../merchant/merchant.js';
import type { Showings } from '../pix/showings.js';
import { answeringFor, barred } from '../order/attempts.js';
import type { Order, KnownAttempt, MadeInvoice } from '../order/order.js';
import { blockingCardOf, paidInvoiceOf } from '../order/questions.js';
import type { OrderStore } from '../store/order-store.js';
import { readOrder, record } from '../store/record.js';
import { markNow } from '../runtime/moment.js';
import { OrderPaid, ProxyError, inProgress, refusedOrderToken } from '../runtime/proxy-error.js';
import { createOrderTokenCheck, createOrderTokenFault } from '../tokens/tokens.js';
import { answerWith, requirePayable, failAsPaid } from './create.js';
import type { AnswerParts } from './create.js';
import type { CountRequest } from './address-limit.js';
import { readTrace } from '../../service/call.js';

/** What recovering needs. */
interface RecoverParts extends AnswerParts {
  readonly store: OrderStore;
  readonly unresolvedCharges: Pick<UnresolvedCharges, 'refresh' | 'lookAtCard'>;
  readonly showings: Pick<Showings, 'note'>;
  readonly countRequest: CountRequest;
}

/** Who asks for which attempt. */
interface AttemptQuestion {
  readonly key: string;
  /** Text of `?external_id=`; null: absent. */
  readonly externalId: string | null;
  /** The browser's, with its order token; also for the merchant's code. */
  readonly request: Request;
  readonly clientAddress: string | null;
}

/** @throws ProxyError as `toAttemptInvoice`; and `unauthorized`, `unknown_order`, `too_many_requests` before a key is barred */
export type Recover = (question: AttemptQuestion) => Promise<CreatedInvoice>;

/** Makes the operation `GET /invoices`. */
export function createRecover(parts: RecoverParts): Recover {
  const { settings, store, unresolvedCharges, showings, countRequest } = parts;
  // One that has ended will do: nothing is paid with it, and a payer whose card was turned away has to hear what became of it.
  const wasOrderToken = createOrderTokenCheck(settings, () => 0);
  const findFault = createOrderTokenFault(settings);
  const { now } = store;

  return (question) => answerWith(parts, recover(question));

  async function recover(question: AttemptQuestion): Promise<MadeInvoice> {
    const { key, externalId, request } = question;
    // Without its order nothing can be said of it for good: it may still be on its way.
    if (externalId === null) throw new ProxyError('outcome_unknown');
    const requester = { cameAt: markNow(), trace: readTrace(request.headers) };
    const before = await readOrder(store, externalId);
    const known = answeringFor(before, key, now());
    const standing = known
      ? { order: before, attempt: known }
      : await bar({ ...question, externalId });
    const { order, attempt } = await unresolvedCharges.refresh(
      standing.order,
      standing.attempt,
      requester,
    );
    const { state } = attempt.progress;
    if (state === 'unknown') await askMerchant(attempt, request);
    if (state === 'barred') await requireNoOtherCard(externalId, requester);
    const invoice = toAttemptInvoice(order, attempt, now());
    await showings.note(invoice);
    return invoice;
  }

  /** Another card of the order is open: a page that was turned away goes on asking, and hears how that ended. */
  async function requireNoOtherCard(
    externalId: string,
    requester: Parameters<UnresolvedCharges['lookAtCard']>[1],
  ): Promise<void> {
    await unresolvedCharges.lookAtCard(externalId, requester);
    const order = await readOrder(store, externalId);
    const paid = paidInvoiceOf(order);
    if (paid) throw new OrderPaid(paid);
    if (blockingCardOf(order, now())) throw inProgress();
  }

  /** @returns what stands under the key then: that it is barred, or what has come meanwhile */
  async function bar(
    question: AttemptQuestion & { readonly externalId: string },
  ): Promise<{ readonly order: Order; readonly attempt: KnownAttempt }> {
    const { key, externalId } = question;
    await checkOrder(question);
    const order = await record(store, externalId, barred, key);
    const attempt = answeringFor(order, key, now());
    // One stood, and ended without a trace since.
    if (!attempt) throw inProgress();
    return { order, attempt };
  }

  /** Each key that is barred is written down: only for who may pay the order, or for an order that the shop knows. */
  async function checkOrder({
    externalId,
    request,
    clientAddress,
  }: AttemptQuestion & { readonly externalId: string }): Promise<void> {
    if (!externalIdPattern.test(externalId)) {
      throw new ProxyError('invalid_request', { field: 'external_id' });
    }
    const orderToken = request.headers.get('order-token');
    if (settings.requireOrderToken) {
      if (await wasOrderToken(externalId, orderToken ?? '')) return;
      throw refusedOrderToken(await findFault(externalId, orderToken ?? ''));
    }
    countRequest({ externalId, clientAddress });
    await priceOrder(settings, { externalId, orderToken, method: 'pix', installment: 1, request });
  }

  /** The merchant may know how the order ended. If not, the outcome stays unknown. */
  async function askMerchant(attempt: KnownAttempt, request: Request): Promise<void> {
    const { externalId, method, installment } = attempt;
    const question = { externalId, orderToken: null, method, installment, request };
    const order = priceOrder(settings, question).catch(() => null);
    const payable = order.then((known) => known && requirePayable(known));
    await failAsPaid(store, externalId, payable);
  }
}
