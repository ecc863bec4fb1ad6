/**
 * The order token: its holder may pay the order, and see its Pix code. It is not stored, and holds nothing personal.
 *
 * A package entry of its own (src/order-token.ts): whatever is imported here, a merchant's worker loads.
 */

import { externalIdPattern } from '../../contract/types.js';
import { parseBaseUrl } from '../../service/secure-url.js';
import { toSecrets } from '../config/option-readers.js';
import { createSigner } from './signer.js';
import type { KeySource, OrderPayload } from './signer.js';

/** An order token lives this long unless the merchant says otherwise, seconds. */
const orderLifeSeconds = 24 * 3_600;

/** Options of {@link signOrder}: the same `secrets` and `publicUrl` as the proxy's. */
export interface OrderTokenOptions {
  readonly secrets: readonly string[];
  readonly publicUrl: string;
  readonly externalId: string;
  /** Wall clock, milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Signs an `order-token` for the page of one order: its holder may pay this order, and see its Pix code.
 *
 * @param options `expiresInSeconds`: default 24 h
 * @throws TypeError naming the option that is wrong
 */
export async function signOrder(
  options: OrderTokenOptions & { readonly expiresInSeconds?: number },
): Promise<string> {
  const { externalId, expiresInSeconds = orderLifeSeconds, now = Date.now } = options;
  if (typeof externalId !== 'string' || !externalIdPattern.test(externalId)) {
    throw new TypeError('externalId must be 1 to 64 letters, digits, dots, colons, _ or -');
  }
  if (!Number.isSafeInteger(expiresInSeconds) || expiresInSeconds < 1) {
    throw new TypeError('expiresInSeconds must be a whole number from 1');
  }
  const expiry = Math.floor(now() / 1_000) + expiresInSeconds;
  return createSigner<OrderPayload>('order', toKeySource(options)).sign({
    e: externalId,
    x: expiry,
  });
}

/**
 * Whether this is an unexpired token of exactly this order. The proxy asks the same before `resolveOrder`.
 * @throws TypeError naming the option that is wrong
 */
export async function verifyOrder(
  options: OrderTokenOptions & { readonly orderToken: string },
): Promise<boolean> {
  const { externalId, orderToken, now = Date.now } = options;
  return createOrderCheck(toKeySource(options), now)(externalId, orderToken);
}

/** Makes the check of {@link verifyOrder} for many tokens: its keys are derived once. */
export function createOrderCheck(
  source: KeySource,
  now: () => number,
): (externalId: string, orderToken: string) => Promise<boolean> {
  const signer = createSigner<OrderPayload>('order', source);
  return async (externalId, orderToken) => {
    const payload = await signer.open(orderToken);
    return payload !== null && payload.e === externalId && payload.x > now() / 1_000;
  };
}

/** Keys are checked here again: merchants call this without a proxy. */
function toKeySource({ secrets, publicUrl }: OrderTokenOptions): KeySource {
  return { secrets: toSecrets(secrets), publicUrl: parseBaseUrl('publicUrl', publicUrl) };
}
