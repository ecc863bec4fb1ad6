/**
 * The texts that the proxy signs: the order token (its holder may pay the order, and see its Pix code), the look-up token
 * (its holder may look one invoice up) and the reference in a postback's address. They are not stored, and hold no personal
 * data.
 *
 * The payload is signed, not secret. The format is `v1.<base64url JSON>.<base64url HMAC>`. This file imports nothing large,
 * because a merchant's worker loads it by `pix-checkout/order-token`.
 */

import { externalIdPattern, type Method } from '../../../contract/types.js';
import { daySeconds } from '../../../domain/spans.js';
import type { OrderTokenFault } from '../../set-up/options/public-url.js';
import { parsePublicUrl, toSecrets } from '../../set-up/options/public-url.js';
import type { IssuedInvoice } from '../../order/order.js';
import { createRecent } from '../../runtime/running.js';
import { deriveKey, type SigningKey } from '../../runtime/signatures.js';

/** How long a look-up token lives, seconds. Payers come back to a page for days. */
const lookUpLifeSeconds = 7 * daySeconds;

/**
 * How long a postback's address lives, seconds: longer than its order, which the store keeps for 90 days after its last
 * change.
 */
const postbackLifeSeconds = 400 * daySeconds;

interface LookUpPayload {
  readonly i: string;
  /** The id that the service looks up by, if it differs from the invoice's. */
  readonly l?: string;
  readonly e: string;
  readonly t: number;
  readonly m: Method;
  /** Expiry, seconds since 1970. */
  readonly x: number;
  /** The code's deadline, milliseconds since 1970. */
  readonly d?: number;
}

export type LookUpTokens = ReturnType<typeof createLookUpTokens>;

/**
 * Makes and reads look-up tokens. A token holds all fields that a look-up is compared with, so it works after the store has
 * deleted the order.
 */
export function createLookUpTokens(source: KeySource, now: () => number) {
  const signer = rememberOpened(createSigner<LookUpPayload>('lookup', source));
  return {
    async issue(invoice: IssuedInvoice): Promise<string> {
      const { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs } = invoice;
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

    /**
     * Reads the invoice from its token. @returns null if the token is for another invoice, has expired, or was not signed by
     * this proxy
     */
    async read(token: string, invoiceId: string): Promise<IssuedInvoice | null> {
      const payload = await signer.open(token);
      if (payload === null || payload.i !== invoiceId || payload.x <= now() / 1_000) return null;
      const { l: lookUpId = invoiceId, e: externalId, t: totalCents, m: method, d } = payload;
      return { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs: d ?? null };
    },
  };
}

export type PostbackReferences = ReturnType<typeof createPostbackUrls>;

/** Makes and reads addresses for postbacks. The holder of one can only have the proxy look its order up, at a slow pace. */
export function createPostbackUrls(source: KeySource, now: () => number) {
  const signer = rememberOpened(createSigner<OrderPayload>('postback', source));
  return {
    async toUrl(this: void, externalId: string): Promise<string> {
      const expiry = Math.floor(now() / 1_000) + postbackLifeSeconds;
      const reference = await signer.sign({ e: externalId, x: expiry });
      return `${source.publicUrl}/postbacks/${reference}`;
    },

    /** Finds the order of a reference. @returns null if the reference has expired or was not signed by this proxy */
    async open(reference: string): Promise<string | null> {
      return readReference(await signer.open(reference), now);
    },
  };
}

/** How long an order token lives by default, seconds. */
const orderLifeSeconds = daySeconds;

/** Options of {@link signOrder}: the same `secrets` and `publicUrl` as the proxy's. */
export interface OrderTokenOptions extends KeySource {
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
  const { expiresInSeconds = orderLifeSeconds, now = Date.now } = options;
  const { externalId } = readPublicParts(options);
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
 * Whether this is an unexpired token of exactly this order. The proxy checks the same before it calls `resolveOrder`.
 * @throws TypeError naming the option that is wrong
 */
export async function verifyOrder(
  options: OrderTokenOptions & { readonly orderToken: string },
): Promise<boolean> {
  const { externalId, orderToken, now = Date.now } = options;
  // A page may send any JSON value.
  if (typeof orderToken !== 'string') return false;
  const signer = createSigner<OrderPayload>('order', toKeySource(options));
  return readReference(await signer.open(orderToken), now) === externalId;
}

export type OrderTokens = ReturnType<typeof createOrderTokens>;

/** Makes the reader of order tokens, which derives its keys only once. */
export function createOrderTokens(source: KeySource, now: () => number) {
  const signer = createSigner<OrderPayload>('order', source);

  return {
    /** Reads the reference of the order. @returns null if the token has expired or was not signed with these secrets */
    read: async (orderToken: string) => readReference(await signer.open(orderToken), now),

    /**
     * Finds out why a token is refused, for the operator's log. @returns null for a valid token, as in {@link verifyOrder}
     */
    async findFault(externalId: string, orderToken: string): Promise<OrderTokenFault | null> {
      if (orderToken === '') return 'missing';
      if (!/^v1\.[\w-]+\.[\w-]+$/.test(orderToken)) return 'unreadable';
      const payload = await signer.open(orderToken);
      const named = readReference(payload, () => 0);
      if (named === null) return 'other_secret_or_address';
      if (named !== externalId) return 'other_order';
      return readReference(payload, now) === null ? 'expired' : null;
    },
  };
}

/** Whether a token was signed for this order's payer, even if it has expired since. */
export function isSignedForPayer(fault: OrderTokenFault | null): fault is 'expired' | null {
  return fault === null || fault === 'expired';
}

/**
 * Reads the reference in a payload. @returns null if it has expired, or lacks a field, as a merchant may sign it in another
 * language
 */
function readReference(payload: OrderPayload | null, now: () => number): string | null {
  const { e, x }: { readonly e?: unknown; readonly x?: unknown } = payload ?? {};
  return typeof e === 'string' && typeof x === 'number' && x > now() / 1_000 ? e : null;
}

/** Checks the two options that become part of addresses. */
function readPublicParts({ publicUrl, externalId }: OrderTokenOptions) {
  if (typeof externalId !== 'string' || !externalIdPattern.test(externalId)) {
    throw new TypeError('externalId must be 1 to 64 letters, digits, dots, colons, _ or -');
  }
  return { publicUrl: parsePublicUrl('publicUrl', publicUrl), externalId };
}

/** Checks the options again, because merchants call this without a proxy. */
function toKeySource({ secrets, publicUrl }: OrderTokenOptions): KeySource {
  return {
    secrets: toSecrets('secrets', secrets),
    publicUrl: parsePublicUrl('publicUrl', publicUrl),
  };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const version = 'v1';

/** Longest text that is read, the contract's limit for tokens. */
const maxLength = 2048;

/**
 * Most verified texts that are remembered, about 5 MB. The oldest is dropped first. Only texts with a valid signature are
 * remembered, so a stranger cannot fill this.
 */
export const maxOpened = 10_000;

interface OrderPayload {
  readonly e: string;
  /** Expiry, seconds since 1970. */
  readonly x: number;
}

/** The secrets, `[current, ...previous]`, and the proxy's address, from which keys are derived. */
export interface KeySource {
  readonly secrets: readonly string[];
  readonly publicUrl: string;
}

/** Signs payloads and reads the texts that it has signed. */
type Signer<T extends object> = ReturnType<typeof createSigner<T>>;

/**
 * Makes a signer for one purpose. The first secret signs, and all of them verify, so that secrets can be rotated.
 * @param label the purpose. Keys of another purpose or another `publicUrl` do not accept these texts
 */
export function createSigner<T extends object>(
  label: 'lookup' | 'order' | 'postback' | 'qr',
  { secrets, publicUrl }: KeySource,
) {
  let derived: Promise<SigningKey[]> | undefined;
  // The info of RFC 5869 holds purpose and address, so that no key has two uses.
  const info = `pix-checkout ${version} ${label} ${publicUrl}`;
  const keys = () => (derived ??= Promise.all(secrets.map((secret) => deriveKey(secret, info))));

  return {
    async sign(payload: T): Promise<string> {
      const [current] = await keys();
      const body = `${version}.${toBase64Url(encoder.encode(JSON.stringify(payload)))}`;
      return `${body}.${toBase64Url(await current!.sign(body))}`;
    },

    /** Reads the payload. The caller checks its expiry and subject. @returns null for a text that this signer did not sign */
    async open(text: string): Promise<T | null> {
      const parts = text.length <= maxLength ? text.split('.') : [];
      const [head, payload, signature] = parts;
      if (parts.length !== 3 || !payload || !signature) return null;
      const bytes = fromBase64Url(signature);
      if (bytes === null) return null;
      for (const key of await keys()) {
        if (!(await key.verify(`${head}.${payload}`, bytes))) continue;
        return JSON.parse(decoder.decode(fromBase64Url(payload) ?? new Uint8Array())) as T;
      }
      return null;
    },
  };
}

/** Wraps a signer, so that it remembers the payloads of verified texts, because the same texts come again and again. */
export function rememberOpened<T extends object>(signer: Signer<T>): Signer<T> {
  const opened = createRecent<T>(maxOpened);
  return {
    ...signer,
    async open(text) {
      const known = opened.get(text);
      if (known) return known;
      const payload = await signer.open(text);
      if (payload === null) return null;
      opened.set(text, Object.freeze(payload));
      return payload;
    },
  };
}

function toBase64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * Decodes strictly: the unused last bits of the final character must be zero, or two different texts would have one valid
 * signature.
 */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length % 4 === 1) return null;
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return toBase64Url(bytes) === text ? bytes : null;
}

// Payment links: the address of the payment page, with the order token in the fragment, which no server or log sees.

/** The longest life of a link, seconds: ten years. */
const maxLifeSeconds = 10 * 366 * daySeconds;

/** Options of {@link toPaymentLink}: the same `secrets`, `publicUrl` and `requireOrderToken` as the proxy's. */
export interface PaymentLinkOptions extends OrderTokenOptions {
  /** How long the link works, in whole seconds, up to ten years; default 24 h. Not with `requireOrderToken: false`. */
  readonly expiresInSeconds?: number;
  /** With `false` the link names the order and does not expire. Default `true`. */
  readonly requireOrderToken?: boolean;
}

/**
 * Makes the link of one order as `createPaymentLink` does, but without a proxy. The proxy with `paymentPage` serves the page
 * behind the link.
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
    const { publicUrl, externalId } = readPublicParts(options);
    // A URL parser would remove a path segment that consists of dots.
    if (/^\.+$/.test(externalId)) throw new TypeError('externalId must hold more than dots');
    return { url: `${publicUrl}/pay/${externalId}`, expiresAt: null };
  }
  if (expiresInSeconds !== undefined && expiresInSeconds > maxLifeSeconds) {
    throw new TypeError(`expiresInSeconds must be a whole number to ${maxLifeSeconds}`);
  }
  // The clock is read once, so that link and token expire in the same second.
  const nowMs = now();
  const token = await signOrder({ ...options, now: () => nowMs });
  const { publicUrl } = readPublicParts(options);
  const lifeSeconds = expiresInSeconds ?? orderLifeSeconds;
  const expiresAt = new Date((Math.floor(nowMs / 1_000) + lifeSeconds) * 1_000);
  return { url: `${publicUrl}/pay#${token}`, expiresAt };
}
