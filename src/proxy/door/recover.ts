/**
 * Finds the invoice of an attempt by its `Idempotency-Key`, for a page that lost the answer to its creation.
 * `order/asks/by-key.ts` decides the answer.
 */

import { externalIdPattern, type CreatedInvoice } from '../../contract/types.js';
import { priceOrder } from '../outside/merchant.js';
import type { KnownAttempt } from '../order/order.js';
import type { LookUpFirst } from '../run/look-up.js';
import { toInvoice, type RunAsk } from '../run/run-ask.js';
import { markNow } from '../runtime/running.js';
import { SetupError, ProxyError, toOrderTokenError } from '../set-up/proxy-error.js';
import { isSignedForPayer } from './tokens/tokens.js';
import { answerWithToken, requirePayable, preferPaidError, readKey } from './create.js';
import type { OrderParts, PageQuestion } from './create.js';
import type { LazyRequest } from './request.js';
import { readTrace } from '../../service/client.js';

interface RecoverParts extends OrderParts {
  readonly runAsk: RunAsk;
  readonly lookUpFirst: LookUpFirst;
}

/**
 * Finds the invoice of an attempt.
 * @throws ProxyError: the order's answer, or `unauthorized`, `unknown_order` or `too_many_requests` if the page may not bar
 * the key
 */
export type RecoverInvoice = (question: PageQuestion) => Promise<CreatedInvoice>;

export function createRecoverInvoice(parts: RecoverParts): RecoverInvoice {
  const { settings, store, runAsk, lookUpFirst, countRequest, orderTokens } = parts;

  return (question) => {
    const { externalId, request } = question;
    const key = readKey(request.headers);
    const orderToken = request.headers.get('order-token');
    const asking = { externalId: externalId ?? '', orderToken, request, key };
    return answerWithToken(
      parts,
      parts.refuseReused(asking, recover(question, key).then(toInvoice)),
    );
  };

  /** Asks the order by the key, and carries out its commands. */
  async function recover({ externalId, ...question }: PageQuestion, key: string) {
    // Without the order's reference the key cannot be barred, so the attempt may still arrive.
    if (externalId === null) throw new ProxyError('outcome_unknown');
    const { request } = question;
    const requester = { cameAt: markNow(), trace: readTrace(request.headers) };
    return runAsk(
      { kind: 'by_key', externalId, key },
      {
        carryOut: {
          look_up: (command, { learned }) => lookUpFirst(command, learned.said, requester),
          async admit({ unknown }) {
            if (unknown) await askMerchant(unknown, request);
            else await checkMayBar({ ...question, externalId });
            return { learned: { isAdmitted: true } };
          },
        },
      },
    );
  }

  /**
   * Checks that the page may bar a key: it needs a token of the order or, where orders are public, an order that the shop
   * knows.
   */
  async function checkMayBar({
    externalId,
    request,
    clientAddress,
  }: PageQuestion & { readonly externalId: string }): Promise<void> {
    if (!externalIdPattern.test(externalId)) throw new SetupError('reference_refused');
    const orderToken = request.headers.get('order-token');
    if (settings.requireOrderToken) {
      const fault = await orderTokens.findFault(externalId, orderToken ?? '');
      // An expired token is enough here, because this pays nothing, and a payer whose card was refused has to learn what
      // became of it.
      if (isSignedForPayer(fault)) return;
      throw toOrderTokenError(fault);
    }
    countRequest({ externalId, clientAddress });
    await priceOrder(settings, { externalId, orderToken, method: 'pix', installment: 1, request });
  }

  /**
   * Asks the merchant's code, which may know how the order ended. If that fails, the outcome stays unknown.
   * @throws OrderPaid, or ProxyError `order_closed`, if the merchant says so
   */
  async function askMerchant(attempt: KnownAttempt, request: LazyRequest): Promise<void> {
    const { externalId, method, installment } = attempt;
    const question = { externalId, orderToken: null, method, installment, request };
    const order = priceOrder(settings, question).catch(() => null);
    const payable = order.then((known) => known && requirePayable(known));
    await preferPaidError(store, externalId, payable);
  }
}
