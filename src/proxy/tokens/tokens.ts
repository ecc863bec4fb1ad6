/**
 * Two of the proxy's signed texts: the look-up token (its holder may look one invoice up) and the reference in a
 * postback's address. Neither is stored, neither holds personal data. The third is the order token (order-tokens.ts).
 */

import type { Method } from '../../contract/types.js';
import type { IssuedInvoice } from '../ledger/ledger.js';
import { createSigner, withMemory } from './signer.js';
import type { KeySource, OrderPayload } from './signer.js';

/** A look-up token lives this long, seconds: payers come back to a page for days. */
const lookUpLifeSeconds = 7 * 24 * 3_600;

/** A postback's address lives this long, seconds: longer than anything is looked up by itself. */
const postbackLifeSeconds = 30 * 24 * 3_600;

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
  /** The invoice as the token names it; null if the token is not for this invoice, has expired or is not ours. */
  read(token: string, invoiceId: string): Promise<IssuedInvoice | null>;
}

/** A token carries everything a look-up is compared with, so it works after the ledger has forgotten the order. */
export function createLookUpTokens(source: KeySource, now: () => number): LookUpTokens {
  const signer = withMemory(createSigner<LookUpPayload>('lookup', source));
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

/** The addresses for the service's postbacks, and the references in them. */
export interface PostbackReferences {
  /** The address for postbacks of one order. */
  toUrl(this: void, externalId: string): Promise<string>;
  /** The order of a reference; null if the reference has expired or is not ours. */
  open(this: void, reference: string): Promise<string | null>;
}

/** Makes postback addresses. The holder of one can only make the proxy look its order up, and not often. */
export function createPostbackUrls(source: KeySource, now: () => number): PostbackReferences {
  const signer = withMemory(createSigner<OrderPayload>('postback', source));
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
