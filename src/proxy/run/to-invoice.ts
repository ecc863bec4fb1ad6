/** Turns an order's answer into the one that a page gets. */

import type { Answer } from '../order/asks/reply.js';
import type { MadeInvoice } from '../order/order.js';
import { OrderPaid, ProxyError } from '../set-up/proxy-error.js';

/** @throws OrderPaid, or ProxyError with the code of the refusal */
export function toInvoice(answer: Answer): MadeInvoice {
  if (answer.type === 'invoice') return answer.invoice;
  if (answer.type === 'paid') throw new OrderPaid(answer.invoice);
  const { code, afterMs } = answer;
  const after = afterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(afterMs / 1_000) };
  throw new ProxyError(code, after);
}
