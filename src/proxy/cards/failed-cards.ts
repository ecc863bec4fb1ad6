/**
 * A card that failed stays failed: what its page was told did not happen does not happen afterwards. A service worker, an
 * extension or a front server may send the same request again, minutes later, when the payer pays in another way.
 */

import { logError } from '../config/log.js';
import type { Log } from '../config/log.js';
import { answeringFor, barred } from '../order/attempts.js';
import type { MadeInvoice } from '../order/order.js';
import { OrderPaid, ProxyError } from '../runtime/proxy-error.js';
import type { OrderStore } from '../store/order-store.js';
import { record } from '../store/record.js';
import { toAttemptInvoice } from './attempt-answer.js';

/** What it needs. */
interface BarringParts {
  readonly store: OrderStore;
  readonly log: Log;
}

/** A card's request. */
interface KeyedRequest {
  readonly key: string;
  readonly externalId: string;
}

/** Errors that are told of an attempt that stands, or of a key that can never be claimed. */
const finalCodes: ReadonlySet<string> = new Set([
  'payment_refused',
  'outcome_unknown',
  'key_reused',
]);

/**
 * Bars the key of a card's request that failed, before its page is told. If an attempt with it stands, that one is the
 * answer: this request is a repeated one.
 * @param charge whoever asks may pay this order: others could use up what may be barred
 */
export async function barIfFailed(
  parts: BarringParts,
  request: KeyedRequest,
  charge: Promise<MadeInvoice>,
): Promise<MadeInvoice> {
  try {
    return await charge;
  } catch (thrown) {
    if (thrown instanceof ProxyError && finalCodes.has(thrown.code)) throw thrown;
    const order = await bar(parts, request);
    const standing = order && answeringFor(order, request.key, parts.store.now());
    if (!order || !standing || thrown instanceof OrderPaid) throw thrown;
    if (standing.progress.state === 'barred') throw thrown;
    return toAttemptInvoice(order, standing, parts.store.now());
  }
}

/** @returns the order with this key barred, or the attempt that stands; null: that failed, and the page asks by its key */
async function bar({ store, log }: BarringParts, { key, externalId }: KeyedRequest) {
  try {
    return await record(store, externalId, barred, key);
  } catch (thrown) {
    logError(log, thrown, { operation: 'create', externalId });
    return null;
  }
}
