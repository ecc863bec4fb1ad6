/** Makes `resolveOrder` and the hooks for `serve`: signed calls to the merchant's server. */

import type { ProxyOptions, OrderAnswer, ResolveOrder, ErrorContext } from '../../proxy.js';
import { randomUUID } from 'node:crypto';
import type * as z from 'zod/mini';
import { readTrace, toTraceHeaders } from '../../service/client.js';
import { parseObject } from '../json-object.js';
import type { orderQuestionSchema, unknownOrderSchema, EventType } from './merchant-schemas.js';
import { createSignedPost, MerchantCallError, toMerchantCallError } from './signed-post.js';
import type { MerchantServer } from './signed-post.js';

export interface MerchantSettings {
  readonly orderUrl?: string | undefined;
  readonly eventsUrl?: string | undefined;
  readonly webhookSecrets?: readonly string[] | undefined;
  readonly plainHttpHosts?: readonly string[];
}

/**
 * Makes the calls.
 * @param fetch default: the global one
 * @throws TypeError naming the option
 */
export function toMerchantCalls(
  settings: MerchantSettings,
  fetch?: typeof globalThis.fetch,
): Partial<ProxyOptions> {
  const { orderUrl, eventsUrl, webhookSecrets: secrets = [], plainHttpHosts = [] } = settings;
  const server = { secrets, plainHttpHosts, ...(fetch && { fetch }) };
  return {
    ...(orderUrl !== undefined && { resolveOrder: createOrderCall({ ...server, url: orderUrl }) }),
    ...(eventsUrl !== undefined && createEventCalls({ ...server, url: eventsUrl })),
  };
}

// Asks the merchant's server what an order costs: `resolveOrder` as a signed call to `PIX_ORDER_URL`.

/** Longest time of one call, milliseconds: the proxy itself waits 15 s. */
const orderTimeoutMs = 12_000;

/**
 * Makes a `resolveOrder`. The merchant's server answers 200 with the order, as `resolveOrder` does, or 404 with `{"order":
 * null}` if it does not know it. Any other answer, or none in time, is a failure. The order token is never sent.
 * @throws TypeError naming the option
 */
export function createOrderCall(server: MerchantServer): ResolveOrder {
  const post = createSignedPost('orderUrl', { timeoutMs: orderTimeoutMs, ...server });

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
    if (status !== 200 && status !== 404) throw toMerchantCallError(status);
    const answer = parseObject(text);
    // The proxy validates the order.
    if (status === 200 && answer) return answer as OrderAnswer;
    if (status === 404 && isUnknownOrder(answer)) return null;
    throw new MerchantCallError(status === 200 ? 'AnswerNotJson' : 'OrderUrlNotFound', status);
  };
}

/**
 * Whether the shop does not know the order. Web servers also answer 404 for a wrong path; then no order could be paid, so
 * that has to be a failure.
 */
function isUnknownOrder(answer: object | null): answer is z.infer<typeof unknownOrderSchema> {
  return answer !== null && 'order' in answer && answer.order === null;
}

// Tells the merchant's server what happened: the proxy's hooks as signed calls to `PIX_EVENTS_URL`.

/** Longest time of one call, milliseconds: the proxy itself waits 30 s. */
const eventTimeoutMs = 25_000;

/** The hooks that become calls. */
export type EventHook = Exclude<ErrorContext['hook'], 'resolveOrder' | 'verifyHuman' | 'postback'>;

/** The type of event that each hook becomes. */
export const eventTypes: Readonly<Record<EventHook, EventType>> = {
  onPaid: 'invoice.paid',
  onPixWaiting: 'invoice.waiting',
  onLapsed: 'invoice.expired',
  onOutcomeUnknown: 'charge.outcome_unknown',
  onMismatch: 'invoice.mismatch',
  onReturned: 'invoice.returned',
  onUndelivered: 'event.undelivered',
};

/**
 * Makes the hooks. An answer of 2xx delivers the event; after any other one it is tried again with the same `webhook-id`.
 * @throws TypeError naming the option
 */
export function createEventCalls(server: MerchantServer): Required<Pick<ProxyOptions, EventHook>> {
  const { now = Date.now } = server;
  const post = createSignedPost('eventsUrl', { timeoutMs: eventTimeoutMs, ...server });

  const toHook = (hook: EventHook) => async (notice: { readonly deliveryId: string }) => {
    const type = eventTypes[hook];
    const body = { type, timestamp: new Date(now()).toISOString(), data: toWire(notice) };
    const { status } = await post({ id: toWebhookId(hook, notice.deliveryId), body }, []);
    if (status < 200 || status > 299) throw toMerchantCallError(status);
  };
  const hooks = (Object.keys(eventTypes) as EventHook[]).map((hook) => [hook, toHook(hook)]);
  return Object.fromEntries(hooks) as Record<EventHook, ReturnType<typeof toHook>>;
}

/**
 * Makes the event's id. A reference may contain full stops, but an id of Standard Webhooks must not. `onUndelivered` has an
 * id of its own, because a receiver may have stored the other event's id before it failed.
 */
function toWebhookId(hook: EventHook, deliveryId: string): string {
  const id = deliveryId.replaceAll('.', '%2E');
  return hook === 'onUndelivered' ? `undelivered~${id}` : id;
}

/** Writes the notice's fields in snake_case, as all calls do. */
function toWire(notice: object): object {
  return Object.fromEntries(
    Object.entries(notice).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
