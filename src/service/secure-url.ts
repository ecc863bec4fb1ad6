/** Checks addresses that the merchant configures. They must be https, or http on this machine. Errors never quote a value. */

/** The path of creations. Look-ups are below it. */
export const invoicesPath = '/api/v2/invoices';

/** Hosts of this machine, as `URL.hostname` writes them. */
export const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads a base address. A path stays as a prefix, without its trailing slash.
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
 * @throws TypeError naming the option, also if the address holds the path, because every call would be answered 404
 */
export function parseServiceUrl(option: string, value: unknown): string {
  const url = parseBaseUrl(option, value);
  if (!/\/(?:api\/v2|invoices)$/i.test(url)) return url;
  throw new TypeError(`${option} must end before ${invoicesPath}: that path is added`);
}

/**
 * Refuses the value of an environment variable that is not set, also as `${process.env.NAME}` writes it.
 * @throws TypeError naming the option
 */
export function refuseMissing(option: string, value: unknown): void {
  const text = value === undefined || value === null ? String(value) : value;
  if (text !== '' && text !== 'undefined' && text !== 'null') return;
  throw new TypeError(`${option} is ${text || 'empty'}: is the variable set?`);
}

/** Allows http for more hosts than this machine. */
export interface PlainRule {
  /** @param hostname as `URL` writes it */
  readonly isAllowed: (hostname: string) => boolean;
  /** Is added to the error. */
  readonly advice: string;
}

/** @throws TypeError naming the option */
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
