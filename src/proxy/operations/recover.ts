/** Finds the invoice of an attempt by its `Idempotency-Key`, for a page that lost the answer to its creation. */

import type { CreatedInvoice } from '../../contract/types.js';
import type { UnresolvedCharges } from '../cards/unresolved-charges.js';
import { findAttempt, toAttemptInvoice } from '../idempotency/idempotency.js';
import type { Ledger, RememberedAttempt, RememberedInvoice } from '../ledger/ledger.js';
import { priceOrder } from '../merchant/merchant.js';
import { answerWith, refuseIfOver } from './create.js';
import type { AnswerParts } from './create.js';
import { readTrace } from '../../service/call.js';

/** What recovering needs. */
interface RecoverParts extends AnswerParts {
  readonly ledger: Ledger;
  readonly unresolvedCharges: Pick<UnresolvedCharges, 'refresh'>;
}

/** @param request the browser's, for the merchant's code */
export type Recover = (key: string, request: Request) => Promise<CreatedInvoice>;

/** Makes the operation `GET /invoices`. */
export function createRecover(parts: RecoverParts): Recover {
  const { settings, ledger, unresolvedCharges } = parts;

  return (key, request) => answerWith(parts, recover(key, request));

  async function recover(key: string, request: Request): Promise<RememberedInvoice> {
    const attempt = await unresolvedCharges.refresh(
      await findAttempt(ledger, key),
      readTrace(request.headers),
    );
    if (attempt.progress.state === 'unknown') await askMerchant(attempt, request);
    return toAttemptInvoice(ledger, attempt);
  }

  /** The merchant may know how the order ended. If not, the outcome stays unknown. */
  async function askMerchant(attempt: RememberedAttempt, request: Request): Promise<void> {
    const { externalId, method, installment } = attempt;
    const question = { externalId, orderToken: null, method, installment, request };
    const order = await priceOrder(settings, question).catch(() => null);
    if (order !== null) await refuseIfOver(ledger, externalId, order);
  }
}
