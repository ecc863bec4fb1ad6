/** How often one payer may ask about orders in a minute. Counts in this process, a bounded number of payers. */

import type { Settings } from '../set-up/options/read-options.js';
import { isPrivateAddress, toSubscriber } from '../runtime/client-address.js';
import { SetupError } from '../set-up/proxy-error.js';
import { createRecent } from '../runtime/running.js';

/** Most questions from one address about one order that its token names: each one costs the merchant's code a call. */
const questionsPerMinute = 30;

/** Most names counted: above, the one that asked longest ago is forgotten. */
const maxCounted = 10_000;

export type CountRequest = ReturnType<typeof createAddressLimit>;

/** Public orders are counted by address: who can guess one reference can guess others. */
export function createAddressLimit(settings: Settings) {
  const { requireOrderToken, addressRequestsPerMinute, now } = settings;
  const mostPerMinute = requireOrderToken ? questionsPerMinute : addressRequestsPerMinute;
  const toMinute = () => Math.floor(now() / 60_000);
  const counted = createRecent<Readonly<Record<'minute' | 'count', number>>>(
    ({ minute }) => minute === toMinute(),
    maxCounted,
  );

  /**
   * Counts one request.
   * @param clientAddress null: not known
   * @throws SetupError `too_many_requests` with the next minute
   */
  return (request: {
    readonly externalId: string;
    readonly clientAddress: string | null;
  }): void => {
    const { externalId, clientAddress } = request;
    // A web server of the shop stands there, and all payers come through it: that is no payer's address.
    const isPayers = clientAddress !== null && !isPrivateAddress(clientAddress);
    const subscriber = isPayers ? toSubscriber(clientAddress) : '';
    // With a token a stranger must not use up what its payer may ask. Without an address there is nothing but the order.
    const isByOrder = requireOrderToken || subscriber === '';
    const name = isByOrder ? `${externalId} ${subscriber}` : subscriber;
    const count = (counted.get(name)?.count ?? 0) + 1;
    counted.set(name, { minute: toMinute(), count });
    if (count <= mostPerMinute) return;
    const retryAfterSeconds = 60 - (Math.floor(now() / 1_000) % 60);
    throw new SetupError('address_limited', {}, { retryAfterSeconds });
  };
}
