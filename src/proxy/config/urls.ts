/** The addresses a merchant configures: where the proxy is seen from outside, and which pages may call it. */

/** Hosts that never leave this machine, as `URL.hostname` writes them. */
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * @returns the address without a trailing slash; tokens are bound to exactly this text
 * @throws TypeError naming `publicUrl`
 */
export function parsePublicUrl(value: unknown): string {
  const url = parseSecureUrl('publicUrl', value);
  if (url.search !== '' || url.hash !== '') {
    throw new TypeError('publicUrl must not hold a query or a fragment');
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/**
 * Origins are compared as text with what browsers send, so each must be written exactly as they write it.
 * @throws TypeError naming `allowedOrigins`
 */
export function parseOrigins(values: unknown): ReadonlySet<string> {
  // A star is a valid host name to the URL parser, and would be taken for a pattern by whoever wrote it.
  if ([values].flat().some((value) => typeof value === 'string' && value.includes('*'))) {
    throw new TypeError(
      'allowedOrigins must not hold a wildcard: list the exact origin of each page',
    );
  }
  if (!Array.isArray(values)) throw new TypeError('allowedOrigins must be a list');
  const origins = values.map((value) => parseSecureUrl('allowedOrigins', value).origin);
  if (origins.some((origin, index) => origin !== values[index])) {
    throw new TypeError(
      'allowedOrigins must be exact origins: scheme, host and port, nothing else',
    );
  }
  return new Set(origins);
}

function parseSecureUrl(name: string, value: unknown): URL {
  if (typeof value !== 'string' || !URL.canParse(value)) {
    throw new TypeError(`${name} is not an absolute URL`);
  }
  const url = new URL(value);
  const isLoopback = url.protocol === 'http:' && loopbackHost.test(url.hostname);
  if (url.protocol !== 'https:' && !isLoopback) {
    throw new TypeError(`${name} must be https, except on loopback`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(`${name} must not hold credentials`);
  }
  return url;
}
