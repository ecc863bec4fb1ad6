/** Tells the merchant's server what happened: the proxy's hooks as signed calls to `PIX_EVENTS_URL`. */

import type { ErrorContext, ProxyOptions } from '../../proxy.js';
import type { EventType } from './merchant-schemas.js';
import { createSignedPost, toMerchantFault } from './signed-post.js';
import type { MerchantServer } from './signed-post.js';

/** Longest time of one call, milliseconds: the proxy itself waits 30 s. */
const defaultTimeoutMs = 25_000;

/** The hooks that become calls. */
export type EventHook = Exclude<ErrorContext['hook'], 'resolveOrder' | 'verifyHuman' | 'postback'>;

/** How the calls name what the hooks hear. */
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
 * Makes the hooks. With an answer of 2xx the event is delivered; after every other one it is tried again, with the same `webhook-id`.
 * @throws TypeError naming the option
 */
export function createEventCalls(server: MerchantServer): Required<Pick<ProxyOptions, EventHook>> {
  const { now = Date.now } = server;
  const post = createSignedPost('eventsUrl', { timeoutMs: defaultTimeoutMs, ...server });

  const toHook = (hook: EventHook) => async (notice: { readonly deliveryId: string }) => {
    const type = eventTypes[hook];
    const body = { type, timestamp: new Date(now()).toISOString(), data: toWire(notice) };
    const { status } = await post({ id: toWebhookId(hook, notice.deliveryId), body }, []);
    if (status < 200 || status > 299) throw toMerchantFault(status);
  };
  const hooks = (Object.keys(eventTypes) as EventHook[]).map((hook) => [hook, toHook(hook)]);
  return Object.fromEntries(hooks) as Record<EventHook, ReturnType<typeof toHook>>;
}

/**
 * A reference may hold full stops, an id of Standard Webhooks must not. That an event could not be delivered is an event of
 * its own: a receiver may have stored the former id before it failed.
 */
function toWebhookId(hook: EventHook, deliveryId: string): string {
  const id = deliveryId.replaceAll('.', '%2E');
  return hook === 'onUndelivered' ? `undelivered~${id}` : id;
}

/** The notice's fields in snake_case, as all that crosses a wire here. */
function toWire(notice: object): object {
  return Object.fromEntries(
    Object.entries(notice).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
