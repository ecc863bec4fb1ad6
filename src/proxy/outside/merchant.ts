/**
 * Calls the merchant's code: `resolveOrder` for the price, `verifyHuman` for the human check. Its answers are validated,
 * because the merchant's code decides the price but may have mistakes.
 */

import * as z from 'zod/mini';
import { payerSchema } from '../../contract/schemas.js';
import { callMerchant } from '../runtime/running.js';
import { toErrorName, logError } from '../set-up/log.js';
import type { Settings } from '../set-up/options/read-options.js';
import { ProxyError, toFieldPath, toUnavailableError } from '../set-up/proxy-error.js';
import type {
  HumanQuestion,
  LogEntry,
  OrderQuestion,
  PayableOrder,
  OrderItem,
} from '../set-up/options/options.js';

/**
 * Longest time for the merchant's code, milliseconds. A database that hangs must not hold requests open, nor answer with an
 * old price; ten seconds later no page waits for the invoice.
 */
const longestMs = 15_000;

/** Hints for errors of `serve` whose names do not say what to do. */
const hints: Readonly<Record<string, string>> = {
  OrderUrlNotFound:
    'For an order that is not known answer 404 with the JSON {"order": null}: any other 404 is a wrong path in PIX_ORDER_URL',
};

/** What the log says about a wrong answer. */
type OrderFault = { readonly field: string } & Pick<LogEntry, 'reason' | 'hint'>;

const nothingOwed: OrderFault = {
  field: 'total_price_cents',
  reason: 'nothing_owed',
  hint: "Nothing is owed for a total of 0: let resolveOrder answer { status: 'paid' }, and fulfil the order yourself",
};

const undefinedAnswer: OrderFault = {
  field: 'order',
  hint: 'resolveOrder answered undefined, which counts as an unknown order: is a return or await missing? Answer null for an order that you do not know',
};

const wholeCents = { hint: 'total_price_cents is a whole number of cents: 12990 for R$ 129,90' };

const optionalText = z.optional(z.string());

/** A payable order, as the merchant's code answers it. `dist/openapi.json` shows it. */
export const payableSchema = z.strictObject({
  total_price_cents: z.int().check(z.minimum(1)),
  items: z.optional(
    z.array(
      z.strictObject({
        name: optionalText,
        description: optionalText,
        quantity: z.optional(z.int()),
        unit_price: z.optional(z.int()),
      }),
    ),
  ),
  product_fisical: optionalText,
  payer: z.optional(payerSchema),
  expires_in: z.optional(z.int().check(z.minimum(1))),
});

/** The merchant's answer: a payable order, or one that is paid or closed. */
export type PricedOrder = PayableOrder | 'paid' | 'closed';

/** A question whose `Request` is made only when the merchant's code reads it, because making one costs more than the call. */
export type LazyQuestion<Question> = Omit<Question, 'request'> & {
  readonly request: { toRequest(this: void): Request } | null;
};

/** Makes the question that the merchant's code gets. Its `Request` is made when the code first reads it. */
function toQuestion<Question>({ request, ...others }: LazyQuestion<Question>) {
  return {
    ...others,
    get request() {
      return request?.toRequest() ?? null;
    },
  };
}

/**
 * Asks the merchant's code for the price.
 * @throws ProxyError: `unknown_order`; `order_failed` if the answer is invalid; `service_unavailable` if the code threw or
 * took too long, which may pass
 */
export async function priceOrder(
  settings: Pick<Settings, 'resolveOrder' | 'startTimer' | 'log' | 'warn' | 'onError'>,
  question: LazyQuestion<OrderQuestion>,
): Promise<PricedOrder> {
  const { resolveOrder, startTimer, log, warn, onError } = settings;
  // The fields are picked by name: callers know more than the merchant's code may see, such as the idempotency key.
  const { externalId, orderToken, method, installment, request } = question;
  const asked: typeof question = { externalId, orderToken, method, installment, request };
  let answer: unknown;
  try {
    const ask = async () => resolveOrder(toQuestion(asked));
    answer = await callMerchant(startTimer, longestMs, ask);
  } catch (thrown) {
    const errorName = toErrorName(thrown);
    const hint = Object.hasOwn(hints, errorName) && { hint: hints[errorName]! };
    logError(log, thrown, { event: 'order_failed', externalId, ...hint });
    onError(thrown, { hook: 'resolveOrder', externalId });
    throw toUnavailableError(undefined, 'resolveOrder');
  }
  // undefined may be a forgotten return, or a shop that found nothing.
  if (answer === undefined)
    warn({ level: 'warn', event: 'order_invalid', externalId, ...undefinedAnswer });
  if (answer === null || answer === undefined) throw new ProxyError('unknown_order');
  const end = readEndStatus(answer);
  if (end) return end;

  const { items, changed } = mendItems(Reflect.get(Object(answer), 'items'));
  const isObject = typeof answer === 'object' && !Array.isArray(answer);
  const result = z.safeParse(payableSchema, isObject ? { ...answer, items } : answer);
  // Removes fields that are undefined, which JavaScript callers write for absent ones.
  if (result.success) {
    const [field] = changed;
    if (field !== undefined) warn({ level: 'warn', event: 'items_mended', externalId, field });
    const order: PayableOrder = JSON.parse(JSON.stringify(result.data));
    return order;
  }
  const fault = readFault(answer, result.error);
  log({ level: 'error', event: 'order_invalid', externalId, ...fault });
  const saidInstead = fault.hint ?? 'which is missing or not as documented';
  onError(new TypeError(`resolveOrder answered ${fault.field}: ${saidInstead}`), {
    hook: 'resolveOrder',
    externalId,
  });
  const field = `resolveOrder: ${fault.reason ?? fault.field}`;
  throw new ProxyError('order_failed', { field });
}

/** Finds the wrong field of an answer. A total of 0 gets its own message, because a coupon of 100 % leaves nothing to pay. */
function readFault(answer: unknown, error: z.core.$ZodError): OrderFault {
  const isFree = typeof answer === 'object' && Reflect.get(answer!, 'total_price_cents') === 0;
  const field = toFieldPath(error) || 'order';
  return isFree ? nothingOwed : { field, ...(field === 'total_price_cents' && wholeCents) };
}

/** Whether the merchant's check takes the payer for a human. No hook, an exception, or no answer in 15 seconds means no. */
export async function isHuman(
  settings: Pick<Settings, 'verifyHuman' | 'startTimer' | 'log' | 'onError'>,
  question: LazyQuestion<HumanQuestion>,
): Promise<boolean> {
  const { verifyHuman, startTimer, log, onError } = settings;
  const ask = async () => verifyHuman?.(toQuestion(question));
  try {
    // Only true counts: a hook that forgets to answer must not let every payer pass.
    return (await callMerchant(startTimer, longestMs, ask)) === true;
  } catch (thrown) {
    const { externalId } = question;
    logError(log, thrown, { event: 'human_check_failed', externalId });
    onError(thrown, { hook: 'verifyHuman', externalId });
    return false;
  }
}

function readEndStatus(answer: unknown): 'paid' | 'closed' | null {
  const status = typeof answer === 'object' && answer !== null && Reflect.get(answer, 'status');
  return status === 'paid' || status === 'closed' ? status : null;
}

// Items of an order
//
// Items only describe an order. Wrong items are corrected or left out, and the sale goes on.

type Field = keyof OrderItem;

/** Reads each field. undefined leaves it out. */
const readers: Readonly<Record<Field, (value: unknown) => unknown>> = {
  name: toText,
  description: toText,
  quantity: toWhole,
  unit_price: toWhole,
};

/** The corrected items, and the paths of the changed fields. */
interface MendedItems {
  readonly items: readonly Record<string, unknown>[] | undefined;
  readonly changed: readonly string[];
}

/**
 * Corrects the items of an order.
 * @param given what the merchant's code answered as `items`
 */
function mendItems(given: unknown): MendedItems {
  if (given === undefined) return { items: undefined, changed: [] };
  if (!Array.isArray(given)) return { items: undefined, changed: ['items'] };
  const changed: string[] = [];
  const mended = given.map((item: unknown, at) => mendItem(item, `items.${at}`, changed));
  const items = mended.filter((item) => item !== null);
  return { items, changed };
}

/** Corrects an item. @returns null if no field of it can be used */
function mendItem(given: unknown, path: string, changed: string[]): Record<string, unknown> | null {
  const entries = typeof given === 'object' && given !== null ? Object.entries(given) : [];
  const before = changed.length;
  const mended = entries.flatMap(([key, value]): [string, unknown][] => {
    if (value === undefined) return [];
    const read = Object.hasOwn(readers, key) ? readers[key as Field](value) : undefined;
    // A key that is no identifier may be any text, and must not reach the log.
    if (read !== value) changed.push(/^[A-Za-z_]{1,40}$/.test(key) ? `${path}.${key}` : path);
    return read === undefined ? [] : [[key, read]];
  });
  if (mended.length > 0) return Object.fromEntries(mended);
  if (changed.length === before) changed.push(path);
  return null;
}

function toText(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : undefined;
}

/** Reads whole numbers, which databases may answer as texts. A price in reais, or half a piece, would be a wrong number. */
function toWhole(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : undefined;
}
