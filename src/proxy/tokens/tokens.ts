/**
 * The three signed texts of the proxy: proof that an order may be paid, the right to look one invoice up, and the
 * reference in the address a postback goes to. None is stored, none holds personal data.
 */

import { externalIdPattern } from '../../contract/types.js';
import type { Method } from '../../contract/types.js';
import { checkSecrets } from '../config/read-options.js';
import type { IssuedInvoice } from '../ledger/ledger.js';
import { createSigner } from './signed-text.js';
import type { KeySource } from './signed-text.js';
import { parseBaseUrl } from '../../service/secure-url.js';

/** A look-up token lives this long, seconds: payers come back to a page for days. */
const lookUpLifeSeconds = 7 * 24 * 3_600;

/** An order token lives this long unless the merchant says otherwise, seconds. */
const orderLifeSeconds = 24 * 3_600;

/** A postback's address lives this long, seconds: longer than anything is looked up by itself. */
const postbackLifeSeconds = 30 * 24 * 3_600;

/** What order tokens are made with: the same `secrets` and `publicUrl` as the proxy's. */
export interface OrderTokenOptions {
  readonly secrets: readonly string[];
  readonly publicUrl: string;
  readonly externalId: string;
  /** Wall clock, milliseconds since 1970. */
  readonly now?: () => number;
}

interface OrderPayload {
  readonly e: string;
  /** Expiry, seconds since 1970. */
  readonly x: number;
}

/**
 * Signs an `order-token` for the page of one order: whoever holds it may pay this order, and see its Pix code.
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
  return { secrets: checkSecrets(secrets), publicUrl: parseBaseUrl('publicUrl', publicUrl) };
}

interface LookUpPayload {
  readonly i: string;
  /** The id the service looks up by, where that is another. */
  readonly l?: string;
  readonly e: string;
  readonly t: number;
  readonly m: Method;
  /** Expiry, seconds since 1970. */
  readonly x: number;
  /** The code's deadline, milliseconds since 1970. */
  readonly d?: number;
}

/** Makes and reads `lookup_token`. */
export interface LookUpTokens {
  issue(invoice: IssuedInvoice): Promise<string>;
  /** What the token says of exactly this invoice; null for any token that is not good for it. */
  read(token: string, invoiceId: string): Promise<IssuedInvoice | null>;
}

/** The token carries all a look-up is compared with, so that it works after the order is forgotten. */
export function createLookUpTokens(source: KeySource, now: () => number): LookUpTokens {
  const signer = createSigner<LookUpPayload>('lookup', source);
  return {
    async issue({ invoiceId, lookUpId, externalId, totalCents, method, deadlineMs }) {
      return signer.sign({
        i: invoiceId,
        ...(lookUpId === invoiceId ? {} : { l: lookUpId }),
        e: externalId,
        t: totalCents,
        m: method,
        x: Math.floor(now() / 1_000) + lookUpLifeSeconds,
        ...(deadlineMs === null ? {} : { d: deadlineMs }),
      });
    },

    async read(token, invoiceId) {
      const payload = await signer.open(token);
      if (payload === null || payload.i !== invoiceId || payload.x <= now() / 1_000) return null;
      const { l: lookUpId = invoiceId, e: externalId, t: totalCents, m: method, d } = payload;
      return { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs: d ?? null };
    },
  };
}

/** The addresses that the service sends its notices to, and the references in them. */
export interface PostbackReferences {
  /** The address for notices of one order. */
  toUrl(this: void, externalId: string): Promise<string>;
  /** The order a reference was made for; null for one that is expired, or was not made here. */
  open(this: void, reference: string): Promise<string | null>;
}

/** Whoever holds an address may make the proxy look its order up, now and then, and nothing else. */
export function createPostbackUrls(source: KeySource, now: () => number): PostbackReferences {
  const signer = createSigner<OrderPayload>('postback', source);
  return {
    async toUrl(externalId) {
      const expiry = Math.floor(now() / 1_000) + postbackLifeSeconds;
      const reference = await signer.sign({ e: externalId, x: expiry });
      return `${source.publicUrl}/postbacks/${reference}`;
    },

    async open(reference) {
      const payload = await signer.open(reference);
      return payload !== null && payload.x > now() / 1_000 ? payload.e : null;
    },
  };
}
