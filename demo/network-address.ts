/** Finds where a phone in the same network reaches this machine. */

import type { NetworkInterfaceInfo } from 'node:os';

/** Private networks of IPv4 (RFC 1918): the proxy takes http there, with the sandbox. */
const privateAddress = /^(?:10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/;

/** @returns null: this machine is in no private network */
export function findNetworkAddress(
  interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>,
): string | null {
  const all = Object.values(interfaces).flatMap((addresses) => addresses ?? []);
  const found = all.find(
    ({ family, internal, address }) =>
      family === 'IPv4' && !internal && privateAddress.test(address),
  );
  return found?.address ?? null;
}
