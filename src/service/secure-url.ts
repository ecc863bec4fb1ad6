/** Checks the addresses that the merchant configures: https, or http on this machine. Errors never quote a value. */

/** The path of creations. Look-ups are below it. */
export const invoicesPath = '/api/v2/invoices';

/** Hosts of this machine, as `URL.hostname` writes them. */
export const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads a base address. Its path stays as a prefix, without a trailing slash.
 *
 * @throws TypeError naming the option
 */
export function parseBaseUrl(option: string, value: unknown, plain?: PlainRule): string {
  const url = parseSecureUrl(option, value, plain);
  if (url.search !== '' || url.hash !== '') {
    throw new TypeError(`${option} must not hold a query or a fragment`);
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/**
 * Reads the base address of the service.
 * @throws TypeError naming the option, also if the address already contains the path of creations, because every call would
 * be answered 404
 */
export function parseServiceUrl(option: string, value: unknown): string {
  const url = parseBaseUrl(option, value);
  if (!/\/(?:api\/v2|invoices)$/i.test(url)) return url;
  throw new TypeError(`${option} must end before ${invoicesPath}: that path is added`);
}

/**
 * Refuses a value that comes from an unset environment variable: empty, null or undefined, or the text that a template
 * string makes of null or undefined.
 * @throws TypeError naming the option
 */
export function refuseMissing(option: string, value: unknown): void {
  const text = value === undefined || value === null ? String(value) : value;
  if (text !== '' && text !== 'undefined' && text !== 'null') return;
  throw new TypeError(`${option} is ${text || 'empty'}: is the variable set?`);
}

/** Allows http for more hosts than this machine. */
export interface PlainRule {
  /** Whether http is allowed. @param hostname as `URL` writes it */
  readonly isAllowed: (hostname: string) => boolean;
  /** What to do, which is added to the error. */
  readonly advice: string;
}

/** Reads an address that has to be secure. @throws TypeError naming the option */
export function parseSecureUrl(option: string, value: unknown, plain?: PlainRule): URL {
  refuseMissing(option, value);
  if (typeof value !== 'string' || !value.includes('://') || !URL.canParse(value)) {
    throw new TypeError(`${option} is not an absolute URL`);
  }
  const url = new URL(value);
  const { protocol, hostname } = url;
  const mayBePlain = loopbackHost.test(hostname) || plain?.isAllowed(hostname) === true;
  if (protocol !== 'https:' && !(protocol === 'http:' && mayBePlain)) {
    throw new TypeError(`${option} must be https, except on loopback${plain?.advice ?? ''}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(`${option} must not hold credentials`);
  }
  return url;
}
