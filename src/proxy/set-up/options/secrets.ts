/** Reads the secrets that tokens are signed with. Without zod: merchants sign order tokens where every byte counts. */

import { refuseMissing } from '../../../service/secure-url.js';

/** Fewest bytes of a secret: as many as the HMAC's hash has (RFC 2104 section 3). */
const minSecretBytes = 32;

/**
 * Keys, the current one first.
 * @throws TypeError that names the option and never quotes it
 */
export function toSecrets(option: string, secrets: unknown): readonly string[] {
  if (Array.isArray(secrets)) secrets.forEach((one, i) => refuseMissing(`${option}[${i}]`, one));
  if (!Array.isArray(secrets) || secrets.length === 0 || !secrets.every(isSecret)) {
    throw new TypeError(`${option} must be a list of strings of at least ${minSecretBytes} bytes`);
  }
  return [...secrets];
}

function isSecret(secret: unknown): secret is string {
  return typeof secret === 'string' && new TextEncoder().encode(secret).length >= minSecretBytes;
}
