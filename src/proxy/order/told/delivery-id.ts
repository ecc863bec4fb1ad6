/** What an event for the merchant's server is known by. */

import type { DeliveryKind } from './outbox-events.js';

/**
 * The event's id: derived, so that it is the same after a store was lost. The reference is part of it, for a wrong
 * answer of the service can name an invoice of another order.
 * @param subject the invoice's id, or the holder of an attempt
 */
export function toDeliveryId(kind: DeliveryKind, externalId: string, subject: string): string {
  return [kind, externalId, subject].join('~');
}
