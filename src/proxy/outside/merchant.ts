/**
 * Calls the merchant's code: `resolveOrder` for the price, `verifyHuman` for the human check. Its answers are validated:
 * the merchant's code is trusted with the price, but it may have mistakes.
 */

import * as z from 'zod/mini';
import { payerSchema } from '../../contract/schemas.js';
import { callMerchant } from '../runtime/running.js';
import { errorNameOf, logError } from '../set-up/log.js';
import type { Settings } from '../set-up/options/read-options.js';
import { ProxyError, toFieldPath, unavailable } from '../set-up/proxy-error.js';
import type {
  HumanQuestion,
  LogEntry,
  OrderQuestion,
  PayableOrder,
  OrderItem,
} from '../set-up/options/options.js';

/**
 * Longest the merchant's code may take, milliseconds: ten seconds later no page waits for the invoice. A database that hangs
 * must not keep requests for ever, nor give an old price.
 */
const longestMs = 15_000;

/** What to do about errors whose name does not say it, as `serve` throws them. */
const hints: Readonly<Record<string, string>> = {
  OrderUrlNotFound:
    'For an order that is not known answer 404 with the JSON {"order": null}: any other 404 is a wrong path in PIX_ORDER_URL',
};

/** What the log says of a wrong answer. */
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

/** An order that can be paid, as the merchant's code answers it. `dist/openapi.json` shows it. */
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

/** An order as the merchant's code sees it: payable, or over. */
export type PricedOrder = PayableOrder | 'paid' | 'closed';

/** A question whose `Request` is made when the merchant's code reads it: to make one costs more than to ask. */
export type LazyQuestion<Question> = Omit<Question, 'request'> & {
  readonly request: { toRequest(this: void): Request } | null;
};

function toQuestion<Question>({ request, ...others }: LazyQuestion<Question>) {
  return {
    ...others,
    get request() {
      return request?.toRequest() ?? null;
    },
  };
}

/**
 * @throws ProxyError `unknown_order`; `order_failed`: the merchant's code answered nonsense; `service_unavailable`: it threw or
 * hung, which may pass
 */
export async function priceOrder(
  settings: Pick<Settings, 'resolveOrder' | 'startTimer' | 'log' | 'warn' | 'onError'>,
  question: LazyQuestion<OrderQuestion>,
): Promise<PricedOrder> {
  const { resolveOrder, startTimer, log, warn, onError } = settings;
  // By name: callers know more of a request than the merchant's code has to see, such as its key.
  const { externalId, orderToken, method, installment, request } = question;
  const asked: typeof question = { externalId, orderToken, method, installment, request };
  let answer: unknown;
  try {
    const ask = async () => resolveOrder(toQuestion(asked));
    answer = await callMerchant(startTimer, longestMs, ask);
  } catch (thrown) {
    const errorName = errorNameOf(thrown);
    const hint = Object.hasOwn(hints, errorName) && { hint: hints[errorName]! };
    logError(log, thrown, { event: 'order_failed', externalId, ...hint });
    onError(thrown, { hook: 'resolveOrder', externalId });
    throw unavailable(undefined, 'resolveOrder');
  }
  // A forgotten return, or a shop that finds nothing: undefined does not say which.
  if (answer === undefined)
    warn({ level: 'warn', event: 'order_invalid', externalId, ...undefinedAnswer });
  if (answer === null || answer === undefined) throw new ProxyError('unknown_order');
  const end = readEndStatus(answer);
  if (end) return end;

  const { items, changed } = mendItems(Reflect.get(Object(answer), 'items'));
  const isObject = typeof answer === 'object' && !Array.isArray(answer);
  const result = z.safeParse(payableSchema, isObject ? { ...answer, items } : answer);
  // JavaScript callers write undefined for absent: leave such fields out.
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

/** What is wrong with an answer, by the field's name alone. A total of 0 is no slip: a coupon of 100 % leaves nothing to pay. */
function readFault(answer: unknown, error: z.core.$ZodError): OrderFault {
  const isFree = typeof answer === 'object' && Reflect.get(answer!, 'total_price_cents') === 0;
  const field = toFieldPath(error) || 'order';
  return isFree ? nothingOwed : { field, ...(field === 'total_price_cents' && wholeCents) };
}

/** Whether the merchant's check takes the payer for a human. No hook, an exception or no answer in 15 s means no. */
export async function isHuman(
  settings: Pick<Settings, 'verifyHuman' | 'startTimer' | 'log' | 'onError'>,
  question: LazyQuestion<HumanQuestion>,
): Promise<boolean> {
  const { verifyHuman, startTimer, log, onError } = settings;
  const ask = async () => verifyHuman?.(toQuestion(question));
  try {
    // Exactly true: a hook that forgets to answer must not let every payer pass.
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

// The items only describe an order: the proxy mends wrong ones or leaves them out, and the sale goes on. Pure.

type Field = keyof OrderItem;

/** How each field is read; undefined: it is left out. */
const readers: Readonly<Record<Field, (value: unknown) => unknown>> = {
  name: toText,
  description: toText,
  quantity: toWhole,
  unit_price: toWhole,
};

/** What became of `items`, and the paths of what was changed. */
interface MendedItems {
  readonly items: readonly Record<string, unknown>[] | undefined;
  readonly changed: readonly string[];
}

/** @param given what the merchant's code answered as `items` */
function mendItems(given: unknown): MendedItems {
  if (given === undefined) return { items: undefined, changed: [] };
  if (!Array.isArray(given)) return { items: undefined, changed: ['items'] };
  const changed: string[] = [];
  const mended = given.map((item: unknown, at) => mendItem(item, `items.${at}`, changed));
  const items = mended.filter((item) => item !== null);
  return { items, changed };
}

/** @returns null: nothing of it describes anything */
function mendItem(given: unknown, path: string, changed: string[]): Record<string, unknown> | null {
  const entries = typeof given === 'object' && given !== null ? Object.entries(given) : [];
  const before = changed.length;
  const mended = entries.flatMap(([key, value]): [string, unknown][] => {
    if (value === undefined) return [];
    const read = Object.hasOwn(readers, key) ? readers[key as Field](value) : undefined;
    // A name that is none may be any text.
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

/** Databases answer whole numbers as texts. A price in reais, or half a piece, would be another number. */
function toWhole(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : undefined;
}
