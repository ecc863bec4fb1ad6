/** Signs calls as Standard Webhooks 1.0.0 describes, so that a merchant verifies them with a library of their language. */

import { createHmac } from 'node:crypto';

const prefix = 'whsec_';

/** Fewest and most bytes of a key (Standard Webhooks, "Signature scheme"). */
const keyBytes = { min: 24, max: 64 };

export interface Webhook {
  /**
   * The id, which is the same for every try. It must not contain a full stop, which separates the parts of the signed text.
   */
  readonly id: string;
  /** When this try is sent, milliseconds since 1970. */
  readonly sentAtMs: number;
  readonly body: string;
}

/**
 * Reads secrets of the form `whsec_<base64>`.
 * @param option their name in errors
 * @throws TypeError that never quotes a secret
 */
export function parseWebhookSecrets(option: string, secrets: unknown): readonly Buffer[] {
  if (!Array.isArray(secrets) || secrets.length === 0) {
    throw new TypeError(`${option} must be a list of ${prefix}… secrets, the current one first`);
  }
  return secrets.map((secret: unknown, at) => {
    const key = toKey(secret);
    if (key && key.length >= keyBytes.min && key.length <= keyBytes.max) return key;
    const { min, max } = keyBytes;
    throw new TypeError(`${option}[${at}] must be ${prefix} and ${min} to ${max} bytes in base64`);
  });
}

/** Makes the three headers of a call. Each key signs, because a receiver may know only the new key or only the old one. */
export function signWebhook(
  keys: readonly Buffer[],
  { id, sentAtMs, body }: Webhook,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(sentAtMs / 1_000));
  const signatures = keys.map((key) => {
    const hmac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`);
    return `v1,${hmac.digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

/**
 * Decodes a secret. @returns null for another form, because `Buffer` alone would silently drop characters that are not base64
 */
function toKey(secret: unknown): Buffer | null {
  if (typeof secret !== 'string' || !secret.startsWith(prefix)) return null;
  const base64 = secret.slice(prefix.length);
  const key = Buffer.from(base64, 'base64');
  const isWhole = key.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
  return isWhole ? key : null;
}
