/** The merchant's server as the proxy's code: `resolveOrder` and the hooks, by what was set. */

import type { ProxyOptions } from '../../proxy.js';
import { createEventCalls } from './event-calls.js';
import { createOrderCall } from './order-call.js';

/** Where the merchant's server is. */
export interface MerchantSettings {
  readonly orderUrl?: string | undefined;
  readonly eventsUrl?: string | undefined;
  readonly webhookSecrets?: readonly string[] | undefined;
  readonly plainHttpHosts?: readonly string[];
}

/**
 * What the merchant's server is asked and told.
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
