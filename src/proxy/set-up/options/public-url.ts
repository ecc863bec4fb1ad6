/**
 * Reads the options that tokens depend on: the addresses of the proxy and its pages, and the secrets. It does without zod,
 * because merchants sign order tokens in workers where every byte counts.
 */

import {
  loopbackHost,
  parseBaseUrl,
  parseSecureUrl,
  refuseMissing,
} from '../../../service/secure-url.js';
import type { PlainRule } from '../../../service/secure-url.js';
import { isPrivateAddress } from '../../runtime/client-address.js';

/** Origins that apps' web views send. `null` and `file:` are not allowed, because any page can have them. */
const appOrigins: ReadonlySet<unknown> = new Set([
  'capacitor://localhost',
  'ionic://localhost',
  'tauri://localhost',
]);

/** Allows http in a private network, so that a phone can try a page. The options allow it only together with the sandbox. */
const inPrivateNetwork: PlainRule = {
  // Only an IP address counts as private, because a public host name may begin like one.
  isAllowed: (hostname) =>
    /^(?:[\d.]+|\[.+\])$/.test(hostname) && isPrivateAddress(hostname.replace(/^\[|\]$/g, '')),
  advice: ': as browsers write it, also where TLS ends in front of this process',
};

/** Reads where browsers reach the proxy. @throws TypeError naming the option */
export function parsePublicUrl(option: string, value: unknown): string {
  return parseBaseUrl(option, value, inPrivateNetwork);
}

/** Reads the origin of a page. @throws TypeError naming the option */
export function parsePageOrigin(option: string, value: unknown): string {
  return appOrigins.has(value)
    ? (value as string)
    : parseSecureUrl(option, value, inPrivateNetwork).origin;
}

/** Whether others in the network can read the traffic, because the address is http on another machine. */
export function isOpenToNetwork(url: string): boolean {
  const { hostname } = URL.canParse(url) ? new URL(url) : { hostname: '' };
  const isNear = loopbackHost.test(hostname);
  return url.startsWith('http:') && !isNear && inPrivateNetwork.isAllowed(hostname);
}

// The secrets that tokens are signed with.

/** Fewest bytes of a secret: as many as the HMAC's hash has (RFC 2104 section 3). */
const minSecretBytes = 32;

/**
 * Reads the secrets, the current one first.
 * @throws TypeError that names the option and never quotes it
 */
export function toSecrets(option: string, secrets: unknown): readonly string[] {
  refuseMissing(option, secrets);
  if (Array.isArray(secrets)) secrets.forEach((one, i) => refuseMissing(`${option}[${i}]`, one));
  if (!Array.isArray(secrets) || secrets.length === 0 || !secrets.every(isSecret)) {
    throw new TypeError(`${option} must be a list of strings of at least ${minSecretBytes} bytes`);
  }
  return [...secrets];
}

function isSecret(secret: unknown): secret is string {
  return typeof secret === 'string' && new TextEncoder().encode(secret).length >= minSecretBytes;
}

/**
 * Why an order token is refused. This type stands apart from the options, because those need types of zod, and
 * `pix-checkout/order-token` does not.
 */
export type OrderTokenFault =
  'missing' | 'unreadable' | 'expired' | 'other_order' | 'other_secret_or_address';
