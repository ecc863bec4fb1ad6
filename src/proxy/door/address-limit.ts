/** Limits how often one payer may ask about orders in a minute. It counts in this process, for a bounded number of payers. */

import type { Settings } from '../set-up/options/read-options.js';
import { isPrivateAddress, toSubscriber } from '../runtime/client-address.js';
import { SetupError } from '../set-up/proxy-error.js';
import { createRecent } from '../runtime/running.js';

/** With order tokens: most requests of one address about one order. Each of them may call the merchant's code. */
const questionsPerMinute = 30;

/** Most counters that are kept. Beyond, the oldest one is dropped. */
const maxCounted = 10_000;

export type CountRequest = ReturnType<typeof createAddressLimit>;

/**
 * Creates the function that counts a request. Public orders count by address, because a client that guesses one reference can
 * guess others; orders with tokens count by order and address.
 */
export function createAddressLimit(settings: Settings) {
  const { requireOrderToken, addressRequestsPerMinute, now } = settings;
  const mostPerMinute = requireOrderToken ? questionsPerMinute : addressRequestsPerMinute;
  const toMinute = () => Math.floor(now() / 60_000);
  const counted = createRecent<Readonly<Record<'minute' | 'count', number>>>(
    maxCounted,
    ({ minute }) => minute === toMinute(),
  );

  /**
   * Counts one request of a page.
   * @param clientAddress null if it is unknown
   * @throws SetupError `address_limited`, with the time to the next minute
   */
  return (request: {
    readonly externalId: string;
    readonly clientAddress: string | null;
  }): void => {
    const { externalId, clientAddress } = request;
    // A private address belongs to a web server of the shop that all payers come through, so it says nothing about the payer.
    const isPayers = clientAddress !== null && !isPrivateAddress(clientAddress);
    const subscriber = isPayers ? toSubscriber(clientAddress) : '';
    // With order tokens each order has its own limit, so that a stranger cannot use up the payer's. Without a known address
    // the limit is by order as well.
    const isByOrder = requireOrderToken || subscriber === '';
    const name = isByOrder ? `${externalId} ${subscriber}` : subscriber;
    const count = (counted.get(name)?.count ?? 0) + 1;
    counted.set(name, { minute: toMinute(), count });
    if (count <= mostPerMinute) return;
    const retryAfterSeconds = 60 - (Math.floor(now() / 1_000) % 60);
    throw new SetupError('address_limited', {}, { retryAfterSeconds });
  };
}
