/**
 * A card that failed stays failed: what its page was told did not happen does not happen afterwards. A service worker, an
 * extension or a front server may send the same request again, minutes later, when the payer pays in another way.
 */

import { errorNameOf, faultOf } from '../config/log.js';
import type { Log } from '../config/log.js';
import type { Ledger, RememberedInvoice } from '../ledger/ledger.js';
import { OrderPaid, ProxyError } from '../runtime/proxy-error.js';
import { findAttempt, toAttemptInvoice } from './idempotency.js';

/** What it needs. */
interface BindingParts {
  readonly ledger: Ledger;
  readonly log: Log;
}

/** A card's request. */
interface KeyedRequest {
  readonly key: string;
  readonly externalId: string;
}

/** These are told of an attempt that stands, or of a key that can never be claimed. */
const bindingCodes: ReadonlySet<string> = new Set([
  'payment_refused',
  'outcome_unknown',
  'key_reused',
]);

/**
 * Bars the key of a card's request that failed, before its page is told. If an attempt with it stands, that one is the
 * answer: this request is a repeated one.
 * @param charge whoever asks may pay this order: others could use up what may be barred
 */
export async function bindKey(
  parts: BindingParts,
  request: KeyedRequest,
  charge: Promise<RememberedInvoice>,
): Promise<RememberedInvoice> {
  try {
    return await charge;
  } catch (thrown) {
    if (thrown instanceof ProxyError && bindingCodes.has(thrown.code)) throw thrown;
    const standing = await bar(parts, request);
    if (!standing || thrown instanceof OrderPaid) throw thrown;
    return toAttemptInvoice(parts.ledger, standing);
  }
}

/** @returns the attempt that stands under the key; null: it is barred, or that failed, and the page asks by its key */
async function bar({ ledger, log }: BindingParts, { key, externalId }: KeyedRequest) {
  try {
    await ledger.barKey(externalId, key);
    const attempt = await findAttempt(ledger, key, externalId);
    return attempt?.progress.state === 'barred' ? null : attempt;
  } catch (thrown) {
    const errorName = errorNameOf(thrown);
    log({ level: 'error', event: faultOf(thrown), operation: 'create', externalId, errorName });
    return null;
  }
}
