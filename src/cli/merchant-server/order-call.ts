/** Asks the merchant's server what an order costs: `resolveOrder` as a signed call to `ORDER_URL`. */

import { randomUUID as newUuid } from 'node:crypto';
import type * as z from 'zod/mini';
import { readTrace, toTraceHeaders } from '../../service/call.js';
import type { OrderAnswer, ResolveOrder } from '../../proxy.js';
import type { orderQuestionSchema } from './merchant-schemas.js';
import { createSignedPost, MerchantCallError, toMerchantFault } from './signed-post.js';
import type { MerchantServer } from './signed-post.js';

/** Longest time of one call, milliseconds: the proxy itself waits 15 s. */
const defaultTimeoutMs = 12_000;

/** Options of {@link createOrderCall}. */
export interface OrderCallOptions extends MerchantServer {
  /** Where the ids of calls come from. */
  readonly randomUuid?: () => string;
}

/**
 * Makes a `resolveOrder`. The merchant's server answers 200 with the order, as `resolveOrder` does, or 404: not known. Every
 * other answer, and none in time, is a failure. The order token is never sent.
 * @throws TypeError naming the option
 */
export function createOrderCall(options: OrderCallOptions): ResolveOrder {
  const { randomUuid = newUuid, timeoutMs = defaultTimeoutMs } = options;
  const post = createSignedPost('orderUrl', { ...options, timeoutMs });

  return async ({ externalId, method, installment, request }) => {
    const body: z.infer<typeof orderQuestionSchema> = {
      external_id: externalId,
      method,
      installment,
    };
    const call = {
      id: `order_${randomUuid()}`,
      body,
      headers: toTraceHeaders(request ? readTrace(request.headers) : null),
    };
    const { status, text } = await post(call, true);
    if (status === 404) return null;
    if (status !== 200) throw toMerchantFault(status);
    return toAnswer(text);
  };
}

/** What is in it, the proxy validates. */
function toAnswer(text: string): OrderAnswer {
  try {
    const answer: unknown = JSON.parse(text);
    // To the proxy null is an order that is not known: that is said by 404 alone.
    if (typeof answer === 'object' && answer !== null) return answer as OrderAnswer;
  } catch {
    // The parser's error quotes the text.
  }
  throw new MerchantCallError('AnswerNotJson', 200);
}
