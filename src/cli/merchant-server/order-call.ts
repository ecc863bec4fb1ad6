/** Asks the merchant's server what an order costs: `resolveOrder` as a signed call to `PIX_ORDER_URL`. */

import { randomUUID } from 'node:crypto';
import type * as z from 'zod/mini';
import { readTrace, toTraceHeaders } from '../../service/call.js';
import type { OrderAnswer, ResolveOrder } from '../../proxy.js';
import { parseObject } from '../json-object.js';
import type { orderQuestionSchema, unknownOrderSchema } from './merchant-schemas.js';
import { createSignedPost, MerchantCallError, toMerchantFault } from './signed-post.js';
import type { MerchantServer } from './signed-post.js';

/** Longest time of one call, milliseconds: the proxy itself waits 15 s. */
const defaultTimeoutMs = 12_000;

/**
 * Makes a `resolveOrder`. The merchant's server answers 200 with the order, as `resolveOrder` does, or 404 with
 * `{"order": null}`: not known. Every other answer, and none in time, is a failure. The order token is never sent.
 * @throws TypeError naming the option
 */
export function createOrderCall(server: MerchantServer): ResolveOrder {
  const post = createSignedPost('orderUrl', { timeoutMs: defaultTimeoutMs, ...server });

  return async ({ externalId, method, installment, request }) => {
    const body: z.infer<typeof orderQuestionSchema> = {
      external_id: externalId,
      method,
      installment,
    };
    const call = {
      id: `order_${randomUUID()}`,
      body,
      headers: toTraceHeaders(request ? readTrace(request.headers) : null),
    };
    const { status, text } = await post(call, [200, 404]);
    if (status !== 200 && status !== 404) throw toMerchantFault(status);
    const answer = parseObject(text);
    // What is in it, the proxy validates.
    if (status === 200 && answer) return answer as OrderAnswer;
    if (status === 404 && isUnknown(answer)) return null;
    throw new MerchantCallError(status === 200 ? 'AnswerNotJson' : 'OrderUrlNotFound', status);
  };
}

/** Web servers and frameworks answer 404 for a wrong path, too: no order could be paid, and no one would hear of it. */
function isUnknown(answer: object | null): answer is z.infer<typeof unknownOrderSchema> {
  return answer !== null && 'order' in answer && answer.order === null;
}
