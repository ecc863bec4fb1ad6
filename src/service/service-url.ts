/** Where the service is: checks the address the merchant configured, once, at start. Knows no operation. */

/** Hosts that never leave this machine, as `URL.hostname` writes them. */
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads the base address of the service. A path stays as a prefix, without its trailing slash.
 *
 * @throws TypeError that names the option, and never quotes it: it may hold credentials
 */
export function parseServiceUrl(value: string): string {
  if (!URL.canParse(value)) throw new TypeError('serviceUrl is not an absolute URL');
  const url = new URL(value);
  const isPlain = url.protocol === 'http:' && loopbackHost.test(url.hostname);
  if (url.protocol !== 'https:' && !isPlain) {
    throw new TypeError('serviceUrl must be https, except on loopback');
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('serviceUrl must not hold credentials');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new TypeError('serviceUrl must not hold a query or a fragment');
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}
