/**
 * Calls the merchant's code: `resolveOrder` for the price, `verifyHuman` for the human check. Its answers are validated:
 * the merchant's code is trusted with the price, but it may have mistakes.
 */

import * as z from 'zod/mini';
import { payerSchema } from '../../contract/schemas.js';
import { withTimeout } from '../runtime/work.js';
import { errorNameOf } from '../config/log.js';
import type { Settings } from '../config/read-options.js';
import { ProxyError, broken, toFieldPath, unavailable } from '../runtime/proxy-error.js';
import type { HumanQuestion, OrderQuestion, PayableOrder } from '../config/options.js';

/**
 * Longest the merchant's code may take, milliseconds: ten seconds later no page waits for the invoice. A database that hangs
 * must not keep requests for ever, nor give an old price.
 */
const longestMs = 15_000;

/** What to do about errors whose name does not say it, as `serve` throws them. */
const hints: Readonly<Record<string, string>> = {
  OrderUrlNotFound:
    'For an order that is not known answer 404 with the JSON {"order": null}: any other 404 is a wrong path in ORDER_URL',
};

const word = z.optional(z.string());

/** An order that can be paid, as the merchant's code answers it. `dist/openapi.json` shows it. */
export const payableSchema = z.strictObject({
  total_price_cents: z.int().check(z.minimum(1)),
  items: z.optional(
    z.array(
      z.strictObject({
        name: word,
        description: word,
        quantity: z.optional(z.int()),
        unit_price: z.optional(z.int()),
      }),
    ),
  ),
  product_fisical: word,
  payer: z.optional(payerSchema),
  expires_in: z.optional(z.int().check(z.minimum(1))),
});

/** An order as the merchant's code sees it: payable, or over. */
export type PricedOrder = PayableOrder | 'paid' | 'closed';

/**
 * @throws ProxyError `unknown_order`, or `service_unavailable` where the merchant's code failed or answered nonsense
 */
export async function priceOrder(
  settings: Pick<Settings, 'resolveOrder' | 'startTimer' | 'log' | 'onError'>,
  question: OrderQuestion,
): Promise<PricedOrder> {
  const { resolveOrder, startTimer, log, onError } = settings;
  const { externalId } = question;
  let answer: unknown;
  try {
    answer = await withTimeout(startTimer, longestMs, async () => resolveOrder(question));
  } catch (thrown) {
    const errorName = errorNameOf(thrown);
    const hint = Object.hasOwn(hints, errorName) && { hint: hints[errorName]! };
    log({ level: 'error', event: 'order_failed', externalId, errorName, ...hint });
    onError(thrown, { hook: 'resolveOrder', externalId });
    throw unavailable(undefined, 'resolveOrder');
  }
  if (answer === null || answer === undefined) throw new ProxyError('unknown_order');
  const end = readEnd(answer);
  if (end) return end;

  const result = z.safeParse(payableSchema, answer);
  // JavaScript callers write undefined for absent: leave such fields out.
  if (result.success) {
    const order: PayableOrder = JSON.parse(JSON.stringify(result.data));
    return order;
  }
  const field = toFieldPath(result.error) || 'order';
  log({ level: 'error', event: 'order_invalid', externalId, field });
  throw broken('resolveOrder');
}

/** Whether the merchant's check takes the payer for a human. No hook, an exception or no answer in 15 s means no. */
export async function isHuman(
  {
    verifyHuman,
    startTimer,
    log,
    onError,
  }: Pick<Settings, 'verifyHuman' | 'startTimer' | 'log' | 'onError'>,
  question: HumanQuestion,
): Promise<boolean> {
  try {
    // Exactly true: a hook that forgets to answer must not let every payer pass.
    return (await withTimeout(startTimer, longestMs, async () => verifyHuman?.(question))) === true;
  } catch (thrown) {
    const { externalId } = question;
    const errorName = errorNameOf(thrown);
    log({ level: 'error', event: 'human_check_failed', externalId, errorName });
    onError(thrown, { hook: 'verifyHuman', externalId });
    return false;
  }
}

function readEnd(answer: unknown): 'paid' | 'closed' | null {
  const status = typeof answer === 'object' && answer !== null && Reflect.get(answer, 'status');
  return status === 'paid' || status === 'closed' ? status : null;
}
