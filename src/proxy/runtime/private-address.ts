/** Tells private addresses from those of payers. It imports nothing, because the listener for Node loads it too. */

/** Addresses of the own machine and network, where the merchant's forwarding proxy may stand. */
const privateAddress =
  /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|::1$|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/i;

/** @param address as `toAddress` of `door/request.ts` writes it */
export function isPrivateAddress(address: string): boolean {
  return privateAddress.test(address);
}
