/**
 * Finds the invoice of an attempt by its `Idempotency-Key`, for a page that lost the answer to its creation.
 *
 * `not_found` is a promise: the payer pays in another way then. So the key is barred before it is said, and no process that
 * still holds a request with it can claim or send any more.
 */

import { externalIdPattern } from '../../contract/types.js';
import type { CreatedInvoice } from '../../contract/types.js';
import type { UnresolvedCharges } from '../cards/unresolved-charges.js';
import { findAttempt, toAttemptInvoice } from '../idempotency/idempotency.js';
import type { Ledger, RememberedAttempt, RememberedInvoice } from '../ledger/ledger.js';
import { priceOrder } from '../merchant/merchant.js';
import type { Showings } from '../pix/showings.js';
import { markNow } from '../runtime/moment.js';
import { ProxyError, inProgress, refusedOrderToken } from '../runtime/proxy-error.js';
import { createOrderCheck, createOrderFault } from '../tokens/tokens.js';
import { answerWith, refuseIfOver, unlessPaid } from './create.js';
import type { AnswerParts } from './create.js';
import type { CountRequest } from './address-limit.js';
import { readTrace } from '../../service/call.js';

/** What recovering needs. */
interface RecoverParts extends AnswerParts {
  readonly ledger: Ledger;
  readonly unresolvedCharges: Pick<UnresolvedCharges, 'refresh' | 'refuseUnlessPayable'>;
  readonly showings: Pick<Showings, 'note'>;
  readonly countRequest: CountRequest;
}

/** Who asks for which attempt. */
interface AttemptQuestion {
  readonly key: string;
  /** Text of `?external_id=`; null: a page of an older version. */
  readonly externalId: string | null;
  /** The browser's, with its order token; also for the merchant's code. */
  readonly request: Request;
  readonly clientAddress: string | null;
}

/** @throws ProxyError as `toAttemptInvoice`; and `unauthorized`, `unknown_order`, `too_many_requests` before a key is barred */
export type Recover = (question: AttemptQuestion) => Promise<CreatedInvoice>;

/** Makes the operation `GET /invoices`. */
export function createRecover(parts: RecoverParts): Recover {
  const { settings, ledger, unresolvedCharges, showings, countRequest } = parts;
  // One that has ended will do: nothing is paid with it, and a payer whose card was turned away has to hear what became of it.
  const wasOrderToken = createOrderCheck(settings, () => 0);
  const findFault = createOrderFault(settings);

  return (question) => answerWith(parts, recover(question));

  async function recover(question: AttemptQuestion): Promise<RememberedInvoice> {
    const { key, externalId, request } = question;
    const asking = { cameAt: markNow(), trace: readTrace(request.headers) };
    const known = (await findAttempt(ledger, key, externalId)) ?? (await bar(question));
    const attempt = await unresolvedCharges.refresh(known, asking);
    const { progress, externalId: reference } = attempt;
    if (progress.state === 'unknown') await askMerchant(attempt, request);
    // Another card of the order is open: a page that was turned away goes on asking, and hears how that ended.
    if (progress.state === 'barred') {
      await unresolvedCharges.refuseUnlessPayable(reference, await ledger.find(reference), asking);
    }
    const invoice = await toAttemptInvoice(ledger, attempt);
    await showings.note(invoice);
    return invoice;
  }

  /** @returns what stands under the key then: that it is barred, or what has come meanwhile */
  async function bar(question: AttemptQuestion): Promise<RememberedAttempt> {
    const { key, externalId } = question;
    // Without its order nothing can be barred for it: it may still be on its way.
    if (externalId === null) throw new ProxyError('outcome_unknown');
    await checkOrder({ ...question, externalId });
    if (!(await ledger.barKey(externalId, key))) throw new ProxyError('too_many_requests');
    const attempt = await findAttempt(ledger, key, externalId);
    // One stood, and ended without a trace since.
    if (!attempt) throw inProgress();
    return attempt;
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
  async function askMerchant(attempt: RememberedAttempt, request: Request): Promise<void> {
    const { externalId, method, installment } = attempt;
    const question = { externalId, orderToken: null, method, installment, request };
    const order = priceOrder(settings, question).catch(() => null);
    const payable = order.then((known) => known && refuseIfOver(known));
    await unlessPaid(ledger, externalId, payable);
  }
}
