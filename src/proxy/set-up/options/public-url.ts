/** Addresses that browsers see: where the proxy is, and the origins of the pages that may call it. */

import { loopbackHost, parseBaseUrl, parseSecureUrl } from '../../../service/secure-url.js';
import type { PlainRule } from '../../../service/secure-url.js';
import { isPrivateAddress } from '../../runtime/private-address.js';

/** Pages of apps, whose web views send these. `null` and `file:` are everybody's. */
const appOrigins: ReadonlySet<unknown> = new Set([
  'capacitor://localhost',
  'ionic://localhost',
  'tauri://localhost',
]);

/** In a private network a phone can try what stands on a desk. The options allow that with the sandbox alone. */
const inPrivateNetwork: PlainRule = {
  // An address only: a name may begin like one.
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

/** Whether everybody in the network can read along: http, and not on this machine. */
export function isReadAlong(url: string): boolean {
  const { hostname } = URL.canParse(url) ? new URL(url) : { hostname: '' };
  const isNear = loopbackHost.test(hostname);
  return url.startsWith('http:') && !isNear && inPrivateNetwork.isAllowed(hostname);
}
