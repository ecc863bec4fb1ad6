/** Payment links: the address of the payment page, with the order token in the fragment, which no server and no log sees. */

import { daySeconds } from '../../../domain/spans.js';
import { orderLifeSeconds, signOrder, toPublicReference } from './tokens.js';
import type { OrderTokenOptions } from './tokens.js';

/** The longest life of a link, seconds: ten years. */
const maxLifeSeconds = 10 * 366 * daySeconds;

/** Options of {@link toPaymentLink}: the same `secrets`, `publicUrl` and `requireOrderToken` as the proxy's. */
export interface PaymentLinkOptions extends OrderTokenOptions {
  /** Seconds; default 24 h. */
  readonly expiresInSeconds?: number;
  /** With `false` the link names the order and has no end of its own. Default `true`. */
  readonly requireOrderToken?: boolean;
}

/**
 * Makes the link of one order as `createPaymentLink` does, without a proxy. The page behind it is served by the proxy that has `paymentPage`.
 *
 * @throws TypeError naming the option that is wrong
 */
export async function toPaymentLink(
  options: PaymentLinkOptions,
): Promise<{ readonly url: string; readonly expiresAt: Date | null }> {
  const { expiresInSeconds, requireOrderToken = true, now = Date.now } = options;
  if (!requireOrderToken) {
    if (expiresInSeconds !== undefined) {
      throw new TypeError('expiresInSeconds needs requireOrderToken: a public order has no end');
    }
    const { publicUrl, externalId } = toPublicReference(options);
    // As a part of a path they would lead elsewhere.
    if (/^\.+$/.test(externalId)) throw new TypeError('externalId must hold more than dots');
    return { url: `${publicUrl}/pay/${externalId}`, expiresAt: null };
  }
  if (expiresInSeconds !== undefined && expiresInSeconds > maxLifeSeconds) {
    throw new TypeError(`expiresInSeconds must be a whole number to ${maxLifeSeconds}`);
  }
  // Read once: link and token must name the same second.
  const nowMs = now();
  const token = await signOrder({ ...options, now: () => nowMs });
  const { publicUrl } = toPublicReference(options);
  const lifeSeconds = expiresInSeconds ?? orderLifeSeconds;
  const expiresAt = new Date((Math.floor(nowMs / 1_000) + lifeSeconds) * 1_000);
  return { url: `${publicUrl}/pay#${token}`, expiresAt };
}
