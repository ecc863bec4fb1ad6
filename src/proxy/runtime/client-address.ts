/**
 * The address that a request comes from: a payer's, or that of the merchant's web server. This file imports nothing, because
 * `pix-checkout/order-token` loads it too.
 */

/** Addresses of this machine and its network, where the merchant's forwarding proxy may run. */
const privateAddress =
  /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|::1$|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/i;

/** Whether an address belongs to a private network. @param address as {@link toAddress} writes it */
export function isPrivateAddress(address: string): boolean {
  return privateAddress.test(address);
}

/**
 * Finds the payer's address, for the service's `ip_payer`. It trusts forwarding headers only as far as the merchant's
 * `trustedHops`: everything to the left of them may be forged (RFC 7239 section 8.1).
 * @param remoteAddress peer of the connection
 * @param trustedHops how many forwarding proxies to trust, counted from the right
 * @returns an IP address; null if none is known
 */
export function findClientAddress(
  headers: Pick<Headers, 'get'>,
  remoteAddress: string | undefined,
  trustedHops: number,
): string | null {
  const peer = toAddress(remoteAddress ?? '');
  if (trustedHops === 0) return peer;
  const forwarded = headers.get('x-forwarded-for')?.split(',') ?? [];
  // A list that is shorter than the hops did not pass all of them, so only the connection's own address is certain.
  return forwarded.length < trustedHops ? peer : toAddress(forwarded.at(-trustedHops) ?? '');
}

/** Whether a proxy of the merchant seems to forward requests, so that its address is taken for the payer's. */
export function isForwardingOverlooked(
  headers: Pick<Headers, 'has'>,
  remoteAddress: string | undefined,
  trustedHops: number,
): boolean {
  if (trustedHops > 0) return false;
  const isForwarded = headers.has('x-forwarded-for') || headers.has('forwarded');
  return isForwarded && isPrivateAddress(toAddress(remoteAddress ?? '') ?? '');
}

/**
 * Normalises an IPv4 or IPv6 address: without port, brackets and zone, and an IPv4 address without its IPv6 prefix. @returns
 * null for any other text
 */
export function toAddress(text: string): string | null {
  const bare = text
    .trim()
    .replace(/^"|"$/g, '')
    .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=\d+\.)/i, '');
  if (/^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.|$)){4}$/.test(bare) && !bare.endsWith('.'))
    return bare;
  return bare.includes(':') && /^[\da-f:.]+$/i.test(bare) && URL.canParse(`http://[${bare}]`)
    ? bare.toLowerCase()
    : null;
}

/**
 * Finds the part of an address that identifies a subscriber: a subscriber has 2^64 IPv6 addresses (RFC 6177 section 2), but
 * one IPv4 address.
 * @param address as {@link toAddress} writes it
 */
export function toSubscriber(address: string): string {
  if (!address.includes(':')) return address;
  // The URL parser writes each address in one form, without leading zeros and with an IPv4 tail in hex.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = head === '' ? [] : head.split(':');
  const zeros = tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter(Boolean).length;
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...(tail ?? '').split(':')];
  return `${all.slice(0, 4).join(':')}::/64`;
}
