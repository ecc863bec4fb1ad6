/**
 * Finds the invoice of an attempt by its `Idempotency-Key`, for a page that lost the answer to its creation.
 * `order/asks/by-key.ts` decides the answer.
 */

import { externalIdPattern } from '../../contract/types.js';
import type { CreatedInvoice } from '../../contract/types.js';
import { priceOrder } from '../outside/merchant.js';
import type { KnownAttempt } from '../order/order.js';
import type { LookUpFirst } from '../run/look-up.js';
import type { RunAsk } from '../run/run-ask.js';
import { toInvoice } from '../run/run-ask.js';
import { markNow } from '../runtime/running.js';
import { SetupError, ProxyError, toOrderTokenError } from '../set-up/proxy-error.js';
import { isSignedForPayer } from './tokens/tokens.js';
import { answerWithToken, requirePayable, preferPaidError, readKey } from './create.js';
import type { OrderParts, PageQuestion } from './create.js';
import type { LazyRequest } from './request.js';
import { readTrace } from '../../service/client.js';

/** What recovering needs. */
interface RecoverParts extends OrderParts {
  readonly runAsk: RunAsk;
  readonly lookUpFirst: LookUpFirst;
}

/** @throws ProxyError as the order answers; and `unauthorized`, `unknown_order`, `too_many_requests` before a key is barred */
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

  async function recover({ externalId, ...question }: PageQuestion, key: string) {
    // Without its order nothing can be said of it for good: it may still be on its way.
    if (externalId === null) throw new ProxyError('outcome_unknown');
    const { request } = question;
    const requester = { cameAt: markNow(), trace: readTrace(request.headers) };
    return runAsk(
      { kind: 'by_key', externalId, key },
      {
        isAwaited: () => true,
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

  /** Who may have a key barred: a payer of the order, or of an order that the shop knows. */
  async function checkMayBar({
    externalId,
    request,
    clientAddress,
  }: PageQuestion & { readonly externalId: string }): Promise<void> {
    if (!externalIdPattern.test(externalId)) throw new SetupError('reference_refused');
    const orderToken = request.headers.get('order-token');
    if (settings.requireOrderToken) {
      const fault = await orderTokens.findFault(externalId, orderToken ?? '');
      // One that has ended will do: nothing is paid with it, and a payer whose card was turned away has to hear what became of it.
      if (isSignedForPayer(fault)) return;
      throw toOrderTokenError(fault);
    }
    countRequest({ externalId, clientAddress });
    await priceOrder(settings, { externalId, orderToken, method: 'pix', installment: 1, request });
  }

  /** The merchant may know how the order ended. If not, the outcome stays unknown. */
  async function askMerchant(attempt: KnownAttempt, request: LazyRequest): Promise<void> {
    const { externalId, method, installment } = attempt;
    const question = { externalId, orderToken: null, method, installment, request };
    const order = priceOrder(settings, question).catch(() => null);
    const payable = order.then((known) => known && requirePayable(known));
    await preferPaidError(store, externalId, payable);
  }
}
